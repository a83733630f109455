/// Strings, arrays, numbers, dates.
extension TOMLReader {
    mutating func readValue(depth: Int) throws(TOMLFault) -> TOMLValue {
        guard depth <= Self.deepest else { throw fault("values are nested too deeply") }
        switch next {
        case UInt8(ascii: "\""): return .string(try readString(isLong: peek("\"\"\"")))
        case UInt8(ascii: "'"): return .string(try readString(isLong: peek("'''")))
        case UInt8(ascii: "["): return try readArray(depth: depth)
        case UInt8(ascii: "{"): return try readInlineTable(depth: depth)
        default: return try readWord()
        }
    }

    private mutating func readArray(depth: Int) throws(TOMLFault) -> TOMLValue {
        at += 1
        var values: [TOMLValue] = []
        while true {
            try skipBlankLines()
            if skip("]") { return .array(values) }
            guard values.isEmpty || skip(",") else { throw fault("a comma or a closing bracket is missing in an array") }
            try skipBlankLines()
            if !values.isEmpty, skip("]") { return .array(values) }
            values.append(try readValue(depth: depth + 1))
        }
    }

    /// A text in single or double quotes, or in three of them where it may have several lines.
    mutating func readString(isLong: Bool) throws(TOMLFault) -> String {
        let quote = text[at]
        let closing = isLong ? 3 : 1
        at += closing
        if isLong { _ = skipLineEnd() }
        var bytes: [UInt8] = []
        while let byte = next {
            if byte == quote {
                // One or two quotes before the closing three belong to the text.
                let run = text[at...].prefix(closing + (isLong ? 2 : 0)).prefix { $0 == quote }.count
                at += run
                bytes.append(contentsOf: repeatElement(quote, count: run < closing ? run : run - closing))
                if run >= closing { return String(decoding: bytes, as: UTF8.self) }
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                at += 1
                if !isLong || !skipLineContinuation() { try readEscape(into: &bytes) }
            } else if isLong, skipLineEnd() {
                bytes.append(0x0A)
            } else {
                guard Self.isPrintable(byte) else { throw fault("a closing quote is missing, or a text contains a control character") }
                bytes.append(byte)
                at += 1
            }
        }
        throw fault("a closing quote is missing")
    }

    /// A backslash at the end of a line joins it with the next character that is not white space.
    private mutating func skipLineContinuation() -> Bool {
        let end = text[at...].drop { $0 == 0x20 || $0 == 0x09 }
        guard end.first == 0x0A || end.starts(with: "\r\n".utf8) else { return false }
        repeat { skipBlanks() } while skipLineEnd()
        return true
    }

    private mutating func readEscape(into bytes: inout [UInt8]) throws(TOMLFault) {
        let letter = next ?? 0
        at += 1
        let plain = zip("btnfr\"\\".utf8, "\u{8}\t\n\u{C}\r\"\\".utf8).first { $0.0 == letter }
        if let plain { return bytes.append(plain.1) }
        let count = letter == UInt8(ascii: "u") ? 4 : letter == UInt8(ascii: "U") ? 8 : 0
        guard count > 0 else { throw fault("unknown escape sequence; write a backslash as \\\\ or use single quotes", at: at - 1) }
        let digits = text.dropFirst(at).prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isHexDigit),
            let scalar = UInt32(String(decoding: digits, as: UTF8.self), radix: 16).flatMap(Unicode.Scalar.init)
        else { throw fault("an escaped character needs \(count) hexadecimal digits") }
        at += count
        bytes.append(contentsOf: String(scalar).utf8)
    }

    private mutating func readWord() throws(TOMLFault) -> TOMLValue {
        let start = at
        func isWord(_ byte: UInt8?) -> Bool { byte.map { Self.isBare($0) || "+.:".utf8.contains($0) } ?? false }
        while isWord(next) { at += 1 }
        // A date and a time may be separated by a blank.
        if next == 0x20, Self.isDate(text[start..<at]), at + 1 < text.count, text[at + 1].isDigit {
            repeat { at += 1 } while isWord(next)
        }
        let word = text[start..<at]
        if word.elementsEqual("true".utf8) || word.elementsEqual("false".utf8) { return .boolean(word.count == 4) }
        if Self.isDateTime(word) { return .dateTime(String(decoding: word, as: UTF8.self)) }
        if let number = Self.number(word) { return number }
        let shown = String(decoding: word.prefix(40), as: UTF8.self)
        throw fault(shown.isEmpty ? "a value is missing" : "`\(shown)` is not a value; put a text into quotes", at: start)
    }

    private static func number(_ word: ArraySlice<UInt8>) -> TOMLValue? {
        let radix = [("0x", 16), ("0o", 8), ("0b", 2)].first { word.starts(with: $0.0.utf8) }?.1
        let digits = radix == nil ? word : word.dropFirst(2)
        func isDigit(_ byte: UInt8) -> Bool { radix == 16 ? byte.isHexDigit : byte.isDigit }
        // Each underscore is between two digits.
        for (index, byte) in zip(digits.indices, digits) where byte == UInt8(ascii: "_") {
            guard digits[..<index].last.map(isDigit) == true, digits[(index + 1)...].first.map(isDigit) == true else { return nil }
        }
        let text = String(decoding: digits.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
        if let radix { return digits.first.map(isDigit) == true ? Int64(text, radix: radix).map { .integer($0) } : nil }
        let body = (text.first == "+" || text.first == "-" ? text.dropFirst() : text[...]).utf8
        if body.elementsEqual("inf".utf8) || body.elementsEqual("nan".utf8) { return Double(text).map { .float($0) } }
        let rest = Array(body.drop(while: \.isDigit))
        let whole = body.count - rest.count
        guard whole > 0, whole == 1 || body.first != UInt8(ascii: "0") else { return nil }
        guard let first = rest.first else { return Int64(text).map { .integer($0) } }
        // A point is followed by a digit.
        guard rest.allSatisfy({ $0.isDigit || ".eE+-".utf8.contains($0) }),
            first != UInt8(ascii: ".") || (rest.count > 1 && rest[1].isDigit)
        else { return nil }
        return Double(text).map { .float($0) }
    }

    /// Numbers where the shape has zeros, and the shape's own characters between them.
    private static func fields(_ word: ArraySlice<UInt8>, like shape: String) -> [Int]? {
        guard word.count == shape.utf8.count else { return nil }
        var fields = [0]
        for (byte, wanted) in zip(word, shape.utf8) {
            guard wanted == 0x30 ? byte.isDigit : byte == wanted else { return nil }
            if wanted == 0x30 { fields[fields.count - 1] = fields[fields.count - 1] * 10 + Int(byte - 0x30) } else { fields.append(0) }
        }
        return fields
    }

    private static func isDate(_ word: ArraySlice<UInt8>) -> Bool {
        guard let date = fields(word, like: "0000-00-00"), (1...12).contains(date[1]) else { return false }
        let isLeap = date[0] % 4 == 0 && (date[0] % 100 != 0 || date[0] % 400 == 0)
        let days = date[1] == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(date[1]) ? 30 : 31
        return (1...days).contains(date[2])
    }

    private static func isTime(_ word: ArraySlice<UInt8>) -> Bool {
        guard let time = fields(word.prefix(8), like: "00:00:00"), time[0] < 24, time[1] < 60, time[2] < 60 else { return false }
        let fraction = word.dropFirst(8)
        return fraction.isEmpty || (fraction.first == UInt8(ascii: ".") && fraction.count > 1 && fraction.dropFirst().allSatisfy(\.isDigit))
    }

    /// RFC 3339 with or without an offset, a date, or a time; every field in its range.
    private static func isDateTime(_ word: ArraySlice<UInt8>) -> Bool {
        if isDate(word) || isTime(word) { return true }
        guard isDate(word.prefix(10)), let separator = word.dropFirst(10).first, "Tt ".utf8.contains(separator) else { return false }
        let rest = word.dropFirst(11)
        if isTime(rest) { return true }
        if rest.last.map({ $0 | 0x20 }) == UInt8(ascii: "z") { return isTime(rest.dropLast()) }
        guard let zone = fields(rest.suffix(6), like: "+00:00") ?? fields(rest.suffix(6), like: "-00:00") else { return false }
        return isTime(rest.dropLast(6)) && zone[1] < 24 && zone[2] < 60
    }
}

extension UInt8 {
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    var isHexDigit: Bool { isDigit || (self | 0x20 >= 0x61 && self | 0x20 <= 0x66) }
}
