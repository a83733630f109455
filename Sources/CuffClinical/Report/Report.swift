import CuffCore

/// What goes on the page a person takes to the doctor: the readings of a stretch of time, averages by part of the day,
/// and what was left out, with the reason. It collects; `ReportPage` draws.
public struct Report: Sendable {
    public struct Entry: Sendable, Hashable {
        public var point: ReadingPoint
        public var origin: Reading.Origin
        public var rule: ClockRule
        public var source: Int
        /// What the time rests on, in words that are true of it.
        public var basis: TimeBasis

        public enum TimeBasis: Sendable, Hashable, CaseIterable {
            case synced, corrected, unchecked, arrival, entered
        }
    }

    public struct LeftOut: Sendable, Hashable {
        public var time: Timestamp?
        public var content: Reading.Content
        public var reason: Exclusion
        public var source: Int
    }

    /// As it stands above the page; empty for none.
    public var person: String
    /// Which of several persons it is about, where the page holds more than one and nobody told a name.
    public var section = ""
    public let zone: ZoneTable
    public let parts: DayParts
    public let lines: ReferenceLines
    public let rule: InclusionRule
    public private(set) var entries: [Entry] = []
    public private(set) var leftOut: [LeftOut] = []
    public private(set) var sources: [Provenance] = []

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
        // Quantities of other devices, and pulses without a pressure, are not this page's business.
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

    /// A reading of a capture has no rule: nobody compared the cuff's clock with another. Only what a person entered was typed.
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
