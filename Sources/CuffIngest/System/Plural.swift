/// Numbers with nouns: `1 reading`, `2 readings`, `0 readings`.
package enum Plural {
    /// `noun` is singular and takes a plural `s`.
    package static func text(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// A non-negative time in its two largest units: `3 h 12 min`, `201 d 1 h`, `0 s`.
    package static func span(_ seconds: Int64) -> String {
        let units: [(Int64, String)] = [(86400, "d"), (3600, "h"), (60, "min"), (1, "s")]
        var rest = seconds
        var parts: [String] = []
        for (length, word) in units where rest >= length && parts.count < 2 {
            parts.append("\(rest / length) \(word)")
            rest %= length
        }
        return parts.isEmpty ? "0 s" : parts.joined(separator: " ")
    }
}
