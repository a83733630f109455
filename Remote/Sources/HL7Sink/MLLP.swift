/// The blocks of MLLP release 1: `0B` message `1C 0D`.
struct MLLP: Sendable {
    /// An answer has some hundred bytes.
    static let longest = 1 << 16

    private var buffer: [UInt8] = []
    /// More than `longest` bytes came without the end of a block.
    private(set) var isTooLong = false

    static func block(_ text: String) -> [UInt8] { [0x0B] + Array(text.utf8) + [0x1C, 0x0D] }

    /// The messages that are complete. Bytes between blocks are skipped.
    mutating func receive(_ bytes: [UInt8]) -> [[UInt8]] {
        buffer += bytes
        var messages: [[UInt8]] = []
        while let start = buffer.firstIndex(of: 0x0B), let end = buffer[start...].firstIndex(of: 0x1C) {
            messages.append(Array(buffer[(start + 1)..<end]))
            buffer.removeFirst(end + 1)
        }
        if !buffer.contains(0x0B) { buffer.removeAll() }
        if buffer.count > Self.longest { isTooLong = true }
        return messages
    }
}
