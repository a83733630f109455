extension Redaction {
    /// The date of a record, and the sum.
    static let template = frames(TemplateFrame()) { frame, side, work in
        guard side == .fromCuff, frame.count == TemplateFrame.maximumLength else { return }
        work.shiftBytes(&frame, year: 8, month: 9, day: 10)
        frame[frame.count - 1] = Checksum.sum8(frame.span, 0..<(frame.count - 1))
    }
}
