import RemoteSink

/// A JSON document that is written: members stay in their order, numbers keep their digits, absent members are left out.
enum JSONOutput: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    case text(String)
    /// Digits as they came.
    case number(String)
    case bool(Bool)
    case list([JSONOutput])
    case object([(String, JSONOutput)])

    init(stringLiteral value: String) { self = .text(value) }
    init(arrayLiteral elements: JSONOutput...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, JSONOutput?)...) {
        self = .object(elements.compactMap { key, value in value.map { (key, $0) } })
    }

    var string: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .text(let value): text += JSONValue.quoted(value)
        case .number(let digits): text += digits
        case .bool(let value): text += value ? "true" : "false"
        case .list(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                text += JSONValue.quoted(member.0) + ":"
                member.1.write(to: &text)
            }
            text += "}"
        }
    }
}
