import CuffCore

/// One bucket of a `StatisticsCollection`.
public struct StatisticsBucket: Sendable, Hashable {
    /// The bucket's number in its `CalendarCut`, which gives label and bounds.
    public let key: Int64

    init(key: Int64) { self.key = key }
    package internal(set) var merged = ReadingStatistics()
    /// By the caller's number of the source; empty unless `bySource`.
    package internal(set) var sources: [Int: ReadingStatistics] = [:]
    /// Readings that a person started, if `readings`. Ascending in the collection's `buckets`.
    package internal(set) var manual: [ReadingPoint] = []
    /// Readings that the cuff or a schedule started.
    package internal(set) var automatic: [ReadingPoint] = []
    /// Readings whose cuff does not report the trigger.
    package internal(set) var unknownTrigger: [ReadingPoint] = []

    fileprivate mutating func add(_ point: ReadingPoint, source: Int, _ options: StatisticsCollection.Options) {
        merged.add(point)
        if options.contains(.bySource) { sources[source, default: ReadingStatistics()].add(point) }
        guard options.contains(.readings) else { return }
        switch point.trigger {
        case .manual: manual.append(point)
        case .automatic: automatic.append(point)
        case .unknown: unknownTrigger.append(point)
        }
    }
}

/// Statistics by day, week, month, hour or part of the day. Readings are not kept unless `readings` is set: memory grows with the number
/// of buckets and sources, not with the number of readings.
public struct StatisticsCollection: Sendable {
    /// What is kept in addition to the merged statistics.
    public struct Options: OptionSet, Sendable, Hashable {
        /// One bit for each option.
        public let rawValue: UInt8
        /// Any bits; unknown ones mean nothing.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Statistics of each source.
        public static let bySource = Options(rawValue: 1)
        /// Lists of the manual and of the automatic readings of each bucket.
        public static let readings = Options(rawValue: 2)
    }

    /// How time is divided into buckets.
    public let cut: CalendarCut
    /// What is kept in addition to the merged statistics.
    public let options: Options
    /// How many readings were left out, by their reason.
    public private(set) var excluded: [Exclusion: Int] = [:]
    private var found = Keyed<Int64, StatisticsBucket>()

    /// No readings and no buckets.
    public init(_ cut: CalendarCut, options: Options = []) {
        self.cut = cut
        self.options = options
    }

    /// Adds one blood pressure to its bucket. `source` is the caller's number of the cuff.
    package mutating func add(_ point: ReadingPoint, source: Int = 0) {
        let key = cut.key(at: point.time)
        found[key, default: StatisticsBucket(key: key)].add(point, source: source, options)
    }

    /// For people: a note for each reason, with the number of readings left out.
    public var leftOutNotes: [String] {
        Exclusion.allCases.compactMap { reason in excluded[reason].map { "\($0) left out: \(reason.sentence)" } }
    }

    /// Counts a reading that was left out.
    public mutating func exclude(_ reason: Exclusion) { excluded[reason, default: 0] += 1 }

    /// Ascending; only those with a reading.
    public var buckets: [StatisticsBucket] {
        var sorted = found.found.map(\.value).sorted { $0.key < $1.key }
        for index in sorted.indices where options.contains(.readings) {
            sorted[index].manual.sort(by: ReadingPoint.isEarlier)
            sorted[index].automatic.sort(by: ReadingPoint.isEarlier)
            sorted[index].unknownTrigger.sort(by: ReadingPoint.isEarlier)
        }
        return sorted
    }
}
