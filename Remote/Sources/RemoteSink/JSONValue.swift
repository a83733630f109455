/// A JSON value that keeps the digits of a number as they were written: `16.0` stays `16.0`.
public enum JSONValue: Sendable, Equatable {
    case string(String)
    /// The digits, checked against the grammar of JSON.
    case number(String)
    case bool(Bool)
    case null
    case array([JSONValue])
    /// In source order. The last of repeated keys counts.
    case object([Member])

    public struct Member: Sendable, Equatable {
        public let key: String
        public let value: JSONValue
        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The digits of a number.
    public var digits: String? { if case .number(let digits) = self { digits } else { nil } }
    public var integer: Int? { digits.flatMap { Int($0) } }
    public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.key == key }?.value
    }

    /// `nil` when the bytes are not one JSON value in UTF-8.
    public init?(parsing bytes: [UInt8]) {
        var parser = JSONParser(bytes)
        guard let value = parser.document() else { return nil }
        self = value
    }

    /// The value as JSON without blanks.
    public var text: String {
        switch self {
        case .string(let text): Self.quoted(text)
        case .number(let digits): digits
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members): Self.object(members.map { ($0.key, $0.value.text) })
        }
    }

    /// A JSON object of members whose values are JSON already.
    public static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }

    /// A text as a JSON string, quotes included.
    public static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// RFC 8259, with a limit on nesting.
struct JSONParser {
    private let bytes: [UInt8]
    private var index = 0
    /// `cuff`'s lines are nested two levels deep.
    private static let deepest = 32

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() -> JSONValue? {
        guard let value = value(depth: 0) else { return nil }
        skipBlanks()
        return index == bytes.count ? value : nil
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func accept(word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count - index >= count,
            bytes[index..<index + count].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: count))
        else { return false }
        index += count
        return true
    }

    private mutating func value(depth: Int) -> JSONValue? {
        guard depth < Self.deepest else { return nil }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return list(until: UInt8(ascii: "}")) { $0.member(depth: depth + 1) }.map { .object($0) }
        case UInt8(ascii: "["): return list(until: UInt8(ascii: "]")) { $0.value(depth: depth + 1) }.map { .array($0) }
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return accept(word: "true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return accept(word: "false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return accept(word: "null") ? .null : nil
        default: return number().map { .number($0) }
        }
    }

    /// From the opening bracket on.
    private mutating func list<Element>(until end: UInt8, _ element: (inout JSONParser) -> Element?) -> [Element]? {
        var elements: [Element] = []
        index += 1
        skipBlanks()
        if accept(end) { return elements }
        while let next = element(&self) {
            elements.append(next)
            skipBlanks()
            if accept(end) { return elements }
            guard accept(UInt8(ascii: ",")) else { return nil }
        }
        return nil
    }

    private mutating func member(depth: Int) -> JSONValue.Member? {
        skipBlanks()
        guard next == UInt8(ascii: "\""), let key = string() else { return nil }
        skipBlanks()
        guard accept(UInt8(ascii: ":")), let value = value(depth: depth) else { return nil }
        return JSONValue.Member(key: key, value: value)
    }

    private mutating func digits() -> Bool {
        let start = index
        while let byte = next, byte >= 0x30 && byte <= 0x39 { index += 1 }
        return index > start
    }

    private mutating func number() -> String? {
        let start = index
        _ = accept(UInt8(ascii: "-"))
        if !accept(UInt8(ascii: "0")) {
            guard digits() else { return nil }
        }
        if accept(UInt8(ascii: ".")) {
            guard digits() else { return nil }
        }
        if accept(UInt8(ascii: "e")) || accept(UInt8(ascii: "E")) {
            if !accept(UInt8(ascii: "+")) { _ = accept(UInt8(ascii: "-")) }
            guard digits() else { return nil }
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func string() -> String? {
        index += 1
        var text: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text += Array(String(Character(scalar)).utf8)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: return nil
        }
        guard let first = hex() else { return nil }
        guard first & 0xFC00 == 0xD800 else { return Unicode.Scalar(first) }
        guard accept(UInt8(ascii: "\\")), accept(UInt8(ascii: "u")), let second = hex(), second & 0xFC00 == 0xDC00 else { return nil }
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
    }

    private mutating func hex() -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            index += 1
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
