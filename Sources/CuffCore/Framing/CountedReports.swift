/// HID reports that carry a byte stream: the first byte counts the valid bytes after it; further ones are stale.
package struct CountedReports: Sendable, Hashable {
    /// How the first byte of a report encodes the count.
    package enum Count: Sendable, Hashable {
        /// The whole first byte counts (Omron).
        case wholeByte
        /// The low four bits are the count; the high four vary (the Holtek bridge of Microlife).
        case lowNibble
    }

    /// The usual report size: one count, seven bytes.
    package static let size = 8

    /// The encoding of this device's count.
    package var count: Count
    /// Reports with this encoding of the count.
    package init(_ count: Count) { self.count = count }

    /// The valid bytes of one report; `nil` if it is empty or its count exceeds its length.
    package func payload(of report: [UInt8]) -> ArraySlice<UInt8>? {
        guard let first = report.first else { return nil }
        let valid = Int(count == .wholeByte ? first : first & 0x0F)
        guard valid < report.count else { return nil }
        return report[1..<(1 + valid)]
    }

    /// Packs `bytes` into reports of eight bytes, padded with `filler`.
    package func reports(of bytes: [UInt8], filler: UInt8 = 0) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: Self.size - 1).map { start in
            let part = bytes[start..<min(start + Self.size - 1, bytes.count)]
            return [UInt8(part.count)] + part + [UInt8](repeating: filler, count: Self.size - 1 - part.count)
        }
    }
}
