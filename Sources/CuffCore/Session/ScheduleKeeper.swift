/// Executes a plan for a cuff that measures only on the host's request: what is due, and across restarts what was done and missed. The
/// caller supplies the time. A measurement more than `grace` late is skipped and reported.
package struct ScheduleKeeper: Sendable, Hashable {
    /// Why a due measurement was missed. The raw value is the word in JSON.
    package enum Miss: String, Sendable, Hashable, CaseIterable {
        /// This program did not run, or the machine slept.
        case hostAway = "host_away"
        case cuffAbsent = "cuff_absent"
        /// Another measurement, or other use of the cuff.
        case cuffBusy = "cuff_busy"
        case failed
    }

    /// Consecutive due measurements missed for one reason.
    package struct Skipped: Sendable, Hashable {
        /// The first due time, in seconds since 1970.
        package var first: Int64
        /// The last due time, in seconds since 1970.
        package var last: Int64
        /// The number of due times from `first` to `last`.
        package var count: Int
        package var reason: Miss
    }

    package enum Decision: Sendable, Hashable {
        /// Nothing before this time (seconds since 1970).
        case wait(until: Int64)
        /// Measure now; report it by `measured` or `skip`.
        case measure(due: Int64)
        case over
    }

    /// Accepted lateness of a measurement, in seconds.
    package static let grace: Int64 = 120
    /// Limit of unreported entries; a week of alternating reasons at five minutes.
    package static let maximumSkips = 2048
    /// Larger counts of missed measurements are not computed.
    static let maximumCount = 100_000

    package let plan: MonitoringPlan
    /// The latest due time done or missed.
    package private(set) var handled: Int64
    /// Measurements made under this plan, across restarts.
    package private(set) var measuredCount = 0
    /// Missed and not yet reported, oldest first; at most `maximumSkips`.
    package private(set) var skipped: [Skipped] = []
    /// Entries dropped because `skipped` was full.
    package private(set) var forgotten = 0

    /// A new plan: due times before `now` are not counted as missed.
    package init(_ plan: MonitoringPlan, from now: Int64) {
        self.plan = plan
        handled = now
    }

    /// The action at `now`. If the clock was set back, waits for the first due time after `handled`.
    package mutating func decide(at now: Int64, in zone: ZoneTable) -> Decision {
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
    package mutating func measured(due: Int64) {
        guard due > handled else { return }
        handled = due
        measuredCount += 1
    }

    /// The measurement due at `due` was not possible.
    package mutating func skip(due: Int64, _ reason: Miss) {
        guard due > handled else { return }
        handled = due
        note(Skipped(first: due, last: due, count: 1, reason: reason))
    }

    package mutating func takeSkipped() -> [Skipped] {
        defer {
            skipped = []
            forgotten = 0
        }
        return skipped
    }

    private func latest(through now: Int64, from next: Int64, in zone: ZoneTable) -> Int64 {
        // The last one is at most two days of windows and one interval back.
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
    /// The state for a restart as one line: `1 <every> <from> <to> <handled> <measured>`; `-` for no window. With a night or an end: `2
    /// <every> <from> <to> <night from> <night to> <night every> <until> <handled> <measured>`. Missed measurements are reported before the
    /// line is written, or after the restart as `host_away`.
    package var line: String {
        let window = plan.window.map { "\($0.from) \($0.to)" } ?? "- -"
        guard plan.night != nil || plan.until != nil else { return "1 \(plan.interval) \(window) \(handled) \(measuredCount)\n" }
        let night = plan.night.map { "\($0.window.from) \($0.window.to) \($0.interval)" } ?? "- - -"
        return "2 \(plan.interval) \(window) \(night) \(plan.until.map { "\($0)" } ?? "-") \(handled) \(measuredCount)\n"
    }

    /// Parses `line`; `nil` for other text, including a truncated line.
    package init?(line: String) {
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

    /// `.some(nil)` for no window, `nil` for invalid text.
    private static func window(_ from: String, _ to: String) -> MonitoringPlan.Window?? {
        if from == "-", to == "-" { return .some(nil) }
        guard let from = Int(from), let to = Int(to), let read = MonitoringPlan.Window(from: from, to: to) else { return nil }
        return .some(read)
    }
}
