/// Sixteen bytes compared as one vector. Operators on two vectors compile to instructions, on a vector and a scalar to loops; so constants
/// are vectors too. Results are two 64-bit words, first byte lowest.
struct Sixteen {
    typealias Vector = SIMD16<UInt8>
    typealias Words = SIMD2<UInt64>
    let bytes: Vector

    @inline(__always)
    init(_ base: UnsafeRawPointer, at offset: Int) { bytes = base.loadUnaligned(fromByteOffset: offset, as: Vector.self) }

    @inline(__always)
    static func words(_ vector: Vector) -> Words {
        let words = unsafeBitCast(vector, to: Words.self)
        return Words(words[0].littleEndian, words[1].littleEndian)
    }

    @inline(__always)
    static func words(_ mask: SIMDMask<Vector.MaskStorage>) -> Words { words(unsafeBitCast(mask, to: Vector.self)) }

    @inline(__always)
    func others(than extra: UInt8) -> Words {
        let isPrintable = bytes &- Vector(repeating: 0x20) .< Vector(repeating: 0x7F - 0x20)
        return ~Self.words(isPrintable .| (bytes .== Vector(repeating: extra)))
    }

    /// A mask of the bytes that differ from hexadecimal text: a blank where `blanks` is set, elsewhere a digit.
    @inline(__always)
    func others(thanHexBehind blanks: Words) -> Words {
        let isDigit = bytes &- Vector(repeating: 0x30) .< Vector(repeating: 10)
        return (Self.words(isDigit .| isLetter) ^ ~blanks) | (Self.words(bytes .== Vector(repeating: 0x20)) ^ blanks)
    }

    @inline(__always)
    var nibbles: Words {
        Self.words(bytes & Vector(repeating: 15) &+ (unsafeBitCast(isLetter, to: Vector.self) & Vector(repeating: 9)))
    }

    @inline(__always)
    private var isLetter: SIMDMask<Vector.MaskStorage> {
        (bytes | Vector(repeating: 0x20)) &- Vector(repeating: 0x61) .< Vector(repeating: 6)
    }

    /// Eight bytes from the nibbles of 24 characters: blank, high, low; blank, high, low, and so on.
    @inline(__always)
    static func joined(_ a: UInt64, _ b: UInt64, _ c: UInt64) -> UInt64 {
        // High and low of one byte in the same word are combined by a shift; the third byte is split across two words.
        let front = a >> 4 | a >> 16
        let middle = b >> 4 | b >> 16
        let back = c << 4 | c >> 8
        let four = front & 0xFF | front >> 16 & 0xFF00 | a >> 36 & 0xF0_0000 | b << 16 & 0x0F_0000 | middle << 16 & 0xFF00_0000
        return four | middle & 0xFF_0000_0000 | (back & 0xFF) << 40 | (back >> 24 & 0xFF) << 48 | (back >> 48) << 56
    }

    @inline(__always)
    static func without(first count: Int) -> Words {
        count < 8
            ? Words(UInt64.max << UInt64(8 * count), UInt64.max) : Words(0, UInt64.max << UInt64(8 * (count - 8)))
    }
}
