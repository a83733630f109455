/// A reusable buffer of text. A noncopyable struct, because in a class the exclusivity checks took 40 % of the path from bytes to JSON.
public struct TextBuffer: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The number of bytes.
    public private(set) var count: Int

    /// An empty buffer with an initial `capacity`.
    public init(capacity: Int = 4096) {
        base = .allocate(capacity: capacity)
        self.capacity = capacity
        count = 0
    }

    deinit { base.deallocate() }

    /// Empties the buffer but keeps its storage.
    public mutating func removeAll() { count = 0 }
    /// Truncates the text to `length` bytes, if longer.
    public mutating func truncate(to length: Int) { count = min(count, max(0, length)) }

    /// Access to the text in place.
    /// - Throws: What `body` throws.
    public func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// A copy of the bytes.
    public var array: [UInt8] { Array(UnsafeBufferPointer(start: base, count: count)) }
    /// A copy as text; bytes that are not UTF-8 become U+FFFD.
    public var string: String { String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self) }

    /// The text that `body` appends to an empty buffer.
    package static func text(_ body: (inout TextBuffer) -> Void) -> String {
        var text = TextBuffer(capacity: 96)
        body(&text)
        return text.string
    }

    mutating func reserve(_ extra: Int) { if count &+ extra > capacity { grow(extra) } }

    /// Reserves `most` bytes and returns a writer that writes unchecked; `take` ends the writing.
    @inline(__always)
    mutating func writer(atMost most: Int) -> ByteWriter {
        if count &+ most > capacity { grow(most) }
        return ByteWriter(at: base + count)
    }

    /// Sets the end of the text to the writer's position.
    @inline(__always)
    mutating func take(_ writer: ByteWriter) {
        count = writer.position - base
        assert(count <= capacity, "more was written than there was room for")
    }

    @inline(__always)
    private mutating func write(atMost most: Int, _ body: (inout ByteWriter) -> Void) {
        var writer = writer(atMost: most)
        body(&writer)
        take(writer)
    }

    @inline(never)
    private mutating func grow(_ extra: Int) {
        let larger = max(capacity * 2, count + extra)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.update(from: base, count: count)
        base.deallocate()
        base = moved
        capacity = larger
    }

    @inline(__always)
    static func hexDigit(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 &+ nibble : 0x57 &+ nibble }

    /// Appends one byte.
    public mutating func append(_ byte: UInt8) { write(atMost: 1) { $0.put(byte) } }
    /// Appends a literal, not escaped.
    public mutating func append(_ text: StaticString) { write(atMost: text.utf8CodeUnitCount) { $0.put(text) } }
    /// Appends a word, not escaped.
    public mutating func append(word: StaticName) { append(word.literal) }

    /// Labelled, so that literals do not select this slower overload.
    public mutating func append(string text: String) {
        var text = text
        text.withUTF8 { utf8 in
            guard let start = utf8.baseAddress else { return }
            write(atMost: utf8.count) { $0.put(start, utf8.count) }
        }
    }

    /// Appends bytes.
    public mutating func append(bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            write(atMost: source.count) { $0.put(start, source.count) }
        }
    }

    /// Appends text, not escaped.
    public mutating func append(short text: ShortText) {
        write(atMost: 15) { writer in for index in 0..<text.count { writer.put(text[index]) } }
    }

    /// A decimal integer.
    public mutating func append(decimal value: Int64) { write(atMost: 20) { $0.put(decimal: value) } }
    /// Exactly `width` decimal digits with leading zeros; higher digits are dropped. Not for negative values.
    public mutating func append(padded value: Int, width: Int) {
        write(atMost: width) { $0.put(padded: value, width: width) }
    }
    /// Sixteen lower-case hexadecimal digits.
    public mutating func append(hex value: UInt64) { write(atMost: 16) { $0.put(hex: value) } }
    /// Two lower-case hexadecimal digits for each byte, without separators.
    public mutating func append(hexOf bytes: Span<UInt8>) { write(atMost: 2 * bytes.count) { $0.put(hexOf: bytes) } }
    /// A JSON number with the digits as sent; exponents beyond ±12 use `e`.
    public mutating func append(_ digits: Digits) { write(atMost: 34) { $0.put(digits) } }
    /// A JSON number with at most two decimals, rounded; `null` if not finite.
    public mutating func append(rounded value: Double) { write(atMost: 24) { $0.put(rounded: value) } }
    /// ISO 8601 without a zone, in the time's precision.
    public mutating func append(_ time: DeviceTime) { write(atMost: 22) { $0.put(time) } }
    /// RFC 3339 in UTC with milliseconds, `2026-05-05T05:40:00.120Z`.
    public mutating func append(utc time: Timestamp) { write(atMost: 32) { $0.put(utc: time) } }
    /// RFC 3339 in whole seconds, `offset` in minutes east of UTC.
    public mutating func append(local time: Timestamp, offset: Int) {
        write(atMost: 32) { $0.put(local: time, offset: offset) }
    }
    /// The printed form of the id, 32 bytes.
    public mutating func append(_ id: Reading.ID) { write(atMost: 32) { $0.put(id) } }
    /// A quoted, escaped JSON string.
    public mutating func append(jsonString text: String) {
        write(atMost: 2 + 6 * text.utf8.count) { $0.put(jsonString: text) }
    }
}
