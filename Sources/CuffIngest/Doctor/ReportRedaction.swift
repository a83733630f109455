/// Removes identifying data from a text: serial numbers and ids, home folders, names of users, hosts and cuffs, secrets and
/// addresses. Equal words get equal marks, so the text stays readable.
package struct ReportRedaction: Sendable {
    private var words: [(word: String, mark: String)] = []

    /// `serials` and `cuffs` (identities and names of cuffs) are numbered in order; `home` is the user's home folder. Empty words
    /// are ignored.
    package init(serials: [String], cuffs: [String], people: [String], home: String, user: String, host: String) {
        func number(_ words: [String], _ mark: String, shortest: Int) -> [(String, String)] {
            var seen: [String] = []
            for word in words where (word.count >= shortest || Self.isEastAsian(word)) && !seen.contains(word) { seen.append(word) }
            return seen.enumerated().map { ($1, "[\(mark) \($0 + 1)]") }
        }
        words = number(serials, "serial", shortest: Self.shortest)
        words += number(cuffs, "cuff", shortest: 2) + number(people, "person", shortest: 2)
        // udev writes blanks as underscores in links.
        words += words.filter { $0.word.contains(" ") }.map { ($0.word.split(separator: " ").joined(separator: "_"), $0.mark) }
        // `/` identifies no user.
        if home.count > 1 { words.append((home, "~")) }
        if user.count >= Self.shortest, user != "root" { words.append((user, "[user]")) }
        if host.count >= Self.shortest, host != "localhost" { words.append((host, "[host]")) }
        // A word that contains another one goes first.
        words.sort { $0.word.count > $1.word.count }
    }

    /// Shorter words occur in too many others; shorter serial numbers are not unique anyway.
    private static let shortest = 3

    /// In a script without blanks between words: a name may be one character, and letters stand on both sides of it.
    private static func isEastAsian(_ word: String) -> Bool { word.unicodeScalars.contains { $0.value >= 0x2E80 } }

    package func text(_ text: String) -> String {
        var text = Self.withoutSecrets(text)
        for (word, mark) in words { text = Self.replacing(word, with: mark, in: text) }
        return Self.withoutForms(text)
    }

    /// Whole words only: serial `100` does not match in `1000`.
    private static func replacing(_ word: String, with mark: String, in text: String) -> String {
        guard text.contains(word) else { return text }
        let standsAlone = !isEastAsian(word)
        func isPart(_ character: Character?) -> Bool { standsAlone && (character.map { $0.isLetter || $0.isNumber } ?? false) }
        var result = ""
        var rest = text[...]
        while let found = rest.firstRange(of: word) {
            let before = found.lowerBound > text.startIndex ? text[text.index(before: found.lowerBound)] : nil
            let after = found.upperBound < text.endIndex ? text[found.upperBound] : nil
            result += rest[..<found.lowerBound]
            result += isPart(before) || isPart(after) ? word : mark
            rest = rest[found.upperBound...]
        }
        return result + rest
    }

    /// Found by form and replaced first, before words are taken out of them: links of devices, mail addresses, credentials in
    /// addresses, ids of patients there, and values of variables with a secret's name.
    private static func withoutSecrets(_ text: String) -> String {
        text.replacing(#/\/dev\/serial\/by-id\/[^\s,=]+/#) { _ in "/dev/serial/by-id/[id]" }
            .replacing(#/:\/\/[^\s\/@]+@/#) { _ in "://[secret]@" }
            .replacing(#/\b(patient|subject)\.([^=\s&]+)=[^\s&"']+/#) {
                "\($0.output.1).\($0.output.2.allSatisfy(\.isNumber) ? $0.output.2 : "[person]")=[patient]"
            }
            .replacing(#/[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]+/#) { _ in "[mail]" }
            .replacing(#/(?i)(password|passwd|secret|token|apikey|api_key|auth|key)(["']?\s*[=:]\s*["']?)[^\s"'&,;]+/#) {
                "\($0.output.1)\($0.output.2)[secret]"
            }
            .replacing(#/(?i)(bearer|basic)\s+[A-Za-z0-9+\/=._-]{6,}/#) { "\($0.output.1) [secret]" }
    }

    private static func withoutForms(_ text: String) -> String {
        text.replacing(#/\/home\/[^\s\/:"',]+/#) { _ in "/home/[user]" }
            .replacing(#/(?i)(serial number) (?!\[)[^\s,()]+/#) { "\($0.output.1) [serial]" }
            .replacing(#/(?i)(usb:[0-9a-f]{4}:[0-9a-f]{4}):(?!\[)[^\s,=\]]+/#) { "\($0.output.1):[serial]" }
            // Reading ids start with their time.
            .replacing(#/\b[0-9]{8}T[0-9]{6}-[0-9a-f]{16}\b/#) { _ in "[reading]" }
            // System ids, hardware addresses, hashes.
            .replacing(#/(?i)\b(?:[0-9a-f]{2}[:-]){5,7}[0-9a-f]{2}\b/#) { _ in "[id]" }
            .replacing(#/(?i)\b[0-9a-f]{12,}\b/#) { _ in "[id]" }
            .replacing(#/\b(?!127\.|0\.0\.0\.0)(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b/#) { _ in "[address]" }
    }
}
