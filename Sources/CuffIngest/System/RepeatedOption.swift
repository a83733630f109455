import CuffCore

/// An option of a command line with two different values, of which a parser would silently use the last.
package struct RepeatedOption: Sendable, Hashable {
    /// Its longest name, with the hyphens.
    package let name: String
    package let first: String
    package let second: String

    /// The first one among the words after the verb, which the parser has accepted; `nil` if there is none. `help` describes the verb as
    /// swift-argument-parser dumps it. It is asked for only if two options begin alike, as the names of one do (`--user`, `-u`).
    package init?(in words: some Collection<String>, help: () -> String) {
        var words = words.prefix { $0 != "--" }[...]
        let starts = words.filter { $0.hasPrefix("-") }.map { $0.drop { $0 == "-" }.first }
        guard Set(starts).count < starts.count, let command = JSONValue(Array(help().utf8)[...])?["command"] else { return nil }
        let single = Self.singleOptions(of: command, named: words.first)
        var given: [String: String] = [:]
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
            guard let name = single[parts[0]] else { continue }
            let value = parts.count > 1 ? parts[1] : words.popFirst() ?? ""
            guard let earlier = given.updateValue(value, forKey: name), earlier != value else { continue }
            (self.name, first, second) = (name, earlier, value)
            return
        }
        return nil
    }

    /// The options of a command and its chosen subcommand that take one value: the longest name by each of the names.
    private static func singleOptions(of command: JSONValue, named subcommand: String?) -> [String: String] {
        let own = command["subcommands"]?.list ?? []
        let names = [subcommand, command["defaultSubcommand"]?.text].compactMap { $0 }
        let chosen = names.lazy.compactMap { name in own.first { $0["commandName"]?.text == name } }.first
        var found: [String: String] = [:]
        for one in [command, chosen].flatMap({ $0?["arguments"]?.list ?? [] })
        where one["kind"]?.text == "option" && one["isRepeating"] == .bool(false) {
            let names = (one["names"]?.list ?? []).map { name in
                (name["kind"]?.text == "long" ? "--" : "-") + (name["name"]?.text ?? "")
            }
            for name in names { found[name] = names.max { $0.count < $1.count } }
        }
        return found
    }
}
