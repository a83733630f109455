import ArgumentParser
import CuffCore
import CuffIngest

struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows readings from a database, as lines or as a picture.")

    @OptionGroup var selected: SelectionOptions
    @Option(help: "Only the latest so many.") var last: Int?
    @Option(help: "table, jsonl or plain (tab-separated); without it a terminal gets a table and a pipe plain lines.") var format: String?
    @Flag(help: "Draw the range of each day's pressures.") var plot = false

    func run() throws {
        let store = try selected.store()
        var selection = try selected.selection([.bloodPressure])
        selection.last = last
        if plot { return Terminal.put(try HealthRuns.plot(store, selection, style: Terminal.plotStyle)) }
        let form = try StoredReadingText.Form(format, isTerminal: Terminal.outputIsTerminal)
        try HealthRuns.list(store, selection, as: HealthRuns.Listing(rawValue: form.rawValue) ?? .plain, to: try OutputFile("-"))
    }
}
