extension Redaction {
    /// Version packets keep only the versions, not the serial number; packets other than beats, pressures and status are cleared. Packet
    /// times count from the start and are not dates.
    static let nibpNano = frames(NibpNanoFrame()) { frame, side, work in
        guard side == .fromCuff, frame.count >= 7 else { return }
        let end = frame.count - 1
        let isWhole = frame.count == NibpNanoFrame.maximumLength
        switch (frame[4], frame[5]) {
        case (0x62, _), (0x64, _), (0x73, _): return
        case (0x76, 0x00) where isWhole:
            work.clear(&frame, 6..<14, .unknown)
            work.clear(&frame, 16..<34, .unknown)
            work.clear(&frame, 34..<end, .device)
        case (0x76, 0x0A) where isWhole:
            work.clear(&frame, 6..<16, .unknown)
            work.clear(&frame, 20..<end, .unknown)
        default: work.clear(&frame, 5..<end, .unknown)
        }
        frame[end] = Checksum.crc8Maxim(frame.span, 4..<end)
    }
}
