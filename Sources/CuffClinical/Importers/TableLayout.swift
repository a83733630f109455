import CuffCore

/// A table of text: its titles, and the meaning of its cells. Columns are found by their titles, never by their positions.
struct TableLayout: Sendable {
    /// What a column holds.
    enum Field: String, Sendable, Hashable, CaseIterable {
        case systolic, diastolic
        /// Both pressures in one cell, `128/82`.
        case pressures
        case mean, pulse, date
        /// The time of day, beside `date`.
        case clock
        /// The zone of the row: a name, or an offset.
        case zone
        case user, note, key
    }

    /// How the time of a row is written.
    enum TimeForm: Sendable, Hashable {
        /// A date and a time of day; the order of numeric dates, or `nil` where the whole file decides.
        case text(DateOrder?)
        /// The same, in UTC; the zone column has the offset for display.
        case utcText
        case unixMilliseconds
    }

    /// A flag and the cells that set it, in lower case.
    struct FlagColumn: Sendable {
        var title: String
        var flag: MeasurementFlags
        /// Cells that set the flag.
        var raised: Set<String>
        /// Cells that do not; `nil`: all others.
        var lowered: Set<String>?
    }

    var separators = TableLines.separators
    /// The titles of each field, as `ImportText.title` writes them.
    var titles: [Field: [String]]
    /// The header of this layout has all these titles.
    var signature: [String]
    var flags: [FlagColumn] = []
    /// Further titles that `judge` and `complete` read.
    var others: Set<String> = []
    var time: TimeForm = .text(.ymd)
    var unit = PressureUnit.mmHg
    /// Every title begins with it.
    var prefix = ""
    /// The header follows a line with this text, and an empty line ends the rows.
    var section: String?
    /// The beginning of a title line before the header.
    var title: String?
    /// Cells are not quoted, and surplus ones belong to the last column.
    var joinsLastCells = false
    /// The user by the file's name, if no column has it.
    var userOfFile: @Sendable (_ name: String) -> Int32? = { _ in nil }
    /// Refuses rows that are not readings, before they are read.
    var judge: @Sendable (TableRow) throws(ImportRefusal) -> Void = { _ throws(ImportRefusal) in }
    /// Reads further columns of the layout.
    var complete: @Sendable (TableRow, inout ImportedReading) throws(ImportRefusal) -> Void = { _, _ throws(ImportRefusal) in }

    /// Whether the titles are those of this layout.
    func matches(_ titles: [String]) -> Bool {
        let names = Set(titles.map(name))
        return signature.allSatisfy(names.contains)
    }

    func name(_ title: String) -> String {
        let name = ImportText.title(title)
        return !prefix.isEmpty && name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }

    /// Whether a line is that of the section or the title.
    func begins(_ cells: [String]) -> Bool {
        if let title { return cells.joined(separator: ",").hasPrefix(title) }
        return cells.first == section && cells.dropFirst().allSatisfy(\.isEmpty)
    }

    /// Whether a file with this beginning has this layout.
    func recognises(_ head: [UInt8]) -> Bool {
        var lines = ImportText.lines(head, section == nil ? 64 : .max)[...]
        if let section {
            lines = lines.drop { !$0.starts(with: section.utf8) || !begins(ImportText.titles($0, separators[0])) }.dropFirst()
        } else if let title {
            guard let first = lines.popFirst(), first.starts(with: title.utf8) else { return false }
        }
        guard let header = lines.first(where: { !$0.isEmpty }) else { return false }
        return separators.contains { matches(ImportText.titles(header, $0)) }
    }
}

/// One row of a table, by the titles of its header.
struct TableRow {
    let cells: [String]
    let fields: [TableLayout.Field: Int]
    let titles: [String: Int]

    /// The cell of a field; `nil` for a missing column or an empty cell.
    subscript(field: TableLayout.Field) -> String? { fields[field].flatMap(cell) }
    subscript(title: String) -> String? { titles[title].flatMap(cell) }

    private func cell(_ index: Int) -> String? {
        guard cells.indices.contains(index) else { return nil }
        let text = cells[index]
        return text.isEmpty || text == "-" || text == "null" ? nil : text
    }

    /// A number; `nil` for an empty cell.
    func number(_ field: TableLayout.Field) throws(ImportRefusal) -> Digits? {
        guard let text = self[field] else { return nil }
        guard let digits = ImportText.digits(text) else { throw .unreadableNumber(column: field.rawValue, text: text) }
        return digits
    }
}
