import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes stored readings for other programs: csv, jsonl or apple-health.",
        discussion: """
            apple-health is the export.xml of Apple's Health app, which many programs read; Apple's own app does not import it. \
            `--columns` explains what csv and jsonl hold. Their lines name the user of each reading; an apple-health file is of one \
            person, so where there are several it needs --user.
            """)

    @OptionGroup var selected: SelectionOptions
    @Option(help: "csv, jsonl or apple-health.") var format = "csv"
    @Option(name: .shortAndLong, help: "The file; `-` is standard output.", completion: .file()) var output = "-"
    @Flag(name: .shortAndLong, help: "Replace an existing file.") var force = false
    @Option(help: "both (as Apple writes it; the default), correlation or records.") var appleLayout: AppleHealthExport.Layout?
    @Option(help: "rfc4180 (the default) or semicolon (with decimal commas).") var csvDialect: CSVExport.Dialect?
    @Flag(help: "Print each record's own bytes as hex (jsonl).") var raw = false
    @Option(help: "A pulse at or below makes an event (default: 40).") var lowPulse: Double?
    @Option(help: "A pulse at or above makes an event (default: 120).") var highPulse: Double?
    @Option(
        help: ArgumentHelp(
            "Only what no export of this name has written yet; the database remembers it.", valueName: "name"))
    var new: String?
    @Flag(help: "Explain the columns of csv and the keys of jsonl, and end.") var columns = false

    func run() throws {
        if columns { return Terminal.put(ExportGuide.text) }
        let kind = try HealthRuns.Format(format, layout: appleLayout ?? .both, dialect: csvDialect ?? .rfc4180)
        try refuseIdleFlags()
        let limits = try HeartRateLimits.checked(low: lowPulse ?? 40, high: highPulse ?? 120)
        let types = try selected.types()
        var selection = try selected.selection(types)
        selection.newFor = new
        let report = try HealthRuns.export(
            try selected.store(new == nil ? .read : .write), types, selection, as: kind,
            to: try OutputFile(output, replaces: force), limits: limits,
            version: Cuff.version, includesRaw: raw)
        for line in report.sentences(output) { Terminal.say("cuff: \(line)") }
    }

    private func refuseIdleFlags() throws {
        try Flags.refuse("--apple-layout", when: appleLayout != nil && format != "apple-health", why: "the format is \(format)")
        try Flags.refuse("--csv-dialect", when: csvDialect != nil && format != "csv", why: "the format is \(format)")
        try Flags.refuse("--raw", when: raw && format != "jsonl", why: "only jsonl has a place for the bytes")
        try Flags.refuse("--low-pulse or --high-pulse", when: (lowPulse ?? highPulse) != nil && format == "csv", why: "csv holds no events")
        try Flags.refuse("--force", when: force && output == "-", why: "no file is written", hint: "name one with --output")
    }
}

extension AppleHealthExport.Layout: ExpressibleByArgument {}
extension CSVExport.Dialect: ExpressibleByArgument {}
