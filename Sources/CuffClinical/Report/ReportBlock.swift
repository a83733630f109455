import CuffCore

/// A result with its table and its facts, as text: the report prints it on its first page, and a terminal shows the same.
package struct ReportBlock: Sendable, Hashable {
    /// One fact, after its name. The name is empty if the fact continues the one before.
    package struct Fact: Sendable, Hashable {
        package var name: String, text: String

        package init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
    }

    /// The person, if there are several; otherwise empty.
    package var heading = ""
    package var title: String
    /// The time it covers, with its zone.
    package var period = ""
    /// The table's first line and its rows, each with a name in the first column; empty for no table.
    package var head: [String] = [], rows: [[String]] = []
    package var facts: [Fact] = []
    /// A picture in characters of equal width; empty for none.
    package var plot = ""

    package init(_ title: String) { self.title = title }

    private static let nameWidth = 14

    /// The block for a terminal, whole lines.
    package func appendText(to text: inout TextBuffer) {
        for line in [heading, title, period] where !line.isEmpty { text.append(string: line + "\n") }
        let widths = head.map { $0.count + 2 }
        for row in rows.isEmpty ? [] : [head] + rows {
            var line = ""
            for (index, cell) in row.enumerated() {
                let width = index == 0 || index >= widths.count ? Self.nameWidth : widths[index]
                line += index == 0 ? cell.padded(to: width) : cell.indented(to: width)
            }
            text.append(string: line + "\n")
        }
        for fact in facts {
            text.append(string: fact.name.padded(to: Self.nameWidth) + fact.text + "\n")
        }
        text.append(string: plot)
    }

    func appendMarkup(to text: inout TextBuffer) {
        let period: Markup = self.period.isEmpty ? "" : " <small>\(self.period)</small>"
        text.append(html: "<section class=\"block\"><h2>\(heading.isEmpty ? title : "\(heading): \(title)")\(period)</h2>\n")
        if !rows.isEmpty {
            text.append(html: "<div class=\"wide\"><table><thead><tr>\(Markup.cells(head, "th"))</tr>\n</thead><tbody>\n")
            for (index, row) in rows.enumerated() {
                text.append(html: index == 0 ? "<tr class=\"all\">\(Markup.cells(row))</tr>\n" : "<tr>\(Markup.cells(row))</tr>\n")
            }
            text.append("</tbody></table></div>\n")
        }
        text.append("<table class=\"text\"><tbody>\n")
        for fact in facts { text.append(html: "<tr>\(Markup.cells([fact.name, fact.text]))</tr>\n") }
        text.append("</tbody></table>\n")
        // Line by line: escaping makes a line end a blank.
        let lines = plot.split(separator: "\n", omittingEmptySubsequences: false).map { Markup.escaped(String($0)) }
        if !plot.isEmpty { text.append(html: "<pre>\(Markup(stringLiteral: lines.joined(separator: "\n")))</pre>\n") }
        text.append("</section>\n")
    }
}
