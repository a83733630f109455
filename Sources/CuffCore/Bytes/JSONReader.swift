/// Reads one JSON value (RFC 8259) from bytes.
package struct JSONReader {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0
    /// Limit of nesting; this program's own lines need three levels, records of other programs at most ten.
    package static let deepest = 32

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The value, if the bytes are exactly one value, with optional white space around it.
    static func value(_ bytes: UnsafeRawBufferPointer) -> JSONValue? {
        var reader = JSONReader(bytes)
        guard let value = reader.value(depth: 0) else { return nil }
        reader.skipBlanks()
        return reader.next == nil ? value : nil
    }

    package static func isObject(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.first == 0x7B else { return false }
        var reader = JSONReader(bytes)
        return reader.skipValue(depth: 0) && reader.next == nil
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func text(_ range: Range<Int>) -> String { String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self) }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) -> JSONValue? {
        skipBlanks()
        switch next {
        case 0x7B:
            var found: [String: JSONValue] = [:]
            let isWhole = members(depth) { (reader, key) in
                guard let key = reader.decoded(key), let value = reader.value(depth: depth + 1) else { return false }
                return found.updateValue(value, forKey: key) == nil
            }
            return isWhole ? .object(found) : nil
        case 0x5B:
            var list: [JSONValue] = []
            let isWhole = elements(depth) { reader in
                guard let value = reader.value(depth: depth + 1) else { return false }
                list.append(value)
                return true
            }
            return isWhole ? .list(list) : nil
        case 0x22: return string().flatMap { decoded($0) }.map { .text($0) }
        case 0x74: return skip("true") ? .bool(true) : nil
        case 0x66: return skip("false") ? .bool(false) : nil
        case 0x6E: return skip("null") ? .null : nil
        default: return number().map { text($0) }.flatMap { Double($0)?.isFinite == true ? .number($0) : nil }
        }
    }

    private mutating func skipValue(depth: Int) -> Bool {
        skipBlanks()
        switch next {
        case 0x7B: return members(depth) { reader, _ in reader.skipValue(depth: depth + 1) }
        case 0x5B: return elements(depth) { $0.skipValue(depth: depth + 1) }
        case 0x22: return string() != nil
        case 0x74: return skip("true")
        case 0x66: return skip("false")
        case 0x6E: return skip("null")
        default: return number() != nil
        }
    }

    private mutating func members(_ depth: Int, _ member: (inout JSONReader, Range<Int>) -> Bool) -> Bool {
        sequence(depth, end: 0x7D) { reader in
            reader.skipBlanks()
            guard let key = reader.string() else { return false }
            reader.skipBlanks()
            return reader.accept(0x3A) && member(&reader, key)
        }
    }

    private mutating func elements(_ depth: Int, _ element: (inout JSONReader) -> Bool) -> Bool {
        sequence(depth, end: 0x5D, element)
    }

    private mutating func sequence(_ depth: Int, end: UInt8, _ element: (inout JSONReader) -> Bool) -> Bool {
        guard depth < Self.deepest else { return false }
        index += 1
        skipBlanks()
        if accept(end) { return true }
        while element(&self) {
            skipBlanks()
            if accept(end) { return true }
            guard accept(0x2C) else { return false }
        }
        return false
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        for offset in 0..<word.utf8CodeUnitCount { guard accept(word.utf8Start[offset]) else { return false } }
        return true
    }

    private mutating func digits() -> Bool {
        let start = index
        while let byte = next, byte &- 0x30 < 10 { index += 1 }
        return index > start
    }

    private mutating func number() -> Range<Int>? {
        let start = index
        _ = accept(0x2D)
        guard accept(0x30) || digits() else { return nil }
        if accept(0x2E) { guard digits() else { return nil } }
        if accept(0x65) || accept(0x45) {
            _ = accept(0x2B) || accept(0x2D)
            guard digits() else { return nil }
        }
        return start..<index
    }

    /// The range of a string between its quotation marks; escapes are checked when it is decoded.
    private mutating func string() -> Range<Int>? {
        guard accept(0x22) else { return nil }
        let start = index
        while let byte = next {
            index += byte == 0x5C ? 2 : 1
            if byte == 0x22 { return start..<index - 1 }
            if byte < 0x20 { return nil }
        }
        return nil
    }

    private func decoded(_ range: Range<Int>) -> String? {
        guard bytes[range].contains(0x5C) else { return text(range) }
        var reader = JSONReader(UnsafeRawBufferPointer(rebasing: bytes[range]))
        var units: [UInt8] = []
        while let byte = reader.next {
            reader.index += 1
            if byte == 0x5C { guard reader.escape(&units) else { return nil } } else { units.append(byte) }
        }
        return String(decoding: units, as: UTF8.self)
    }

    private mutating func escape(_ units: inout [UInt8]) -> Bool {
        guard let byte = next else { return false }
        index += 1
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
            if UTF16.isLeadSurrogate(high), accept(0x5C) {
                guard accept(0x75), let low = hexadecimal() else { return false }
                codes.append(low)
            }
            units += Array(String(decoding: codes, as: UTF16.self).utf8)
        default: return false
        }
        return true
    }

    private mutating func hexadecimal() -> UInt16? {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            index += 1
            value = value << 4 | UInt16(digit)
        }
        return value
    }
}
