import CuffCore

/// Restores a reading that this program wrote, from the keys of the JSON vocabulary, which are also the columns of CSV and SQLite. It
/// keeps id and revision, so that the same reading is not stored twice.
enum OwnReading {
    static let keys = [
        "id", "revision", "type", "driver", "device", "systolic_mmHg", "diastolic_mmHg", "mean_mmHg", "pulse_per_min", "systolic_kPa",
        "diastolic_kPa", "mean_kPa", "mean_absent", "pulse_absent", "user", "flags", "device_time", "measured", "clock", "received",
        "origin", "trigger",
        "sequence", "raw", "note", "medication", "posture", "arm", "metadata", "mdc", "component", "value", "value_absent", "bits", "unit",
        "unit_mdc",
        "text", "decoder", "duration_s", "host_clock", "person",
    ]

    /// The version of the JSON vocabulary. Keys may be added to it; another version may give them another meaning.
    static let schema = "1"

    static func reading(
        _ place: ImportPlace, of importer: DriverID, _ value: (String) -> String?
    ) throws(ImportRefusal) -> ImportedReading {
        let type = value("type") ?? ""
        guard ["blood_pressure", "pulse_rate", "quantity"].contains(type) else { throw .otherKind(type.isEmpty ? "no type" : type) }
        guard let id = value("id").flatMap({ Reading.ID.parse($0) }) else { throw .malformed("no id") }
        let content = try content(type, value)
        let name = value("driver") ?? ""
        var reading = Reading(
            content, driver: CuffFamilies.named(name)?.id ?? Importer.driver(named: name) ?? importer,
            origin: .imported, raw: RawBytes(value("raw").flatMap { Hex.bytes($0) } ?? []))
        let flags = (value("flags") ?? "").split { $0 == " " || $0 == "," }
        reading.flags.formUnion(MeasurementFlags.named(among: flags))
        if let user = value("user"), !user.isEmpty {
            guard let number = Int32(user) else { throw .unknownUser(user) }
            reading.user = number
        }
        reading.trigger = value("trigger") == "manual" ? .manual : value("trigger") == "automatic" ? .automatic : .unknown
        reading.sequence = value("sequence").flatMap { UInt32($0) }
        try readTimes(&reading, value)
        (reading.id, reading.revision) = (id, value("revision").flatMap { UInt8($0) } ?? 0)
        reading.remarks = Remarks(stored: { key in value(key.rawValue) })
        reading.metadata = JSONValue.texts(in: value("metadata"))
        reading.decoder = Reading.decoder(value("decoder"))
        reading.person = try person(value("person"))
        reading.duration = value("duration_s").flatMap { UInt32($0) }.map { .seconds($0) }
        reading.isHostClockUnsynchronised = value("host_clock") == "unsynchronised"
        if case .quantity = content {
            let text = words(value) ?? QuantityType.of(reading)?.word(of: reading)
            reading.text = text.map { String(decoding: $0.utf8.prefix(Reading.longestText), as: UTF8.self) }
        }
        let time = reading.measured.map { ImportedReading.Time.instant($0, offset: reading.measuredOffset) }
        var imported = ImportedReading(
            content, at: time ?? .wall(reading.clock.time ?? DeviceTime(year: 0, month: 0, day: 0)), place: place)
        (imported.original, imported.user, imported.flags, imported.remarks) = (reading, reading.user, reading.flags, reading.remarks)
        (imported.device, imported.driver) = (value("device"), name)
        return imported
    }

    private static func person(_ name: String?) throws(ImportRefusal) -> String? {
        guard let name = name.map({ Household.trimmed($0) }), !name.isEmpty else { return nil }
        if let refusal = Household.refusal(of: name) { throw .malformed(refusal) }
        return name
    }

    private static func content(_ type: String, _ value: (String) -> String?) throws(ImportRefusal) -> Reading.Content {
        func number(_ key: String) throws(ImportRefusal) -> Digits? {
            guard let text = value(key), !text.isEmpty else { return nil }
            guard let digits = ImportText.digits(text, keepsZeros: true) else { throw .unreadableNumber(column: key, text: text) }
            return digits
        }
        func pressure(_ name: String) throws(ImportRefusal) -> Pressure? {
            if let kPa = try number(name + "_kPa") { return Pressure(kPa, .kPa) }
            return try number(name + "_mmHg").map { Pressure($0, .mmHg) }
        }
        func absence(_ key: String) -> Absence {
            let all: [Absence] = [
                .notANumber, .notAtThisResolution, .positiveInfinity, .negativeInfinity, .reserved, .notMeasured,
            ]
            return all.first { $0.word?.description == value(key) } ?? .none
        }
        let pulse = try number("pulse_per_min").map { PulseRate($0) }
        switch type {
        case "quantity": return .quantity(try quantity(value, absence("value_absent")))
        case "pulse_rate":
            guard let pulse else { throw .noValue }
            return .pulseRate(pulse)
        default:
            guard let systolic = try pressure("systolic"), let diastolic = try pressure("diastolic") else { throw .half }
            return .bloodPressure(
                BloodPressure(
                    systolic: systolic, diastolic: diastolic, mean: try pressure("mean"), pulse: pulse,
                    meanAbsence: absence("mean_absent"), pulseAbsence: absence("pulse_absent")))
        }
    }

    private static func quantity(_ value: (String) -> String?, _ absence: Absence) throws(ImportRefusal) -> Quantity {
        guard let mdc = value("mdc").flatMap({ UInt32($0) }) else { throw .malformed("a quantity without a code") }
        var digits: Digits?
        var number = value("value") ?? ""
        if isNumber(number) {
            let isNegative = number.hasPrefix("-")
            if isNegative { number.removeFirst() }
            guard var parsed = ImportText.digits(number, keepsZeros: true) else {
                throw .unreadableNumber(column: "value", text: number)
            }
            if isNegative { parsed = Digits(mantissa: -parsed.mantissa, exponent: parsed.exponent) }
            digits = parsed
        }
        var quantity = Quantity(
            partition: UInt16(truncatingIfNeeded: mdc >> 16), term: UInt16(truncatingIfNeeded: mdc), value: digits, absence: absence,
            component: value("component").flatMap { UInt8($0) } ?? 0)
        quantity.bits = value("bits").flatMap { UInt32($0) }
        // CSV writes the code of a unit without a name as `MDC 264000`.
        let unit = value("unit") ?? ""
        let code = value("unit_mdc").flatMap { UInt32($0) } ?? (unit.hasPrefix("MDC ") ? UInt32(unit.dropFirst(4)) : nil)
        quantity.unit = code.map { UInt16(truncatingIfNeeded: $0) } ?? Nomenclature.unitTerm(unit) ?? 0
        guard digits != nil || quantity.bits != nil || absence != .none || words(value) != nil else { throw .noValue }
        return quantity
    }

    /// The text of an enumeration. CSV has it in the column of the value; it has no unit.
    private static func words(_ value: (String) -> String?) -> String? {
        if let text = value("text") { return text.isEmpty ? nil : text }
        guard value("unit") ?? "" == "", let text = value("value"), !text.isEmpty, !isNumber(text) else { return nil }
        return OwnTable.plain(text, isWords: true)
    }

    private static func isNumber(_ text: String) -> Bool { text.unicodeScalars.first.map { $0 == "-" || "0"..."9" ~= $0 } ?? false }

    private static func readTimes(_ reading: inout Reading, _ value: (String) -> String?) throws(ImportRefusal) {
        if let text = value("device_time"), !text.isEmpty {
            guard let time = DeviceTime.parse(text) else { throw .unreadableTime(text) }
            reading.clock = DeviceClock(time)
        }
        if let text = value("measured"), !text.isEmpty {
            guard let (time, offset) = Timestamp.parse(text) else { throw .unreadableTime(text) }
            (reading.measured, reading.measuredOffset) = (time, offset)
        }
        if let text = value("received"), !text.isEmpty {
            guard let (time, _) = Timestamp.parse(text) else { throw .unreadableTime(text) }
            reading.received = time
        }
        let rules: [ClockRule] = [.synced, .corrected, .deviceTime, .receiveTime, .unset, .implausible]
        reading.rule = rules.first { $0.word?.description == value("clock") } ?? .none
        if reading.rule == .unset { reading.clock = reading.clock.time.map { .impossible($0) } ?? .unset }
        // It was sent when it was measured. Of a reading from memory, or of unknown origin, the time of reception says nothing.
        let isSentAtOnce = ["push", "measurement"].contains(value("origin"))
        if reading.measured == nil, reading.clock.time == nil, reading.rule != .implausible, isSentAtOnce {
            reading.measured = reading.received
        }
    }
}

extension Importer {
    /// The CSV of `cuff export` and of a `csv:` sink.
    static let ownCSV = Importer(
        driver: "import-cuff-csv", program: "cuff", help: "CSV of cuff, exported or of a sink",
        sign: "header begins id,revision,type,driver",
        form: .bytes { (_, head) throws(ImportFault) in OwnTable(head) },
        recognise: { head in
            guard let line = ImportText.lines(head, 1).first else { return false }
            return [0x2C, 0x3B].contains { ImportText.titles(line, $0).prefix(4) == ["id", "revision", "type", "driver"] }
        })

    /// The JSON Lines of `cuff`.
    static let ownLines = Importer(
        driver: "import-cuff-jsonl", program: "cuff", help: "JSON Lines of cuff", sign: "lines that begin {\"type\":…,\"schema\":1,\"id\":",
        form: .bytes { (_, _) throws(ImportFault) in RecordImport(OwnRecords()) { JSONRecords.isTop($0) } },
        recognise: { JSONHead.has(["type", "schema", "driver"], in: $0) && !JSONHead.has(["schema_id"], in: $0) })

    /// A database of `cuff`.
    static let ownDatabase = Importer(
        driver: "import-cuff", program: "cuff", help: "database of cuff (readings.db)",
        sign: "SQLite with the tables reading and source of cuff",
        form: .database(
            ImportDatabase(
                tables: ["reading": ["id", "revision", "type", "source", "systolic_mmHg"], "source": ["number", "driver", "device"]],
                query: { tables in
                    let hasRemarks = tables["reading"]?.contains("noted") == true
                    let columns = OwnReading.keys.map { key -> String in
                        switch key {
                        // With the changes by a person, as in exports.
                        case "revision" where hasRemarks: "reading.revision + coalesce(reading.noted, 0)"
                        case "driver", "device": "source.\(key)"
                        case "raw": "hex(reading.raw)"
                        default: tables["reading"]?.contains(key) == true ? "reading.\(key)" : "NULL"
                        }
                    }
                    let digits = tables["reading"]?.contains("digits") == true ? "reading.digits" : "NULL"
                    return """
                        SELECT \(columns.joined(separator: ", ")), \(digits) FROM reading LEFT JOIN source ON source.number = reading.source \
                        WHERE NOT pending AND type <> 'deleted' ORDER BY reading.id
                        """
                }
            ) { cells, place throws(ImportRefusal) in
                // A number column drops trailing zeros; `digits` has all four values as sent.
                let exact = cells.last?.text?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
                return try OwnReading.reading(place, of: "import-cuff") { key in
                    guard let index = OwnReading.keys.firstIndex(of: key), cells.indices.contains(index) else { return nil }
                    guard let text = cells[index].text else { return nil }
                    let part = key.split(separator: "_").first.flatMap {
                        ["systolic", "diastolic", "mean", "pulse"].firstIndex(of: String($0))
                    }
                    let isSent = !key.hasSuffix("_mmHg") || cells[OwnReading.keys.firstIndex(of: "systolic_kPa") ?? 0] == .null
                    if let part, exact.count == 4, !exact[part].isEmpty, isSent { return exact[part] }
                    return text
                }
            }))
}

extension ImportRefusal {
    /// The refusal of a line of this program whose vocabulary is not known; `nil` if it is known or not named.
    package static func schema(of line: JSONValue) -> ImportRefusal? {
        guard let schema = line["schema"], schema.numeral != OwnReading.schema else { return nil }
        return .unknownSchema(String((schema.numeral ?? "no number").prefix(20)))
    }
}

struct OwnRecords: RecordJudge {
    mutating func reading(_ record: JSONValue, _ path: [String], _ place: ImportPlace) throws(ImportRefusal) -> ImportedReading? {
        if let refusal = ImportRefusal.schema(of: record) { throw refusal }
        return try OwnReading.reading(place, of: "import-cuff-jsonl") { key in
            switch record[key] {
            case .list(let values): values.compactMap(\.text).joined(separator: " ")
            case .object(let facts): JSONOutput(facts.compactMapValues(\.text)).string
            case let value: value?.numeral
            }
        }
    }
}

/// The CSV of this program; its columns are the keys of the JSON vocabulary.
struct OwnTable: RowReader {
    var lines: TableLines
    private var titles: [String: Int]?

    /// An apostrophe precedes text that a spreadsheet would interpret as a formula, and words that begin like a number.
    static func plain(_ text: String, isWords: Bool = false) -> String {
        guard text.hasPrefix("'"), let next = text.first(where: { $0 != "'" }),
            "=+-@".contains(next) || isWords && next.isNumber
        else { return text }
        return String(text.dropFirst())
    }

    init(_ head: [UInt8]) {
        let header = ImportText.lines(head, 1).first ?? []
        lines = TableLines(separator: TableLines.separator(of: header, among: [0x2C, 0x3B]))
    }

    mutating func endPass(_ output: inout ImportOutput) throws(ImportFault) {
        for row in lines.end() { take(row, &output) }
        titles = nil
    }

    mutating func take(_ row: TableLines.Row, _ output: inout ImportOutput) {
        switch row {
        case .empty: break
        case .refused(let reason, let line): output.refuse(ImportPlace(.line, line), reason)
        case .cells(let cells, let line):
            guard let titles else {
                titles = Dictionary(cells.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
                lines.columns = cells.count
                let known = Set(CSVExport.columns.map(\.name.description))
                output.unused += cells.filter { !known.contains($0) }
                return
            }
            let place = ImportPlace(.line, line)
            do throws(ImportRefusal) {
                guard cells.count == titles.count else { throw .cells(found: cells.count, expected: titles.count) }
                output.add(
                    try OwnReading.reading(place, of: "import-cuff-csv") { key in
                        guard let cell = titles[key].map({ cells[$0] }), !cell.isEmpty else { return nil }
                        return ["device", "person"].contains(key) || Remarks.Key(rawValue: key) != nil ? Self.plain(cell) : cell
                    })
            } catch { output.refuse(place, error) }
        }
    }
}
