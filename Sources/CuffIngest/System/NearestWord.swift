package enum NearestWord {
    /// The closest word, if at most a third of the letters differ, or one.
    package static func match(_ word: String, among words: [String]) -> String? {
        if word.isEmpty { return nil }
        let limit = max(1, word.count / 3)
        let ranked = words.map { (distance(Array(word), Array($0)), $0) }.min { $0.0 < $1.0 }
        return ranked.flatMap { $0.0 <= limit ? $0.1 : nil }
    }

    static func hint(_ word: String, among words: [String]) -> String? {
        match(word, among: words).map { "; did you mean `\($0)`?" }
    }

    /// The edit distance, where swapping neighbours counts as one edit.
    static func distance(_ a: [Character], _ b: [Character]) -> Int {
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var before: [Int] = []
        var previous = Array(0...b.count)
        for i in 1...a.count {
            var row = [i] + Array(repeating: 0, count: b.count)
            for j in 1...b.count {
                row[j] = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], before[j - 2] + 1) }
            }
            (before, previous) = (previous, row)
        }
        return previous[b.count]
    }
}
