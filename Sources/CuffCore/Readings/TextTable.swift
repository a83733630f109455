/// A table fitted to the width of a terminal, with two blanks between columns. If it is too wide, one column is wrapped, then optional
/// columns are dropped, and finally each row becomes a block with one line per cell.
package struct TextTable: Sendable {
    package var head: [String]
    /// The cells, one per head in each row.
    package var rows: [[String]]
    package var wrapping: Int?
    package var rightAligned: Set<Int>
    /// The columns that may be dropped, least important first.
    package var optional: [Int]

    private static let gap = 2
    /// A narrower column would hold one word per line.
    private static let narrowest = 24

    /// Creates a table; missing cells are empty.
    package init(
        _ head: [String], _ rows: [[String]], wrapping: Int? = nil, rightAligned: Set<Int> = [], optional: [Int] = []
    ) {
        self.head = head
        self.rows = rows
        self.wrapping = wrapping
        self.rightAligned = rightAligned
        self.optional = optional
    }

    /// The lines, each with a line feed. `width` is the terminal's; `nil`: unlimited.
    package func text(width: Int?) -> String {
        var shown = Array(head.indices)
        var widths = head.indices.map { column in ([head] + rows).map { cell($0, column).count }.max() ?? 0 }
        guard let width else { return layOut(shown, widths) }
        var left = optional[...]
        while least(shown, widths) > width, let column = left.popFirst() { shown.removeAll { $0 == column } }
        guard least(shown, widths) <= width else { return blocks(width) }
        if let wrapping, shown.contains(wrapping) {
            let others = total(shown, widths) - widths[wrapping]
            widths[wrapping] = min(widths[wrapping], max(1, width - others))
        }
        return layOut(shown, widths)
    }

    private func cell(_ row: [String], _ column: Int) -> String { column < row.count ? row[column] : "" }

    private func total(_ columns: [Int], _ widths: [Int]) -> Int {
        columns.reduce(0) { $0 + widths[$1] } + Self.gap * max(0, columns.count - 1)
    }

    private func least(_ columns: [Int], _ widths: [Int]) -> Int {
        guard let wrapping, columns.contains(wrapping) else { return total(columns, widths) }
        return total(columns, widths) - widths[wrapping] + min(widths[wrapping], Self.narrowest)
    }

    private func layOut(_ columns: [Int], _ widths: [Int]) -> String {
        var text = ""
        for row in [head] + rows {
            let cells = columns.map { $0 == wrapping ? Self.lines(cell(row, $0), widths[$0]) : [cell(row, $0)] }
            for index in 0..<(cells.map(\.count).max() ?? 0) {
                var line = ""
                for (place, column) in columns.enumerated() {
                    let part = index < cells[place].count ? cells[place][index] : ""
                    let padding = Self.blanks(widths[column] - part.count)
                    line += (place == 0 ? "" : Self.blanks(Self.gap)) + (rightAligned.contains(column) ? padding + part : part + padding)
                }
                text += Self.trimmed(line) + "\n"
            }
        }
        return text
    }

    /// One line per cell, an empty line between rows.
    private func blocks(_ width: Int) -> String {
        let names = head.map(\.count).max() ?? 0
        let blocks = rows.map { row in
            head.indices.filter { !cell(row, $0).isEmpty }.map { column in
                let lines = Self.lines(cell(row, column), max(1, width - names - Self.gap))
                return lines.enumerated().map { index, line in
                    let name = index == 0 ? head[column] : ""
                    return Self.trimmed(name + Self.blanks(names - name.count + Self.gap) + line) + "\n"
                }.joined()
            }.joined()
        }
        return blocks.joined(separator: "\n")
    }

    fileprivate static func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

    private static func trimmed(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }

    /// Wraps `text` at words into lines of at most `width` characters; longer words are cut. Empty text gives one empty line.
    package static func lines(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            var word = word[...]
            if !line.isEmpty, line.count + 1 + word.count <= width {
                line += " " + word
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while word.count > width {
                lines.append(String(word.prefix(width)))
                word = word.dropFirst(width)
            }
            line = String(word)
        }
        return lines + (line.isEmpty && !lines.isEmpty ? [] : [line])
    }

    /// Folds lines for a terminal: a longer line continues below its last column, or slightly indented. `nil`: unlimited.
    package static func folded(_ text: String, width: Int?) -> String {
        guard let width, width > 0 else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.count <= width ? String(line) : pieces(of: Array(line), width).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func pieces(of line: [Character], _ width: Int) -> [String] {
        let indent = hanging(line, width)
        var pieces: [String] = []
        var rest = line[...]
        while !rest.isEmpty {
            let margin = pieces.isEmpty ? 0 : indent
            guard rest.count > width - margin else {
                pieces.append(blanks(margin) + String(rest))
                break
            }
            let end = rest.startIndex + width - margin
            // Only blanks precede the hanging column.
            let least = pieces.isEmpty ? min(indent, width - 1) : rest.startIndex
            let cut = rest[least...end].lastIndex(of: " ").flatMap { $0 > least ? $0 : nil } ?? end
            pieces.append(blanks(margin) + trimmed(String(rest[..<cut])))
            rest = rest[cut...].drop { $0 == " " }
        }
        return pieces
    }

    /// The last position in the left two thirds where a word follows two blanks, else the line's margin plus a little.
    private static func hanging(_ line: [Character], _ width: Int) -> Int {
        let limit = min(line.count, width * 2 / 3)
        let columns = (0..<limit).filter { $0 >= 2 && line[$0] != " " && line[$0 - 1] == " " && line[$0 - 2] == " " }
        if let last = columns.last { return last }
        return min(line.prefix { $0 == " " }.count + 2, width / 3)
    }
}

extension String {
    /// With blanks behind it, up to this number of characters.
    package func padded(to width: Int) -> String { self + TextTable.blanks(width - count) }
    /// With blanks before it.
    package func indented(to width: Int) -> String { TextTable.blanks(width - count) + self }
}
