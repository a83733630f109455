extension Redaction {
    /// The date before the record; in the TM-2657P's text also every field with an undocumented tag.
    static let andStd = frames(AndStdFrame()) { frame, side, work in
        guard side == .fromCuff, frame.count > 8 else { return }
        let body = 6..<(frame.count - 2)
        var start = body.lowerBound
        var isResult = false
        var isTable = false
        while start < body.upperBound {
            let end = min(frame.span.firstOffset(of: AndStdFrame.rs, from: start) ?? body.upperBound, body.upperBound)
            let field = start..<end
            if field.count == 2 {
                isResult = isResult || frame.span.matches("RB", at: start) || frame.span.matches("RA", at: start)
                isTable = isTable || frame.span.matches("RP", at: start)
            } else if field.count == 10, !isResult, !isTable {
                work.shiftDigits(&frame, year: start, month: start + 2, day: start + 4)
            } else if isResult, !isTable, field.count > 1, !andStdTags.contains(frame[start]) {
                work.blank(&frame, (start + 1)..<end, .unknown)
            }
            start = end + 1
        }
        frame[frame.count - 1] = Checksum.xor8(frame.span, 2..<(frame.count - 1))
    }

    /// The documented tags of `AndStd.swift`.
    private static let andStdTags = Set("ESMDPILimrt".utf8)
}
