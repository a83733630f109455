/// A JSON document for output: members keep their order, numbers their digits; `nil` members are omitted.
public enum JSONOutput: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    case text(String)
    case number(String)
    case bool(Bool)
    case null
    case list([JSONOutput])
    case object([(String, JSONOutput)])

    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A list.
    public init(arrayLiteral elements: JSONOutput...) { self = .list(elements) }
    /// An object without the members that are `nil`.
    public init(dictionaryLiteral elements: (String, JSONOutput?)...) {
        self = .present(Array(elements))
    }

    /// The texts, sorted by key, so that equal texts are equal documents.
    package init(_ texts: [String: String]) { self = .object(texts.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) }) }

    package static func number(_ value: Int) -> JSONOutput { .number(String(value)) }

    package static func present(_ members: [(String, JSONOutput?)]) -> JSONOutput {
        .object(members.compactMap { key, value in value.map { (key, $0) } })
    }

    /// One line of the JSON vocabulary: `{"type":…,"schema":1,…}` and a line feed, without `nil` members.
    package static func line(_ type: String, _ members: [(String, JSONOutput?)]) -> String {
        JSONOutput.present([("type", .text(type)), ("schema", .number(1))] + members).string + "\n"
    }

    /// The document on one line, without a line feed.
    public var string: String {
        var text = TextBuffer(capacity: 4096)
        append(to: &text)
        return text.string
    }

    /// Appends the document on one line, without a line feed.
    public func append(to text: inout TextBuffer) {
        switch self {
        case .text(let value): text.append(jsonString: value)
        case .number(let digits): text.append(string: digits)
        case .bool(let value): text.append(value ? "true" : "false")
        case .null: text.append("null")
        case .list(let values): text.append(list: values) { $0.append(to: &$1) }
        case .object(let members):
            text.append(0x7B)
            text.append(each: members) { member, text in
                text.append(jsonString: member.0)
                text.append(0x3A)
                member.1.append(to: &text)
            }
            text.append(0x7D)
        }
    }
}

extension TextBuffer {
    /// `[a,b]`.
    package mutating func append<Element>(list elements: [Element], _ write: (Element, inout TextBuffer) -> Void) {
        append(0x5B)
        append(each: elements, write)
        append(0x5D)
    }

    /// The elements with the separator between them.
    package mutating func append<Element>(
        each elements: [Element], separator: UInt8 = 0x2C, _ write: (Element, inout TextBuffer) -> Void
    ) {
        for (index, element) in elements.enumerated() {
            if index > 0 { append(separator) }
            write(element, &self)
        }
    }
}
