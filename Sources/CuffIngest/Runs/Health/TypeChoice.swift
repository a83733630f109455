import CuffClinical
import CuffCore

/// The types chosen on a command line, named as in JSON: readings, series, events.
package struct TypeChoice: Sendable, Hashable {
    /// Empty: every type of reading, if `hasReadings`.
    package var readings: Set<ReadingSelection.Kind> = []
    /// The types of series; empty: none.
    package var series: Set<SeriesSelection.Kind> = []
    package var events = false
    package var hasReadings = true
    /// Whether types were given explicitly.
    package var isChosen = false

    /// Everything that an export can contain.
    package static let everything = {
        var choice = TypeChoice()
        choice.series = Set(SeriesSelection.Kind.allCases)
        choice.events = true
        return choice
    }()

    private init() {}

    /// Without words: `usual`.
    package init(_ words: [String], usual: TypeChoice = .everything) throws(IngestError) {
        guard !words.isEmpty else {
            self = usual
            return
        }
        self.init()
        hasReadings = false
        isChosen = true
        for word in words {
            if let kind = ReadingSelection.Kind(rawValue: word) {
                readings.insert(kind)
                hasReadings = true
            } else if let kind = SeriesSelection.Kind(rawValue: word) {
                series.insert(kind)
            } else if word == "event" {
                events = true
            } else {
                throw IngestError(SelectionFault.unknownType(word, known: Self.words))
            }
        }
    }

    func parts(of reading: Reading) -> ExportParts {
        var parts: ExportParts = []
        if hasReadings, readings.isEmpty || readings.contains(ReadingSelection.Kind(reading.content)) { parts.insert(.values) }
        if events { parts.insert(.events) }
        return parts
    }

    /// Throws if series or events are chosen for a verb on readings, where they would not narrow the choice.
    package func requireReadings(_ verb: String) throws(IngestError) {
        guard isChosen, events || !series.isEmpty else { return }
        throw IngestError(SelectionFault.readingsOnly(verb: verb, kinds: ReadingSelection.Kind.allCases.map(\.rawValue)))
    }

    /// Throws if any other type is chosen.
    package func requireOnly(_ kind: ReadingSelection.Kind, _ verb: String) throws(IngestError) {
        guard isChosen, readings != [kind] || events || !series.isEmpty else { return }
        throw IngestError(SelectionFault.oneTypeOnly(verb: verb, type: kind.rawValue))
    }

    package static func only(_ kind: ReadingSelection.Kind) -> TypeChoice {
        var choice = TypeChoice()
        choice.readings = [kind]
        return choice
    }

    package static let words = ReadingSelection.Kind.allCases.map(\.rawValue) + SeriesSelection.Kind.allCases.map(\.rawValue) + ["event"]
}
