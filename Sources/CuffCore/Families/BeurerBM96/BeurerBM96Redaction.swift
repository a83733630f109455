extension Redaction {
    /// Day, month and year of every record `u i ? sensor h m D M Y flags ? …`, and its two unknown bytes; the rows of ECGs are cleared.
    /// Answers of one and two bytes and the cuff's name stay. There is no check.
    static let beurerBM96 = reports { report, work in
        guard let first = report.first, first != BeurerBM96Report.filler else { return }
        let used = (report.lastIndex { $0 != BeurerBM96Report.filler } ?? 0) + 1
        if isBM96Record(report, used) {
            work.shiftBytes(&report, year: 8, month: 7, day: 6)
            work.clear(&report, 2..<3, .unknown)
            work.clear(&report, 10..<11, .unknown)
        } else if used > 2, report[..<used].contains(where: { $0 < 0x20 || $0 > 0x7E }) {
            work.clear(&report, 0..<used, .unknown)
        }
    }

    /// Only records have a sensor number, a time of day, and padding behind the pulse.
    private static func isBM96Record(_ report: [UInt8], _ used: Int) -> Bool {
        guard report.count >= BeurerBM96Report.recordLength, used <= BeurerBM96Report.recordLength, used > 8 else { return false }
        return [BeurerBM96Report.pressureSensor, BeurerBM96Report.ecgSensor].contains(report[3]) && report[4] < 24 && report[5] < 60
    }
}
