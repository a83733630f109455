import ArgumentParser

struct FormatOptions: ParsableArguments {
    static let words = ["table", "plain", "jsonl"]

    @Option(
        help: ArgumentHelp("table, plain (tab-separated) or jsonl (default: a table at a terminal, else plain).", valueName: "format"),
        completion: .list(words))
    var format: String?
    @Flag(help: "The same as --format jsonl.") var json = false

    func chosen() throws -> String? {
        try WordChoice.check(format, "format", among: Self.words, option: "--format")
        try Flags.refuse("--json", when: json && format != nil && format != "jsonl", why: "--format names another form")
        return json ? "jsonl" : format
    }
}
