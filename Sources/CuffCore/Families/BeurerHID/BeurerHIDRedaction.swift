extension Redaction {
    /// Month, day and year of every report `s d p M D h m Y` that can be a record, without their upper bits. There is no check.
    static let beurerHID = Redaction { reports, side, work in
        guard side == .fromCuff else { return }
        for (index, report) in reports.enumerated() where report.count == 8 && !BeurerHIDReport.isSingle(report) {
            let time = DeviceTime(
                year: 2000 + Int(report[7] & 0x1F), month: Int(report[3] & 0x0F), day: Int(report[4] & 0x1F), hour: Int(report[5]),
                minute: Int(report[6]))
            guard report[7] & 0x60 == 0, let moved = work.shifted(time, years: 2000...2031) else { continue }
            reports[index][3] = report[3] & 0xF0 | moved.month
            reports[index][4] = report[4] & 0xE0 | moved.day
            reports[index][7] = report[7] & 0xE0 | UInt8(clamping: Int(moved.year) - 2000)
        }
    }
}
