import ArgumentParser
import CuffCore
import CuffIngest

/// The texts of `--help`. The manual pages take their EXAMPLES from the same lines (`.ci/manual`).
enum Help {
    /// `--record`: any verb that talks with a cuff can save what was said.
    static let record = ArgumentHelp("Also save the bytes of both directions to this file.", valueName: "file")
    /// `--keep-patient`, of the verbs that take what a monitor sends unasked, or a recording of that.
    static let keepPatient: ArgumentHelp =
        "Keep the patient's number, where a monitor sends it (hl7-oru), in the database's column `patient`."

    /// A verb's discussion, and below it the commands that show how it is used, each with what it does.
    static func text(_ discussion: String = "", _ examples: KeyValuePairs<String, String>) -> String {
        let lines = examples.map { "  \($0.key)\n      \($0.value)" }
        return (discussion.isEmpty ? [] : [discussion]).joined() + (discussion.isEmpty ? "" : "\n\n") + "EXAMPLES:\n"
            + lines.joined(separator: "\n")
    }
}

/// Words of the command line that nothing is called by: they are refused with the word that was probably meant, and never run
/// anything else.
enum Typo {
    /// Checks the verb, the verb of a family (`cuff sinks list`) and what `cuff help` is asked for. Where an option comes first, no
    /// verb follows.
    static func refuse(_ words: some Collection<String>, verbs: [(name: String, verb: @Sendable () -> any ParsableCommand.Type)]) throws {
        var words = words[...]
        let isHelp = words.first == "help"
        if isHelp { words = words.dropFirst() }
        guard let word = words.first, !word.hasPrefix("-") else { return }
        guard let verb = verbs.first(where: { $0.name == word })?.verb() else {
            // `cuff help help` is the parser's own.
            if isHelp, word == "help" { return }
            throw unknown("verb", word, among: verbs.map { $0.name }, "cuff", "`cuff --help` lists them")
        }
        let own = verb.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard !own.isEmpty, let next = words.dropFirst().first, !next.hasPrefix("-"), !own.contains(next) else { return }
        throw unknown(
            "verb", "\(word) \(next)", among: own.map { "\(word) \($0)" }, "cuff", "verbs of `\(word)` are \(own.joined(separator: ", "))")
    }

    /// The error for an unknown word, with what was probably meant.
    static func unknown(_ kind: String, _ word: String, among known: [String], _ command: String, _ otherwise: String) -> IngestError {
        let near = NearestWord.match(word.lowercased(), among: known)
        return IngestError(.usage, "unknown \(kind) `\(word)`", hint: near.map { "did you mean `\(command) \($0)`?" } ?? otherwise)
    }
}

/// A word of a fixed list, such as a format. Help and completions show the list; another word is refused with the nearest.
enum WordChoice {
    static func check(_ word: String?, _ kind: String, among known: [String], option: String) throws {
        guard let word, !known.contains(word) else { return }
        throw Typo.unknown(
            kind, word, among: known, option, "write one of \(known.joined(separator: ", ")), e.g. \(option) \(known.last ?? "")")
    }
}

/// `table`, `plain` and `jsonl`, and `--json` for the last.
struct FormatOptions: ParsableArguments {
    static let words = ["table", "plain", "jsonl"]

    @Option(
        help: ArgumentHelp("table, plain (tab-separated) or jsonl (default: a table at a terminal, else plain).", valueName: "format"),
        completion: .list(words))
    var format: String?
    @Flag(help: "The same as --format jsonl.") var json = false

    /// What was asked for; `nil` where nothing was.
    func chosen() throws -> String? {
        try WordChoice.check(format, "format", among: Self.words, option: "--format")
        try Flags.refuse("--json", when: json && format != nil && format != "jsonl", why: "--format names another form")
        return json ? "jsonl" : format
    }
}
