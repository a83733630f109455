/// Reads TOML 1.0 (https://toml.io/en/v1.0.0): keys, headers and tables. Values are in `TOMLReader+Values`.
struct TOMLReader {
    /// Keeps hostile input from using up the stack; configurations nest four levels.
    static let deepest = 64

    /// Tables refer to each other by index while they grow.
    private struct OpenTable {
        enum Item { case value(TOMLValue), table(Int), tables(list: Int) }
        var form: TOMLTable.Form
        var range: Range<Int>
        var items: [(key: String, item: Item, keyRange: Range<Int>, valueRange: Range<Int>)] = []
        var places: [String: Int] = [:]
        func item(_ key: String) -> Item? { places[key].map { items[$0].item } }
        mutating func append(_ key: String, _ item: Item, _ keyRange: Range<Int>, _ valueRange: Range<Int>) {
            places[key] = items.count
            items.append((key, item, keyRange, valueRange))
        }
    }

    let text: [UInt8]
    var at = 0
    private var tables: [OpenTable] = []
    /// The elements of each array of tables.
    private var lists: [[Int]] = []
    init(_ text: [UInt8]) { self.text = text }
    func fault(_ reason: String, at offset: Int? = nil) -> TOMLFault {
        TOMLFault(line: 1 + text.prefix(offset ?? at).count { $0 == 0x0A }, reason: reason)
    }

    var next: UInt8? { at < text.count ? text[at] : nil }
    func peek(_ word: StaticString) -> Bool { word.withUTF8Buffer { text[at...].starts(with: $0) } }
    mutating func skip(_ word: StaticString) -> Bool {
        guard peek(word) else { return false }
        at += word.utf8CodeUnitCount
        return true
    }
    mutating func skipBlanks() { while next == 0x20 || next == 0x09 { at += 1 } }
    mutating func skipLineEnd() -> Bool { skip("\n") || skip("\r\n") }
    mutating func skipBlankLines() throws(TOMLFault) { repeat { try skipBlanksAndComment() } while skipLineEnd() }

    private mutating func skipBlanksAndComment() throws(TOMLFault) {
        skipBlanks()
        guard next == UInt8(ascii: "#") else { return }
        while let byte = next, byte != 0x0A, !peek("\r\n") {
            guard Self.isPrintable(byte) else { throw fault("a comment contains a control character") }
            at += 1
        }
    }

    mutating func readDocument() throws(TOMLFault) -> TOMLTable {
        guard String(validating: text, as: UTF8.self) != nil else { throw fault("the file is not valid UTF-8", at: 0) }
        _ = skip("\u{FEFF}")
        tables = [OpenTable(form: .header, range: 0..<0)]
        var current = 0
        while true {
            try skipBlankLines()
            guard let byte = next else { return close(0) }
            if byte == UInt8(ascii: "[") { current = try readHeader() } else { try readEntry(into: current) }
            tables[current].range = tables[current].range.lowerBound..<at
            try skipBlanksAndComment()
            guard next == nil || skipLineEnd() else { throw fault("there is something behind the end of the statement") }
        }
    }

    private func close(_ index: Int) -> TOMLTable {
        let entries = tables[index].items.map { key, item, keyRange, valueRange -> TOMLTable.Entry in
            func entry(_ value: TOMLValue, _ range: Range<Int>? = nil) -> TOMLTable.Entry {
                TOMLTable.Entry(key: key, value: value, keyRange: keyRange, valueRange: range ?? valueRange)
            }
            switch item {
            case .value(let value): return entry(value)
            case .table(let inner): return entry(.table(close(inner)), tables[inner].range)
            case .tables(let list): return entry(.array(lists[list].map { .table(close($0)) }))
            }
        }
        return TOMLTable(entries: entries, form: tables[index].form)
    }

    private mutating func add(_ form: TOMLTable.Form, _ key: String, _ range: Range<Int>, to table: Int) -> Int {
        tables.append(OpenTable(form: form, range: range))
        tables[table].append(key, .table(tables.count - 1), range, range)
        return tables.count - 1
    }

    /// `[a.b]` or `[[a.b]]`; returns the table that the following lines belong to.
    private mutating func readHeader() throws(TOMLFault) -> Int {
        let start = at
        let isList = skip("[[")
        if !isList { at += 1 }
        let (path, key, range) = try readPath()
        guard isList ? skip("]]") : skip("]") else { throw fault("a closing bracket is missing") }
        var table = 0
        for (key, range) in path {
            switch tables[table].item(key) {
            case nil: table = add(.implicit, key, range, to: table)
            case .table(let inner) where tables[inner].form != .inline: table = inner
            case .tables(let list): table = lists[list].last ?? table
            case .value, .table: throw fault("`\(key)` is a value, so it cannot contain a section", at: start)
            }
        }
        tables.append(OpenTable(form: .header, range: start..<at))
        let new = tables.count - 1
        switch tables[table].item(key) {
        case nil where isList:
            lists.append([new])
            tables[table].append(key, .tables(list: lists.count - 1), range, start..<at)
        case nil: tables[table].append(key, .table(new), range, start..<at)
        case .tables(let list) where isList: lists[list].append(new)
        case .table(let inner) where !isList && tables[inner].form == .implicit:
            (tables[inner].form, tables[inner].range) = (.header, start..<at)
            return inner
        case .value, .table, .tables: throw fault("`\(key)` is defined twice", at: start)
        }
        return new
    }

    /// `a.b = value`
    private mutating func readEntry(into current: Int, depth: Int = 0) throws(TOMLFault) {
        let start = at
        let (path, key, range) = try readPath()
        guard skip("=") else { throw fault("an equals sign is missing behind the key") }
        skipBlanks()
        var table = current
        for (key, range) in path {
            switch tables[table].item(key) {
            case nil: table = add(.dotted, key, range, to: table)
            case .table(let inner) where tables[inner].form == .dotted || tables[inner].form == .implicit:
                tables[inner].form = .dotted
                table = inner
            case .value, .table, .tables: throw fault("`\(key)` is defined already, so a dotted key cannot add to it", at: start)
            }
        }
        guard tables[table].item(key) == nil else { throw fault("`\(key)` is defined twice", at: start) }
        let valueStart = at
        let value = try readValue(depth: depth + path.count + 1)
        tables[table].append(key, .value(value), start..<range.upperBound, valueStart..<at)
    }

    /// `{ a = 1, b.c = 2 }`
    mutating func readInlineTable(depth: Int) throws(TOMLFault) -> TOMLValue {
        let table = tables.count
        tables.append(OpenTable(form: .inline, range: at..<at))
        at += 1
        skipBlanks()
        if !skip("}") {
            repeat {
                skipBlanks()
                try readEntry(into: table, depth: depth)
                skipBlanks()
            } while skip(",")
            guard skip("}") else { throw fault("a comma or a closing brace is missing in an inline table") }
        }
        defer { tables.removeLast(tables.count - table) }
        return .table(close(table))
    }

    /// A dotted key: those before the last, and the last, with their places; the blanks behind it are skipped.
    private mutating func readPath() throws(TOMLFault) -> (path: ArraySlice<(String, Range<Int>)>, key: String, range: Range<Int>) {
        var path: [(String, Range<Int>)] = []
        while true {
            skipBlanks()
            let start = at
            let isQuoted = next == UInt8(ascii: "\"") || next == UInt8(ascii: "'")
            while !isQuoted, let byte = next, Self.isBare(byte) { at += 1 }
            let key = isQuoted ? try readString(isLong: false) : String(decoding: text[start..<at], as: UTF8.self)
            guard at > start else { throw fault("a key is missing, or contains a character that needs quotes") }
            guard path.count < Self.deepest else { throw fault("tables are nested too deeply") }
            path.append((key, start..<at))
            skipBlanks()
            if !skip(".") { return (path.dropLast(), key, path[path.count - 1].1) }
        }
    }

    static func isPrintable(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }
    static func isBare(_ byte: UInt8) -> Bool {
        byte.isDigit || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
