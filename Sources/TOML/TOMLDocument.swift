/// A TOML 1.0 file: its values, and where in the text each of them is. Edits keep comments and layout.
package struct TOMLDocument: Sendable {
    package let text: [UInt8]
    package let root: TOMLTable
    package init(_ text: [UInt8]) throws(TOMLFault) {
        var reader = TOMLReader(text)
        root = try reader.readDocument()
        self.text = text
    }
    /// The line of a byte offset, counted from 1.
    package func line(at offset: Int) -> Int { 1 + text.prefix(offset).count { $0 == 0x0A } }
}

/// What is wrong with a file, and in which line, counted from 1.
package struct TOMLFault: Error, Equatable {
    package let line: Int
    package let reason: String
}

/// A table: keys in the order of the file.
package struct TOMLTable: Sendable {
    /// How the file wrote it. `implicit`: only as part of a longer header.
    enum Form: Sendable { case implicit, header, dotted, inline }

    /// A key, without quotes, with its value.
    package struct Entry: Sendable {
        package let key: String
        package let value: TOMLValue
        /// Byte offsets of the key as it is written, from the beginning of its statement; of a table, within its header.
        package let keyRange: Range<Int>
        /// Byte offsets of the value as it is written; of a table with a header, from the header to the last key under it.
        package let valueRange: Range<Int>
        /// Where a reader would look for it: its key, or its header.
        package var start: Int { value.table?.form == .header ? valueRange.lowerBound : keyRange.lowerBound }
    }

    package let entries: [Entry]
    let form: Form
    package var keys: [String] { entries.map(\.key) }
    package func entry(_ key: String) -> Entry? { entries.first { $0.key == key } }
    package subscript(key: String) -> TOMLValue? { entry(key)?.value }
}

/// A TOML value. A date, a time or both are as written, with every field in its range.
package enum TOMLValue: Sendable {
    case string(String), integer(Int64), float(Double), boolean(Bool), dateTime(String)
    case array([TOMLValue]), table(TOMLTable)

    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    package var array: [TOMLValue]? { if case .array(let value) = self { value } else { nil } }
    package var table: TOMLTable? { if case .table(let value) = self { value } else { nil } }
}
