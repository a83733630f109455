import CuffCore

/// A division of time in one zone: maps each instant to a bucket, and each bucket to its label and bounds.
public struct CalendarCut: Sendable, Hashable {
    /// The kind of buckets.
    public let bucketing: Bucketing
    /// The zone whose wall clock sets the boundaries.
    public let zone: ZoneTable
    /// The length of a bucket in seconds on the wall clock, and the start of one in seconds since 1970 as if in UTC; only for `interval`.
    public let length: Int64, anchor: Int64
    /// The only bucket of `range`; a bound that is `nil` is open.
    public let since: Timestamp?, until: Timestamp?

    /// A cut of any kind but `interval` and `range`.
    public init(_ bucketing: Bucketing, zone: ZoneTable) {
        (self.bucketing, self.zone) = (bucketing, zone)
        (length, anchor, since, until) = (86400, 0, nil, nil)
    }

    /// Intervals of `length` seconds on the wall clock, aligned with `anchor`, seconds since 1970 as if in
    /// UTC: `06:00:00` long from 07:00 on gives 07, 13, 19 and 01 o'clock of each day. A change of the offset makes one of
    /// them longer or shorter. `nil` if the length is not between a minute and ten years.
    public init?(every length: Int64, anchor: Int64, zone: ZoneTable) {
        guard (60...315_576_000).contains(length) else { return nil }
        (bucketing, self.zone, self.length, self.anchor) = (.interval, zone, length, anchor)
        (since, until) = (nil, nil)
    }

    /// One bucket, whatever the time.
    public init(since: Timestamp?, until: Timestamp?, zone: ZoneTable) {
        (bucketing, self.zone, length, anchor) = (.range, zone, 86400, 0)
        (self.since, self.until) = (since, until)
    }

    /// The key of the bucket that contains the instant. Keys sort like their buckets.
    public func key(at time: Timestamp) -> Int64 {
        let instant = time.seconds
        let wall = zone.wall(at: instant)
        let day = WallTime.floor(wall, 86400)
        let second = Int(wall - day * 86400)
        switch bucketing {
        case .day: return day
        // 1970-01-01 was a Thursday.
        case .week: return WallTime.floor(day + 3, 7)
        case .month:
            let date = DeviceTime(wallSeconds: wall)
            return Int64(date.year) * 12 + Int64(date.month) - 1
        case .hour: return instant - Int64(second % 3600)
        case .daypart: return Int64(DayPart(hour: second / 3600).rawValue)
        case .hourOfDay: return Int64(second / 3600)
        case .interval:
            // A boundary within a repeated hour is at its first occurrence.
            var key = WallTime.floor(wall - anchor, length)
            while zone.firstInstant(fromWall: anchor + (key + 1) * length) <= instant { key += 1 }
            return key
        case .range: return 0
        }
    }

    /// The instants of a bucket, the end excluded; `nil` for one that recurs each day. A day whose beginning is skipped by a change of
    /// the offset starts with the change.
    public func interval(of key: Int64) -> Range<Timestamp>? {
        let bounds: (Int64, Int64)
        switch bucketing {
        case .day: bounds = (key * 86400, (key + 1) * 86400)
        case .week: bounds = ((key * 7 - 3) * 86400, (key * 7 + 4) * 86400)
        case .month: bounds = (Self.monthStart(key), Self.monthStart(key + 1))
        case .hour:
            // A change of the offset within the hour splits it: one part keeps this key.
            let edges = [key] + zone.changes(in: (key + 1)..<(key + 3600)) + [key + 3600]
            let own = zip(edges, edges.dropFirst()).filter { self.key(at: Timestamp(seconds: $0.0)) == key }
            guard let first = own.first, let last = own.last else { return nil }
            return Timestamp(seconds: first.0)..<Timestamp(seconds: last.1)
        case .interval: bounds = (anchor + key * length, anchor + (key + 1) * length)
        case .range:
            guard let since, let until, since < until else { return nil }
            return since..<until
        case .daypart, .hourOfDay: return nil
        }
        return Timestamp(seconds: zone.firstInstant(fromWall: bounds.0))..<Timestamp(seconds: zone.firstInstant(fromWall: bounds.1))
    }

    /// `2026-05-05`, `2026-W19`, `2026-05`, `2026-05-05T07:00+02:00`, `morning`, `07`.
    public func appendLabel(of key: Int64, to text: inout TextBuffer) {
        switch bucketing {
        case .day: text.append(DeviceTime(wallSeconds: key * 86400, precision: .day))
        case .week:
            // The year of an ISO week is that of its Thursday.
            let thursday = DeviceTime(wallSeconds: (key * 7) * 86400)
            let newYear = DeviceTime.daysSince1970(year: Int(thursday.year), month: 1, day: 1)
            text.append(padded: Int(thursday.year), width: 4)
            text.append("-W")
            text.append(padded: Int(key * 7 - newYear) / 7 + 1, width: 2)
        case .month:
            text.append(padded: Int(key / 12), width: 4)
            text.append(0x2D)
            text.append(padded: Int(key % 12) + 1, width: 2)
        case .hour:
            appendLabel(interval(of: key)?.lowerBound ?? Timestamp(seconds: key), .minute, to: &text)
        case .daypart: text.append(DayPart(rawValue: Int(key))?.word ?? "")
        case .hourOfDay: text.append(padded: Int(key), width: 2)
        case .interval:
            // Whole days need no time.
            let start = interval(of: key)?.lowerBound ?? Timestamp(seconds: 0)
            let isDaily = length % 86400 == 0 && WallTime.floor(anchor, 86400) * 86400 == anchor
            appendLabel(start, isDaily ? .day : .minute, to: &text)
        case .range:
            text.append(each: [since, until], separator: 0x2F) { bound, text in
                if let bound { appendLabel(bound, .minute, to: &text) } else { text.append("..") }
            }
        }
    }

    private func appendLabel(_ time: Timestamp, _ precision: DeviceTime.Precision, to text: inout TextBuffer) {
        let offset = zone.offset(at: time.seconds)
        text.append(DeviceTime(wallSeconds: time.seconds + Int64(offset), precision: precision))
        if precision != .day { text.append(zone: offset / 60) }
    }

    /// The label as a string.
    public func label(of key: Int64) -> String { TextBuffer.text { appendLabel(of: key, to: &$0) } }

    private static func monthStart(_ key: Int64) -> Int64 {
        DeviceTime.daysSince1970(year: Int(WallTime.floor(key, 12)), month: Int(key - WallTime.floor(key, 12) * 12) + 1, day: 1) * 86400
    }
}

extension TextBuffer {
    /// A number with at most two decimals.
    package static func rounded(_ value: Double) -> String { text { $0.append(rounded: value) } }
    /// `2026-05-05`; days since 1970.
    package static func date(_ day: Int64) -> String { text { $0.append(DeviceTime(wallSeconds: day * 86400, precision: .day)) } }

    /// `+02:00`; minutes east of UTC.
    mutating func append(zone minutes: Int) {
        append(minutes < 0 ? 0x2D : 0x2B)
        append(padded: Int(minutes.magnitude) / 60, width: 2)
        append(0x3A)
        append(padded: Int(minutes.magnitude) % 60, width: 2)
    }
}
