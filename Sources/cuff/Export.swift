import ArgumentParser
import CuffCore
import CuffIngest

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes stored readings for other programs: csv, jsonl or apple-health.",
        discussion: """
            apple-health is the export.xml of Apple's Health app, which many programs read; Apple's own app does not import it. \
            `--columns` explains what csv and jsonl hold.
            """)

    @OptionGroup var selected: SelectionOptions
    @Option(help: "csv, jsonl or apple-health.") var format = "csv"
    @Option(name: .shortAndLong, help: "The file; `-` is standard output.", completion: .file()) var output = "-"
    @Flag(name: .shortAndLong, help: "Replace the file if it is there.") var force = false
    @Option(help: "both (as Apple writes it), correlation or records.") var appleLayout: AppleHealthExport.Layout = .both
    @Option(help: "rfc4180 or semicolon (with decimal commas).") var csvDialect: CSVExport.Dialect = .rfc4180
    @Flag(help: "Print each record's own bytes as hex (jsonl).") var raw = false
    @Option(help: "A pulse at or below makes an event.") var lowPulse: Double = 40
    @Option(help: "A pulse at or above makes an event.") var highPulse: Double = 120
    @Option(
        help: ArgumentHelp(
            "Only what no export of this name has written yet; the database remembers it.", valueName: "name"))
    var new: String?
    @Flag(help: "Explain the columns of csv and the keys of jsonl, and end.") var columns = false

    func run() throws {
        if columns { return Terminal.put(ExportGuide.text) }
        let kind = try HealthRuns.Format(format, layout: appleLayout, dialect: csvDialect)
        let limits = try HeartRateLimits.checked(low: lowPulse, high: highPulse)
        var selection = try selected.selection()
        selection.newFor = new
        let report = try HealthRuns.export(
            try selected.store(new == nil ? .read : .write), try selected.types(), selection, as: kind,
            to: try OutputFile(output, replaces: force), limits: limits,
            version: Cuff.version, includesRaw: raw)
        for line in report.sentences(output) { Terminal.say("cuff: \(line)") }
    }
}

extension AppleHealthExport.Layout: ExpressibleByArgument {}
extension CSVExport.Dialect: ExpressibleByArgument {}
