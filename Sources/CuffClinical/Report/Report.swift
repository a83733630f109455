import CuffCore

/// What goes on the page a person takes to the doctor: the readings of a stretch of time, averages by part of the day,
/// and what was left out, with the reason. It collects; `ReportPage` draws.
public struct Report: Sendable {
    /// A reading that counts, with what the page says about its time.
    public struct Entry: Sendable, Hashable {
        /// The values of the reading in mmHg and beats per minute.
        public var point: ReadingPoint
        /// How the reading came to this program.
        public var origin: Reading.Origin
        /// What the time of the reading rests on.
        public var rule: ClockRule
        /// The cuff's place in `sources`.
        public var source: Int
        /// What the time rests on, in words that are true of it.
        public var basis: TimeBasis

        /// What the time rests on: a clock that agreed, one that was corrected, one that was not compared, the arrival, or
        /// what a person entered.
        public enum TimeBasis: Sendable, Hashable, CaseIterable {
            case synced, corrected, unchecked, arrival, entered
        }
    }

    /// A reading that is listed and does not count.
    public struct LeftOut: Sendable, Hashable {
        /// When it was measured; `nil` where that is unknown.
        public var time: Timestamp?
        /// What was measured, or how it failed.
        public var content: Reading.Content
        /// Why it does not count.
        public var reason: Exclusion
        /// The cuff's place in `sources`.
        public var source: Int
    }

    /// As it stands above the page; empty for none.
    public var person: String
    /// Which of several persons it is about, where the page holds more than one and no name was given.
    public var section = ""
    /// Results that stand first on the page.
    public var blocks: [ReportBlock] = []
    /// Whether every reading is listed.
    public var listsReadings = true
    /// The zone of every time on the page.
    public let zone: ZoneTable
    /// Where the parts of a day begin.
    public let parts: DayParts
    /// The reference lines of the chart.
    public let lines: ReferenceLines
    /// Which readings count.
    public let rule: InclusionRule
    /// The readings that count, in the order in which they were added.
    public private(set) var entries: [Entry] = []
    /// The readings that do not count, in the order in which they were added.
    public private(set) var leftOut: [LeftOut] = []
    /// The cuffs of the readings, each once.
    public private(set) var sources: [Provenance] = []

    /// A report without readings.
    public init(
        person: String = "", zone: ZoneTable, parts: DayParts = .usual, lines: ReferenceLines = .home,
        excludesDisturbed: Bool = false
    ) {
        self.person = person
        self.zone = zone
        self.parts = parts
        self.lines = lines
        rule = InclusionRule(zone: zone, excludesDisturbed: excludesDisturbed)
    }

    /// `setAside` leaves the reading out by hand.
    public mutating func add(_ reading: Reading, from provenance: Provenance, setAside: Bool = false) {
        // Quantities of other devices, and pulses without a pressure, are left out of this page.
        switch reading.content {
        case .bloodPressure, .failure: break
        case .pulseRate, .quantity: return
        }
        let source = sources.firstIndex(of: provenance) ?? sources.count
        if source == sources.count { sources.append(provenance) }
        let verdict = setAside ? .excluded(.setAside) : rule.verdict(on: reading)
        switch verdict {
        case .counts(let point):
            entries.append(
                Entry(
                    point: point, origin: reading.origin, rule: reading.rule, source: source, basis: Self.basis(of: reading)))
        case .excluded(let reason):
            leftOut.append(
                LeftOut(
                    time: reading.bestTime(in: zone), content: reading.content, reason: reason,
                    source: source))
        }
    }

    /// A reading of a capture has no rule: the cuff's clock was not compared with another. Only what a person entered was typed.
    private static func basis(of reading: Reading) -> Entry.TimeBasis {
        if reading.origin == .entered { return .entered }
        return switch reading.rule {
        case .synced: .synced
        case .corrected: .corrected
        case .receiveTime: .arrival
        case .deviceTime, .unset, .none: reading.clock.time == nil ? .arrival : .unchecked
        }
    }

    /// Ascending.
    public var sorted: [Entry] { entries.sorted { ReadingPoint.isEarlier($0.point, $1.point) } }

    func statistics(_ bucketing: Bucketing) -> StatisticsCollection {
        var collection = StatisticsCollection(CalendarCut(bucketing, zone: zone, parts: parts))
        for entry in sorted { collection.add(entry.point) }
        return collection
    }

    /// The cut of the chart: fine enough to see, coarse enough to read.
    var chartBucketing: Bucketing {
        let times = entries.map(\.point.time.seconds)
        guard let first = times.min(), let last = times.max() else { return .day }
        let days = (last - first) / 86400
        return days <= 2 ? .hour : days <= 100 ? .day : days <= 700 ? .week : .month
    }
}
