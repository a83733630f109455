/// Frames between flag bytes, as in HDLC: a flag or an escape within is sent as 7D and the byte xor 20.
struct ByteStuffing: Sendable {
    private static let escape: UInt8 = 0x7D
    let flags: [UInt8]

    private func isStuffed(_ byte: UInt8) -> Bool { byte == Self.escape || flags.contains(byte) }

    /// The content of these bytes; `nil` where a flag is inside, or an escape of a byte that is never escaped.
    func content(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
        var content: [UInt8] = []
        content.reserveCapacity(range.count)
        var mask: UInt8 = 0
        for index in range {
            let byte = bytes[index]
            if mask == 0, byte == Self.escape {
                mask = 0x20
                continue
            }
            guard isStuffed(byte ^ mask) == (mask != 0) else { return nil }
            content.append(byte ^ mask)
            mask = 0
        }
        return mask == 0 ? content : nil
    }

    /// The content between the first flag and the last.
    func frame(_ content: [UInt8]) -> [UInt8] {
        Array(flags.prefix(1)) + content.flatMap { isStuffed($0) ? [Self.escape, $0 ^ 0x20] : [$0] } + flags.suffix(1)
    }
}
