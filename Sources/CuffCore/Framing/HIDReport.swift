/// HID reports that carry a byte stream: the first byte counts the valid bytes after it.
///
/// Bytes past the count are stale, left there by an earlier report, and mean nothing. This type takes one report apart
/// or packs bytes into reports; the family defines where a message begins and ends.
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

/// The reports of Silicon Labs' CP2110, a HID device that is a UART (AN434): an alternative transport for cuffs with a
/// serial protocol. The report's number, 01…3F, is its count. It moves bytes and knows no protocol.
public enum CP2110Reports {
    /// The most bytes one report carries.
    public static let capacity = 0x3F

    /// The serial bytes of one input report; `nil` for a report that carries none.
    public static func payload(of report: [UInt8]) -> ArraySlice<UInt8>? {
        guard let number = report.first, number >= 1, number <= UInt8(capacity), Int(number) < report.count else {
            return nil
        }
        return report[1..<(1 + Int(number))]
    }

    /// Output reports for `bytes`. The number stands first; no 00 goes before it.
    public static func reports(of bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: capacity).map { start in
            let part = bytes[start..<min(start + capacity, bytes.count)]
            return [UInt8(part.count)] + part
        }
    }

    /// Feature report 41: the UART on (documented, AN434 "Get/Set UART Enable").
    public static let enable: [UInt8] = [0x41, 0x01]

    /// Feature report 50: rate big-endian, parity, flow control (none), data bits, stop bits (documented, AN434
    /// "Get/Set UART Config").
    public static func configuration(_ line: LineSettings) -> [UInt8] {
        let rate = UInt32(clamping: line.rate)
        let parity: UInt8 =
            switch line.parity {
            case .none: 0
            case .odd: 1
            case .even: 2
            }
        return [
            0x50, UInt8(truncatingIfNeeded: rate >> 24), UInt8(truncatingIfNeeded: rate >> 16),
            UInt8(truncatingIfNeeded: rate >> 8), UInt8(truncatingIfNeeded: rate), parity, 0,
            UInt8(clamping: line.dataBits - 5), line.stopBits == 2 ? 1 : 0,
        ]
    }
}
