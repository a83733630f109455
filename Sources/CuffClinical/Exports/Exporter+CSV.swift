import CuffCore

extension Exporter {
    /// A table for spreadsheets and statistics programs.
    public static let csv = Exporter(
        "csv", mediaType: "text/csv; charset=utf-8",
        help: "A table for spreadsheets and statistics programs (RFC 4180), one row per reading.",
        options: [.csvDialect], fields: CSVExport.columns.map { ("", $0.name.description, $0.meaning.description) },
        writesExclusions: true
    ) { (choices, context) throws(ExportFault) in
        CSVWriter(
            table: CSVExport(
                CSVTable.Dialect(rawValue: try choices.word(.csvDialect)) ?? .rfc4180, zone: context.zone,
                isZoneChosen: context.isZoneChosen), partsOfAverages: context.partsOfAverages)
    }
}

extension ExportOption {
    static let csvDialect = ExportOption(
        "csv-dialect", value: "dialect", words: CSVTable.Dialect.allCases.map(\.rawValue),
        help: "rfc4180 (the default) or semicolon (with decimal commas).")
}

struct CSVWriter: ExportWriter {
    let table: CSVExport
    let partsOfAverages: Set<Reading.ID>

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
        if case .excluded(let reason) = InclusionRule(zone: table.zone).verdict(on: reading) {
            excluded = reason
        } else if partsOfAverages.contains(reading.id) {
            excluded = .partOfAverage
        }
        table.append(reading, from: provenance, excluded: excluded, to: &text)
    }
}
