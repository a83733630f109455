/// The check algorithms of the documented protocols, with their published check value over "123456789" where one exists.
public enum Checksum {
    /// Sum of all bytes mod 256. Over "123456789": DD.
    @inline(__always)
    public static func sum8(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8 {
        bytes.withUnsafeBufferPointer { bytes in
            var sum: UInt8 = 0
            for index in clamped(range, bytes.count) { sum &+= bytes[index] }
            return sum
        }
    }

    /// Exclusive or of all bytes. Over "123456789": 31.
    @inline(__always)
    public static func xor8(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8 {
        bytes.withUnsafeBufferPointer { bytes in
            var sum: UInt8 = 0
            for index in clamped(range, bytes.count) { sum ^= bytes[index] }
            return sum
        }
    }

    /// The byte that brings the sum to 0 mod 256.
    public static func twosComplement8(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8 { 0 &- sum8(bytes, range) }

    /// The complement of the sum.
    public static func onesComplement8(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8 { ~sum8(bytes, range) }

    /// CRC-8/MAXIM-DOW: polynomial 31 reflected (8C), init 0, no final xor. Over "123456789": A1
    /// (reveng catalogue of parametrised CRC algorithms).
    public static func crc8Maxim(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8 {
        crc8(bytes, range, reflectedPolynomial: 0x8C)
    }

    /// CRC-8 of the Dinamap PRO native stream: polynomial 85 reflected (A1), init 0, no final xor. No published check value;
    /// it agrees with 1152 of 1152 recorded blocks of the protocol.
    public static func crc8Dinamap(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8 {
        crc8(bytes, range, reflectedPolynomial: 0xA1)
    }

    private static func crc8(_ bytes: Span<UInt8>, _ range: Range<Int>, reflectedPolynomial: UInt8) -> UInt8 {
        var crc: UInt8 = 0
        for index in clamped(range, bytes.count) {
            crc ^= bytes[index]
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ reflectedPolynomial : crc >> 1 }
        }
        return crc
    }

    /// CRC-16/X-25, the frame check sequence of PPP: polynomial 1021 reflected (8408), init FFFF, final xor FFFF.
    /// Over "123456789": 906E (reveng catalogue of parametrised CRC algorithms).
    public static func crc16X25(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt16 {
        var crc: UInt16 = 0xFFFF
        for index in clamped(range, bytes.count) {
            crc ^= UInt16(bytes[index])
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x8408 : crc >> 1 }
        }
        return ~crc
    }

    @inline(__always)
    private static func clamped(_ range: Range<Int>, _ count: Int) -> Range<Int> {
        let low = min(max(0, range.lowerBound), count)
        return low..<max(low, min(range.upperBound, count))
    }
}

extension Array where Element == UInt8 {
    /// The sum of all bytes mod 256.
    public var sum8: UInt8 { Checksum.sum8(span, 0..<count) }
    /// The exclusive or of all bytes.
    public var xor8: UInt8 { Checksum.xor8(span, 0..<count) }

    /// The low 16 bits of each word, most significant byte first.
    init(bigEndian words: [Int]) { self = words.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] } }
    /// The low 16 bits of each word, least significant byte first.
    init(littleEndian words: [Int]) { self = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] } }

    /// These bytes and as much filling as makes `length`.
    func padded(to length: Int, with filler: UInt8 = 0) -> [UInt8] {
        self + [UInt8](repeating: filler, count: Swift.max(0, length - count))
    }
}
