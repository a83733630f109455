import CuffCore

extension Exporter {
    /// A table for spreadsheets and statistics programs.
    public static let csv = Exporter(
        "csv", help: "A table for spreadsheets and statistics programs (RFC 4180), one row per reading.",
        options: [.csvDialect], fields: CSVExport.columns.map { ("", $0.name.description, $0.meaning.description) },
        writesExclusions: true
    ) { (choices, context) throws(ExportFault) in
        let table = CSVTable(CSVTable.Dialect(rawValue: try choices.word(.csvDialect)) ?? .rfc4180)
        return CSVExport(
            table: table, zone: context.zone, isZoneChosen: context.isZoneChosen, partsOfAverages: context.partsOfAverages)
    }
}

extension ExportOption {
    static let csvDialect = ExportOption(
        "csv-dialect", value: "dialect", words: CSVTable.Dialect.allCases.map(\.rawValue),
        help: "rfc4180 (the default) or semicolon (with decimal commas).")
}

extension CSVExport: ExportWriter {
    func begin(to text: inout TextBuffer) { appendHeader(to: &text) }

    func append(
        _ reading: Reading, from provenance: Provenance, parts: ExportParts, to text: inout TextBuffer
    ) throws(ExportOmission) {
        guard parts.contains(.values) else { return }
        var excluded: Exclusion?
        if case .excluded(let reason) = InclusionRule(zone: zone).verdict(on: reading) {
            excluded = reason
        } else if partsOfAverages.contains(reading.id) {
            excluded = .partOfAverage
        }
        append(reading, from: provenance, excluded: excluded, to: &text)
    }
}
