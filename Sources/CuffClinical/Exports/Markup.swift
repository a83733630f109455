import CuffCore

/// HTML or XML. What is written as a literal stays as it is; what is interpolated is escaped, unless it is `Markup`.
struct Markup: ExpressibleByStringInterpolation {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity + 16 * interpolationCount) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ value: some CustomStringConvertible) { text += Markup.escaped(value.description) }
        mutating func appendInterpolation(_ markup: Markup) { text += markup.text }

        /// At most two decimals.
        mutating func appendInterpolation(rounded value: Double) { text += TextBuffer.rounded(value) }

        /// At most one decimal: a place in a picture.
        mutating func appendInterpolation(tenths value: Double) { appendInterpolation(rounded: (value * 10).rounded() / 10) }
    }

    let text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    static func escaped(_ text: String) -> String {
        var buffer = TextBuffer(capacity: text.utf8.count + 32)
        buffer.append(markup: text)
        return buffer.string
    }

    /// Table cells: `<td>…</td>` each, escaped.
    static func cells(_ cells: [String], _ tag: String = "td") -> Markup {
        Markup(stringLiteral: cells.map { "<\(tag)>\(escaped($0))</\(tag)>" }.joined())
    }
}

extension TextBuffer {
    mutating func append(html: Markup) { append(string: html.text) }
}
