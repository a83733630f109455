/// A time zone's offsets from UTC over time, from a zone file (`init(tzif:name:)`) or a POSIX rule (`init(rule:name:)`). Seconds are
/// counted from 1970-01-01T00:00:00Z without leap seconds.
public struct ZoneTable: Sendable, Hashable {
    /// The common name, e.g. `Europe/Berlin`.
    public let name: String
    /// Ascending instants when an offset begins.
    private let starts: [Int64]
    /// Seconds east of UTC: `offsets[0]` before `starts[0]`, `offsets[k]` from `starts[k - 1]` on.
    private let offsets: [Int32]

    /// The zone without any offset.
    public static let utc = ZoneTable(name: "UTC", first: 0, changes: [])

    /// The name of a constant offset: `Etc/GMT-2` is two hours *east* of UTC; `GMT+0530` if the hour is not whole.
    public static func name(ofOffset minutes: Int) -> String {
        if minutes == 0 { return "Etc/GMT" }
        let sign = minutes < 0
        let size = Int(minutes.magnitude)
        guard size % 60 == 0, size <= (sign ? 12 : 14) * 60 else {
            return "GMT\(sign ? "-" : "+")\(Decimal.text(size / 60, 2))\(Decimal.text(size % 60, 2))"
        }
        return "Etc/GMT\(sign ? "+" : "-")\(size / 60)"
    }

    /// Changes out of order or without effect are ignored.
    public init(name: String, first: Int32, changes: [(start: Int64, offset: Int32)]) {
        self.name = name
        var starts: [Int64] = []
        var offsets = [first]
        var last = first
        for change in changes where change.offset != last && change.start > starts.last ?? .min {
            starts.append(change.start)
            offsets.append(change.offset)
            last = change.offset
        }
        self.starts = starts
        self.offsets = offsets
    }

    private func span(at instant: Int64) -> Int {
        var low = 0
        var high = starts.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Seconds east of UTC at an instant.
    public func offset(at instant: Int64) -> Int { Int(offsets[span(at: instant)]) }

    /// The zone's wall clock at an instant, as seconds since 1970 as if it were UTC.
    public func wall(at instant: Int64) -> Int64 { instant + Int64(offset(at: instant)) }

    /// The instant when a wall clock here shows `wall`, for every time without a zone. Of a repeated hour, the first is used. A skipped
    /// time uses the offset before the change, which keeps order and distance: 02:30 in a spring night without it is half an hour after the
    /// change.   documented [1]
    /// [1] PEP 495, fold=0
    public func instant(ofWall wall: Int64) -> Int64 {
        let index = firstSpan(ofWall: wall)
        let candidate = wall - Int64(offsets[index])
        guard index > 0, candidate < starts[index - 1] else { return candidate }
        return wall - Int64(offsets[index - 1])
    }

    /// The first instant when a wall clock here shows `wall` or later: the beginning of a day or window that an offset change may skip.
    public func firstInstant(fromWall wall: Int64) -> Int64 {
        let index = firstSpan(ofWall: wall)
        let candidate = wall - Int64(offsets[index])
        return index == 0 ? candidate : max(candidate, starts[index - 1])
    }

    /// The first offset under which `wall` precedes the offset's end.
    private func firstSpan(ofWall wall: Int64) -> Int {
        // No zone is more than 26 hours from UTC.
        var index = span(at: wall - 26 * 3600)
        while index < starts.count, wall - Int64(offsets[index]) >= starts[index] { index += 1 }
        return index
    }

    /// The offset before the last change, if within a year: that of the other half-year with seasonal changes.
    func formerOffset(at instant: Int64) -> Int? {
        let index = span(at: instant)
        guard index > 0, instant - starts[index - 1] < 366 * 86400 else { return nil }
        return Int(offsets[index - 1])
    }

    /// The instants within the range at which the offset changes.
    public func changes(in range: Range<Int64>) -> [Int64] {
        starts[span(at: range.lowerBound - 1)...].prefix { $0 < range.upperBound }.map { $0 }
    }
}

extension Timestamp {
    /// Whole seconds, rounded down.
    public var seconds: Int64 { (milliseconds >= 0 ? milliseconds : milliseconds - 999) / 1000 }
    /// The instant `seconds` after 1970-01-01T00:00:00Z.
    public init(seconds: Int64) { self.init(milliseconds: seconds &* 1000) }
}

/// Arithmetic on times of a wall clock, in seconds or days since 1970.
public enum WallTime {
    /// `value / divisor`, rounded down also for negative values. The divisor is positive.
    public static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : (value - divisor + 1) / divisor
    }
}
