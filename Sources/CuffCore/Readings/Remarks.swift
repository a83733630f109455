/// A person's remarks on a reading: a note, and facts that cuffs do not send. They never change a value.
public struct Remarks: Sendable, Hashable {
    /// The kind of remark. The raw value is the key in JSON and the column in SQL.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        case note
        /// Free text, e.g. the name of a drug, or `before` and `after`.
        case medication
        case posture, arm

        /// The allowed words; empty for free text. Postures are those of IEEE 1752.1.
        public var words: [String] {
            switch self {
            case .note, .medication: []
            case .posture: ["sitting", "lying down", "standing", "semi-recumbent"]
            case .arm: ["left", "right"]
            }
        }

        /// Limit in bytes of UTF-8: a few sentences, or the names of some drugs.
        public var longest: Int { self == .note ? 1000 : 200 }
    }

    /// Why a text is refused.
    public enum Refusal: Error, Sendable, Hashable {
        /// The text has `bytes` bytes, more than `Key.longest`.
        case tooLong(Key, bytes: Int)
        case unknownWord(Key, String)
        case controlCharacter(Key)
    }

    /// In key order, without empty texts.
    private var items: [Item] = []
    private struct Item: Sendable, Hashable {
        var key: Key
        var text: String
    }

    /// No remarks.
    public init() {}

    /// Creates remarks from stored texts: control characters become blanks, long texts are cut between characters. `nil` without
    /// remarks.
    public init?(stored texts: (Key) -> String?) {
        for key in Key.allCases {
            var text = texts(key) ?? ""
            if text.utf8.count > key.longest { text = String(text.prefix(key.longest)) }
            while text.utf8.count > key.longest { text.removeLast() }
            guard !text.isEmpty else { continue }
            let bytes = text.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
            items.append(Item(key: key, text: String(decoding: bytes, as: UTF8.self)))
        }
        guard !items.isEmpty else { return nil }
    }

    /// There are no remarks.
    public var isEmpty: Bool { items.isEmpty }

    /// The text of a key, if any.
    public subscript(key: Key) -> String? { items.first { $0.key == key }?.text }

    /// All remarks in key order.
    public var all: [(key: Key, text: String)] { items.map { ($0.key, $0.text) } }

    /// Sets the text of a key; empty text removes it.
    /// - Throws: A `Refusal` of a text that is too long or that the key does not allow.
    public mutating func set(_ key: Key, _ text: String) throws(Refusal) {
        guard text.utf8.count <= key.longest else { throw .tooLong(key, bytes: text.utf8.count) }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .controlCharacter(key) }
        guard text.isEmpty || key.words.isEmpty || key.words.contains(text) else { throw .unknownWord(key, text) }
        let rest = items.filter { $0.key != key }
        let all = text.isEmpty ? rest : rest + [Item(key: key, text: text)]
        items = Key.allCases.compactMap { key in all.first { $0.key == key } }
    }

    /// The remarks as a sentence, the note last.
    public var sentence: String {
        var parts: [String] = []
        if let text = self[.medication] { parts.append("medication: \(text)") }
        if let text = self[.posture] { parts.append(text) }
        if let text = self[.arm] { parts.append("\(text) arm") }
        if let text = self[.note] { parts.append("“\(text)”") }
        return parts.joined(separator: ", ")
    }

    /// Limit of the JSON text: each byte may need six.
    var longestPrinted: Int { items.reduce(0) { $0 + 6 * $1.text.utf8.count + 32 } }
}
