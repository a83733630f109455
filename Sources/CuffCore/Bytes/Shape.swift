/// How far bytes match a template of fixed-width text.
package enum ShapeFit: Sendable, Hashable {
    case no
    case partial
    case whole
}

extension Span where Element == UInt8 {
    /// Compares the front with a template, character by character: `#` a digit, `_` a digit or a blank, `~` a digit, a blank or a
    /// dash, `%` an upper-case hexadecimal digit, `*` any printable character except a comma; any other character matches itself.
    package func fit(_ shape: StaticString, at offset: Int = 0) -> ShapeFit {
        let length = shape.utf8CodeUnitCount
        var index = 0
        while index < length {
            guard let byte = byte(offset &+ index) else { return .partial }
            let isDigit = byte &- 0x30 < 10
            let fits =
                switch shape.utf8Start[index] {
                case 0x23: isDigit
                case 0x5F: isDigit || byte == 0x20
                case 0x7E: isDigit || byte == 0x20 || byte == 0x2D
                case 0x25: isDigit || byte >= 0x41 && byte <= 0x46
                case 0x2A: byte >= 0x20 && byte < 0x7F && byte != 0x2C
                case let character: byte == character
                }
            guard fits else { return .no }
            index &+= 1
        }
        return .whole
    }
}
