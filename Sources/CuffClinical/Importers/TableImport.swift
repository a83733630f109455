import CuffCore

/// Reads a table by its layout. Where numeric dates do not show their order one by one, the file is read twice.
struct TableImport: RowReader {
    private let layout: TableLayout
    private let options: ImportOptions
    var lines: TableLines
    private var fields: [TableLayout.Field: Int] = [:]
    private var titles: [String: Int] = [:]
    private var count = 0
    private var place = Place.before
    private var order: DateOrder?
    private let decidesOrder: Bool
    private var isDeciding: Bool
    /// The first date that shows each order, and the first that shows none and is not neutral.
    private var shown: [DateOrder: String] = [:]
    private var example: String?
    var passes: Int { decidesOrder ? 2 : 1 }

    /// An empty line ends a section: `gap` until the next line shows whether it was damage.
    private enum Place { case before, atHeader, rows, gap, after }

    /// `separator`: where it is known; otherwise the one that gives the layout's header.
    init(_ layout: TableLayout, _ options: ImportOptions, head: [UInt8], separator known: UInt8? = nil) {
        self.layout = layout
        self.options = options
        let lines = ImportText.lines(head, 64)
        let separator =
            known
            ?? layout.separators.first { separator in
                lines.contains { layout.matches(ImportText.titles($0, separator)) }
            }
        self.lines = TableLines(separator: separator ?? layout.separators[0])
        self.lines.hasQuotes = !layout.joinsLastCells
        if case .text(let fixed) = layout.time { order = options.dates ?? fixed } else { order = .ymd }
        decidesOrder = order == nil
        isDeciding = decidesOrder
        place = layout.section == nil && layout.title == nil ? .atHeader : .before
    }

    /// Titles for a file without a header.
    mutating func begin(titles cells: [String]) {
        // The titles were made from the layout, so none is missing.
        _ = try? readHeader(cells)
    }

    mutating func endPass(_ output: inout ImportOutput) throws(ImportFault) {
        for row in lines.end() { try take(row, &output) }
        guard place != .before, place != .atHeader else { throw .damaged("the header is missing") }
        place = layout.section == nil && layout.title == nil ? .atHeader : .before
        guard isDeciding else { return }
        isDeciding = false
        if let day = shown[.dmy], let month = shown[.mdy] { throw .ambiguousDates(example: day, other: month) }
        if shown.isEmpty, let example { throw .ambiguousDates(example: example) }
        order = shown.first?.key ?? .dmy
    }

    mutating func take(_ row: TableLines.Row, _ output: inout ImportOutput) throws(ImportFault) {
        switch (place, row) {
        case (.before, .cells(let cells, _)): if layout.begins(cells) { place = .atHeader }
        case (.atHeader, .cells(let cells, _)):
            // A line end between header and first row that is gone would take the row with it.
            if cells.contains(where: { ImportText.digits($0) != nil }) { throw .damaged("numbers in its header") }
            let unused = try readHeader(cells)
            if !isDeciding { output.unused += unused }
        case (.rows, .empty) where layout.section != nil: place = .gap
        case (.rows, .cells(let cells, let line)): add(cells, line, &output)
        case (.rows, .refused(let reason, let line)): if !isDeciding { output.refuse(ImportPlace(.line, line), reason) }
        case (.gap, .cells(let cells, let line)) where cells.count == count && (try? reading(tableRow(cells), line)) != nil:
            output.refuse(ImportPlace(.line, line), .malformed("a reading behind the end of its section"))
        case (.gap, .cells(let cells, _)), (.after, .cells(let cells, _)): place = layout.begins(cells) ? .atHeader : .after
        case (.before, _), (.atHeader, _), (.rows, .empty), (.gap, _), (.after, _): break
        }
    }

    private func tableRow(_ cells: [String]) -> TableRow { TableRow(cells: cells, fields: fields, titles: titles) }

    /// Returns the titles of columns that are not read.
    private mutating func readHeader(_ cells: [String]) throws(ImportFault) -> [String] {
        (fields, titles) = ([:], [:])
        for (index, cell) in cells.enumerated() where titles[layout.name(cell)] == nil { titles[layout.name(cell)] = index }
        for (field, names) in layout.titles { fields[field] = names.first { titles[$0] != nil }.flatMap { titles[$0] } }
        for field in [TableLayout.Field.systolic, .diastolic, .date] where fields[field] == nil {
            if field != .date, fields[.pressures] != nil { continue }
            throw .missingColumn(field.rawValue, header: cells)
        }
        count = cells.count
        lines.columns = count
        place = .rows
        let used = layout.others.union(layout.flags.map(\.title))
        return cells.enumerated().filter { index, cell in
            !cell.isEmpty && !fields.values.contains(index) && !used.contains(layout.name(cell))
        }.map(\.element)
    }

    private mutating func add(_ cells: [String], _ line: Int, _ output: inout ImportOutput) {
        var cells = cells
        // Samsung ends its rows with a comma, and not every header.
        if layout.title != nil, titles[""] == nil, cells.count == count + 1, cells.last == "" { cells.removeLast() }
        // A note with cells of three digits is another row, whose line end is gone.
        let isJoined = layout.joinsLastCells && cells.count > count && !cells[count...].contains { $0.count == 3 && Int($0) != nil }
        if isJoined {
            cells[count - 1] = cells[(count - 1)...].map { $0 }.joined(separator: String(UnicodeScalar(lines.separator)))
            cells.removeLast(cells.count - count)
        }
        let row = tableRow(cells)
        if isDeciding {
            guard cells.count == count, let text = row.time, let time = ImportTime(text) else { return }
            guard time.order == nil else { return }
            if let order = time.shown {
                if shown[order] == nil { shown[order] = text }
            } else if !time.isNeutral, example == nil {
                example = text
            }
            return
        }
        do throws(ImportRefusal) {
            guard cells.count == count else { throw .cells(found: cells.count, expected: count) }
            try layout.judge(row)
            output.add(try reading(row, line))
        } catch {
            output.refuse(ImportPlace(.line, line), error)
        }
    }

    private func reading(_ row: TableRow, _ line: Int) throws(ImportRefusal) -> ImportedReading {
        var pressure = try pressure(row)
        pressure.pulse = try row.number(.pulse).map { PulseRate($0) }
        if let mean = try row.number(.mean), mean.mantissa != 0 { pressure.mean = Pressure(mean, pressure.systolic.unit) }
        var reading = ImportedReading(pressure, at: try time(row), place: ImportPlace(.line, line))
        if let text = row[.user] {
            guard let user = Int32(text), (0...99).contains(user) else { throw .unknownUser(text) }
            reading.user = user
        } else {
            reading.user = layout.userOfFile(options.fileName)
        }
        for column in layout.flags {
            guard let text = row[column.title]?.lowercased() else { continue }
            if column.raised.contains(text) {
                reading.flags.insert(column.flag)
            } else if let lowered = column.lowered, !lowered.contains(text) {
                throw .unreadableNumber(column: column.title, text: text)
            }
        }
        reading.remark(note: row[.note])
        reading.key = row[.key]
        try layout.complete(row, &reading)
        return reading
    }

    private func pressure(_ row: TableRow) throws(ImportRefusal) -> BloodPressure {
        let unit = options.unit ?? layout.unit
        if let text = row[.pressures] {
            let pair = try Self.pair(text, unit)
            return BloodPressure(systolic: Pressure(pair.0, unit), diastolic: Pressure(pair.1, unit))
        }
        let (systolic, diastolic) = (try row.number(.systolic), try row.number(.diastolic))
        return try BloodPressure(systolic.map { Pressure($0, unit) }, diastolic.map { Pressure($0, unit) })
    }

    /// `128/82`, perhaps with its unit.
    private static func pair(_ text: String, _ unit: PressureUnit) throws(ImportRefusal) -> (Digits, Digits) {
        var rest = ImportText.trimmed(text)
        let name = unit == .mmHg ? "mmhg" : "kpa"
        if rest.lowercased().hasSuffix(name) {
            rest = ImportText.trimmed(String(rest.dropLast(name.count)))
        } else if let letter = rest.last, letter.isLetter {
            throw .unknownUnit(text)
        }
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false).map { ImportText.trimmed(String($0)) }
        guard parts.count == 2 else { throw .half }
        guard let systolic = ImportText.digits(parts[0]), let diastolic = ImportText.digits(parts[1]) else {
            throw .unreadableNumber(column: "pressures", text: text)
        }
        return (systolic, diastolic)
    }

    private func time(_ row: TableRow) throws(ImportRefusal) -> ImportedReading.Time {
        guard let text = row.time else { throw .noTime("") }
        switch layout.time {
        case .unixMilliseconds:
            guard text.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let number = Int64(text), number < 1 << 50 else { throw .unreadableTime(text) }
            guard let instant = ImportTime.instant(milliseconds: number) else { throw .impossibleTime(text) }
            return .instant(instant, offset: nil)
        case .text, .utcText: break
        }
        guard let parsed = ImportTime(text) else { throw .unreadableTime(text) }
        guard parsed.hasClock else { throw .noTime(text) }
        // In a layout of ISO dates nothing else is a date, unless the user says that years have two digits.
        if order == .ymd, parsed.order != .ymd, options.dates == nil || !parsed.isTwoDigitYear { throw .unreadableTime(text) }
        guard let time = parsed.time(order ?? .ymd) else { throw .impossibleTime(text) }
        return try zoned(time, row)
    }

    private func zoned(_ time: ImportedReading.Time, _ row: TableRow) throws(ImportRefusal) -> ImportedReading.Time {
        guard case .wall(let wall) = time else { return time }
        guard let name = row[.zone] else {
            guard layout.time == .utcText else { return time }
            return .instant(Timestamp(seconds: wall.wallSeconds), offset: nil)
        }
        if let offset = ImportTime.offset(name) {
            let east = layout.time == .utcText ? 0 : Int64(offset) * 60
            return .instant(Timestamp(seconds: wall.wallSeconds - east), offset: Int16(offset))
        }
        guard let zone = options.zoneNamed(name) else { throw .unknownZone(name) }
        let instant = zone.instant(ofWall: wall.wallSeconds)
        return .instant(Timestamp(seconds: instant), offset: Int16(truncatingIfNeeded: zone.offset(at: instant) / 60))
    }
}

extension TableRow {
    /// Date and time of day as one text.
    var time: String? {
        guard let date = self[.date] else { return nil }
        return self[.clock].map { "\(date) \($0)" } ?? date
    }
}
