/// Scans sixteen bytes at a time. `WireTextTests` compares each function with a reference that reads byte by byte.
/// The gain of each alone has not been measured; `.ci/instructions` counts the paths that use them (and-std, text capture).
extension Span where Element == UInt8 {
    /// The end of the text at the front of `range`, i.e. the offset of the first byte that is neither printable ASCII nor `extra`
    /// (a control character that a format allows in text), and the exclusive or of its bytes.
    @inline(__always)
    public func textRun(_ range: Range<Int>, allowing extra: UInt8) -> (end: Int, xor: UInt8) {
        withUnsafeBytes { bytes in
            let start = Swift.max(0, range.lowerBound)
            let end = Swift.min(range.upperBound, bytes.count)
            guard let base = bytes.baseAddress, start < end else { return (start, 0) }
            var xor = Sixteen.Words.zero
            /// Adds sixteen bytes, masked by `kept`, to the run; returns the run's length in them if it ends there.
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
            // The last bytes: reread the last sixteen, masking those already done.
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

    /// Whether the first 64 bytes within `range` are text as in `textRun`, and the exclusive or of all 64; `nil` for fewer than 64.
    /// `range` must begin in the first sixteen and end in the last.
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

    /// Sixteen bytes, first lowest, from 48 characters at `offset`: a blank and two hexadecimal digits each; `nil` for other text.
    @inline(__always)
    func spacedHex(_ offset: Int) -> (UInt64, UInt64)? {
        guard offset >= 0, offset <= count &- 48 else { return nil }
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress.map({ $0 + offset }) else { return nil }
            // Every third character is a blank, so each group of eight has one of three patterns.
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
                if equal[0] | equal[1] != 0 {
                    return index &+ (equal[0] != 0 ? equal[0].trailingZeroBitCount : 64 &+ equal[1].trailingZeroBitCount) / 8
                }
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
