import CuffCore

/// Splits text into the rows of a table (RFC 4180): quoted cells may contain separators and line ends. An unclosed quote loses only
/// its own row: a following line that is a complete row is read as one.
struct TableLines {
    /// A row with the number of its first line.
    enum Row: Hashable {
        case cells([String], line: Int)
        /// An empty line, which ends a section in some layouts.
        case empty(line: Int)
        case refused(ImportRefusal, line: Int)
    }

    /// Documented rows have a few hundred bytes; a note may have more.
    static let longestLine = 65536
    /// A quoted cell with more lines is treated as an unclosed quote.
    static let mostLinesOfARow = 64

    /// Comma, semicolon, tab, vertical bar: a table may have been saved again by another program.
    static let separators: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C]

    /// The byte between cells.
    var separator: UInt8
    /// Whether a cell may be in quotes.
    var hasQuotes = true
    /// The number of cells in the header; a line with as many is a row even within an open quote.
    var columns = Int.max
    private var line: [UInt8] = []
    private var isTooLong = false
    private var lineNumber = 0
    /// The lines of a row with an open quote.
    private var open: [UInt8]?
    private var openLine = 0
    private var openCount = 0

    init(separator: UInt8) { self.separator = separator }

    /// The rows that the line at `start` completes; `start` moves to the next line. One line at a time, because a header decides how the
    /// following lines are cut.
    mutating func next(_ bytes: Span<UInt8>, _ start: inout Int) -> [Row] {
        let end = bytes.firstOffset(of: 0x0A, from: start)
        let stop = end ?? bytes.count
        if line.count + stop - start > Self.longestLine {
            isTooLong = true
            line.removeAll()
        } else if !isTooLong {
            line += bytes.part(start, stop - start)
        }
        start = stop + 1
        return end == nil ? [] : endLine()
    }

    /// The rows that the end of the text completes.
    mutating func end() -> [Row] {
        var rows = !line.isEmpty || isTooLong ? endLine() : []
        if open != nil { rows.append(.refused(.malformed("a quote is not closed"), line: openLine)) }
        open = nil
        lineNumber = 0
        return rows
    }

    private mutating func endLine() -> [Row] {
        var rows: [Row] = []
        lineNumber += 1
        var bytes = line
        line.removeAll(keepingCapacity: true)
        if isTooLong {
            isTooLong = false
            open = nil
            return [.refused(.tooLong(limit: Self.longestLine), line: lineNumber)]
        }
        if bytes.last == 0x0D { bytes.removeLast() }
        if let before = open {
            if case .cells(let cells)? = cut(bytes), cells.count >= max(2, columns) {
                rows.append(.refused(.malformed("a quote is not closed"), line: openLine))
                open = nil
            } else {
                openCount += 1
                bytes = before + [0x0A] + bytes
            }
        }
        let first = open == nil ? lineNumber : openLine
        guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return rows + [.empty(line: first)] }
        switch cut(bytes) {
        case .cells(let cells)?:
            open = nil
            rows.append(.cells(cells, line: first))
        case .broken(let what)?:
            open = nil
            rows.append(.refused(.malformed(what), line: first))
        case nil:
            if open == nil { (openLine, openCount) = (lineNumber, 1) }
            open = bytes
            guard openCount > Self.mostLinesOfARow || bytes.count > Self.longestLine else { break }
            open = nil
            rows.append(.refused(.malformed("a quote is not closed"), line: first))
        }
        return rows
    }

    private enum Cut { case cells([String]), broken(String) }

    /// `nil` if a quote is still open.
    private func cut(_ bytes: [UInt8]) -> Cut? {
        var cells: [String] = []
        var index = 0
        while true {
            // Some programs write a space after each comma, before the quote.
            var start = index
            while start < bytes.count, bytes[start] == 0x20 { start += 1 }
            if hasQuotes, start < bytes.count, bytes[start] == 0x22 {
                var cell: [UInt8] = []
                index = start + 1
                while true {
                    guard index < bytes.count else { return nil }
                    if bytes[index] == 0x22 {
                        guard index + 1 < bytes.count, bytes[index + 1] == 0x22 else { break }
                        index += 1
                    }
                    cell.append(bytes[index])
                    index += 1
                }
                index += 1
                while index < bytes.count, bytes[index] == 0x20 { index += 1 }
                guard index == bytes.count || bytes[index] == separator else { return .broken("text behind a quoted cell") }
                cells.append(ImportText.text(cell))
            } else {
                var end = index
                while end < bytes.count, bytes[end] != separator { end += 1 }
                cells.append(ImportText.trimmed(ImportText.text(bytes[index..<end])))
                index = end
            }
            guard index < bytes.count else { return .cells(cells) }
            index += 1
        }
    }

    /// The most frequent separator of a header, outside quotes.
    static func separator(of header: [UInt8], among choices: [UInt8] = separators) -> UInt8 {
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in header {
            if byte == 0x22 { isQuoted.toggle() }
            if !isQuoted { counts[byte, default: 0] += 1 }
        }
        return choices.max { (counts[$0] ?? 0) < (counts[$1] ?? 0) } ?? 0x2C
    }
}

/// An importer that reads its file row by row.
protocol RowReader: ImportReader {
    var lines: TableLines { get set }
    mutating func take(_ row: TableLines.Row, _ output: inout ImportOutput) throws(ImportFault)
}

extension RowReader {
    mutating func read(_ bytes: Span<UInt8>, _ output: inout ImportOutput) throws(ImportFault) {
        var start = 0
        while start < bytes.count { for row in lines.next(bytes, &start) { try take(row, &output) } }
    }
}

/// Text and numbers from files.
enum ImportText {
    /// What Windows-1252 has where Latin-1 has control characters.
    private static let windows = Array("€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".unicodeScalars)

    /// Text in UTF-8; other bytes are taken as Windows-1252, which older programs write.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { 0x80..<0xA0 ~= $0 ? windows[Int($0) - 0x80] : Unicode.Scalar($0) }))
    }

    /// Without spaces at both ends.
    static func trimmed(_ text: String) -> String {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\u{A0}" || $0 == "\u{202F}" }
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, isBlank(first) { scalars.removeFirst() }
        while let last = scalars.last, isBlank(last) { scalars.removeLast() }
        return String(scalars)
    }

    /// A title for comparison: lower case, without spaces.
    static func title(_ text: String) -> String { text.lowercased().filter { $0 != " " && $0 != "\u{A0}" } }

    /// A number of JSON, which may have an exponent (RFC 8259).
    static func jsonDigits(_ text: String, keepsZeros: Bool = false) -> Digits? {
        guard let mark = text.firstIndex(where: { $0 == "e" || $0 == "E" }) else { return digits(text, keepsZeros: keepsZeros) }
        guard let power = Int(text[text.index(after: mark)...]), -15...15 ~= power else { return nil }
        return digits(String(text[..<mark]), keepsZeros: keepsZeros, power: power)
    }

    /// A plain decimal number with the digits of the file: at most one point or comma, no sign. Multiplied by 10 to the `power`.
    static func digits(_ text: String, keepsZeros: Bool = false, power: Int = 0) -> Digits? {
        var mantissa: Int64 = 0
        var exponent: Int8?
        var count = 0
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case 0x30...0x39:
                guard count < 15 else { return nil }
                mantissa = mantissa * 10 + Int64(byte - 0x30)
                count += 1
                if let places = exponent { exponent = places - 1 }
            case 0x2E, 0x2C:
                guard exponent == nil, index > 0 else { return nil }
                exponent = 0
            default: return nil
            }
        }
        guard count > 0, exponent != 0 else { return nil }
        var places = (exponent ?? 0) + Int8(power)
        while places > 0 {
            guard count < 15 else { return nil }
            (mantissa, places, count) = (mantissa * 10, places - 1, count + 1)
        }
        // Programs print 128 as `128.0`: trailing zeros are theirs, not the cuff's.
        while !keepsZeros, places < 0, mantissa % 10 == 0 { (mantissa, places) = (mantissa / 10, places + 1) }
        return Digits(mantissa: mantissa, exponent: places)
    }

    /// The first lines of a head, from the first with text.
    static func lines(_ head: [UInt8], _ most: Int) -> [[UInt8]] {
        let text = head.drop { $0 == 0x0A || $0 == 0x0D }
        return text.split(separator: 0x0A, maxSplits: most, omittingEmptySubsequences: false).prefix(most).map { line in
            Array(line.last == 0x0D ? line.dropLast() : line)
        }
    }

    /// Cells of a header line.
    static func titles(_ line: [UInt8], _ separator: UInt8) -> [String] {
        var lines = TableLines(separator: separator)
        var start = 0
        let rows = lines.next(line.span, &start) + lines.end()
        return rows.lazy.compactMap { if case .cells(let cells, _) = $0 { cells } else { nil } }.first ?? []
    }
}

extension ImportedReading {
    /// Sets the remarks. Programs write `-` or `null` for a missing note.
    mutating func remark(note: String?, posture: String? = nil, arm: String? = nil) {
        let note = note.flatMap { $0 == "-" || $0 == "null" ? nil : ImportText.trimmed($0) }
        let said = [Remarks.Key.note: note, .posture: posture, .arm: arm]
        remarks = Remarks(stored: { said[$0] ?? nil })
        isNoteCut = note?.utf8.count ?? 0 > Remarks.Key.note.longest
    }
}
