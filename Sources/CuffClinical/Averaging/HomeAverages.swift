import CuffCore

/// Home averages of all persons in a selection. Persons are never combined, cuffs only on request.
public struct HomeAverages: Sendable {
    /// The person and the cuff of an average.
    public struct Owner: Sendable, Hashable {
        /// Whose readings they are.
        public var person: Person
        /// The caller's number of the cuff; `nil` if all cuffs are combined.
        public var source: Int?

        /// Sets each property as given.
        public init(person: Person, source: Int?) {
            self.person = person
            self.source = source
        }
    }

    /// The rule of every average.
    public let rule: AveragingRule
    /// Whether the cuffs of one person are combined.
    public let joinsSources: Bool
    private let zone: ZoneTable
    private let windows: DayWindows
    private var averages = Keyed<Owner, ProtocolAverage>()

    /// No readings.
    public init(_ rule: AveragingRule, zone: ZoneTable, windows: DayWindows = .usual, joinsSources: Bool = false) {
        self.rule = rule
        self.zone = zone
        self.windows = windows
        self.joinsSources = joinsSources
    }

    /// Adds a reading; the times of one person must not go back.
    public mutating func add(_ reading: HomeReading, tell: (HomeReading, ReadingFate) -> Void = { _, _ in }) {
        let owner = Owner(person: reading.person, source: joinsSources ? nil : reading.source)
        averages[owner, default: ProtocolAverage(rule, zone: zone, windows: windows)].add(reading, tell: tell)
    }

    /// Call it once, after the last reading.
    public mutating func finish(tell: (HomeReading, ReadingFate) -> Void = { _, _ in }) {
        for place in averages.found.indices { averages[place: place].finish(tell: tell) }
    }

    /// By person, then by source.
    public var each: [(owner: Owner, average: ProtocolAverage)] {
        averages.found.map { (owner: $0.key, average: $0.value) }.sorted {
            let (a, b) = ($0.owner, $1.owner)
            return a.person != b.person ? a.person < b.person : (a.source ?? .min) < (b.source ?? .min)
        }
    }
}
