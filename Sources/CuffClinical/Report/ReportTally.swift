import CuffCore

/// The sums of a report, in constant memory: the cut of its chart becomes coarser as the time that its readings cover grows.
struct ReportTally: Sendable {
    /// Readings with how many of them are at or above the reference.
    struct Part: Sendable {
        var statistics = ReadingStatistics()
        var reached = 0

        mutating func add(_ point: ReadingPoint, isReached: Bool) {
            statistics.add(point)
            if isReached { reached += 1 }
        }
    }

    /// One way to cut the time, with the parts of the day in each bucket.
    struct Cut: Sendable {
        var collection: StatisticsCollection
        var parts: [Int64: [DayParts.Part: ReadingStatistics]] = [:]
    }

    private let zone: ZoneTable
    private let dayParts: DayParts
    private let lines: ReferenceLines
    private(set) var all = ReadingStatistics()
    private(set) var reached = 0
    private(set) var parts: [DayParts.Part: Part] = [:]
    private(set) var bySource: [Int: Int] = [:]
    private(set) var byBasis: [Report.Entry.TimeBasis: Int] = [:]
    private(set) var enteredCount = 0
    /// The first and the last reading.
    private(set) var first: Timestamp?, last: Timestamp?
    /// Days since 1970 with a reading.
    private(set) var days: Set<Int64> = []
    private var latestDay: Int64?
    /// From the finest that suits the time that is covered, to months.
    private var cuts: [Cut]

    /// As many whole days may be covered by each cut but the last: fine enough to see, coarse enough to read.
    private static let spans: [(bucketing: Bucketing, days: Int64)] = [(.hour, 2), (.day, 100), (.week, 700), (.month, .max)]

    init(zone: ZoneTable, parts: DayParts, lines: ReferenceLines) {
        (self.zone, dayParts, self.lines) = (zone, parts, lines)
        cuts = Self.spans.map { Cut(collection: StatisticsCollection(CalendarCut($0.bucketing, zone: zone, parts: parts))) }
    }

    /// The cut of the chart.
    var chart: StatisticsCollection { cuts.first?.collection ?? StatisticsCollection(CalendarCut(.month, zone: zone)) }
    /// The cut of the table: as the chart's, but days at the finest.
    var table: Cut? { cuts.first { $0.collection.cut.bucketing != .hour } }
    /// Few enough days for the readings to be listed one by one.
    var isDaily: Bool { cuts.first { $0.collection.cut.bucketing == .day } != nil }

    mutating func add(_ entry: Report.Entry) {
        let point = entry.point
        let wall = zone.wall(at: point.time.seconds)
        let midnight = WallTime.floor(wall, 86400)
        let part = dayParts.part(ofHour: Int(wall - midnight * 86400) / 3600)
        let isReached = lines.isReached(point.systolic, point.diastolic)
        all.add(point)
        if isReached { reached += 1 }
        parts[part, default: Part()].add(point, isReached: isReached)
        bySource[entry.source, default: 0] += 1
        byBasis[entry.basis, default: 0] += 1
        if entry.isEntered { enteredCount += 1 }
        if latestDay != midnight { days.insert(midnight) }
        latestDay = midnight
        first = min(first ?? point.time, point.time)
        last = max(last ?? point.time, point.time)
        coarsen()
        for place in cuts.indices {
            cuts[place].collection.add(point)
            guard cuts[place].collection.cut.bucketing != .hour else { continue }
            cuts[place].parts[cuts[place].collection.cut.key(at: point.time), default: [:]][part, default: ReadingStatistics()].add(point)
        }
    }

    /// Drops the cuts that are too fine for the time that is covered.
    private mutating func coarsen() {
        guard let first, let last else { return }
        let days = (last.seconds - first.seconds) / 86400
        while let finest = cuts.first, let limit = Self.spans.first(where: { $0.bucketing == finest.collection.cut.bucketing })?.days,
            days > limit
        {
            cuts.removeFirst()
        }
    }
}
