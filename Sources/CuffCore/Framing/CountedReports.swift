/// HID reports that carry a byte stream: the first byte counts the valid bytes after it.
///
/// Bytes past the count are stale, left there by an earlier report, and mean nothing. This type takes one report apart
/// or packs bytes into reports; where a message begins and ends is the family's affair.
public struct CountedReports: Sendable, Hashable {
    /// How the first byte of a report counts.
    public enum Count: Sendable, Hashable {
        /// The whole first byte counts (Omron).
        case wholeByte
        /// The low four bits count, the high four vary (the Holtek bridge of Microlife).
        case lowNibble
    }

    /// The usual report: one count, seven bytes.
    public static let size = 8

    /// How this device's first byte counts.
    public var count: Count
    /// Reports of a device that counts in this way.
    public init(_ count: Count) { self.count = count }

    /// The valid bytes of one report; `nil` when it is empty or counts more bytes than it has.
    public func payload(of report: [UInt8]) -> ArraySlice<UInt8>? {
        guard let first = report.first else { return nil }
        let valid = Int(count == .wholeByte ? first : first & 0x0F)
        guard valid < report.count else { return nil }
        return report[1..<(1 + valid)]
    }

    /// Reports of eight bytes that carry `bytes`, unused places filled with `filler`.
    public func reports(of bytes: [UInt8], filler: UInt8 = 0) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: Self.size - 1).map { start in
            let part = bytes[start..<min(start + Self.size - 1, bytes.count)]
            return [UInt8(part.count)] + part + [UInt8](repeating: filler, count: Self.size - 1 - part.count)
        }
    }
}
