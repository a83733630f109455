/// When automatic measurements are due: at an interval, optionally within a daily window, or with separate intervals for day and night; for
/// ever or until an end.
///
/// The first of a window is due at its beginning, others at equal steps of real time, so that a change of the zone's offset lengthens or
/// shortens a window but never doubles or moves a measurement. A window whose start does not exist begins at the change; one whose start
/// comes twice begins at the first.
package struct MonitoringPlan: Sendable, Hashable {
    /// Minutes between measurements.
    package let interval: Int
    /// Minutes after midnight; may run past midnight. `nil`: all day, from midnight or the end of the night.
    package let window: Window?
    /// Another interval for part of the day.
    package let night: Night?
    /// No measurement is due after this (seconds since 1970).
    package let until: Int64?

    /// A part of each day with its own interval.
    package struct Night: Sendable, Hashable {
        package let window: Window
        /// Minutes between measurements.
        package let interval: Int

        /// `nil` if the interval is outside `intervals`.
        package init?(_ window: Window, every interval: Int) {
            guard MonitoringPlan.intervals.contains(interval) else { return nil }
            self.window = window
            self.interval = interval
        }
    }

    /// A part of each day, in minutes after midnight of the wall clock.
    package struct Window: Sendable, Hashable {
        /// The first minute, 0…1439.
        package let from: Int
        /// The end, 0…1439, exclusive; at or before `from`: on the next day.
        package let to: Int

        /// `nil` if a time is outside the day, or both are equal.
        package init?(from: Int, to: Int) {
            guard (0..<1440).contains(from), (0...1440).contains(to), from != to, !(from == 0 && to == 1440) else { return nil }
            self.from = from
            self.to = to == 1440 ? 0 : to
        }
    }

    /// An arm needs rest between inflations: at least five minutes; at most a day.  guess
    package static let intervals = 5...1440

    /// `nil` if the interval is outside `intervals`, or both `window` and `night` are given.
    package init?(every interval: Int, window: Window? = nil, night: Night? = nil, until: Int64? = nil) {
        guard Self.intervals.contains(interval), window == nil || night == nil else { return nil }
        self.interval = interval
        self.window = window
        self.night = night
        self.until = until
    }

    /// The first due time after `instant` (seconds since 1970), if any.
    package func next(after instant: Int64, in zone: ZoneTable) -> Int64? {
        var best = next(after: instant, in: zone, window: day, every: interval)
        if let night {
            let first = next(after: instant, in: zone, window: night.window, every: night.interval)
            best = [best, first].compactMap { $0 }.min()
        }
        // A window that an offset change removes one day exists on the next.
        let due = best ?? instant + 86400
        return until.map { due <= $0 } ?? true ? due : nil
    }

    private var day: Window? { night.flatMap { Window(from: $0.window.to, to: $0.window.from) } ?? window }

    private func next(after instant: Int64, in zone: ZoneTable, window: Window?, every interval: Int) -> Int64? {
        // The change between day and night must not cause two inflations without a rest.
        let rest = night == nil ? 0 : Int64(Self.intervals.lowerBound) * 60 - 1
        let day = WallTime.floor(zone.wall(at: instant), 86400)
        // Yesterday's window may still be open; tomorrow's is the latest needed.
        var best: Int64?
        for day in (day - 1)...(day + 2) {
            let bounds = Self.bounds(of: day, window, in: zone)
            guard bounds.upperBound > instant else { continue }
            let step = Int64(interval) * 60
            let count = bounds.lowerBound > instant ? 0 : (instant - bounds.lowerBound) / step + 1
            let due = bounds.lowerBound + count * step
            if due < bounds.upperBound - rest, best.map({ due < $0 }) ?? true { best = due }
        }
        return best
    }

    /// The number of due times after `first`, up to and including `last`.
    package func count(after first: Int64, through last: Int64, in zone: ZoneTable, limit: Int) -> Int {
        var count = 0
        var from = first
        while count < limit, let due = next(after: from, in: zone), due <= last {
            count += 1
            from = due
        }
        return count
    }

    private static func bounds(of day: Int64, _ window: Window?, in zone: ZoneTable) -> Range<Int64> {
        func instant(_ day: Int64, _ minute: Int) -> Int64 { zone.firstInstant(fromWall: day * 86400 + Int64(minute) * 60) }
        guard let window else { return instant(day, 0)..<instant(day + 1, 0) }
        let start = instant(day, window.from)
        let end = instant(window.to > window.from ? day : day + 1, window.to)
        return start..<max(start, end)
    }
}
