import CuffCore

/// Writes readings as a table for spreadsheets and statistics programs: the columns of `CSVTable`, as a sink writes them, and behind
/// them what an export knows beyond. One row per reading, always a header.
public struct CSVExport: Sendable {
    /// The cells.
    public let table: CSVTable
    /// The zone of `time` and `local_time`.
    public let zone: ZoneTable
    /// Whether somebody chose it: otherwise a cuff's time without a zone stays one.
    public let isZoneChosen: Bool

    /// Sets each property as given.
    public init(_ dialect: CSVTable.Dialect = .rfc4180, zone: ZoneTable, isZoneChosen: Bool = true) {
        table = CSVTable(dialect)
        self.zone = zone
        self.isZoneChosen = isZoneChosen
    }

    /// The columns behind those of `CSVTable`. Columns may be added at the end.
    private static let further: [(name: StaticString, meaning: StaticString)] = [
        (
            "time",
            "`measured`, or the best known instant where that is empty, in the zone of the export; without an offset where the cuff's clock has no zone and --tz names none"
        ),
        ("local_time", "the same without offset, as spreadsheets like it"),
        ("excluded", "why it does not count in averages; empty where it counts"),
        ("model", "make and model of the cuff"),
        ("note", "what a person wrote beside it"),
        ("medication", "what a person said of drugs"),
        ("posture", "sitting, lying down, standing or semi-recumbent, as a person said"),
        ("arm", "left or right, as a person said"),
        ("duration_s", "how long it lasted, in seconds, where a person said so"),
    ]

    /// Every column with its meaning, in order. An empty cell means unknown.
    public static let columns = CSVTable.columns + further

    /// Appends the row of the column names.
    public func appendHeader(to text: inout TextBuffer) {
        table.appendHeader(to: &text)
        for column in Self.further {
            text.append(table.separator)
            text.append(column.name)
        }
        text.append("\r\n")
    }

    /// Appends the row of one reading.
    public func append(
        _ reading: Reading, from provenance: Provenance, excluded: Exclusion? = nil, to text: inout TextBuffer
    ) {
        table.append(reading, device: provenance.device, hasRaw: false, to: &text)
        text.append(table.separator)
        if let time = reading.bestTime(in: zone) {
            let offset = zone.offset(at: time.seconds) / 60
            if reading.isFloating, !isZoneChosen, let own = reading.clock.time {
                text.append(own)
            } else {
                text.append(local: time, offset: offset)
            }
            text.append(table.separator)
            text.append(dateAndTime: DeviceTime(wallSeconds: time.seconds + Int64(offset) * 60))
        } else {
            text.append(table.separator)
        }
        text.append(table.separator)
        if let excluded { table.append(cell: excluded.word.description, to: &text) }
        text.append(table.separator)
        let identity = provenance.identity
        table.append(cell: [identity.manufacturer, identity.model].compactMap { $0 }.joined(separator: " "), to: &text)
        for key in Remarks.Key.allCases {
            text.append(table.separator)
            if let words = reading.remarks?[key] { table.append(cell: words, to: &text) }
        }
        text.append(table.separator)
        if let duration = reading.duration { text.append(decimal: duration.components.seconds) }
        text.append("\r\n")
    }

    /// A row that says that a reading is deleted: its type, its id, and the highest revision there is.
    public func append(deleted id: Reading.ID, to text: inout TextBuffer) {
        for (index, column) in Self.columns.enumerated() {
            if index > 0 { text.append(table.separator) }
            switch column.name.description {
            case "type": text.append("deleted")
            case "id": text.append(id)
            case "revision": text.append("255")
            default: break
            }
        }
        text.append("\r\n")
    }
}

extension Exporter {
    /// A table for spreadsheets and statistics programs.
    public static let csv = Exporter(
        "csv", mediaType: "text/csv; charset=utf-8",
        help: "A table for spreadsheets and statistics programs (RFC 4180), one row per reading.",
        options: [.csvDialect], fields: CSVExport.columns.map { Field($0.name.description, $0.meaning.description) }
    ) { (choices, context) throws(ExportFault) in
        CSVWriter(
            CSVExport(
                CSVTable.Dialect(rawValue: try choices.word(.csvDialect)) ?? .rfc4180, zone: context.zone,
                isZoneChosen: context.isZoneChosen))
    }
}

extension ExportOption {
    static let csvDialect = ExportOption(
        "csv-dialect", value: "dialect", words: CSVTable.Dialect.allCases.map(\.rawValue),
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
