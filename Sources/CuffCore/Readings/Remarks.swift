/// What a person says beside a reading: a note in their own words, and what no cuff tells. It never changes a value.
public struct Remarks: Sendable, Hashable {
    /// What is said. The raw value is the key in JSON and the column in SQL.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        /// Free words.
        case note
        /// Free words, such as the name of a drug, or `before` and `after`.
        case medication
        case posture, arm

        /// The words that it takes; empty where it takes any text. Those of the posture are IEEE 1752.1's.
        public var words: [String] {
            switch self {
            case .note, .medication: []
            case .posture: ["sitting", "lying down", "standing", "semi-recumbent"]
            case .arm: ["left", "right"]
            }
        }

        /// Bytes of UTF-8: a few sentences, or the names of some drugs.
        public var longest: Int { self == .note ? 1000 : 200 }
    }

    /// Why a text is refused.
    public enum Refusal: Error, Sendable, Hashable {
        /// It has so many bytes, which is more than `Key.longest`.
        case tooLong(Key, bytes: Int)
        /// The key takes only certain words, and this is none of them.
        case unknownWord(Key, String)
        /// It holds a line feed or another control character.
        case controlCharacter(Key)
    }

    /// In the order of the keys; each key once, no text empty.
    private var items: [Item] = []
    private struct Item: Sendable, Hashable {
        var key: Key
        var text: String
    }

    /// Nothing is said.
    public init() {}

    /// Texts of which some may come from elsewhere: control characters become blanks, and what is too long is cut. `nil` where
    /// nothing is said.
    public init?(stored texts: (Key) -> String?) {
        for key in Key.allCases {
            guard let text = texts(key), !text.isEmpty else { continue }
            let bytes = text.utf8.prefix(key.longest).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
            items.append(Item(key: key, text: String(decoding: bytes, as: UTF8.self)))
        }
        guard !items.isEmpty else { return nil }
    }

    /// Nothing is said.
    public var isEmpty: Bool { items.isEmpty }

    /// The text of a key; `nil` for none.
    public subscript(key: Key) -> String? { items.first { $0.key == key }?.text }

    /// What is said, in the order of the keys.
    public var all: [(key: Key, text: String)] { items.map { ($0.key, $0.text) } }

    /// Says something, in the place of what the key said before; an empty text takes it back.
    public mutating func set(_ key: Key, _ text: String) throws(Refusal) {
        guard text.utf8.count <= key.longest else { throw .tooLong(key, bytes: text.utf8.count) }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .controlCharacter(key) }
        guard text.isEmpty || key.words.isEmpty || key.words.contains(text) else { throw .unknownWord(key, text) }
        let rest = items.filter { $0.key != key }
        let all = text.isEmpty ? rest : rest + [Item(key: key, text: text)]
        items = Key.allCases.compactMap { key in all.first { $0.key == key } }
    }

    /// As people read it beside a reading, its note last.
    public var sentence: String {
        var parts: [String] = []
        if let text = self[.medication] { parts.append("medication: \(text)") }
        if let text = self[.posture] { parts.append(text) }
        if let text = self[.arm] { parts.append("\(text) arm") }
        if let text = self[.note] { parts.append("“\(text)”") }
        return parts.joined(separator: ", ")
    }

    /// No line of JSON needs more for it: each byte may be escaped in six.
    var longestPrinted: Int { items.reduce(0) { $0 + 6 * $1.text.utf8.count + 32 } }
}
