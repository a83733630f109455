/// A person's remarks on a reading: a note, and facts that cuffs do not send. They never change a value.
public struct Remarks: Sendable, Hashable {
    /// The kind of remark. The raw value is the key in JSON and the column in SQL.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        case note
        /// Free text, e.g. the name of a drug, or `before` and `after`.
        case medication
        case posture, arm
        /// Facts of a program, as one JSON object of texts; see `Remarks.metadata`.
        case metadata

        /// What a person says, as opposed to a program.
        public static let ofPersons: [Key] = [.note, .medication, .posture, .arm]

        /// The allowed words; empty for free text. Postures are those of IEEE 1752.1.
        public var words: [String] {
            switch self {
            case .note, .medication, .metadata: []
            case .posture: ["sitting", "lying down", "standing", "semi-recumbent"]
            case .arm: ["left", "right"]
            }
        }

        /// Limit in bytes of UTF-8: a few sentences, the names of some drugs, or a few dozen keys with their values.
        public var longest: Int {
            switch self {
            case .note: 1000
            case .metadata: 4000
            case .medication, .posture, .arm: 200
            }
        }
    }

    /// Why a text is refused.
    public enum Refusal: Error, Sendable, Hashable {
        /// The text has `bytes` bytes, more than `Key.longest`.
        case tooLong(Key, bytes: Int)
        case unknownWord(Key, String)
        case controlCharacter(Key)
        /// The metadata is not a JSON object of texts.
        case notAnObject
    }

    /// In key order, without empty texts.
    private var items: [Item] = []
    private struct Item: Sendable, Hashable {
        var key: Key
        var text: String
    }

    /// No remarks.
    public init() {}

    /// Creates remarks from stored texts: control characters become blanks, long text is truncated. `nil` without remarks.
    public init?(stored texts: (Key) -> String?) {
        for key in Key.allCases {
            let stored = key == .metadata ? texts(key).flatMap { Self.facts($0) }.map { Self.text(of: $0) } : texts(key)
            guard let text = stored, !text.isEmpty else { continue }
            if key == .metadata {
                items.append(Item(key: key, text: text))
                continue
            }
            let bytes = text.utf8.prefix(key.longest).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
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

    /// Sets the text of a key; empty text removes it. Throws for a text that is too long or that the key does not allow.
    public mutating func set(_ key: Key, _ text: String) throws(Refusal) {
        var text = text
        if key == .metadata, !text.isEmpty {
            guard let facts = Self.facts(text) else { throw .notAnObject }
            text = Self.text(of: facts)
        }
        guard text.utf8.count <= key.longest else { throw .tooLong(key, bytes: text.utf8.count) }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .controlCharacter(key) }
        guard text.isEmpty || key.words.isEmpty || key.words.contains(text) else { throw .unknownWord(key, text) }
        let rest = items.filter { $0.key != key }
        let all = text.isEmpty ? rest : rest + [Item(key: key, text: text)]
        items = Key.allCases.compactMap { key in all.first { $0.key == key } }
    }

    /// Facts of a program under keys of its own, e.g. the keys of a sample's metadata; they are kept, and not shown to persons.
    public var metadata: [String: String] { Self.facts(self[.metadata] ?? "") ?? [:] }

    /// The facts as a JSON object, sorted by key, so that equal facts are equal texts; empty without facts.
    package static func text(of facts: [String: String]) -> String {
        guard !facts.isEmpty else { return "" }
        var text = TextBuffer(capacity: 256)
        for (key, value) in facts.sorted(by: { $0.key < $1.key }) {
            text.append(text.count == 0 ? "{" : ",")
            text.append(jsonString: key)
            text.append(":")
            text.append(jsonString: value)
        }
        text.append("}")
        return text.string
    }

    /// The facts of such a text; `nil` for any other text.
    package static func facts(_ text: String) -> [String: String]? {
        guard case .object(let members)? = JSONValue(Array(text.utf8)[...]) else { return nil }
        let facts = members.compactMapValues(\.text)
        return facts.count == members.count ? facts : nil
    }

    /// The remarks as a sentence, the note last; empty if there is only metadata.
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
