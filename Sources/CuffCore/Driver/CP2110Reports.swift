/// Reports of Silicon Labs' CP2110, a HID device that is a UART (AN434). The report number, 01…3F, is the count of bytes.
public enum CP2110Reports {
    /// The most bytes one report carries.
    public static let capacity = 0x3F

    /// The serial bytes of one input report; `nil` if it carries none.
    public static func payload(of report: [UInt8]) -> ArraySlice<UInt8>? {
        guard let number = report.first, number >= 1, number <= UInt8(capacity), Int(number) < report.count else {
            return nil
        }
        return report[1..<(1 + Int(number))]
    }

    /// Output reports for `bytes`. The number comes first, without a preceding 00.
    public static func reports(of bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: capacity).map { start in
            let part = bytes[start..<min(start + capacity, bytes.count)]
            return [UInt8(part.count)] + part
        }
    }

    /// Feature report 41: the UART on (documented, AN434 "Get/Set UART Enable").
    public static let enable: [UInt8] = [0x41, 0x01]

    /// Whether the answer to feature report 50 is a line that a cuff can have: 300 to 1,000,000 bit/s (AN434 gives the chip's range)
    /// and fields of the documented ranges.
    public static func isPlausible(_ configuration: [UInt8]) -> Bool {
        let bytes = configuration.span
        guard bytes.count >= 9, bytes[0] == 0x50, let rate = bytes.bigEndian32(1) else { return false }
        return 300...1_000_000 ~= rate && bytes[5] <= 4 && bytes[6] <= 1 && bytes[7] <= 3 && bytes[8] <= 1
    }

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
