/// Sixteen bytes compared as one vector.
///
/// Operators between two vectors are instructions; between a vector and a number they are loops, which is why the numbers
/// are vectors too. Results are read as two 64-bit words, first byte lowest.
private struct Sixteen {
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

    /// All bits set of each byte that is neither printable ASCII nor `extra`.
    @inline(__always)
    func others(than extra: UInt8) -> Words {
        let isPrintable = bytes &- Vector(repeating: 0x20) .< Vector(repeating: 0x7F - 0x20)
        return ~Self.words(isPrintable .| (bytes .== Vector(repeating: extra)))
    }

    /// All bits set of each byte that is not what hexadecimal text has there: a blank where `blanks` is set, elsewhere a digit.
    @inline(__always)
    func others(thanHexBehind blanks: Words) -> Words {
        let isDigit = bytes &- Vector(repeating: 0x30) .< Vector(repeating: 10)
        return (Self.words(isDigit .| isLetter) ^ ~blanks) | (Self.words(bytes .== Vector(repeating: 0x20)) ^ blanks)
    }

    /// Of hexadecimal text what each digit says, and 0 for a blank.
    @inline(__always)
    var nibbles: Words {
        Self.words(bytes & Vector(repeating: 15) &+ (unsafeBitCast(isLetter, to: Vector.self) & Vector(repeating: 9)))
    }

    @inline(__always)
    private var isLetter: SIMDMask<Vector.MaskStorage> {
        (bytes | Vector(repeating: 0x20)) &- Vector(repeating: 0x61) .< Vector(repeating: 6)
    }

    /// The eight bytes that 24 characters write, by their nibbles: blank, high, low; blank, high, low, and so on.
    @inline(__always)
    static func joined(_ a: UInt64, _ b: UInt64, _ c: UInt64) -> UInt64 {
        // Where high and low stand in one word they are laid beside each other; the third byte has one in each of two words.
        let front = a >> 4 | a >> 16
        let middle = b >> 4 | b >> 16
        let back = c << 4 | c >> 8
        let four = front & 0xFF | front >> 16 & 0xFF00 | a >> 36 & 0xF0_0000 | b << 16 & 0x0F_0000 | middle << 16 & 0xFF00_0000
        return four | middle & 0xFF_0000_0000 | (back & 0xFF) << 40 | (back >> 24 & 0xFF) << 48 | (back >> 48) << 56
    }

    /// All but the first `count` bytes, 0...15.
    @inline(__always)
    static func without(first count: Int) -> Words {
        count < 8
            ? Words(UInt64.max << UInt64(8 * count), UInt64.max) : Words(0, UInt64.max << UInt64(8 * (count - 8)))
    }
}

extension Span where Element == UInt8 {
    /// The text at the front of `range`: where it ends, at the first byte that is neither printable ASCII nor
    /// `extra` (a control character that a format uses within its text), and the exclusive or of its bytes.
    @inline(__always)
    public func textRun(_ range: Range<Int>, allowing extra: UInt8) -> (end: Int, xor: UInt8) {
        withUnsafeBytes { bytes in
            let start = Swift.max(0, range.lowerBound)
            let end = Swift.min(range.upperBound, bytes.count)
            guard let base = bytes.baseAddress, start < end else { return (start, 0) }
            var xor = Sixteen.Words.zero
            /// Takes sixteen bytes but those that `kept` masks out; where the run ends among them, their number before it.
            @inline(__always)
            func runEnds(_ offset: Int, _ kept: Sixteen.Words) -> Int? {
                let sixteen = Sixteen(base, at: offset)
                let others = sixteen.others(than: extra) & kept
                let words = Sixteen.words(sixteen.bytes) & kept
                if others[0] != 0 {
                    let length = others[0].trailingZeroBitCount / 8
                    xor[0] ^= words[0] & ~(UInt64.max << UInt64(8 * length))
                    return length
                }
                if others[1] != 0 {
                    let length = others[1].trailingZeroBitCount / 8
                    xor ^= Sixteen.Words(words[0], words[1] & ~(UInt64.max << UInt64(8 * length)))
                    return 8 &+ length
                }
                xor ^= words
                return nil
            }
            var index = start
            while index &+ 16 <= end {
                if let length = runEnds(index, Sixteen.without(first: 0)) { return (index &+ length, folded(xor)) }
                index &+= 16
            }
            // The last ones once more with those before them, where so many are.
            if index < end && end >= 16 {
                let length = runEnds(end &- 16, Sixteen.without(first: index &- (end &- 16)))
                return (length.map { end &- 16 &+ $0 } ?? end, folded(xor))
            }
            while index < end {
                let byte = base.load(fromByteOffset: index, as: UInt8.self)
                guard byte >= 0x20 && byte < 0x7F || byte == extra else { break }
                xor[0] ^= UInt64(byte)
                index &+= 1
            }
            return (index, folded(xor))
        }
    }

    /// Whether those of the first 64 bytes that stand in `range` are text as `textRun` takes it, and the exclusive or of all 64;
    /// `nil` where there are fewer. `range` begins among the first sixteen and ends among the last.
    @inline(__always)
    func textOf64(_ range: Range<Int>, allowing extra: UInt8) -> (isText: Bool, xor: UInt8)? {
        guard count >= 64 else { return nil }
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            let a = Sixteen(base, at: 0)
            let b = Sixteen(base, at: 16)
            let c = Sixteen(base, at: 32)
            let d = Sixteen(base, at: 48)
            let others =
                a.others(than: extra) & Sixteen.without(first: range.lowerBound) | b.others(than: extra) | c.others(than: extra)
                | d.others(than: extra) & ~Sixteen.without(first: range.upperBound &- 48)
            return (others[0] | others[1] == 0, folded(Sixteen.words(a.bytes ^ b.bytes ^ c.bytes ^ d.bytes)))
        }
    }

    @inline(__always)
    private func folded(_ xor: SIMD2<UInt64>) -> UInt8 {
        let eight = xor[0] ^ xor[1]
        let four = eight ^ eight >> 32
        let two = four ^ four >> 16
        return UInt8(truncatingIfNeeded: two ^ two >> 8)
    }

    /// The sixteen bytes that 48 characters from `offset` on write as text captures do, a blank and two hexadecimal digits for
    /// each, with the first byte lowest; `nil` where anything else is written.
    @inline(__always)
    func spacedHex(_ offset: Int) -> (UInt64, UInt64)? {
        guard offset >= 0, offset <= count &- 48 else { return nil }
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress.map({ $0 + offset }) else { return nil }
            // Blanks stand three apart, so in each eight characters they have one of three places.
            let (first, second, third) = (0x00FF_0000_FF00_00FF as UInt64, 0xFF00_00FF_0000_FF00 as UInt64, 0x0000_FF00_00FF_0000 as UInt64)
            let (a, b, c) = (Sixteen(base, at: 0), Sixteen(base, at: 16), Sixteen(base, at: 32))
            let others =
                a.others(thanHexBehind: Sixteen.Words(first, second)) | b.others(thanHexBehind: Sixteen.Words(third, first))
                | c.others(thanHexBehind: Sixteen.Words(second, third))
            guard others[0] | others[1] == 0 else { return nil }
            let (x, y, z) = (a.nibbles, b.nibbles, c.nibbles)
            return (Sixteen.joined(x[0], x[1], y[0]), Sixteen.joined(y[1], z[0], z[1]))
        }
    }

    /// The offset of the first `byte` at or after `offset`.
    @inline(__always)
    public func firstOffset(of byte: UInt8, from offset: Int = 0) -> Int? {
        withUnsafeBytes { bytes in
            var index = Swift.max(0, offset)
            guard let base = bytes.baseAddress else { return nil }
            let wanted = Sixteen.Vector(repeating: byte)
            while index &+ 16 <= bytes.count {
                let equal = Sixteen.words(Sixteen(base, at: index).bytes .== wanted)
                if equal[0] != 0 { return index &+ equal[0].trailingZeroBitCount / 8 }
                if equal[1] != 0 { return index &+ 8 &+ equal[1].trailingZeroBitCount / 8 }
                index &+= 16
            }
            while index < bytes.count {
                if base.load(fromByteOffset: index, as: UInt8.self) == byte { return index }
                index &+= 1
            }
            return nil
        }
    }
}
