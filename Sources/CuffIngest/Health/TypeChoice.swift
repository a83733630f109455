import CuffCore

/// Which types of the JSON vocabulary are meant, as they are named on a command line: readings, series, events.
public struct TypeChoice: Sendable, Hashable {
    /// Empty means every type of reading, where readings are meant at all.
    public var readings: Set<ReadingSelection.Kind> = []
    public var series: Set<SeriesSelection.Kind> = []
    public var events = false
    public var hasReadings = true

    /// Everything an export holds.
    public static let everything = {
        var choice = TypeChoice()
        choice.series = Set(SeriesSelection.Kind.allCases)
        choice.events = true
        return choice
    }()

    private init() {}

    /// Without words: what `usual` says.
    public init(_ words: [String], usual: TypeChoice = .everything) throws(IngestError) {
        guard !words.isEmpty else {
            self = usual
            return
        }
        self.init()
        hasReadings = false
        for word in words {
            if let kind = ReadingSelection.Kind(rawValue: word) {
                readings.insert(kind)
                hasReadings = true
            } else if let kind = SeriesSelection.Kind(rawValue: word) {
                series.insert(kind)
            } else if word == "event" {
                events = true
            } else {
                throw IngestError(
                    .usage, "`\(word)` is no type", why: "known are \(Self.words.joined(separator: ", "))",
                    cure: "write e.g. --type blood_pressure")
            }
        }
    }

    /// One type of reading and nothing else.
    public static func only(_ kind: ReadingSelection.Kind) -> TypeChoice {
        var choice = TypeChoice()
        choice.readings = [kind]
        return choice
    }

    public static let words = ReadingSelection.Kind.allCases.map(\.rawValue) + SeriesSelection.Kind.allCases.map(\.rawValue) + ["event"]
}
