/// When automatic measurements are due: every so many minutes, within a window of the day.
///
/// The first of a window is due at its beginning, the others at equal steps of real time after it, so that a change of
/// the zone makes a window longer or shorter and never doubles or moves a measurement.
public struct MonitoringPlan: Sendable, Hashable {
    /// Minutes between measurements.
    public let interval: Int
    /// Minutes after midnight; the window may run past midnight. `nil`: all day, from midnight on.
    public let window: Window?

    /// A stretch of each day, in minutes after midnight of the wall clock.
    public struct Window: Sendable, Hashable {
        /// The first minute, 0…1439.
        public let from: Int
        /// The minute at which the window ends, 0…1439, itself not included; at or before `from`: on the next day.
        public let to: Int

        /// `nil` where a time is outside the day, or both are the same.
        public init?(from: Int, to: Int) {
            guard (0..<1440).contains(from), (0...1440).contains(to), from != to, !(from == 0 && to == 1440) else { return nil }
            self.from = from
            self.to = to == 1440 ? 0 : to
        }
    }

    /// An arm needs rest between inflations: the shortest interval is five minutes, the longest a day.  guess
    public static let intervals = 5...1440

    /// `nil` where the interval is outside `intervals`.
    public init?(every interval: Int, window: Window? = nil) {
        guard Self.intervals.contains(interval) else { return nil }
        self.interval = interval
        self.window = window
    }

    /// The first time after `instant` (seconds since 1970) at which a measurement is due.
    public func next(after instant: Int64, in zone: ZoneTable) -> Int64 {
        let day = WallTime.floor(zone.wall(at: instant), 86400)
        // The window that began yesterday may still be open; tomorrow's is the latest that can be needed.
        var best: Int64?
        for day in (day - 1)...(day + 2) {
            let bounds = self.bounds(of: day, in: zone)
            guard bounds.upperBound > instant else { continue }
            let step = Int64(interval) * 60
            let count = bounds.lowerBound > instant ? 0 : (instant - bounds.lowerBound) / step + 1
            let due = bounds.lowerBound + count * step
            if due < bounds.upperBound, best.map({ due < $0 }) ?? true { best = due }
        }
        return best ?? instant + 86400
    }

    /// How many are due after `first`, up to and including `last`.
    public func count(after first: Int64, through last: Int64, in zone: ZoneTable, limit: Int) -> Int {
        var count = 0
        var due = next(after: first, in: zone)
        while due <= last && count < limit {
            count += 1
            due = next(after: due, in: zone)
        }
        return count
    }

    private func bounds(of day: Int64, in zone: ZoneTable) -> Range<Int64> {
        func instant(_ day: Int64, _ minute: Int) -> Int64 { zone.firstInstant(fromWall: day * 86400 + Int64(minute) * 60) }
        guard let window else { return instant(day, 0)..<instant(day + 1, 0) }
        let start = instant(day, window.from)
        let end = instant(window.to > window.from ? day : day + 1, window.to)
        return start..<max(start, end)
    }
}
