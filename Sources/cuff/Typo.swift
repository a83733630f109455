import CuffIngest

/// Refuses unknown words on the command line, with a suggestion, before anything is run.
enum Typo {
    /// Checks the verb, a subcommand (`cuff sinks list`) and the argument of `cuff help`. No verb follows a leading option.
    static func refuse(_ words: some Collection<String>, verbs: [Cuff.Verb]) throws {
        var words = words[...]
        let isHelp = words.first == "help"
        if isHelp { words = words.dropFirst() }
        guard let word = words.first, !word.hasPrefix("-") else { return }
        guard let verb = verbs.first(where: { $0.name == word })?.verb() else {
            // `cuff help help` is the parser's.
            if isHelp, word == "help" { return }
            throw unknown("verb", word, among: verbs.map { $0.name }, "cuff", "`cuff --help` lists them")
        }
        let own = verb.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard !own.isEmpty, let next = words.dropFirst().first, !next.hasPrefix("-"), !own.contains(next) else { return }
        throw unknown(
            "verb", next, among: own, "cuff \(word)", "verbs of `\(word)` are \(own.joined(separator: ", "))", shown: "\(word) \(next)")
    }

    /// With the nearest known word, if any. `shown`: the word in its context.
    static func unknown(
        _ kind: String, _ word: String, among known: [String], _ command: String, _ otherwise: String, shown: String? = nil
    ) -> IngestError {
        let near = NearestWord.match(word.lowercased(), among: known)
        return IngestError(
            .usage, "unknown \(kind) `\(shown ?? word)`", hint: near.map { "did you mean `\(command) \($0)`?" } ?? otherwise)
    }

    /// The parser's message. Its suggestion for an unknown option is removed if too few letters are the same: it suggests `--db` for `--tz`.
    static func withoutFarSuggestion(_ message: String) -> String {
        guard let match = message.firstMatch(of: #/Unknown option '-+([^']+)'(\. Did you mean '-+([^']+)'\?)/#),
            NearestWord.match(String(match.1), among: [String(match.3)]) == nil
        else { return message }
        return message.replacing(match.2, with: "", maxReplacements: 1)
    }
}

/// A word of a fixed list, such as a format. Help and completions show the list; the refusal of another word suggests the nearest
/// one.
enum WordChoice {
    static func check(_ word: String?, _ kind: String, among known: [String], option: String) throws {
        guard let word, !known.contains(word) else { return }
        throw Typo.unknown(
            kind, word, among: known, option, "write one of \(known.joined(separator: ", ")), e.g. \(option) \(known.last ?? "")")
    }
}
