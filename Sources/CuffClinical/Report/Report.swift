import CuffCore

/// What goes on the page a person takes to the doctor: averages, extremes, parts of the day, and what was left out, with the
/// reason. It collects; `ReportPage` draws. Readings that are not listed one by one are not kept: memory grows with the months that
/// they cover, not with their number.
public struct Report: Sendable {
    /// A reading that counts, with what the page says about its time.
    public struct Entry: Sendable, Hashable {
        /// The values of the reading in mmHg and beats per minute.
        public var point: ReadingPoint
        /// A person typed it in.
        public var isEntered: Bool
        /// What a person said beside it.
        public var remarks: Remarks?
        /// What the time rests on, in words that are true of it.
        public var basis: TimeBasis
        /// The cuff's place in `sources`.
        public var source: Int
        /// The part of the day and the day, in days since 1970, of its session; set when it is added to a report.
        public internal(set) var window = DayWindow.other, day: Int64 = 0

        /// What the time rests on: a clock that agreed, one that was corrected, one that was not compared, the arrival, or
        /// what a person entered.
        public enum TimeBasis: Int, Sendable, Hashable, CaseIterable {
            case synced, corrected, unchecked, arrival, entered

            /// A reading of a capture has no rule: the cuff's clock was not compared with another. Only what a person entered was
            /// typed.
            public init(_ rule: ClockRule, hasDeviceTime: Bool, isEntered: Bool) {
                if isEntered {
                    self = .entered
                } else {
                    switch rule {
                    case .synced: self = .synced
                    case .corrected: self = .corrected
                    case .receiveTime: self = .arrival
                    case .deviceTime, .unset, .implausible, .none: self = hasDeviceTime ? .unchecked : .arrival
                    }
                }
            }
        }

        /// Sets each property as given.
        public init(_ point: ReadingPoint, isEntered: Bool, remarks: Remarks? = nil, basis: TimeBasis, source: Int) {
            self.point = point
            self.isEntered = isEntered
            self.remarks = remarks
            self.basis = basis
            self.source = source
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

        /// Sets each property as given.
        public init(time: Timestamp?, content: Reading.Content, reason: Exclusion, source: Int) {
            (self.time, self.content, self.reason, self.source) = (time, content, reason, source)
        }
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
    /// When morning and evening are, in the averages as in the tables.
    public let windows: DayWindows
    /// The threshold of the page.
    public let lines: ReferenceLines
    /// Which readings count.
    public let rule: InclusionRule
    /// The readings that count and are listed one by one, in the order in which they were added; empty where they are too many, or
    /// cover too long a time, for a list.
    public private(set) var entries: [Entry] = []
    /// Of the readings that do not count the latest `mostLeftOut`, ascending; those of unknown time first.
    public private(set) var leftOut: [LeftOut] = []
    /// How many readings do not count.
    public private(set) var leftOutCount = 0
    /// The cuffs of the readings, each once.
    public private(set) var sources: [Provenance] = []
    /// The sums of everything that counts.
    private(set) var tally: ReportTally
    private var places: SessionPlaces

    /// Lines that a doctor reads; more than that are a table for a program.
    static let mostListed = 5000
    /// Readings that are left out and listed with their reason.
    static let mostLeftOut = 60

    /// A report without readings.
    public init(
        person: String = "", zone: ZoneTable, windows: DayWindows = .usual, lines: ReferenceLines = .home,
        excludesDisturbed: Bool = false
    ) {
        self.person = person
        self.zone = zone
        self.windows = windows
        places = SessionPlaces(windows)
        self.lines = lines
        rule = InclusionRule(zone: zone, excludesDisturbed: excludesDisturbed)
        tally = ReportTally(zone: zone, lines: lines)
    }

    /// How many readings count.
    public var count: Int { tally.count }

    /// The place of a cuff in `sources`, to which it is added where it is new.
    public mutating func place(of provenance: Provenance) -> Int {
        if let place = sources.firstIndex(of: provenance) { return place }
        sources.append(provenance)
        return sources.count - 1
    }

    /// `setAside` leaves the reading out by hand.
    public mutating func add(_ reading: Reading, from provenance: Provenance, setAside: Bool = false) {
        // Quantities of other devices, and pulses without a pressure, are left out of this page.
        switch reading.content {
        case .bloodPressure, .failure: break
        case .pulseRate, .quantity: return
        }
        let source = place(of: provenance)
        let isEntered = reading.origin == .entered
        switch setAside ? .excluded(.setAside) : rule.verdict(on: reading) {
        case .counts(let point):
            let basis = Entry.TimeBasis(reading.rule, hasDeviceTime: reading.clock.time != nil, isEntered: isEntered)
            add(Entry(point, isEntered: isEntered, remarks: reading.remarks, basis: basis, source: source))
        case .excluded(let reason):
            add(LeftOut(time: reading.bestTime(in: zone), content: reading.content, reason: reason, source: source))
        }
    }

    /// Adds a reading that counts.
    public mutating func add(_ entry: Entry) {
        var entry = entry
        (entry.window, entry.day) = places.place(entry.point.time, source: entry.source, zone: zone)
        tally.add(entry)
        if tally.isDaily, tally.count <= Self.mostListed {
            entries.append(entry)
        } else if !entries.isEmpty {
            entries = []
        }
    }

    /// Adds a reading that does not count.
    public mutating func add(_ one: LeftOut) {
        leftOutCount += 1
        func key(_ one: LeftOut) -> Int64 { one.time?.milliseconds ?? .min }
        var place = leftOut.count
        while place > 0, key(leftOut[place - 1]) > key(one) { place -= 1 }
        leftOut.insert(one, at: place)
        if leftOut.count > Self.mostLeftOut { leftOut.removeFirst() }
    }

    /// Whether the readings are listed one by one.
    var isListed: Bool { !entries.isEmpty }

    /// The listed readings, ascending.
    public var sorted: [Entry] { entries.sorted { ReadingPoint.isEarlier($0.point, $1.point) } }
}
