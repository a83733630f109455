import ArgumentParser
import CuffClinical
import CuffIngest

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "export", "Writes stored readings for other programs: \(Exporter.all.map(\.name).joined(separator: ", ")).",
        """
        \(Exporter.all.map { "\($0.name): \($0.help)" }.joined(separator: "\n"))

        What has no place in a format is left out and counted on stderr: a reading whose time is unknown, a time \
        of a cuff without a zone where --tz names none, or a user without a subject. With --new, jsonl and csv also say which readings of earlier exports are \
        deleted, or with --user another person's now; of other formats these are named on stderr. `--columns` explains what csv and jsonl hold.
        """,
        examples: [
            "cuff export --format apple-health -o health.zip --user 1": "What user 1 measured, for Apple Health.",
            "cuff export --format fhir --subject 1=Patient/4711 --new clinic -o new.json":
                "For a FHIR server: what no export named clinic has written yet.",
        ])

    @OptionGroup var selected: SelectionOptions
    @Option(help: "One of the formats above.", completion: .list(Exporter.all.map(\.name))) var format = Exporter.csv.name
    @Option(
        name: .shortAndLong, help: "The file; `-` is standard output. FILE.zip where the format has such a layout.", completion: .file())
    var output = "-"
    @Flag(name: .shortAndLong, help: "Replace an existing file.") var force = false
    @OptionGroup var chosen: ExportOptions
    @Option(
        help: ArgumentHelp(
            "Only what no export of this name has written yet; the database remembers it.", valueName: "name"))
    var new: String?
    @Flag(help: "Explain the columns of csv and the keys of jsonl, and end.") var columns = false

    func run() throws {
        if columns { return Terminal.show(ExportGuide.text) }
        do { try export() } catch let fault as ExportFault { throw fault.error }
    }

    private func export() throws {
        let exporter = try Exporter.named(format)
        let types = try selected.types()
        var selection = try selected.selection(types)
        if new == "" { throw IngestError(.usage, "--new has no name", hint: "write e.g. --new nightly") }
        selection.newFor = new
        var context = HealthRuns.exportContext(selection.zone, version: Cuff.version)
        context.isZoneChosen = selected.tz != nil
        // First, before a file or database is opened.
        try HealthRuns.check(types, selection, for: exporter)
        _ = try exporter.writer(chosen.choices, context)
        let isArchive = output.lowercased().hasSuffix(".zip")
        if isArchive, exporter.archivePath == nil { throw ExportFault.noArchive(exporter: exporter.name) }
        try Flags.refuse("--force", when: force && output == "-", why: "no file is written", hint: "name one with --output")
        let store = try selected.store(new == nil ? .read : .write)
        if selection.since != nil || selection.until != nil {
            try SelectionOptions.sayWithoutTime(store, selection)
        }
        let report = try HealthRuns.export(
            store, types, selection, as: exporter, choices: chosen.choices, context: context,
            isArchive: isArchive, to: try OutputFile(output, replaces: force))
        for line in report.sentences(output) { Terminal.say("cuff: \(line)") }
    }
}

/// The options of all formats, generated from the list of formats: the parser finds options by reflection.
struct ExportOptions: ParsableArguments, CustomReflectable {
    private static let all = Exporter.options()
    private(set) var choices = ExportChoices()

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Name.self)
        for (option, _) in Self.all {
            let name = Name(option.name)
            if option.value.isEmpty {
                if try values.decode(Flag<Bool>.self, forKey: name).wrappedValue { choices.choose(option.name) }
            } else {
                for value in try values.decode(Option<[String]>.self, forKey: name).wrappedValue { choices.choose(option.name, value) }
            }
        }
    }

    var customMirror: Mirror {
        let children = Self.all.map { option, exporters -> Mirror.Child in
            let help = ArgumentHelp(
                "\(option.help) (\(exporters.joined(separator: ", ")))", valueName: option.value.isEmpty ? nil : option.value)
            let name = NameSpecification.customLong(option.name)
            guard !option.value.isEmpty else { return (option.name, Flag<Bool>(wrappedValue: false, name: name, help: help)) }
            return (
                option.name,
                Option<[String]>(
                    wrappedValue: [], name: name, parsing: .singleValue, help: help,
                    completion: option.words.isEmpty ? nil : .list(option.words))
            )
        }
        return Mirror(self, children: children, displayStyle: .struct)
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }
}
