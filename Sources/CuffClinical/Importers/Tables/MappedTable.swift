import CuffCore

/// The columns of a table, as the user names them: `time=Date+Time,sys=Systolic,dia=Diastolic,pulse=HR,note=Remark`.
package struct ColumnMapping: Sendable, Hashable {
    /// The words of a mapping.
    static let words: [(word: String, field: TableLayout.Field)] = [
        ("time", .date), ("sys", .systolic), ("dia", .diastolic), ("bp", .pressures), ("mean", .mean), ("pulse", .pulse), ("user", .user),
        ("zone", .zone), ("note", .note), ("id", .key),
    ]
    /// Titles, or numbers of columns from 1; `time` may have two.
    let columns: [TableLayout.Field: String]

    /// The words of a mapping, for help.
    package static var spelling: String { words.map(\.word).joined(separator: ", ") }

    /// Throws if a part has no `=` or an unknown word, or if time or a pressure is missing.
    package init(_ text: String) throws(ImportFault) {
        var columns: [TableLayout.Field: String] = [:]
        for part in text.split(separator: ",") {
            guard let mark = part.firstIndex(of: "=") else {
                throw .badOption("`\(part)` in --columns has no `=`; write e.g. sys=Systolic")
            }
            let word = part[..<mark].lowercased()
            guard let field = Self.words.first(where: { $0.word == word })?.field else {
                throw .badOption("`\(word)` in --columns is not one of \(Self.spelling)")
            }
            let title = String(part[part.index(after: mark)...])
            if field == .date, let plus = title.firstIndex(of: "+") {
                columns[.date] = String(title[..<plus])
                columns[.clock] = String(title[title.index(after: plus)...])
            } else {
                columns[field] = title
            }
        }
        let hasPressures = columns[.pressures] != nil || columns[.systolic] != nil && columns[.diastolic] != nil
        guard columns[.date] != nil, hasPressures else { throw .badOption("a mapping needs time, and sys and dia or bp") }
        self.columns = columns
    }
}

extension Importer {
    /// Any table, by a mapping from the user. It is never recognised.
    static let csv = Importer(
        driver: "import-csv", program: "a table", help: "any CSV with --columns", sign: "--columns is given",
        form: .bytes { (options, head) throws(ImportFault) in
            guard let mapping = options.columns else { throw .badOption("the layout csv needs --columns") }
            return try MappedTable.reader(mapping, options, head)
        })

    /// A Withings table without a header: read only if every line has systolic > diastolic > pulse.
    static let withingsBare = Importer(
        driver: "import-withings-bare", program: "Withings", help: "the same without a header, where the numbers show what they are",
        sign: "no header: yyyy-MM-dd HH:mm:ss and three numbers, each smaller than the one before",
        form: .bytes { (options, _) throws(ImportFault) in BareTable(options) },
        recognise: { head in
            guard let line = ImportText.lines(head, 1).first else { return false }
            let cells = ImportText.titles(line, 0x2C)
            return cells.count == 4 && ImportTime(cells[0])?.order == .ymd && cells[1...].allSatisfy { ImportText.digits($0) != nil }
        })
}

enum MappedTable {
    /// The header is the first line, unless the mapping names columns by number.
    static func reader(_ mapping: ColumnMapping, _ options: ImportOptions, _ head: [UInt8]) throws(ImportFault) -> any ImportReader {
        let lines = ImportText.lines(head, 64)
        guard let header = lines.first(where: { !$0.isEmpty }) else { throw .needsMapping }
        let separator = TableLines.separator(of: header)
        let titles = ImportText.titles(header, separator)
        let names = titles.map(ImportText.title)
        var found: [TableLayout.Field: [String]] = [:]
        var isByNumber = false
        for (field, title) in mapping.columns {
            if names.contains(ImportText.title(title)) {
                found[field] = [ImportText.title(title)]
            } else if let number = Int(title), titles.indices.contains(number - 1) {
                isByNumber = true
                found[field] = ["\(number)"]
            } else {
                throw .unmappedColumn(title, header: titles)
            }
        }
        let hasHeader = isByNumber && !hasTime(titles, mapping)
        if hasHeader {
            found = found.mapValues { $0.map { name in Int(name).map { names[$0 - 1] } ?? name } }
        } else if isByNumber {
            found = found.mapValues { $0.map { name in names.firstIndex(of: name).map { "\($0 + 1)" } ?? name } }
        }
        let layout = TableLayout(separators: [separator], titles: found, signature: found.values.flatMap { $0 }, time: .text(nil))
        let reader = TableImport(layout, options, head: head, separator: separator)
        return isByNumber && !hasHeader ? NumberedTable(reader, count: titles.count) : reader
    }

    /// Whether the first line is a row, not a header.
    private static func hasTime(_ cells: [String], _ mapping: ColumnMapping) -> Bool {
        guard let number = mapping.columns[.date].flatMap({ Int($0) }), cells.indices.contains(number - 1) else { return false }
        let text = cells[number - 1]
        return ImportTime(text) != nil || text.utf8.first.map { $0 &- 0x30 < 10 } ?? false
    }
}

/// A table with columns named by number: it is read as if its header were the numbers.
struct NumberedTable: ImportReader {
    private var table: TableImport
    private let count: Int
    private var isAtBegin = true
    var passes: Int { table.passes }

    init(_ table: TableImport, count: Int) { (self.table, self.count) = (table, count) }

    mutating func read(_ bytes: Span<UInt8>, _ output: inout ImportOutput) throws(ImportFault) {
        if isAtBegin {
            isAtBegin = false
            table.begin(titles: (1...max(1, count)).map(String.init))
        }
        try table.read(bytes, &output)
    }

    mutating func endPass(_ output: inout ImportOutput) throws(ImportFault) {
        try table.endPass(&output)
        isAtBegin = true
    }
}

/// Four columns without titles. All rows are checked in a first pass.
struct BareTable: ImportReader {
    private var table: TableImport
    private var lines = TableLines(separator: 0x2C)
    private var isLooking = true
    let passes = 2

    init(_ options: ImportOptions) {
        let layout = TableLayout(
            titles: [.date: ["1"], .systolic: ["2"], .diastolic: ["3"], .pulse: ["4"]], signature: ["1"], time: .text(.ymd))
        table = TableImport(layout, options, head: [], separator: 0x2C)
    }

    mutating func read(_ bytes: Span<UInt8>, _ output: inout ImportOutput) throws(ImportFault) {
        guard isLooking else { return try table.read(bytes, &output) }
        var start = 0
        while start < bytes.count { for row in lines.next(bytes, &start) { try Self.look(row) } }
    }

    private static func look(_ row: TableLines.Row) throws(ImportFault) {
        guard case .cells(let cells, _) = row, cells.count == 4 else { return }
        let numbers = cells[1...].compactMap { ImportText.digits($0)?.value }
        guard numbers.count == 3 else { return }
        guard numbers[0] > numbers[1], numbers[1] > numbers[2] else { throw .needsMapping }
    }

    mutating func endPass(_ output: inout ImportOutput) throws(ImportFault) {
        guard isLooking else { return try table.endPass(&output) }
        for row in lines.end() { try Self.look(row) }
        isLooking = false
        table.begin(titles: ["1", "2", "3", "4"])
    }
}
