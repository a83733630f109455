import CuffCore

/// A result with its table and its facts, as words that are made elsewhere: what the report prints on its first page, and
/// what a terminal shows of the same result.
public struct ReportBlock: Sendable, Hashable {
    /// One fact: a word or two, and what it says.
    public struct Fact: Sendable, Hashable {
        /// What it is about; empty where it goes on with the fact before.
        public var name: String
        /// What it says.
        public var text: String

        /// Sets each property as given.
        public init(_ name: String, _ text: String) {
            self.name = name
            self.text = text
        }
    }

    /// Whose result it is, where several stand beside each other; empty otherwise.
    public var heading = ""
    /// What it is.
    public var title: String
    /// Of when, and in which zone.
    public var period = ""
    /// The table's first line and its rows, each with a name in the first column; empty for no table.
    public var head: [String] = [], rows: [[String]] = []
    /// What follows the table.
    public var facts: [Fact] = []
    /// A picture in characters of one width; empty for none.
    public var plot = ""

    /// A block with nothing but a title.
    public init(_ title: String) { self.title = title }

    private static let nameWidth = 14

    /// The block for a terminal, whole lines.
    public func appendText(to text: inout TextBuffer) {
        for line in [heading, title, period] where !line.isEmpty { text.append(string: line + "\n") }
        let widths = head.map { $0.count + 2 }
        for row in rows.isEmpty ? [] : [head] + rows {
            var line = ""
            for (index, cell) in row.enumerated() {
                let width = index == 0 || index >= widths.count ? Self.nameWidth : widths[index]
                let blanks = String(repeating: " ", count: max(0, width - cell.count))
                line += index == 0 ? cell + blanks : blanks + cell
            }
            text.append(string: line + "\n")
        }
        for fact in facts {
            text.append(string: fact.name + String(repeating: " ", count: max(0, Self.nameWidth - fact.name.count)) + fact.text + "\n")
        }
        text.append(string: plot)
    }

    /// The block as a section of the page.
    func appendMarkup(to text: inout TextBuffer) {
        text.append("<section class=\"block\"><h2>")
        text.append(markup: heading.isEmpty ? title : "\(heading): \(title)")
        if !period.isEmpty {
            text.append(" <small>")
            text.append(markup: period)
            text.append("</small>")
        }
        text.append("</h2>\n")
        if !rows.isEmpty {
            text.append("<div class=\"wide\"><table><thead>")
            append(row: head, "th", isFirst: false, to: &text)
            text.append("</thead><tbody>\n")
            for (index, row) in rows.enumerated() { append(row: row, "td", isFirst: index == 0, to: &text) }
            text.append("</tbody></table></div>\n")
        }
        text.append("<table class=\"text\"><tbody>\n")
        for fact in facts { append(row: [fact.name, fact.text], "td", isFirst: false, to: &text) }
        text.append("</tbody></table>\n")
        if !plot.isEmpty {
            text.append("<pre>")
            text.append(markup: plot)
            text.append("</pre>\n")
        }
        text.append("</section>\n")
    }

    private func append(row: [String], _ tag: String, isFirst: Bool, to text: inout TextBuffer) {
        text.append(isFirst ? "<tr class=\"all\">" : "<tr>")
        for cell in row {
            text.append(string: "<\(tag)>")
            text.append(markup: cell)
            text.append(string: "</\(tag)>")
        }
        text.append("</tr>\n")
    }
}
