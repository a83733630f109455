extension Redaction {
    /// The person's id of 20 characters and the date, in both forms of a line. There is no check.
    static let omronHBP = frames(OmronHBPLine(), blanksGaps: true) { line, _, work in
        if line.count == OmronHBPLine.short.utf8CodeUnitCount {
            work.blank(&line, 3..<23, .person)
            work.shiftDigits(&line, year: 24, yearDigits: 4, month: 29, day: 32)
        } else if line.count == OmronHBPLine.format5.utf8CodeUnitCount {
            work.shiftDigits(&line, year: 0, yearDigits: 4, month: 5, day: 8)
            work.blank(&line, 17..<37, .person)
        }
    }
}
