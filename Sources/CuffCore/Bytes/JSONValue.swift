package enum JSONValue: Hashable, Sendable {
    case text(String)
    /// The digits as written, in the grammar of RFC 8259.
    case number(String)
    case bool(Bool)
    case null
    case list([JSONValue])
    /// A repeated key makes the whole text invalid.
    case object([String: JSONValue])

    /// `nil` unless the bytes are exactly one value.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard let value = bytes.withUnsafeBytes({ JSONReader.value($0) }) else { return nil }
        self = value
    }

    /// The members of an object of texts; empty for any other text.
    package static func texts(in text: String?) -> [String: String] {
        guard let text, case .object(let members)? = JSONValue(Array(text.utf8)[...]) else { return [:] }
        let texts = members.compactMapValues(\.text)
        return texts.count == members.count ? texts : [:]
    }

    package subscript(key: String) -> JSONValue? { if case .object(let members) = self { members[key] } else { nil } }
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    package var number: Double? { if case .number(let digits) = self { Double(digits) } else { nil } }
    package var list: [JSONValue]? { if case .list(let list) = self { list } else { nil } }
}
