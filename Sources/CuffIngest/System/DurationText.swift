/// Lengths of time as people write them.
enum DurationText {
    /// The two largest units: `3 h 12 min`.
    static func span(_ seconds: Int64) -> String {
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
