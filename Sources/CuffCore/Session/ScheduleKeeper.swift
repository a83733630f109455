/// Keeps a plan for a cuff that only measures when the host asks: says what is due, and keeps across restarts what
/// was done and what was missed. It has no clock; every question brings the time.
///
/// A measurement that could not be made at its time is not made up for later than `grace`: it is skipped and reported.
public struct ScheduleKeeper: Sendable, Hashable {
    /// Why a measurement that was due was not made. The raw value is the word in JSON.
    public enum Miss: String, Sendable, Hashable, CaseIterable {
        /// This program did not run, or the machine slept.
        case hostAway = "host_away"
        case cuffAbsent = "cuff_absent"
        /// Another measurement, or other use of the cuff.
        case cuffBusy = "cuff_busy"
        /// It was tried and gave no result.
        case failed
    }

    /// Measurements due in a row that were missed for one reason.
    public struct Skipped: Sendable, Hashable {
        /// When the first of them was due, in seconds since 1970.
        public var first: Int64
        /// When the last of them was due, in seconds since 1970.
        public var last: Int64
        /// How many were due from `first` to `last`.
        public var count: Int
        /// Why none of them was made.
        public var reason: Miss

        /// Sets each property as given.
        public init(first: Int64, last: Int64, count: Int, reason: Miss) {
            self.first = first
            self.last = last
            self.count = count
            self.reason = reason
        }
    }

    /// What is to be done now.
    public enum Decision: Sendable, Hashable {
        /// Nothing before this time (seconds since 1970).
        case wait(until: Int64)
        /// Measure now; answer with `measured` or `skip`.
        case measure(due: Int64)
        /// Nothing any more: the plan has an end, which is over.
        case over
    }

    /// How late a measurement may be and still count as that of its time.
    public static let grace: Int64 = 120
    /// As many stretches of misses are remembered until they are reported; a week of alternating reasons at five minutes.
    public static let maximumSkips = 2048
    /// A larger count of missed measurements is not computed.
    static let maximumCount = 100_000

    /// The plan that is kept.
    public let plan: MonitoringPlan
    /// The latest time that was dealt with, done or missed.
    public private(set) var handled: Int64
    /// Measurements made under this plan, restarts included.
    public private(set) var measuredCount = 0
    /// What was missed and not handed out yet, oldest first; at most `maximumSkips`.
    public private(set) var skipped: [Skipped] = []
    /// Stretches that found no room in `skipped`.
    public private(set) var forgotten = 0

    /// A new plan: measurements due before `now` are not counted as missed.
    public init(_ plan: MonitoringPlan, from now: Int64) {
        self.plan = plan
        handled = now
    }

    /// What to do at `now`. A clock that was set back waits for the next time after what was dealt with.
    public mutating func decide(at now: Int64, in zone: ZoneTable) -> Decision {
        guard let next = plan.next(after: handled, in: zone) else { return .over }
        guard next <= now else { return .wait(until: next) }
        let latest = self.latest(through: now, from: next, in: zone)
        if now - latest <= Self.grace {
            if latest > next { miss(next, through: latest - 1, .hostAway, in: zone) }
            return .measure(due: latest)
        }
        miss(next, through: latest, .hostAway, in: zone)
        return plan.next(after: handled, in: zone).map { .wait(until: $0) } ?? .over
    }

    /// The measurement due at `due` was made.
    public mutating func measured(due: Int64) {
        guard due > handled else { return }
        handled = due
        measuredCount += 1
    }

    /// The measurement due at `due` could not be made.
    public mutating func skip(due: Int64, _ reason: Miss) {
        guard due > handled else { return }
        handled = due
        note(Skipped(first: due, last: due, count: 1, reason: reason))
    }

    /// Returns what was missed since the last call, and forgets it.
    public mutating func takeSkipped() -> [Skipped] {
        defer {
            skipped = []
            forgotten = 0
        }
        return skipped
    }

    private func latest(through now: Int64, from next: Int64, in zone: ZoneTable) -> Int64 {
        // The last one cannot lie further back than two days of windows and one interval.
        var due = max(next, plan.next(after: max(next - 1, now - 3 * 86400), in: zone) ?? next)
        while let following = plan.next(after: due, in: zone), following <= now { due = following }
        return due
    }

    private mutating func miss(_ first: Int64, through last: Int64, _ reason: Miss, in zone: ZoneTable) {
        let count = plan.count(after: first - 1, through: last, in: zone, limit: Self.maximumCount)
        handled = last
        note(Skipped(first: first, last: last, count: count, reason: reason))
    }

    private mutating func note(_ miss: Skipped) {
        if let index = skipped.indices.last, skipped[index].reason == miss.reason {
            skipped[index].last = miss.last
            skipped[index].count += miss.count
        } else if skipped.count < Self.maximumSkips {
            skipped.append(miss)
        } else {
            forgotten += 1
        }
    }
}

extension ScheduleKeeper {
    /// What must survive a restart, as one line: `1 <every> <from> <to> <handled> <measured>`; `-` for no window. A plan with a
    /// night or an end has `2 <every> <from> <to> <night from> <night to> <night every> <until> <handled> <measured>`.
    /// Missed measurements are reported before the line is written, or again after the restart as `host_away`.
    public var line: String {
        let window = plan.window.map { "\($0.from) \($0.to)" } ?? "- -"
        guard plan.night != nil || plan.until != nil else { return "1 \(plan.interval) \(window) \(handled) \(measuredCount)\n" }
        let night = plan.night.map { "\($0.window.from) \($0.window.to) \($0.interval)" } ?? "- - -"
        return "2 \(plan.interval) \(window) \(night) \(plan.until.map { "\($0)" } ?? "-") \(handled) \(measuredCount)\n"
    }

    /// Reads what `line` wrote; `nil` for anything else, a line cut short included.
    public init?(line: String) {
        guard line.hasSuffix("\n") else { return nil }
        let parts = line.dropLast().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6 && parts[0] == "1" || parts.count == 10 && parts[0] == "2", let interval = Int(parts[1]),
            let handled = Self.instant(parts[parts.count - 2]), let measured = Int(parts[parts.count - 1]), measured >= 0,
            let window = Self.window(parts[2], parts[3])
        else { return nil }
        var night: MonitoringPlan.Night?
        var until: Int64?
        if parts[0] == "2" {
            guard let span = Self.window(parts[4], parts[5]) else { return nil }
            if case .some(let span) = span {
                guard let every = Int(parts[6]), let read = MonitoringPlan.Night(span, every: every) else { return nil }
                night = read
            }
            if parts[7] != "-" {
                guard let read = Self.instant(parts[7]) else { return nil }
                until = read
            }
        }
        guard let plan = MonitoringPlan(every: interval, window: window, night: night, until: until) else { return nil }
        self.init(plan, from: handled)
        measuredCount = measured
    }

    private static func instant(_ text: String) -> Int64? { Int64(text).flatMap { $0.magnitude < 1 << 40 ? $0 : nil } }

    /// `.some(nil)` for no window, `nil` for no text of one.
    private static func window(_ from: String, _ to: String) -> MonitoringPlan.Window?? {
        if from == "-", to == "-" { return .some(nil) }
        guard let from = Int(from), let to = Int(to), let read = MonitoringPlan.Window(from: from, to: to) else { return nil }
        return .some(read)
    }
}
