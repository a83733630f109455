extension Redaction {
    /// The person's id and the date of both forms of a result; all letters and digits of other answers.
    static let r1 = frames(R1Frame(), blanksGaps: true) { frame, side, work in
        guard side == .fromCuff, frame.count > 3 else { return }
        var fields: [Range<Int>] = []
        var start = 1
        while start < frame.count - 2 {
            let end = min(frame.span.firstOffset(of: 0x2C, from: start) ?? frame.count - 2, frame.count - 2)
            fields.append(start..<end)
            start = end + 1
        }
        if fields.count >= 7, fields[0].count == 2, frame.span.matches("R1", at: 1), fields[2].count == 6 {
            work.blank(&frame, fields[1], .person)
            let date = fields[2].lowerBound
            work.shiftDigits(&frame, year: date, month: date + 2, day: date + 4)
        } else if fields.count >= 7, fields[0].count == 4, fields[1].count == 8 {
            work.blank(&frame, fields[0], .person)
            let date = fields[1].lowerBound
            work.shiftDigits(&frame, year: date, month: date + 3, day: date + 6)
        } else {
            work.blank(&frame, 1..<(frame.count - 2), .unknown)
        }
        frame[frame.count - 1] = Checksum.sum8(frame.span, 0..<(frame.count - 1))
    }
}
