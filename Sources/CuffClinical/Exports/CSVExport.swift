import CuffCore

/// Writes readings as a table for spreadsheets and statistics programs: RFC 4180, one row per reading, always a header.
/// It is for people; the file a sink appends to while a cuff is read has columns of its own.
public struct CSVExport: Sendable {
    /// What separates cells and marks decimals.
    public enum Dialect: String, Sendable, Hashable, CaseIterable {
        /// Comma between cells, point in numbers.
        case rfc4180
        /// Semicolon between cells, comma in numbers: what spreadsheets of much of Europe open by a double click.
        case semicolon
    }

    /// What separates cells and marks decimals.
    public let dialect: Dialect
    /// The zone of the times.
    public let zone: ZoneTable

    /// Sets each property as given.
    public init(_ dialect: Dialect = .rfc4180, zone: ZoneTable) {
        self.dialect = dialect
        self.zone = zone
    }

    /// Every column with its meaning, in order. An empty cell means unknown. Columns may be added at the end.
    public static let columns: [(name: StaticString, meaning: StaticString)] = [
        ("time", "when it was measured, ISO 8601 with offset, in the zone of the export"),
        ("local_time", "the same without offset, as spreadsheets like it"),
        ("systolic_mmHg", "systolic pressure; converted and rounded to 2 decimals where the cuff sent kPa"),
        ("diastolic_mmHg", "diastolic pressure"),
        ("mean_mmHg", "mean pressure, only where the cuff sent one"),
        ("pulse_per_min", "pulse rate"),
        ("user", "user slot of the cuff"),
        ("flags", "words of the cuff and of this program, separated by blanks; see `cuff help formats`"),
        ("trigger", "manual or automatic, where the cuff says so"),
        ("origin", "memory, push, measurement, or entered for values typed in by a person"),
        ("clock", "what `time` rests on: synced, corrected, device_time, receive_time, unset"),
        ("device_time", "what the cuff's clock showed, without zone"),
        ("received", "when this program received it, UTC"),
        ("excluded", "why it does not count in averages; empty where it counts"),
        ("type", "blood_pressure, pulse_rate, quantity, measurement for a failed one; deleted: see --new"),
        ("reason", "why a measurement failed"),
        ("code", "the cuff's own error code, or the name of a quantity"),
        ("value", "value of a quantity, with the digits that were sent"),
        ("unit", "its unit"),
        ("driver", "which driver read it"),
        ("device", "identity of the cuff"),
        ("model", "make and model of the cuff"),
        ("id", "name of the reading; the same in every export"),
        ("revision", "0, or higher where the reading was completed or changed later"),
        ("note", "what a person wrote beside it"),
        ("medication", "what a person said of drugs"),
        ("posture", "sitting, lying down, standing or semi-recumbent, as a person said"),
        ("arm", "left or right, as a person said"),
        ("duration_s", "how long it lasted, in seconds, where a person said so"),
    ]

    private var separator: UInt8 { dialect == .rfc4180 ? 0x2C : 0x3B }

    /// Appends the row of the column names.
    public func appendHeader(to text: inout TextBuffer) {
        for (index, column) in Self.columns.enumerated() {
            if index > 0 { text.append(separator) }
            text.append(column.name)
        }
        text.append("\r\n")
    }

    /// Appends the row of one reading.
    public func append(
        _ reading: Reading, from provenance: Provenance, excluded: Exclusion? = nil, to text: inout TextBuffer
    ) {
        if let time = reading.bestTime(in: zone) {
            let offset = zone.offset(at: time.seconds) / 60
            text.append(local: time, offset: offset)
            text.append(separator)
            text.append(dateAndTime: DeviceTime(wallSeconds: time.seconds + Int64(offset) * 60))
        } else {
            text.append(separator)
        }
        appendValues(reading, to: &text)
        cell(reading.user.map { "\($0)" }, to: &text)
        cell(reading.flags.text(separator: " "), to: &text)
        cell(reading.trigger.word?.description, to: &text)
        cell(reading.origin.word.description, to: &text)
        appendClock(reading, to: &text)
        cell(excluded?.word.description, to: &text)
        appendContent(reading.content, reading.text, to: &text)
        cell(provenance.driver, to: &text)
        cell(provenance.device, to: &text)
        cell(
            [provenance.identity.manufacturer, provenance.identity.model].compactMap { $0 }.joined(separator: " "),
            to: &text)
        text.append(separator)
        text.append(reading.id)
        text.append(separator)
        text.append(decimal: Int64(reading.revision))
        for key in Remarks.Key.allCases { cell(reading.remarks?[key], to: &text) }
        cell(reading.duration.map { "\($0.components.seconds)" }, to: &text)
        text.append("\r\n")
    }

    /// A row that says that a reading is deleted: its type, its id, and the highest revision there is.
    public func append(deleted id: Reading.ID, to text: inout TextBuffer) {
        for (index, column) in Self.columns.enumerated() {
            if index > 0 { text.append(separator) }
            switch column.name.description {
            case "type": text.append("deleted")
            case "id": text.append(id)
            case "revision": text.append("255")
            default: break
            }
        }
        text.append("\r\n")
    }

    private func appendValues(_ reading: Reading, to text: inout TextBuffer) {
        let pressure = reading.bloodPressure
        for one in [pressure?.systolic, pressure?.diastolic, pressure?.mean] {
            text.append(separator)
            guard let one else { continue }
            var number = TextBuffer(capacity: 16)
            if one.unit == .mmHg { number.append(one.digits) } else { number.append(rounded: one.inMmHg) }
            append(number: number.string, to: &text)
        }
        text.append(separator)
        var pulse = pressure?.pulse
        if case .pulseRate(let rate) = reading.content { pulse = rate }
        if let pulse {
            var number = TextBuffer(capacity: 16)
            number.append(pulse.digits)
            append(number: number.string, to: &text)
        }
    }

    private func appendClock(_ reading: Reading, to text: inout TextBuffer) {
        text.append(separator)
        switch reading.clock {
        case .unset, .impossible: text.append("unset")
        case .absent, .time, .derived: if let word = reading.rule.word { text.append(word) }
        }
        text.append(separator)
        if let time = reading.clock.time { text.append(time) }
        text.append(separator)
        if let received = reading.received { text.append(utc: received) }
    }

    private func appendContent(_ content: Reading.Content, _ words: String?, to text: inout TextBuffer) {
        switch content {
        case .bloodPressure: for value in ["blood_pressure", "", "", "", ""] { cell(value, to: &text) }
        case .pulseRate: for value in ["pulse_rate", "", "", "", ""] { cell(value, to: &text) }
        case .failure(let failure):
            for value in ["measurement", failure.reason.word.description, failure.code.description, "", ""] {
                cell(value, to: &text)
            }
        case .quantity(let quantity):
            cell("quantity", to: &text)
            cell("", to: &text)
            cell(
                Nomenclature.name(partition: quantity.partition, term: quantity.term)?.description ?? "\(quantity.mdc)",
                to: &text)
            if quantity.value == nil { cell(words, to: &text) } else { text.append(separator) }
            if let value = quantity.value {
                var number = TextBuffer(capacity: 24)
                number.append(value)
                append(number: number.string, to: &text)
            }
            cell(Nomenclature.unitText(quantity), to: &text)
        }
    }

    private func append(number: String, to text: inout TextBuffer) {
        for byte in number.utf8 { text.append(byte == 0x2E && dialect == .semicolon ? 0x2C : byte) }
    }

    /// A separator and a cell: quoted where it must be, and opened by an apostrophe where a spreadsheet would take it for
    /// a formula.
    private func cell(_ value: String?, to text: inout TextBuffer) {
        text.append(separator)
        guard let value, let first = value.utf8.first else { return }
        let isFormula = "=+-@\t\r".utf8.contains(first)
        let needsQuotes = value.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x3B || $0 < 0x20 }
        if needsQuotes { text.append(0x22) }
        if isFormula { text.append(0x27) }
        for byte in value.utf8 {
            text.append(byte < 0x20 ? 0x20 : byte)
            if byte == 0x22 { text.append(0x22) }
        }
        if needsQuotes { text.append(0x22) }
    }
}

extension Exporter {
    /// A table for spreadsheets and statistics programs.
    public static let csv = Exporter(
        "csv", mediaType: "text/csv; charset=utf-8",
        help: "A table for spreadsheets and statistics programs (RFC 4180), one row per reading.",
        options: [.csvDialect], fields: CSVExport.columns.map { Field($0.name.description, $0.meaning.description) }
    ) { (choices, context) throws(ExportFault) in
        CSVWriter(CSVExport(CSVExport.Dialect(rawValue: try choices.word(.csvDialect)) ?? .rfc4180, zone: context.zone))
    }
}

extension ExportOption {
    static let csvDialect = ExportOption(
        "csv-dialect", value: "dialect", words: CSVExport.Dialect.allCases.map(\.rawValue),
        help: "rfc4180 (the default) or semicolon (with decimal commas).")
}

/// The table as an export.
struct CSVWriter: ExportWriter {
    private let table: CSVExport
    init(_ table: CSVExport) { self.table = table }

    mutating func begin(to text: inout TextBuffer) { table.appendHeader(to: &text) }

    mutating func append(deleted id: Reading.ID, to text: inout TextBuffer) -> Bool {
        table.append(deleted: id, to: &text)
        return true
    }

    mutating func append(
        _ reading: Reading, from provenance: Provenance, parts: ExportParts, to text: inout TextBuffer
    ) throws(ExportOmission) {
        guard parts.contains(.values) else { return }
        var excluded: Exclusion?
        if case .excluded(let reason) = InclusionRule(zone: table.zone).verdict(on: reading) { excluded = reason }
        table.append(reading, from: provenance, excluded: excluded, to: &text)
    }
}
