/// The record bytes of a reading, kept so that old data can be decoded again. Up to 64 bytes, the longest vendor frame, are stored inline.
public struct RawBytes: Sendable, Hashable {
    private static let capacity = 64
    private typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    /// A longer record; `words` is then unused.
    private let long: [UInt8]?
    /// The number of bytes.
    public let count: Int
    private var words: Words = (0, 0, 0, 0, 0, 0, 0, 0)

    /// A copy of the bytes.
    @inline(__always)
    public init(_ bytes: Span<UInt8>) {
        count = bytes.count
        guard bytes.count <= Self.capacity else {
            long = bytes.withUnsafeBufferPointer { Array($0) }
            return
        }
        long = nil
        bytes.withUnsafeBytes { copy($0) }
    }

    /// A copy of the bytes.
    public init(_ bytes: [UInt8]) { self.init(bytes.span) }

    @inline(__always)
    private mutating func copy(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        // A constant length compiles to a few moves.
        if count == 64 {
            words = base.loadUnaligned(as: Words.self)
        } else if count >= 16 && count < 32 {
            // The length of an IEEE 11073 observation. Two vectors, as in later copies: another width would stall store forwarding.
            let rest = base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self).littleEndian >> UInt64(64 - 8 * (count % 8))
            let third = count < 24 ? rest.littleEndian : base.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
            let fourth = count < 24 ? 0 : rest.littleEndian
            let front = base.loadUnaligned(as: SIMD2<UInt64>.self)
            withUnsafeMutableBytes(of: &words) {
                $0.storeBytes(of: front, as: SIMD2<UInt64>.self)
                $0.storeBytes(of: SIMD2(third, fourth), toByteOffset: 16, as: SIMD2<UInt64>.self)
            }
        } else {
            withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
        }
    }

    /// Access to the bytes in place.
    @inline(__always)
    public func withBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
        if count > Self.capacity, let long { return body(long.span) }
        return withUnsafeBytes(of: words) { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { body($0.span.extracting(first: count)) }
        }
    }

    /// Access in place for a variable, without the copy that taking a value's address needs.
    @inline(__always)
    mutating func withBytesInPlace<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        if count > Self.capacity, let long { return long.withUnsafeBytes(body) }
        let count = min(count, Self.capacity)
        return withUnsafeBytes(of: &words) { body(UnsafeRawBufferPointer(start: $0.baseAddress, count: count)) }
    }

    /// A copy as an array.
    public var array: [UInt8] { withBytes { bytes in bytes.withUnsafeBufferPointer { Array($0) } } }

    /// The same bytes.
    public static func == (a: RawBytes, b: RawBytes) -> Bool {
        guard a.count == b.count else { return false }
        guard a.count <= capacity else { return a.long == b.long }
        // Unused inline bytes are zero.
        return a.words.0 == b.words.0 && a.words.1 == b.words.1 && a.words.2 == b.words.2 && a.words.3 == b.words.3
            && a.words.4 == b.words.4 && a.words.5 == b.words.5 && a.words.6 == b.words.6 && a.words.7 == b.words.7
    }
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(array) }
}
