/// An option of a format: `--NAME VALUE` on the command line.
package struct ExportOption: Sendable, Hashable {
    /// Without the dashes.
    package let name: String
    /// The name of the value in help; empty for a flag.
    package let value: String
    /// The allowed values; empty: any text.
    package let words: [String]
    /// One line.
    package let help: String

    package init(_ name: String, value: String = "", words: [String] = [], help: String) {
        (self.name, self.value, self.words, self.help) = (name, value, words, help)
    }
}

/// The chosen options of a format, by name.
public struct ExportChoices: Sendable, Hashable {
    private var values: [String: [String]] = [:]

    /// Nothing is chosen.
    public init() {}

    /// Chooses a value; it is empty for a flag.
    public mutating func choose(_ name: String, _ value: String = "") { values[name, default: []].append(value) }

    /// The options that are chosen, sorted.
    public var names: [String] { values.keys.sorted() }
    package func all(_ option: ExportOption) -> [String] { values[option.name] ?? [] }
    package func has(_ option: ExportOption) -> Bool { values[option.name] != nil }

    /// The value of an option that may be given once; `nil` if it is not chosen.
    package func one(_ option: ExportOption) throws(ExportFault) -> String? {
        let all = all(option)
        guard all.count < 2 else { throw .repeated(option: option.name) }
        return all.first
    }

    /// The value of an option; its first word is the default.
    package func word(_ option: ExportOption) throws(ExportFault) -> String { try one(option) ?? option.words.first ?? "" }
}
