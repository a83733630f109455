extension Redaction {
    /// The date. There is no check, and no id.
    static let paramatechFT201 = frames(ParamatechFT201Frame()) { frame, _, work in
        work.shiftDigits(&frame, year: 2, month: 4, day: 6)
    }
}
