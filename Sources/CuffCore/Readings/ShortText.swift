/// At most 15 bytes of printable ASCII, inline, as sent. Longer text is truncated; unprintable bytes become `?`.
public struct ShortText: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    @usableFromInline var bytes: (UInt64, UInt64)

    /// No text.
    public init() { bytes = (0, 0) }

    /// The first 15 bytes; unprintable ones become `?`.
    public init(_ ascii: Span<UInt8>) {
        self.init()
        for index in 0..<min(ascii.count, 15) { append(ascii[index]) }
    }

    /// The first 15 bytes of UTF-8; bytes other than printable ASCII become `?`.
    public init(_ text: String) {
        self.init()
        for byte in text.utf8.prefix(15) { append(byte) }
    }

    /// From a literal.
    public init(stringLiteral text: String) { self.init(text) }

    /// The number of characters, 0…15.
    public var count: Int { Int(bytes.1 >> 56) }
    /// The text is empty.
    public var isEmpty: Bool { count == 0 }

    /// The byte at `index`; 0 beyond the end.
    public subscript(index: Int) -> UInt8 {
        index < 8
            ? UInt8(truncatingIfNeeded: bytes.0 >> UInt64(index * 8))
            : UInt8(truncatingIfNeeded: bytes.1 >> UInt64((index - 8) * 8))
    }

    /// Appends a character, `?` for an unprintable one; no effect if full.
    public mutating func append(_ byte: UInt8) {
        let index = count
        guard index < 15 else { return }
        let printable = UInt64(byte >= 0x20 && byte < 0x7F ? byte : 0x3F)
        if index < 8 { bytes.0 |= printable << UInt64(index * 8) } else { bytes.1 |= printable << UInt64((index - 8) * 8) }
        bytes.1 = (bytes.1 & 0x00FF_FFFF_FFFF_FFFF) | UInt64(index + 1) << 56
    }

    /// The text as a `String`.
    public var description: String {
        var text = ""
        for index in 0..<count { text.unicodeScalars.append(Unicode.Scalar(self[index])) }
        return text
    }

    /// The same text.
    public static func == (a: ShortText, b: ShortText) -> Bool { a.bytes.0 == b.bytes.0 && a.bytes.1 == b.bytes.1 }
    /// Hashes the text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.0)
        hasher.combine(bytes.1)
    }
}
