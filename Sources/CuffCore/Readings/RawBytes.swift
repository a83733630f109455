/// The record bytes a reading was decoded from, kept so that a decoding error can be repaired in old data.
///
/// Up to 64 bytes lie inline, so that the usual record (the longest vendor frame has 64 bytes) costs no allocation.
public struct RawBytes: Sendable, Hashable {
    private enum Storage: Sendable {
        case short(Inline)
        case long([UInt8])
    }
    private let storage: Storage

    /// A plain block of memory, copied as one.
    private struct Inline: Sendable {
        static let capacity = 64
        typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
        var count = 0
        var words: Words = (0, 0, 0, 0, 0, 0, 0, 0)

        init() {}

        @inline(__always)
        init(_ bytes: UnsafeRawBufferPointer) {
            count = bytes.count
            guard let base = bytes.baseAddress else { return }
            // A copy of known length is a few moves, and no call.
            if count == 64 {
                words = base.loadUnaligned(as: Words.self)
            } else if count >= 16 && count < 32 {
                // The other usual length, of an IEEE 11073 observation. As two vectors, for so it is copied on: what was
                // written in another width has to wait for the memory.
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
    }

    public init() { storage = .short(Inline()) }

    @inline(__always)
    public init(_ bytes: Span<UInt8>) {
        storage =
            bytes.count <= Inline.capacity
            ? .short(bytes.withUnsafeBytes { Inline($0) }) : .long(bytes.withUnsafeBufferPointer { Array($0) })
    }

    public init(_ bytes: [UInt8]) { self.init(bytes.span) }

    public var count: Int {
        switch storage {
        case .short(let inline): inline.count
        case .long(let bytes): bytes.count
        }
    }
    public var isEmpty: Bool { count == 0 }

    /// The bytes, in place.
    @inline(__always)
    public func withBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
        switch storage {
        case .short(let inline):
            let count = inline.count
            return withUnsafeBytes(of: inline.words) { bytes in
                bytes.withMemoryRebound(to: UInt8.self) { body($0.span.extracting(first: count)) }
            }
        case .long(let bytes): return body(bytes.span)
        }
    }

    public var array: [UInt8] { withBytes { bytes in bytes.withUnsafeBufferPointer { Array($0) } } }

    public static func == (a: RawBytes, b: RawBytes) -> Bool { a.array == b.array }
    public func hash(into hasher: inout Hasher) { hasher.combine(array) }
}
