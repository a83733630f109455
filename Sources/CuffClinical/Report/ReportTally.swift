import CuffCore

/// The sums of a report, in constant memory: the buckets become coarser as the time that its readings cover grows.
struct ReportTally: Sendable {
    /// One cut of the time, with the parts of the day in each bucket. All other numbers are sums of these.
    struct Cut: Sendable {
        let cut: CalendarCut
        private var found = Keyed<Int64, [DayWindow: ReadingStatistics]>()

        fileprivate init(_ cut: CalendarCut) { self.cut = cut }

        /// Each bucket with its statistics by part of the day. Ascending; only those with a reading.
        var parts: [(key: Int64, value: [DayWindow: ReadingStatistics])] { found.found.sorted { $0.key < $1.key } }

        /// Ascending; only those with a reading.
        var buckets: [StatisticsBucket] {
            parts.map { key, parts in
                var bucket = StatisticsBucket(key: key)
                bucket.merged = ReportTally.merged(parts)
                return bucket
            }
        }

        /// Days, weeks and months are those of the reading's session; hours are those of the clock.
        fileprivate mutating func add(_ entry: Report.Entry, _ civil: Int64) {
            let isMoved = entry.day != civil && cut.bucketing != .hour
            let time = isMoved ? Timestamp(seconds: cut.zone.firstInstant(fromWall: entry.day * 86400 + 43200)) : entry.point.time
            found[cut.key(at: time), default: [:]][entry.window, default: ReadingStatistics()].add(entry.point)
        }
    }

    private let zone: ZoneTable
    private let lines: ReferenceLines
    private(set) var count = 0
    private(set) var reached = 0
    private(set) var bySource: [Int: Int] = [:]
    private var byBasis: [Report.Entry.TimeBasis: Int] = [:]
    private(set) var enteredCount = 0
    private(set) var first: Timestamp?, last: Timestamp?
    /// Days since 1970 with a reading.
    private(set) var days: Set<Int64> = []
    private var latestDay: Int64?
    /// From the finest that suits the covered time, to months.
    private var cuts: [Cut]

    /// The number of whole days for which each cut is used.
    private static let spans: [(bucketing: Bucketing, days: Int64)] = [(.hour, 2), (.day, 100), (.week, 700), (.month, .max)]

    init(zone: ZoneTable, lines: ReferenceLines) {
        (self.zone, self.lines) = (zone, lines)
        cuts = Self.spans.map { Cut(CalendarCut($0.bucketing, zone: zone)) }
    }

    var chart: Cut { cuts.first ?? Cut(CalendarCut(.month, zone: zone)) }
    /// The cut of the table: that of the chart, but at least days.
    var table: Cut? { cuts.first { $0.cut.bucketing != .hour } }
    /// Whether the days are few enough to list the readings: only the cut by hours, the first, may be dropped.
    var isDaily: Bool { cuts.count >= Self.spans.count - 1 }

    var parts: [DayWindow: ReadingStatistics] {
        var found: [DayWindow: ReadingStatistics] = [:]
        for (_, parts) in cuts.last?.parts ?? [] {
            for (window, own) in parts { found[window, default: ReadingStatistics()].merge(own) }
        }
        return found
    }

    var all: ReadingStatistics { Self.merged(parts) }

    /// In a fixed order, because sums of decimals depend on it.
    private static func merged(_ parts: [DayWindow: ReadingStatistics]) -> ReadingStatistics {
        DayWindow.daily.compactMap { parts[$0] }.reduce(into: ReadingStatistics()) { $0.merge($1) }
    }

    func count(_ basis: Report.Entry.TimeBasis) -> Int { byBasis[basis] ?? 0 }

    mutating func add(_ entry: Report.Entry) {
        let point = entry.point
        let civil = WallTime.floor(zone.wall(at: point.time.seconds), 86400)
        count += 1
        if point.systolic >= lines.systolic || point.diastolic >= lines.diastolic { reached += 1 }
        bySource[entry.source, default: 0] += 1
        byBasis[entry.basis, default: 0] += 1
        if entry.isEntered { enteredCount += 1 }
        if latestDay != entry.day { days.insert(entry.day) }
        latestDay = entry.day
        first = min(first ?? point.time, point.time)
        last = max(last ?? point.time, point.time)
        coarsen()
        for place in cuts.indices { cuts[place].add(entry, civil) }
    }

    /// Drops the cuts that are too fine for the time that is covered.
    private mutating func coarsen() {
        guard let first, let last else { return }
        let days = (last.seconds - first.seconds) / 86400
        while days > Self.spans[Self.spans.count - cuts.count].days {
            cuts.removeFirst()
        }
    }
}
