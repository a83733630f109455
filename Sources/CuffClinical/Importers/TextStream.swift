import CuffCore

/// Brings the text of a file into the form that the readers expect: UTF-8 without a byte order mark and without Excel's line `sep=;`,
/// with lines that end in LF. The beginning of the file decides.
package struct TextStream: Sendable {
    private enum Encoding { case utf8, littleEndian, bigEndian }

    private let encoding: Encoding
    /// Lines end in CR alone, as older programs of the Macintosh write them.
    private var endsInCR = false
    /// The mark, and the text of Excel's line: its line end is kept, so lines keep their numbers.
    private var surplus = 0
    private var pending: [UInt8] = []
    private var high: UInt32?
    private var isAfterCR = false
    /// The beginning of the file, decoded.
    package private(set) var head: [UInt8] = []
    /// The file has the expected form already.
    var isPlain: Bool { encoding == .utf8 && !endsInCR && surplus == 0 }

    /// The form of a file with this beginning.
    package init(_ bytes: [UInt8]) {
        encoding = bytes.starts(with: [0xFF, 0xFE]) ? .littleEndian : bytes.starts(with: [0xFE, 0xFF]) ? .bigEndian : .utf8
        var decoder = self
        let text = decoder.decode(bytes.span)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { surplus = 3 }
        let line = text.dropFirst(surplus).prefix { $0 != 0x0A && $0 != 0x0D }
        let end = line.endIndex
        endsInCR = end + 1 < text.count && text[end] == 0x0D && text[end + 1] != 0x0A
        let word = line.filter { $0 != 0x22 }
        if word.count == 5, String(decoding: word, as: UTF8.self).lowercased().hasPrefix("sep=") { surplus += line.count }
        decoder = self
        head = decoder.decode(bytes.span)
    }

    /// The next bytes, decoded.
    mutating func decode(_ bytes: Span<UInt8>) -> [UInt8] {
        var text = encoding == .utf8 ? bytes.array : units(bytes)
        let count = min(surplus, text.count)
        text.removeFirst(count)
        surplus -= count
        guard endsInCR else { return text }
        return text.compactMap { byte -> UInt8? in
            defer { isAfterCR = byte == 0x0D }
            return byte == 0x0D ? 0x0A : byte == 0x0A && isAfterCR ? nil : byte
        }
    }

    /// UTF-16; half a pair becomes U+FFFD.
    private mutating func units(_ bytes: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        for index in bytes.indices {
            pending.append(bytes[index])
            guard pending.count == 2 else { continue }
            let unit = UInt32(encoding == .bigEndian ? pending.span.bigEndian16(0) ?? 0 : pending.span.littleEndian16(0) ?? 0)
            pending.removeAll(keepingCapacity: true)
            let first = high
            high = nil
            if let first, 0xDC00..<0xE000 ~= unit {
                Self.append(0x10000 + (first - 0xD800) << 10 + unit - 0xDC00, to: &text)
                continue
            }
            if first != nil { Self.append(0xFFFD, to: &text) }
            if 0xD800..<0xDC00 ~= unit { high = unit } else { Self.append(unit, to: &text) }
        }
        return text
    }

    private static func append(_ value: UInt32, to text: inout [UInt8]) { text += (Unicode.Scalar(value) ?? "\u{FFFD}").utf8 }

    /// The file has ended within a character.
    mutating func end() -> [UInt8] {
        let isCut = high != nil || !pending.isEmpty
        (high, pending) = (nil, [])
        return isCut ? Array("\u{FFFD}".utf8) : []
    }
}

/// A reader of a file in another form.
struct DecodedImport: ImportReader {
    private var reader: any ImportReader
    private let form: TextStream
    private var stream: TextStream
    private var pass = 0
    var passes: Int { reader.passes }

    init(_ reader: any ImportReader, _ form: TextStream) { (self.reader, self.form, stream) = (reader, form, form) }

    mutating func read(_ bytes: Span<UInt8>, _ output: inout ImportOutput) throws(ImportFault) {
        let text = stream.decode(bytes)
        try reader.read(text.span, &output)
    }

    mutating func endPass(_ output: inout ImportOutput) throws(ImportFault) {
        let rest = stream.end()
        stream = form
        pass += 1
        if !rest.isEmpty { try reader.read(rest.span, &output) }
        try reader.endPass(&output)
        // Behind a lost byte nothing can be read.
        if !rest.isEmpty, pass == passes { throw .damaged("it ends within a character") }
    }
}
