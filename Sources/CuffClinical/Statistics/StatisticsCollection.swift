import CuffCore

/// Statistics of the blood pressures of one bucket, of one source or of all.
public struct ReadingStatistics: Sendable, Hashable {
    /// How many blood pressures were added.
    public private(set) var count = 0
    /// Systolic pressures in mmHg.
    public private(set) var systolic = QuantityStatistics()
    /// Diastolic pressures in mmHg.
    public private(set) var diastolic = QuantityStatistics()
    /// Only where the cuff sent one; it is never computed here.
    public private(set) var mean = QuantityStatistics()
    /// Beats per minute, only where the cuff sent them.
    public private(set) var pulse = QuantityStatistics()
    /// Readings of measurements that a person started.
    public private(set) var manualCount = 0
    /// Readings of measurements that the cuff or a schedule started.
    public private(set) var automaticCount = 0
    /// Readings with the flag `irregular_pulse`.
    public private(set) var irregularCount = 0

    /// No readings.
    public init() {}

    /// Adds one blood pressure.
    public mutating func add(_ point: ReadingPoint) {
        count += 1
        systolic.add(DatedValue(point.systolic, at: point.time, from: point.id))
        diastolic.add(DatedValue(point.diastolic, at: point.time, from: point.id))
        if let value = point.mean { mean.add(DatedValue(value, at: point.time, from: point.id)) }
        if let value = point.pulse { pulse.add(DatedValue(value, at: point.time, from: point.id)) }
        switch point.trigger {
        case .manual: manualCount += 1
        case .automatic: automaticCount += 1
        case .unknown: break
        }
        if point.flags.contains(.irregularPulse) { irregularCount += 1 }
    }
}

extension ReadingStatistics {
    /// Adds the blood pressures of other statistics.
    public mutating func merge(_ other: ReadingStatistics) {
        count += other.count
        systolic.merge(other.systolic)
        diastolic.merge(other.diastolic)
        mean.merge(other.mean)
        pulse.merge(other.pulse)
        manualCount += other.manualCount
        automaticCount += other.automaticCount
        irregularCount += other.irregularCount
    }
}

/// One bucket of a `StatisticsCollection`.
public struct StatisticsBucket: Sendable, Hashable {
    /// The bucket's number in its `CalendarCut`, which gives label and bounds.
    public let key: Int64

    init(key: Int64) { self.key = key }
    /// All sources together.
    public internal(set) var merged = ReadingStatistics()
    /// By the caller's number of the source; empty unless they are kept apart.
    public internal(set) var sources: [Int: ReadingStatistics] = [:]
    /// The readings themselves, only where they are kept. Ascending once the collection is asked for its buckets.
    public internal(set) var manual: [ReadingPoint] = []
    /// Like `manual`, of measurements that the cuff or a schedule started.
    public internal(set) var automatic: [ReadingPoint] = []
    /// Readings whose cuff does not say what caused them.
    public internal(set) var untold: [ReadingPoint] = []
}

/// Statistics by day, week, month, hour or part of the day. Readings go in one at a time and are not kept (unless asked
/// for): memory grows with the number of buckets and sources, not with the number of readings.
public struct StatisticsCollection: Sendable {
    /// What is kept beside the merged statistics.
    public struct Options: OptionSet, Sendable, Hashable {
        /// One bit for each option.
        public let rawValue: UInt8
        /// Any bits; unknown ones mean nothing.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Statistics of each source beside the merged ones.
        public static let bySource = Options(rawValue: 1)
        /// Lists of the manual and of the automatic readings of each bucket.
        public static let readings = Options(rawValue: 2)
    }

    /// How time is cut into buckets.
    public let cut: CalendarCut
    /// What is kept beside the merged statistics.
    public let options: Options
    /// How many readings were left out, by their reason.
    public private(set) var excluded: [Exclusion: Int] = [:]
    private var places: [Int64: Int] = [:]
    private var found: [StatisticsBucket] = []
    private var latest: (key: Int64, place: Int)?

    /// No readings and no buckets.
    public init(_ cut: CalendarCut, options: Options = []) {
        self.cut = cut
        self.options = options
    }

    /// Adds one blood pressure to its bucket. `source` is the caller's number of the cuff.
    public mutating func add(_ point: ReadingPoint, source: Int = 0) {
        let key = cut.key(at: point.time)
        let place = place(of: key)
        found[place].merged.add(point)
        if options.contains(.bySource) { found[place].sources[source, default: ReadingStatistics()].add(point) }
        if options.contains(.readings) {
            switch point.trigger {
            case .manual: found[place].manual.append(point)
            case .automatic: found[place].automatic.append(point)
            case .unknown: found[place].untold.append(point)
            }
        }
    }

    /// How many readings were left out, for people: a note for each reason.
    public var leftOutNotes: [String] {
        excluded.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) left out: \($0.key.sentence)" }
    }

    /// Counts a reading that was left out.
    public mutating func exclude(_ reason: Exclusion) { excluded[reason, default: 0] += 1 }

    private mutating func place(of key: Int64) -> Int {
        if let latest, latest.key == key { return latest.place }
        let place: Int
        if let known = places[key] {
            place = known
        } else {
            place = found.count
            found.append(StatisticsBucket(key: key))
            places[key] = place
        }
        latest = (key, place)
        return place
    }

    /// Ascending; only those that hold a reading.
    public var buckets: [StatisticsBucket] {
        var sorted = found.sorted { $0.key < $1.key }
        for index in sorted.indices where options.contains(.readings) {
            sorted[index].manual.sort(by: ReadingPoint.isEarlier)
            sorted[index].automatic.sort(by: ReadingPoint.isEarlier)
            sorted[index].untold.sort(by: ReadingPoint.isEarlier)
        }
        return sorted
    }
}
