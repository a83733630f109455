/// One JSON object of a line, taken apart as far as lines of readings go: texts, numbers and lists of texts by their keys.
/// What lies deeper is skipped.
struct JSONLine {
    enum Value: Equatable {
        case text(String)
        case number(Double)
        case flag(Bool)
        case list([String])
        /// An object, or `null`.
        case other
    }

    /// The values by their keys; of a repeated key the last.
    let values: [String: Value]

    /// Objects and lists within each other; lines of readings have two.
    private static let deepest = 32

    /// `nil` where the bytes are not one whole object.
    init?(_ bytes: ArraySlice<UInt8>) {
        var parser = Parser(rest: bytes)
        guard let values = parser.object(depth: 0), parser.isAtEnd else { return nil }
        self.values = values
    }

    func text(_ key: String) -> String? { if case .text(let text)? = values[key] { text } else { nil } }
    func number(_ key: String) -> Double? { if case .number(let number)? = values[key] { number } else { nil } }
    func list(_ key: String) -> [String] { if case .list(let list)? = values[key] { list } else { [] } }

    private struct Parser {
        var rest: ArraySlice<UInt8>

        var isAtEnd: Bool {
            mutating get {
                skipBlanks()
                return rest.isEmpty
            }
        }

        private mutating func skipBlanks() {
            while let byte = rest.first, byte == 0x20 || (0x09...0x0D).contains(byte) { rest.removeFirst() }
        }

        private mutating func take(_ byte: UInt8) -> Bool {
            skipBlanks()
            guard rest.first == byte else { return false }
            rest.removeFirst()
            return true
        }

        mutating func object(depth: Int) -> [String: Value]? {
            guard depth < JSONLine.deepest, take(0x7B) else { return nil }
            var found: [String: Value] = [:]
            if take(0x7D) { return found }
            repeat {
                guard let key = string(), take(0x3A), let value = value(depth: depth + 1) else { return nil }
                found[key] = value
            } while take(0x2C)
            return take(0x7D) ? found : nil
        }

        private mutating func list(depth: Int) -> [String]? {
            guard depth < JSONLine.deepest, take(0x5B) else { return nil }
            var found: [String] = []
            if take(0x5D) { return found }
            repeat {
                guard let value = value(depth: depth + 1) else { return nil }
                if case .text(let text) = value { found.append(text) }
            } while take(0x2C)
            return take(0x5D) ? found : nil
        }

        private mutating func value(depth: Int) -> Value? {
            skipBlanks()
            switch rest.first {
            case 0x22: return string().map { .text($0) }
            case 0x7B: return object(depth: depth).map { _ in .other }
            case 0x5B: return list(depth: depth).map { .list($0) }
            default: return word()
            }
        }

        private mutating func word() -> Value? {
            let word = rest.prefix { $0 != 0x2C && $0 != 0x7D && $0 != 0x5D && $0 > 0x20 }
            rest = rest.dropFirst(word.count)
            switch String(decoding: word, as: UTF8.self) {
            case "true": return .flag(true)
            case "false": return .flag(false)
            case "null": return .other
            case let text:
                // Of what `Double` reads, JSON has no hexadecimal numbers and no words.
                guard word.allSatisfy({ $0 &- 0x30 < 10 || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E || $0 | 0x20 == 0x65 }) else {
                    return nil
                }
                return Double(text).flatMap { $0.isFinite ? .number($0) : nil }
            }
        }

        private mutating func string() -> String? {
            guard take(0x22) else { return nil }
            var units: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case 0x22: return String(decoding: units, as: UTF8.self)
                case 0x5C: guard escape(&units) else { return nil }
                case 0..<0x20: return nil
                default: units.append(byte)
                }
            }
            return nil
        }

        private mutating func escape(_ units: inout [UInt8]) -> Bool {
            guard let byte = rest.popFirst() else { return false }
            switch byte {
            case 0x22, 0x5C, 0x2F: units.append(byte)
            case 0x62: units.append(0x08)
            case 0x66: units.append(0x0C)
            case 0x6E: units.append(0x0A)
            case 0x72: units.append(0x0D)
            case 0x74: units.append(0x09)
            case 0x75:
                guard let high = hexadecimal() else { return false }
                var codes = [high]
                if UTF16.isLeadSurrogate(high), rest.starts(with: [0x5C, 0x75]) {
                    rest = rest.dropFirst(2)
                    guard let low = hexadecimal() else { return false }
                    codes.append(low)
                }
                units += Array(String(decoding: codes, as: UTF16.self).utf8)
            default: return false
            }
            return true
        }

        private mutating func hexadecimal() -> UInt16? {
            guard rest.count >= 4 else { return nil }
            let digits = rest.prefix(4)
            rest = rest.dropFirst(4)
            guard digits.allSatisfy({ $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 6 }) else { return nil }
            return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        }
    }
}
