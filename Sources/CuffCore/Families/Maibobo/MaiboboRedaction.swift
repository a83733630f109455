extension Redaction {
    /// The date of a result, if the clock was set.
    static let maibobo = frames(MaiboboFrame()) { frame, side, work in
        guard side == .fromCuff, frame.count > 13, frame[4] == 0x01, frame[5] == 0x06, frame[6] != 0,
            Array(frame[7...12]) != MaiboboSession.neverSet
        else { return }
        work.shiftBytes(&frame, year: 7, month: 8, day: 9)
        frame[frame.count - 1] = Checksum.xor8(frame.span, 2..<(frame.count - 1))
    }
}
