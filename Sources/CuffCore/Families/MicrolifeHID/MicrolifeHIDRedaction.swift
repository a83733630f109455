extension Redaction {
    /// The dates of the records, and the clock that a host sets; of the 42 bytes before the records those that no source explains
    /// are cleared. Sum again.
    static let microlifeHID = frames(MicrolifeHIDFrame(), payload: { CountedReports(.lowNibble).payload(of: $0)?.indices }) {
        frame, side, work in
        if side == .toCuff {
            // 4D FF len len 0D yy MM dd hh mm ss
            if frame.count >= 11, frame[4] == 0x0D { work.shiftBytes(&frame, year: 5, month: 6, day: 7) }
        } else if MicrolifeHIDFrame.isMemory(frame.span) {
            work.clear(&frame, 8..<MicrolifeHIDFrame.header, .unknown)
            for record in stride(from: MicrolifeHIDFrame.header, to: frame.count - 1, by: MicrolifeHIDFrame.recordLength) {
                work.shiftBytes(&frame, year: record + 3, month: record + 4, day: record + 5)
            }
        } else {
            work.clear(&frame, 4..<(frame.count - 1), .unknown)
        }
        frame[frame.count - 1] = Checksum.sum8(frame.span, 0..<(frame.count - 1))
    }
}
