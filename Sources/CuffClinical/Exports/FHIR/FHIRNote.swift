import CuffCore

/// A note of an Observation of this program. It holds what FHIR has no element for, or the person's own remark.
enum FHIRNote: Hashable {
    /// Flags without a standard code.
    case flags([String])
    /// A person typed the values in.
    case entered
    case medication(String)
    case remark(String)

    private static let flagWords = ["averaged", "remeasured", "implausible", "no_measurement_check", "test_data", "demo_data"]
    /// Before a remark that would be read as another note.
    private static let mark = "note: "

    static func all(of reading: ExchangeReading) -> [FHIRNote] {
        // Both are labelled HTEST, which alone means test data.
        let hasLabel = !reading.flags.contains("demo_data")
        let words = flagWords.filter { reading.flags.contains($0) && !($0 == "test_data" && hasLabel) }
        let notes: [FHIRNote?] = [
            words.isEmpty ? nil : flags(words), reading.isEntered ? entered : nil,
            reading.remarks?[.medication].map { medication($0) }, reading.remarks?[.note].map { remark($0) },
        ]
        return notes.compactMap { $0 }
    }

    var text: String {
        switch self {
        case .flags(let words): "cuff: " + words.joined(separator: " ")
        case .entered: "typed in by hand"
        case .medication(let text): "medication: " + text
        case .remark(let text): FHIRNote(text) == self ? text : Self.mark + text
        }
    }

    /// Reads what `text` writes.
    init(_ text: String) {
        var rest = text[...]
        while rest.hasPrefix(Self.mark) { rest = rest.dropFirst(Self.mark.count) }
        let isMarked = rest.startIndex != text.startIndex
        guard let other = Self.other(rest) else {
            self = .remark(text)
            return
        }
        self = isMarked ? .remark(String(text.dropFirst(Self.mark.count))) : other
    }

    /// A note that is not a remark.
    private static func other(_ text: Substring) -> FHIRNote? {
        func rest(_ start: String) -> Substring? { text.hasPrefix(start) ? text.dropFirst(start.count) : nil }
        if text == entered.text { return .entered }
        if let text = rest("medication: ") { return .medication(String(text)) }
        // Any other word, or another order, is not from the exporter.
        guard let words = rest("cuff: ")?.split(separator: " ", omittingEmptySubsequences: false).map({ String($0) }),
            flagWords.filter(words.contains) == words
        else { return nil }
        return .flags(words)
    }
}
