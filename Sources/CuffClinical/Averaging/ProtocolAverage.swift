import CuffCore

/// The average of one person's readings at home under one rule: sessions, days, what is left out, and exact means.
///
/// Readings come in the order of their time, one by one, and are not kept beyond ten minutes; what stays is one sum for each
/// day. A *session* is a run of readings with no gap of more than ten minutes; it belongs to the day on which it begins, and
/// one in an evening that goes on after midnight to the day before.
public struct ProtocolAverage: Sendable {
    /// The rule whose average it is.
    public let rule: AveragingRule
    /// The zone whose days these are.
    public let zone: ZoneTable
    /// When morning and evening are.
    public let windows: DayWindows

    /// The longest pause within a session; and how long before a cuff's own average its single inflations can lie.
    public static let longestPause = Duration.seconds(600)
    private static let pause: Int64 = 600_000

    /// One day's readings that count.
    public struct Day: Sendable, Hashable {
        /// The civil day, in days since 1970.
        public let key: Int64
        /// Every reading that counts.
        public internal(set) var all = PressureSums()
    }

    private struct Session {
        var end: Timestamp
        var day: Int64
        var window: DayWindow
        var readings = 0
        var counted = 0
        /// Of those that count; only a rule of sessions needs it.
        var sums = PressureSums()
    }

    private struct Waiting {
        var reading: HomeReading
        var isPart: Bool
    }

    /// The civil day of the first reading that can count; `nil` before there is one.
    public private(set) var firstDay: Int64?
    /// Days with a reading in a session, those that are left out included.
    public private(set) var daysMeasured = 0
    /// Days with a reading that counts, ascending.
    public private(set) var days: [Day] = []
    /// Readings in a session, those included that the rule leaves out.
    public private(set) var readingsMeasured = 0
    private var sums = ByWindow(PressureSums())
    private var sessionSums = ByWindow(SessionSums())
    /// Sessions with a reading that counts.
    public private(set) var sessions = 0
    /// Sessions of one reading, which counts.
    public private(set) var singleSessions = 0
    /// Readings that do not count, by their reason.
    public private(set) var leftOut: [LeavingOut: Int] = [:]
    /// How many of those that count carry each of `toldFlags`.
    public private(set) var flagged: [MeasurementFlags: Int] = [:]
    /// When the first and the last reading that counts were made.
    public private(set) var span: ClosedRange<Timestamp>?
    private var sessionNumber = 0
    private var session: Session?
    private var latestDay: Int64?
    private var waiting: [Waiting] = []
    private var oldest = 0
    private var latestAverage: [Int: Timestamp] = [:]

    /// Remarks that leave a reading in, and are told with their number.
    public static let toldFlags: [MeasurementFlags] = [
        .irregularPulse, .bodyMovement, .cuffLoose, .improperPosition, .questionable, .averaged,
    ]

    /// An average without readings.
    public init(_ rule: AveragingRule, zone: ZoneTable, windows: DayWindows = .usual) {
        self.rule = rule
        self.zone = zone
        self.windows = windows
    }

    /// Adds a reading; times must not go back. `tell` hears what became of earlier ones, in the order of their time.
    public mutating func add(_ reading: HomeReading, tell: (HomeReading, ReadingFate) -> Void = { _, _ in }) {
        guard let time = reading.time else {
            return leave(out: .excluded(reading.exclusion ?? .timeUnknown), reading, at: nil, tell)
        }
        settle(before: Timestamp(milliseconds: time.milliseconds - Self.pause), tell)
        var isPart = false
        if reading.exclusion == nil {
            if reading.flags.contains(.averaged) {
                for index in oldest..<waiting.count where waiting[index].reading.source == reading.source {
                    waiting[index].isPart = true
                }
                latestAverage[reading.source] = time
            } else {
                isPart = latestAverage[reading.source] == time
            }
        }
        waiting.append(Waiting(reading: reading, isPart: isPart))
    }

    /// To be called once, behind the last reading.
    public mutating func finish(tell: (HomeReading, ReadingFate) -> Void = { _, _ in }) {
        settle(before: nil, tell)
        close()
    }

    /// All readings that count, by the rule's kind of mean.
    public var all: PressureMean { mean(DayWindow.allCases) }
    /// Those of the mornings.
    public var morning: PressureMean { mean([.morning]) }
    /// Those of the evenings.
    public var evening: PressureMean { mean([.evening]) }

    private func mean(_ windows: [DayWindow]) -> PressureMean {
        guard rule.averagesSessions else { return PressureMean(windows.reduce(into: PressureSums()) { $0.add(sums[$1]) }) }
        var all = windows.reduce(into: SessionSums()) { $0.add(sessionSums[$1]) }
        if let session, windows.contains(session.window) { all.add(session.sums) }
        return PressureMean(all)
    }

    /// Ends the session at hand: only then is its own mean known.
    private mutating func close() {
        if rule.averagesSessions, let session { sessionSums[session.window].add(session.sums) }
        session = nil
    }

    /// Decides on the readings that no later one can make a part of an average.
    private mutating func settle(before limit: Timestamp?, _ tell: (HomeReading, ReadingFate) -> Void) {
        while oldest < waiting.count {
            let next = waiting[oldest]
            if let limit, let time = next.reading.time, time >= limit { break }
            oldest += 1
            if let exclusion = next.reading.exclusion {
                leave(out: .excluded(exclusion), next.reading, at: nil, tell)
            } else if next.isPart, !next.reading.flags.contains(.averaged) {
                leave(out: .partOfAverage, next.reading, at: nil, tell)
            } else {
                place(next.reading, tell)
            }
        }
        if oldest == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            oldest = 0
        } else if oldest > 1024 {
            waiting.removeFirst(oldest)
            oldest = 0
        }
    }

    private mutating func leave(
        out reason: LeavingOut, _ reading: HomeReading, at place: ReadingFate.Place?, _ tell: (HomeReading, ReadingFate) -> Void
    ) {
        leftOut[reason, default: 0] += 1
        tell(reading, ReadingFate(leavingOut: reason, place: place))
    }

    /// Puts a reading into its session and counts it, unless the rule leaves it out.
    private mutating func place(_ reading: HomeReading, _ tell: (HomeReading, ReadingFate) -> Void) {
        guard let time = reading.time else { return }
        var session = session ?? begin(at: time)
        if time.milliseconds - session.end.milliseconds > Self.pause {
            close()
            session = begin(at: time)
        }
        session.end = time
        session.readings += 1
        readingsMeasured += 1
        if session.readings == 2, session.counted == 1 { singleSessions -= 1 }
        let first = firstDay ?? session.day
        let place = ReadingFate.Place(
            day: Int(session.day - first) + 1, session: sessionNumber, numberInSession: session.readings, window: session.window)
        if let reason = reason(place) {
            leave(out: reason, reading, at: place, tell)
        } else {
            count(reading, time, &session)
            tell(reading, ReadingFate(leavingOut: nil, place: place))
        }
        self.session = session
    }

    /// The session that begins with a reading at this time. No day comes before the first reading's own, or goes back.
    private mutating func begin(at time: Timestamp) -> Session {
        let wall = zone.wall(at: time.seconds)
        var (window, day) = windows.place(ofWall: wall)
        if firstDay == nil { firstDay = WallTime.floor(wall, 86400) }
        day = max(day, latestDay ?? firstDay ?? day)
        if latestDay != day { daysMeasured += 1 }
        latestDay = day
        sessionNumber += 1
        return Session(end: time, day: day, window: window)
    }

    private func reason(_ place: ReadingFate.Place) -> LeavingOut? {
        if place.day <= rule.leavesOutDays { return .firstDays }
        if let last = rule.lastDay, place.day > last { return .afterPlan }
        if rule.onlyMorningAndEvening, place.window == .other { return .otherWindow }
        if place.numberInSession <= rule.leavesOutOfSession { return .firstOfSession }
        if let most = rule.takesOfSession, place.numberInSession > rule.leavesOutOfSession + most { return .surplus }
        return nil
    }

    private mutating func count(_ reading: HomeReading, _ time: Timestamp, _ session: inout Session) {
        if session.counted == 0 { sessions += 1 }
        session.counted += 1
        if session.readings == 1 { singleSessions += 1 }
        if days.last?.key != session.day { days.append(Day(key: session.day)) }
        let last = days.count - 1
        var one = PressureSums()
        one.add(systolic: reading.systolic, diastolic: reading.diastolic, pulse: reading.pulse)
        days[last].all.add(one)
        sums[session.window].add(one)
        if rule.averagesSessions { session.sums.add(one) }
        let first = span?.lowerBound ?? time
        span = first...max(first, time)
        guard !reading.flags.isDisjoint(with: Self.anyToldFlag) else { return }
        for flag in Self.toldFlags where reading.flags.contains(flag) { flagged[flag, default: 0] += 1 }
    }

    private static let anyToldFlag = toldFlags.reduce(into: MeasurementFlags()) { $0.formUnion($1) }
}
