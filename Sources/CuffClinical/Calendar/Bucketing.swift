import CuffCore

/// Into what time is cut for statistics. Boundaries are those of a wall clock in a stated zone.
public enum Bucketing: String, Sendable, Hashable, CaseIterable {
    case day
    /// ISO 8601 weeks, which begin on Monday.
    case week
    case month
    /// Each hour of each day. The hour that a change of the zone repeats makes two buckets.
    case hour
    /// Morning, afternoon, evening, night, each over all days.
    case daypart
    /// The 24 hours of the wall clock, each over all days.
    case hourOfDay = "hour-of-day"
    /// Stretches of equal length on the wall clock, from an anchor on.
    case interval
    /// One stretch of time as a whole.
    case range

    /// The cuts that have no length of their own to be told.
    public static let named: [Bucketing] = [.day, .week, .month, .hour, .daypart, .hourOfDay]

    /// Whether a bucket is one stretch of time, rather than one that comes back each day.
    public var isInterval: Bool { self != .daypart && self != .hourOfDay }
}

/// Where the parts of a day begin, in whole hours of the wall clock. Night may run past midnight.
public struct DayParts: Sendable, Hashable {
    /// The four parts of a day.
    public enum Part: Int, Sendable, Hashable, CaseIterable {
        case morning, afternoon, evening, night
        /// The name of the part in tables, JSON and on the command line.
        public var word: StaticString {
            switch self {
            case .morning: "morning"
            case .afternoon: "afternoon"
            case .evening: "evening"
            case .night: "night"
            }
        }
    }

    /// The hours 0…23 at which morning, afternoon, evening and night begin, ascending.
    public let beginnings: [Int]

    /// The hours must ascend; `nil` otherwise.
    public init?(morning: Int, afternoon: Int, evening: Int, night: Int) {
        let hours = [morning, afternoon, evening, night]
        guard morning >= 0, night <= 24, zip(hours, hours.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
        beginnings = hours
    }

    private init(_ beginnings: [Int]) { self.beginnings = beginnings }

    /// Morning 06–12, afternoon 12–18, evening 18–22, night 22–06.
    public static let usual = DayParts([6, 12, 18, 22])

    /// The part that holds the hour 0…23 of the wall clock.
    public func part(ofHour hour: Int) -> Part {
        for part in Part.allCases.reversed() where hour >= beginnings[part.rawValue] { return part }
        return .night
    }

    /// The hours of a part as people write them, e.g. `22–06`.
    public func hours(of part: Part) -> (from: Int, to: Int) {
        (beginnings[part.rawValue] % 24, beginnings[(part.rawValue + 1) % beginnings.count] % 24)
    }
}

/// A cut of time in one zone: gives each instant its bucket, and each bucket its label and bounds.
public struct CalendarCut: Sendable, Hashable {
    /// Into what time is cut.
    public let bucketing: Bucketing
    /// The zone whose wall clock sets the boundaries.
    public let zone: ZoneTable
    /// Where the parts of a day begin; only `daypart` uses it.
    public let parts: DayParts
    /// Seconds on the wall clock of one bucket, and where one begins in seconds since 1970 as if in UTC; only `interval`
    /// uses them.
    public let length: Int64, anchor: Int64
    /// The only bucket of `range`; what is `nil` has no end there.
    public let bounds: (since: Timestamp?, until: Timestamp?)

    /// A cut; `parts` counts only where time is cut into parts of the day.
    public init(_ bucketing: Bucketing, zone: ZoneTable, parts: DayParts = .usual) {
        self.bucketing = bucketing
        self.zone = zone
        self.parts = parts
        (length, anchor) = (86400, 0)
        bounds = (nil, nil)
    }

    /// Stretches of `length` whole seconds on the wall clock, one of which begins at `anchor`, seconds since 1970 as if in
    /// UTC: `06:00:00` long from 07:00 on gives 07, 13, 19 and 01 o'clock of each day. A change of the zone makes one of
    /// them longer or shorter. `nil` where the length is not between a minute and ten years.
    public init?(every length: Int64, anchor: Int64, zone: ZoneTable) {
        guard (60...315_576_000).contains(length) else { return nil }
        bucketing = .interval
        self.zone = zone
        parts = .usual
        self.length = length
        self.anchor = anchor
        bounds = (nil, nil)
    }

    /// One bucket, whatever the time.
    public init(since: Timestamp?, until: Timestamp?, zone: ZoneTable) {
        bucketing = .range
        self.zone = zone
        parts = .usual
        (length, anchor) = (86400, 0)
        bounds = (since, until)
    }

    /// Equal in every boundary.
    public static func == (a: CalendarCut, b: CalendarCut) -> Bool {
        a.bucketing == b.bucketing && a.zone == b.zone && a.parts == b.parts && a.length == b.length && a.anchor == b.anchor
            && a.bounds.since == b.bounds.since && a.bounds.until == b.bounds.until
    }

    /// Feeds what makes it different.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bucketing)
        hasher.combine(zone)
        hasher.combine(parts)
        hasher.combine(length)
        hasher.combine(anchor)
    }

    /// The key of the bucket that holds the instant. Keys sort as their buckets do.
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
        case .daypart: return Int64(parts.part(ofHour: second / 3600).rawValue)
        case .hourOfDay: return Int64(second / 3600)
        case .interval:
            // A boundary within an hour that is repeated holds from its first time on.
            var key = WallTime.floor(wall - anchor, length)
            while zone.firstInstant(fromWall: anchor + (key + 1) * length) <= instant { key += 1 }
            return key
        case .range: return 0
        }
    }

    /// The instants of a bucket, the end not included; `nil` for one that comes back each day. A day of which a change
    /// of the zone leaves out the beginning starts with the change.
    public func interval(of key: Int64) -> Range<Timestamp>? {
        let bounds: (Int64, Int64)
        switch bucketing {
        case .day: bounds = (key * 86400, (key + 1) * 86400)
        case .week: bounds = ((key * 7 - 3) * 86400, (key * 7 + 4) * 86400)
        case .month: bounds = (Self.monthStart(key), Self.monthStart(key + 1))
        case .hour:
            // A change of the zone within the hour cuts it: one part keeps this key.
            let edges = [key] + zone.changes(in: (key + 1)..<(key + 3600)) + [key + 3600]
            let own = zip(edges, edges.dropFirst()).filter { self.key(at: Timestamp(seconds: $0.0)) == key }
            guard let first = own.first, let last = own.last else { return nil }
            return Timestamp(seconds: first.0)..<Timestamp(seconds: last.1)
        case .interval: bounds = (anchor + key * length, anchor + (key + 1) * length)
        case .range:
            guard let since = self.bounds.since, let until = self.bounds.until, since < until else { return nil }
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
        case .daypart: text.append(DayParts.Part(rawValue: Int(key))?.word ?? "")
        case .hourOfDay: text.append(padded: Int(key), width: 2)
        case .interval:
            // Whole days need no clock.
            let start = interval(of: key)?.lowerBound ?? Timestamp(seconds: 0)
            let isDaily = length % 86400 == 0 && WallTime.floor(anchor, 86400) * 86400 == anchor
            appendLabel(start, isDaily ? .day : .minute, to: &text)
        case .range:
            for (index, bound) in [bounds.since, bounds.until].enumerated() {
                if index > 0 { text.append("/") }
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
    public func label(of key: Int64) -> String {
        var text = TextBuffer(capacity: 32)
        appendLabel(of: key, to: &text)
        return text.string
    }

    private static func monthStart(_ key: Int64) -> Int64 {
        DeviceTime.daysSince1970(year: Int(WallTime.floor(key, 12)), month: Int(key - WallTime.floor(key, 12) * 12) + 1, day: 1) * 86400
    }
}

extension TextBuffer {
    /// `+02:00`; minutes east of UTC.
    mutating func append(zone minutes: Int) {
        append(minutes < 0 ? 0x2D : 0x2B)
        append(padded: Int(minutes.magnitude) / 60, width: 2)
        append(0x3A)
        append(padded: Int(minutes.magnitude) % 60, width: 2)
    }
}
