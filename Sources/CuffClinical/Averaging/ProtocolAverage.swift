import CuffCore

/// The average of one person's readings at home under one rule: sessions, days, what is left out, and exact means.
///
/// Readings are added in the order of their time and kept for ten minutes; afterwards only one sum for each day remains. A *session* is a
/// series of readings without a gap of more than ten minutes. It belongs to the day on which it begins; in an evening that continues after
/// midnight, to the day before.
public struct ProtocolAverage: Sendable {
    /// The rule.
    public let rule: AveragingRule
    /// The zone of the days.
    public let zone: ZoneTable
    /// When morning and evening are.
    public let windows: DayWindows

    /// The longest pause within a session, and the longest time from a single inflation to the cuff's average of it, in milliseconds.
    static let pause: Int64 = 600_000

    /// One day's readings that count.
    package struct Day: Sendable, Hashable {
        /// The civil day, in days since 1970.
        package let key: Int64
        /// Every reading that counts.
        package internal(set) var all = PressureSums()
    }

    private struct Session {
        var end: Timestamp
        var day: Int64
        var window: DayWindow
        var readings = 0
        var counted = 0
        /// Of the readings that count; only used by rules that average sessions.
        var sums = PressureSums()
    }

    /// The session that the latest reading belongs to, with the number of sessions so far and the latest day.
    private struct Current {
        var session: Session?
        var number = 0
        var day: Int64?
    }

    /// The civil day of the first reading that can count.
    public private(set) var firstDay: Int64?
    /// Days with a reading in a session, including those that are left out.
    public private(set) var daysMeasured = 0
    /// Days with a reading that counts, ascending.
    package private(set) var days: [Day] = []
    /// Readings in a session, including those that the rule leaves out.
    public private(set) var readingsMeasured = 0
    private var readingSums: [DayWindow: PressureSums] = [:]
    /// Of ended sessions; only used by rules that average sessions.
    private var sessionSums: [DayWindow: SessionSums] = [:]
    /// Sessions with a reading that counts.
    public private(set) var sessions = 0
    /// Sessions of a single reading that counts.
    public private(set) var singleSessions = 0
    /// The number of readings that do not count, by reason.
    public private(set) var leftOut: [LeavingOut: Int] = [:]
    /// The number of counted readings with each of `toldFlags`.
    public private(set) var flagged: [MeasurementFlags: Int] = [:]
    /// The number of counted readings of each arm that was noted.
    private var arms = (left: 0, right: 0)
    /// Whether readings of both arms are averaged together.
    public var isOfBothArms: Bool { arms.left > 0 && arms.right > 0 }
    /// The times of the first and the last reading that counts.
    public private(set) var span: ClosedRange<Timestamp>?
    private var current = Current()
    private var parts = AverageParts<HomeReading>()

    /// Flags that do not exclude a reading, but are reported with their number.
    public static let toldFlags: [MeasurementFlags] = [
        .irregularPulse, .bodyMovement, .cuffLoose, .improperPosition, .questionable, .averaged,
    ]

    /// An average without readings.
    public init(_ rule: AveragingRule, zone: ZoneTable, windows: DayWindows = .usual) {
        self.rule = rule
        self.zone = zone
        self.windows = windows
    }

    /// Adds a reading; times must not decrease. `tell` is called with the result of earlier readings, in the order of their time.
    public mutating func add(_ reading: HomeReading, tell: (HomeReading, ReadingFate) -> Void = { _, _ in }) {
        guard let time = reading.time else {
            return leave(out: .excluded(reading.exclusion ?? .timeUnknown), reading, at: nil, tell)
        }
        settle(at: time, tell)
        parts.hold(reading, at: time, source: reading.source, flags: reading.exclusion == nil ? reading.flags : nil)
    }

    /// Call it once, after the last reading.
    public mutating func finish(tell: (HomeReading, ReadingFate) -> Void = { _, _ in }) {
        settle(at: nil, tell)
        close()
    }

    /// The mean of all readings that count.
    public var all: PressureMean { mean(DayWindow.allCases) }
    /// The mean of the mornings.
    public var morning: PressureMean { mean([.morning]) }
    /// The mean of the evenings.
    public var evening: PressureMean { mean([.evening]) }

    private func mean(_ windows: [DayWindow]) -> PressureMean {
        guard rule.averagesSessions else {
            return PressureMean(windows.compactMap { readingSums[$0] }.reduce(into: PressureSums()) { $0.add($1) })
        }
        var all = windows.compactMap { sessionSums[$0] }.reduce(into: SessionSums()) { $0.add($1) }
        if let session = current.session, windows.contains(session.window) { all.add(session.sums) }
        return PressureMean(all)
    }

    /// Ends the current session: its mean is final only then.
    private mutating func close() {
        if rule.averagesSessions, let session = current.session {
            sessionSums[session.window, default: SessionSums()].add(session.sums)
        }
        current.session = nil
    }

    /// Processes the readings that no average at `time` or later can include.
    private mutating func settle(at time: Timestamp?, _ tell: (HomeReading, ReadingFate) -> Void) {
        while let (reading, isPart) = parts.next(at: time) {
            if let exclusion = reading.exclusion {
                leave(out: .excluded(exclusion), reading, at: nil, tell)
            } else if isPart {
                leave(out: .partOfAverage, reading, at: nil, tell)
            } else {
                place(reading, tell)
            }
        }
    }

    private mutating func leave(
        out reason: LeavingOut, _ reading: HomeReading, at place: ReadingFate.Place?, _ tell: (HomeReading, ReadingFate) -> Void
    ) {
        leftOut[reason, default: 0] += 1
        tell(reading, ReadingFate(leavingOut: reason, place: place))
    }

    /// Adds a reading to its session and counts it, unless the rule leaves it out.
    private mutating func place(_ reading: HomeReading, _ tell: (HomeReading, ReadingFate) -> Void) {
        guard let time = reading.time else { return }
        var session = current.session ?? begin(at: time)
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
            day: Int(session.day - first) + 1, session: current.number, numberInSession: session.readings, window: session.window)
        if let reason = reason(place) {
            leave(out: reason, reading, at: place, tell)
        } else {
            count(reading, time, &session)
            tell(reading, ReadingFate(leavingOut: nil, place: place))
        }
        current.session = session
    }

    /// The session that begins with a reading at this time. Days never decrease.
    private mutating func begin(at time: Timestamp) -> Session {
        let wall = zone.wall(at: time.seconds)
        var (window, day) = windows.place(ofWall: wall)
        if firstDay == nil { firstDay = WallTime.floor(wall, 86400) }
        day = max(day, current.day ?? firstDay ?? day)
        if current.day != day { daysMeasured += 1 }
        current.day = day
        current.number += 1
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
        readingSums[session.window, default: PressureSums()].add(one)
        if rule.averagesSessions { session.sums.add(one) }
        if let isLeft = reading.isLeftArm { arms = isLeft ? (arms.left + 1, arms.right) : (arms.left, arms.right + 1) }
        let first = span?.lowerBound ?? time
        span = first...max(first, time)
        guard !reading.flags.isDisjoint(with: Self.anyToldFlag) else { return }
        for flag in Self.toldFlags where reading.flags.contains(flag) { flagged[flag, default: 0] += 1 }
    }

    private static let anyToldFlag = toldFlags.reduce(into: MeasurementFlags()) { $0.formUnion($1) }
}
