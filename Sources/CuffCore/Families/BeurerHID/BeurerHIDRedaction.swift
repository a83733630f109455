extension Redaction {
    /// Month, day and year of every report `s d p M D h m Y` that can be a record, without their upper bits. There is no check.
    static let beurerHID = reports { report, work in
        guard report.count == 8, !BeurerHIDReport.isSingle(report), report[7] & 0x60 == 0 else { return }
        work.shiftBytes(&report, year: 7, month: 3, day: 4, hour: 5, minute: 6, lastYear: 2031, bits: (0x1F, 0x0F, 0x1F))
    }
}
