extension Redaction {
    /// The dates of records, whose bytes have bit 7 set and their eighth bit in the group's head. Stale bytes are cleared. No check.
    static let contec08A = Redaction { reports, side, work in
        guard side == .fromCuff else { return }
        for index in reports.indices {
            var report = reports[index]
            guard report.count >= Contec08AReport.recordLength, report[..<Contec08AReport.recordLength].allSatisfy({ $0 >= 0x80 })
            else { continue }
            let time = DeviceTime(year: 2000 + Int(report[6] & 0x7F), month: Int(report[7] & 0x7F), day: Int(report[9] & 0x7F))
            // The eighth bits of a date are never set: 127 exceeds all fields.
            guard report[0] & 0x60 == 0, report[8] & 0x01 == 0, let moved = work.shifted(time, years: 2000...2099) else { continue }
            report[6] = 0x80 | UInt8(clamping: Int(moved.year) - 2000)
            report[7] = 0x80 | moved.month
            report[9] = 0x80 | moved.day
            work.clear(&report, Contec08AReport.recordLength..<report.count, .unknown)
            reports[index] = report
        }
    }
}
