import CuffCore

extension MeasurementFlags {
    /// The words of the flags, e.g. `irregular_pulse`.
    public func text(separator: String) -> String { list.map(\.description).joined(separator: separator) }

    /// The flag of one word; `nil` if the word is unknown.
    package static func named(_ word: String) -> MeasurementFlags? {
        words.firstIndex { $0.description == word }.map { MeasurementFlags(rawValue: 1 << UInt32($0)) }
    }

    /// The flags of those words that are flags.
    static func named(among words: [some StringProtocol]) -> MeasurementFlags {
        words.reduce(into: MeasurementFlags()) { $0.formUnion(named(String($1)) ?? []) }
    }
}
