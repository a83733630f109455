extension Redaction {
    /// The serial number, in the rotating value of the indices 0 and 1.
    static let evgmoltOEM = frames(EvgmoltOEMFrame()) { frame, side, work in
        guard side == .fromCuff, frame.count == 10, frame[7] <= 1 else { return }
        work.clear(&frame, 8..<9, .device)
        frame[9] = Checksum.sum8(frame.span, 0..<9)
    }
}
