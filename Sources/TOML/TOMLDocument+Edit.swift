/// Changes in place: only the bytes of the value or line concerned differ. Inline tables are replaced as a whole, arrays of tables
/// are not edited.
extension TOMLDocument {
    /// The document with one value set. `value` is TOML source text, e.g. of `quoted`; a missing section is added at the end.
    package func setting(_ path: [String], to value: String) throws(TOMLFault) -> TOMLDocument {
        var table = root
        // The end of the deepest section on the way that has a header, and how many keys lead to it.
        var (end, depth) = (0, 0)
        for (index, key) in path.enumerated() {
            guard let entry = table.entry(key) else { break }
            let isLast = index == path.count - 1
            let section = entry.value.table.flatMap { $0.form == .inline ? nil : $0 }
            guard isLast == (section == nil) else {
                throw TOMLFault(line: line(at: entry.start), reason: "`\(key)` is \(isLast ? "a section" : "a value")")
            }
            guard let section else { return try replacing(entry.valueRange, with: value) }
            table = section
            if table.form == .header { (end, depth) = (lineEnd(entry.valueRange.upperBound), index + 1) }
        }
        let statement = Self.dotted(path[depth...]) + " = " + value + "\n"
        if depth > 0 { return try replacing(end..<end, with: (text[end - 1] == 0x0A ? "" : "\n") + statement) }
        if path.count == 1 { return try replacing(0..<0, with: statement) }
        let gap = text.isEmpty ? "" : text.last == 0x0A ? "\n" : "\n\n"
        let header = "[\(Self.dotted(path.dropLast()))]\n"
        return try replacing(text.count..<text.count, with: gap + header + Self.dotted(path.suffix(1)) + " = \(value)\n")
    }

    /// The table that the last key of a path is in, and its entry there.
    private func place(of path: [String]) -> (table: TOMLTable, entry: TOMLTable.Entry)? {
        var table: TOMLTable? = root
        for key in path.dropLast() { table = table?[key]?.table }
        guard let table, let entry = path.last.flatMap(table.entry) else { return nil }
        return (table, entry)
    }

    /// The document without a key, or without a section and all below it; unchanged if it is not present.
    package func removing(_ path: [String]) throws(TOMLFault) -> TOMLDocument {
        guard let (table, entry) = place(of: path), table.form != .inline else { return self }
        let lines = lines(of: entry)
        return try TOMLDocument(text.indices.filter { offset in !lines.contains { $0.contains(offset) } }.map { text[$0] })
    }

    /// The document with another name for a section that has a header; its content stays. Unchanged if it is not present.
    package func renaming(_ path: [String], to name: String) throws(TOMLFault) -> TOMLDocument {
        guard let (_, entry) = place(of: path) else { return self }
        guard entry.value.table?.form == .header else {
            throw TOMLFault(line: line(at: entry.start), reason: "`\(entry.key)` has no header of its own")
        }
        return try replacing(entry.keyRange, with: Self.dotted([name]))
    }

    /// The document with another element in an array of texts, or without it if `text` is `nil`. Comments in the array stay.
    package func settingElement(_ index: Int, of path: [String], to text: String?) throws(TOMLFault) -> TOMLDocument {
        guard let (_, entry) = place(of: path), let array = entry.value.array else { return self }
        let elements = strings(in: entry.valueRange)
        guard elements.count == array.count, elements.indices.contains(index) else {
            throw TOMLFault(line: line(at: entry.start), reason: "`\(entry.key)` is not a list of texts on one line each")
        }
        var element = elements[index]
        guard text == nil else { return try replacing(element, with: Self.quoted(text ?? "")) }
        // With the comma behind it, else with the one before it.
        let behind = self.text[element.upperBound..<entry.valueRange.upperBound].firstIndex { $0 != 0x20 }
        if let behind, self.text[behind] == UInt8(ascii: ",") {
            let rest = self.text[(behind + 1)...].firstIndex { $0 != 0x20 } ?? behind + 1
            element = element.lowerBound..<rest
        } else if index > 0 {
            let before = self.text[elements[index - 1].upperBound..<element.lowerBound].firstIndex(of: UInt8(ascii: ","))
            guard let before else { throw TOMLFault(line: line(at: entry.start), reason: "`\(entry.key)` has no comma there") }
            element = before..<element.upperBound
            // A comment between the comma and the element ends with its line.
            if self.text[element].contains(0x0A) {
                return try replacing(elements[index], with: "").replacing(before..<before + 1, with: "")
            }
        }
        return try replacing(element, with: "")
    }

    /// The document with another first element of an array of texts; a missing array is added.
    package func prepending(_ text: String, to path: [String]) throws(TOMLFault) -> TOMLDocument {
        guard let (_, entry) = place(of: path), let array = entry.value.array else {
            return try setting(path, to: "[\(Self.quoted(text))]")
        }
        let start = entry.valueRange.lowerBound + 1
        return try replacing(start..<start, with: Self.quoted(text) + (array.isEmpty ? "" : ", "))
    }

    /// The texts in quotes of a range, outside of comments.
    private func strings(in range: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var at = range.lowerBound
        while at < range.upperBound {
            let byte = text[at]
            if byte == UInt8(ascii: "#") {
                at = lineEnd(at)
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                let start = at
                at += 1
                while at < range.upperBound, text[at] != byte { at += text[at] == UInt8(ascii: "\\") && byte == UInt8(ascii: "\"") ? 2 : 1 }
                at += 1
                found.append(start..<at)
            } else {
                at += 1
            }
        }
        return found
    }

    package static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
            guard scalar.value < 0x20 || scalar.value == 0x7F else { return String(scalar) }
            return "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
        }
        return "\"" + escaped.joined() + "\""
    }

    /// The keys of a path as TOML source text, quoted where necessary.
    package static func dotted(_ path: some Sequence<String>) -> String {
        path.map { !$0.isEmpty && $0.utf8.allSatisfy(TOMLReader.isBare) ? $0 : quoted($0) }.joined(separator: ".")
    }
    private func replacing(_ range: Range<Int>, with new: String) throws(TOMLFault) -> TOMLDocument {
        try TOMLDocument(text[..<range.lowerBound] + Array(new.utf8) + text[range.upperBound...])
    }
    private func lineStart(_ offset: Int) -> Int { text[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0 }
    private func lineEnd(_ offset: Int) -> Int { text[offset...].firstIndex(of: 0x0A).map { $0 + 1 } ?? text.count }

    /// The lines that an entry and all below it are written in.
    private func lines(of entry: TOMLTable.Entry) -> [Range<Int>] {
        let table = entry.value.table
        let below = table?.form == .inline ? [] : table?.entries.flatMap { lines(of: $0) } ?? []
        guard table == nil || table?.form == .header || table?.form == .inline else { return below }
        return below + [lineStart(entry.start)..<lineEnd(entry.valueRange.upperBound)]
    }
}
