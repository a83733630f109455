@testable import CuffCore

/// Byte-by-byte references for the vector code in `Span+Scanning.swift`.
extension Span where Element == UInt8 {
    /// Reference for `textRun`, and for `textOf64` on 64 bytes.
    func plainTextRun(_ range: Range<Int>, allowing extra: UInt8) -> (end: Int, xor: UInt8) {
        var (index, xor): (Int, UInt8) = (Swift.max(0, range.lowerBound), 0)
        while index < Swift.min(range.upperBound, count), self[index] >= 0x20 && self[index] < 0x7F || self[index] == extra {
            xor ^= self[index]
            index += 1
        }
        return (index, xor)
    }

    func plainSpacedHex(_ offset: Int) -> [UInt8]? {
        guard offset >= 0, offset + 48 <= count else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: offset, to: offset + 48, by: 3) {
            guard self[place] == 0x20, let value = hexDigits(place + 1, 2) else { return nil }
            bytes.append(UInt8(value))
        }
        return bytes
    }

    func plainFirstOffset(of byte: UInt8, from offset: Int = 0) -> Int? {
        var index = Swift.max(0, offset)
        while index < count, self[index] != byte { index += 1 }
        return index < count ? index : nil
    }
}
