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
            let blank = Sixteen.Vector(repeating: 0x20)
            let printable = Sixteen.Vector(repeating: 0x7F - 0x20)
            let extras = Sixteen.Vector(repeating: extra)
            var xor = Sixteen.Words.zero
            /// Takes sixteen bytes but those that `kept` masks out; where the run ends among them, their number before it.
            @inline(__always)
            func runEnds(_ offset: Int, _ kept: Sixteen.Words) -> Int? {
                let sixteen = Sixteen(base, at: offset)
                let isText = (sixteen.bytes &- blank .< printable) .| (sixteen.bytes .== extras)
                let others = ~Sixteen.words(isText) & kept
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

    private func folded(_ xor: SIMD2<UInt64>) -> UInt8 {
        let eight = xor[0] ^ xor[1]
        let four = eight ^ eight >> 32
        let two = four ^ four >> 16
        return UInt8(truncatingIfNeeded: two ^ two >> 8)
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
