/// RFC 4648.
public enum Base64 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    public static func string(_ bytes: [UInt8]) -> String { encoded(bytes, letters + Array("+/".utf8), isPadded: true) }

    /// base64url: `-` and `_`, no padding.
    public static func urlString(_ bytes: [UInt8]) -> String { encoded(bytes, letters + Array("-_".utf8), isPadded: false) }

    private static func encoded(_ bytes: [UInt8], _ letters: [UInt8], isPadded: Bool) -> String {
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var value: UInt32 = 0
            for index in 0..<3 { value = value << 8 | (index < group.count ? UInt32(group[start + index]) : 0) }
            for index in 0..<4 {
                if index <= group.count {
                    result.append(letters[Int(value >> UInt32(18 - 6 * index)) & 63])
                } else if isPadded {
                    result.append(UInt8(ascii: "="))
                }
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
