import ArgumentParser
import CuffIngest

/// The form of a result: columns or JSON Lines.
struct TableOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("table or jsonl (default: a table at a terminal, else JSON Lines).", valueName: "format"),
        completion: .list(["table", "jsonl"]))
    var format: String?
    @Flag(help: "The same as --format jsonl.") var json = false

    /// `why`: of the refusal of `--json` beside `--format table`.
    func isTable(isTerminal: Bool = Terminal.outputIsTerminal, why: String = "--format asks for a table") throws -> Bool {
        try Flags.refuse("--json", when: json && format == "table", why: why)
        return try HealthRuns.isTable(json ? "jsonl" : format, isTerminal: isTerminal)
    }
}
