extension Redaction {
    /// Answers of one byte, pressures and results stay: they hold no time or id. Packets of undocumented forms are cleared.
    static let suntechAdvantage = frames(SunTechPacket()) { packet, side, work in
        guard side == .fromCuff, packet.count >= 4 else { return }
        switch (packet[1], packet[2]) {
        case (0x04, _), (0x05, _), (0x07, 0x01), (0x18, _), (0x19, 0x03): return
        default: work.clear(&packet, 2..<(packet.count - 1), .unknown)
        }
        packet[packet.count - 1] = 0 &- Checksum.sum8(packet.span, 0..<(packet.count - 1))
    }
}
