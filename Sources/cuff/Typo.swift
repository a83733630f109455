import ArgumentParser
import CuffCore
import CuffIngest

/// Words of the command line that nothing is called by: they are refused with the word that was probably meant, and never run
/// anything else.
enum Typo {
    /// Checks the verb, the verb of a family (`cuff sinks list`) and what `cuff help` is asked for. Where an option comes first, no
    /// verb follows.
    static func refuse(_ words: some Collection<String>, verbs: [Cuff.Verb]) throws {
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
