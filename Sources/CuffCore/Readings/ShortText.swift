/// At most 15 bytes of printable ASCII, inline: an error code or a unit as a cuff wrote it. Longer text is cut,
/// anything unprintable becomes `?`, so that a hostile string cannot reach a terminal.
public struct ShortText: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    @usableFromInline var bytes: (UInt64, UInt64)

    /// No text.
    public init() { bytes = (0, 0) }

    /// The first 15 bytes; each unprintable one becomes `?`.
    public init(_ ascii: Span<UInt8>) {
        self.init()
        for index in 0..<min(ascii.count, 15) { append(ascii[index]) }
    }

    /// The first 15 bytes of the UTF-8 form; each byte that is not printable ASCII becomes `?`.
    public init(_ text: String) {
        self.init()
        for byte in text.utf8.prefix(15) { append(byte) }
    }

    /// The same from a literal.
    public init(stringLiteral text: String) { self.init(text) }

    /// The number of characters, 0…15.
    public var count: Int { Int(bytes.1 >> 56) }
    /// There is no text.
    public var isEmpty: Bool { count == 0 }

    /// The byte at `index`; 0 beyond the end.
    public subscript(index: Int) -> UInt8 {
        index < 8
            ? UInt8(truncatingIfNeeded: bytes.0 >> UInt64(index * 8))
            : UInt8(truncatingIfNeeded: bytes.1 >> UInt64((index - 8) * 8))
    }

    /// Adds a character, `?` for an unprintable one; without effect on a full text.
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

    /// The same characters.
    public static func == (a: ShortText, b: ShortText) -> Bool { a.bytes.0 == b.bytes.0 && a.bytes.1 == b.bytes.1 }
    /// Hashes the characters.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.0)
        hasher.combine(bytes.1)
    }
}
