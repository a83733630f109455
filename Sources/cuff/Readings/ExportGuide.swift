import CuffClinical
import CuffIngest

extension ExportFault {
    var error: IngestError {
        let (what, why, hint) = sentence
        return IngestError(.usage, what, why: why, hint: hint)
    }

    private var sentence: (what: String, why: String, hint: String) {
        switch self {
        case .unknownExporter(let name, let known):
            (
                "unknown format `\(name)`", "formats are \(known.joined(separator: ", "))",
                Self.nearest(name, "format", among: known) ?? "write e.g. --format csv"
            )
        case .optionNotTaken(let option, let exporter):
            ("--\(option) has no effect here", "the format is \(exporter)", "leave it out, or write \(Self.formats(with: option))")
        case .unknownWord(let option, let value, let words):
            (
                "invalid --\(option) `\(value)`", "it is one of \(words.joined(separator: ", "))",
                Self.nearest(value, option, among: words) ?? "write e.g. --\(option) \(words.first ?? "")"
            )
        case .repeated(let option): ("--\(option) is given twice", "", "leave one out")
        case .missing("subject", let exporter):
            (
                "--subject is missing", "\(exporter) says of each reading whose it is",
                "add --subject 1=Patient/ID for each user slot, and --subject 0=Patient/ID for readings without one"
            )
        case .missing(let option, let exporter): ("\(exporter) needs --\(option)", "", "add it")
        case .notANumber(let option, let value): ("invalid --\(option) `\(value)`", "it is not a number", "write e.g. --\(option) 60")
        case .limitsCross:
            ("the pulse limits cross", "the low one is not below the high one", "write e.g. --low-pulse 40 --high-pulse 120")
        case .notAReference(let value):
            (
                "invalid --subject `\(value)`", "it is not a user slot and a reference to a patient",
                "write e.g. --subject 1=Patient/p1, or --subject '1=Patient?identifier=SYSTEM|VALUE'"
            )
        case .conditionalReference(let value):
            (
                "`\(value)` is a search, and a file of resources needs a reference", "only a transaction has a server that searches",
                "write e.g. Patient/p1, or --format fhir"
            )
        case .subjectTwice(let value):
            ("--subject `\(value)` and another one are for the same user", "", "leave one out, or name the user slot: --subject 1=…")
        case .noPlace(let type, let exporter):
            ("\(exporter) has no place for \(type)", "", "leave out that --type, or write --format jsonl")
        case .eventsAlone: ("--new remembers readings and series, not events", "", "leave out --new, or add --type blood_pressure")
        case .noArchive(let exporter):
            (
                "cannot write \(exporter) as a zip file",
                "only \(Self.archives) has a layout for one, and it is a regular file", "name a file without .zip"
            )
        case .archiveTooLarge:
            (
                "the zip file would be larger than 4 GB", "its format counts no further",
                "narrow it with --since, or name a file without .zip"
            )
        }
    }

    private static func nearest(_ word: String, _ option: String, among known: [String]) -> String? {
        NearestWord.match(word.lowercased(), among: known).map { "did you mean `--\(option) \($0)`?" }
    }

    private static func formats(with option: String) -> String {
        let names = Exporter.options().first { $0.option.name == option }?.exporters ?? []
        return names.map { "--format \($0)" }.joined(separator: " or ")
    }

    private static var archives: String { Exporter.all.filter { $0.archivePath != nil }.map(\.name).joined(separator: ", ") }
}

extension ExportOmission {
    var sentence: String {
        switch self {
        case .timeUnknown: "the time of the reading is unknown"
        case .zoneUnknown: "the cuff's time has no zone; add --tz ZONE, e.g. --tz Europe/Berlin, the zone of its clock"
        case .incomplete: "the cuff has not completed the reading"
        case .excluded(let reason): "\(reason.sentence)"
        case .noSubject(.named(let name)): "no subject for \(name); add --subject \(name)=Patient/ID"
        case .noSubject(.unnamed(let slot?, _)): "no subject for user slot \(slot); add --subject \(slot)=Patient/ID"
        case .noSubject(.unnamed(nil, _)): "no subject for readings without a user slot; add --subject 0=Patient/ID"
        case .failed: "a measurement that failed has no place in the format"
        case .noPlace(let type): "the format has no place for \(type)"
        case .noValue: "the reading has no value that the format can hold"
        case .noUnit: "its unit has no UCUM code"
        case .invalid(let reason): reason
        }
    }
}

extension HealthRuns.ExportReport {
    /// Messages about an export; none if a pipe received everything.
    func sentences(_ path: String) -> [String] {
        var lines = leftOut.map { "\($0.value) left out: \($0.key.sentence)" }.sorted()
        if !deleted.isEmpty {
            let names = deleted.prefix(10).map(\.description).joined(separator: ", ") + (deleted.count > 10 ? ", …" : "")
            lines.append(
                "\(Plural.text(deleted.count, "reading")) written by earlier exports of `\(cursor ?? "")` and deleted here since, "
                    + "or of another person or user now;"
                    + (saysDeleted ? " the export says so of each" : " delete them there as well: \(names)"))
        }
        if path != "-" { lines.insert("\(path): \(Plural.text(written, "reading"))\(series > 0 ? ", \(series) series" : "")", at: 0) }
        if let cursor, path != "-" { lines.append("the next export of `\(cursor)` begins after these") }
        return lines
    }
}

/// The columns and keys of the formats without a public document.
enum ExportGuide {
    static var text: String {
        Exporter.all.filter { !$0.fields.isEmpty }.map { exporter in
            let width = exporter.fields.contains { !$0.type.isEmpty } ? 32 : 16
            let lines = exporter.fields.map { field in
                "  " + (field.type.isEmpty ? "" : field.type.padded(to: 16) + " ") + field.name.padded(to: width) + " " + field.meaning
            }
            return "\(exporter.name): \(exporter.help)\n\n" + lines.joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }
}
