extension Redaction {
    /// The dates of records, whose bytes have bit 7 set and their eighth bit in the group's head. Stale bytes are cleared. No check.
    static let contec08A = reports { report, work in
        let length = Contec08AReport.recordLength
        // The eighth bits of a date are never set: 127 exceeds all fields.
        guard report.count >= length, report[..<length].allSatisfy({ $0 >= 0x80 }), report[0] & 0x60 == 0, report[8] & 0x01 == 0 else {
            return
        }
        work.shiftBytes(&report, year: 6, month: 7, day: 9, bits: (0x7F, 0x7F, 0x7F))
        work.clear(&report, length..<report.count, .unknown)
    }
}
