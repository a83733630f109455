import CuffCore

/// A day and a night of automatic measurements of one person: whether it is a valid recording, its means, and how pressures
/// differ over the day.
public struct AmbulatoryRecording: Sendable {
    /// What makes it valid.
    public let rule: AmbulatoryRule
    /// How it was planned.
    public let plan: AmbulatoryPlan
    /// The zone of its wall clock.
    public let zone: ZoneTable
    /// The hours that count as day and night: those of the diary, else of the rule.
    public let hours: DayAndNight

    /// A measurement that counts.
    public struct Point: Sendable, Hashable {
        /// When.
        public var time: Timestamp
        /// Exact pressures in mmHg.
        public var systolic: Fraction, diastolic: Fraction
        /// At night, by day, or neither.
        public var isNight: Bool?
    }

    /// The longest recording, and the most measurements in one: two days, one a minute.
    public static let longest = Duration.seconds(2 * 86400)
    /// More than one a minute over two days is no recording of a person.
    public static let mostEvents = 2880
    /// A measurement so soon after a failed one repeats it.
    public static let retryWithin = Duration.seconds(300)
    private static let retry: Int64 = 300_000

    /// Readings that count, ascending.
    public private(set) var points: [Point] = []
    /// Measurements that the plan asks for, or that were tried where no plan is known; a repetition replaces its failure.
    public private(set) var expected = 0
    /// Failed measurements, repeated or not.
    public private(set) var failed = 0
    /// Readings that do not count, by reason.
    public private(set) var leftOut: [Exclusion: Int] = [:]
    /// All readings that count, those of the day, those of the night.
    public private(set) var all = PressureSums(), day = PressureSums(), night = PressureSums()
    /// When the first and the last measurement were tried; `nil` for none.
    public private(set) var span: ClosedRange<Timestamp>?
    /// When the person woke up after the first night, by diary or fixed hours; `nil` where no reading was made at night.
    public private(set) var waking: Timestamp?
    /// How long the night is, in minutes, a change of the zone included, and the day beside it.
    public private(set) var nightMinutes: Int64, dayMinutes: Int64

    /// Evaluates the measurements, in any order.
    public init(_ events: [AmbulatoryEvent], rule: AmbulatoryRule, plan: AmbulatoryPlan = AmbulatoryPlan(), zone: ZoneTable) {
        self.rule = rule
        self.plan = plan
        self.zone = zone
        hours = plan.diary ?? rule.hours
        (nightMinutes, dayMinutes) = (Int64(hours.night.count), Int64(hours.day.count))
        let events = events.sorted { $0.time < $1.time }
        guard let first = events.first?.time, let last = events.last?.time else { return }
        span = first...last
        var failedAt: Timestamp?
        for event in events {
            let isRetry = failedAt.map { event.time.milliseconds - $0.milliseconds <= Self.retry } ?? false
            if !isRetry { expected += 1 }
            failedAt = nil
            switch event.outcome {
            case .failed:
                failed += 1
                failedAt = event.time
            case .leftOut(let reason): leftOut[reason, default: 0] += 1
            case .reading(let systolic, let diastolic, let pulse): add(event.time, systolic, diastolic, pulse)
            }
        }
        if let planned = planned(from: first, to: last) { expected = planned }
        findWaking()
    }

    private mutating func add(_ time: Timestamp, _ systolic: Double, _ diastolic: Double, _ pulse: Double?) {
        let parts = Int128(PressureSums.parts)
        guard let high = Fraction(PressureSums.units(systolic), over: parts),
            let low = Fraction(PressureSums.units(diastolic), over: parts)
        else { return }
        let isNight = hours.isNight(wall: zone.wall(at: time.seconds))
        points.append(Point(time: time, systolic: high, diastolic: low, isNight: isNight))
        all.add(systolic: systolic, diastolic: diastolic, pulse: pulse)
        if isNight == true { night.add(systolic: systolic, diastolic: diastolic, pulse: pulse) }
        if isNight == false { day.add(systolic: systolic, diastolic: diastolic, pulse: pulse) }
    }

    /// How many measurements a plan sets within 24 hours, or within the whole recording where it is longer.
    private func planned(from first: Timestamp, to last: Timestamp) -> Int? {
        guard let byDay = plan.dayMinutes ?? plan.nightMinutes, let atNight = plan.nightMinutes ?? plan.dayMinutes, byDay > 0, atNight > 0
        else { return nil }
        let end = max(first.seconds + 86400, last.seconds + 1)
        var (time, count) = (first.seconds, 0)
        while time < end, count <= Self.mostEvents {
            count += 1
            time += Int64(hours.isNight(wall: zone.wall(at: time)) == true ? atNight : byDay) * 60
        }
        return count
    }

    private mutating func findWaking() {
        guard let asleep = points.first(where: { $0.isNight == true })?.time else { return }
        let wall = zone.wall(at: asleep.seconds)
        let midnight = WallTime.floor(wall, 86400) * 86400
        let minute = Int(wall - midnight) / 60
        let awake = hours.night.upperBound % 1440
        // The end of the night that holds the first sleep reading, and its beginning.
        let end = midnight + Int64(awake > minute ? awake : awake + 1440) * 60
        let begin = end - Int64(hours.night.count) * 60
        let (from, to) = (zone.firstInstant(fromWall: begin), zone.firstInstant(fromWall: end))
        waking = Timestamp(seconds: to)
        nightMinutes = max(0, to - from) / 60
        if hours.isComplete { dayMinutes = max(0, 1440 - nightMinutes) }
    }

    /// Something of which the rule asks for more.
    public struct Shortfall: Sendable, Hashable {
        /// `percent` of those expected, `all`, `day`, `night`.
        public var measure: String
        /// How many there are, and how many the rule asks for at least.
        public var found: Int, least: Int

        /// The number of the rule, where it is one that a valid recording needs.
        public var number: RuleNumber? {
            switch measure {
            case "percent": .leastPercent
            case "day": .leastDay
            case "night": .leastNight
            default: nil
            }
        }
    }

    /// Where a recording that may be valid has fewer readings than the rule calls usual or preferable.
    public var fewerThanUsual: [Shortfall] {
        let asked: [(String, Int, Int?)] = [("all", all.count, rule.typicalReadings), ("night", night.count, rule.preferredNight)]
        return asked.compactMap { measure, found, usual in
            usual.flatMap { found < $0 ? Shortfall(measure: measure, found: found, least: $0) : nil }
        }
    }

    /// What is missing for a valid recording; empty where it is one.
    public var shortfalls: [Shortfall] {
        var found: [Shortfall] = []
        if let least = rule.leastPercent, expected == 0 || all.count * 100 < expected * least {
            found.append(Shortfall(measure: "percent", found: expected == 0 ? 0 : all.count * 100 / expected, least: least))
        }
        if day.count < rule.leastDay { found.append(Shortfall(measure: "day", found: day.count, least: rule.leastDay)) }
        if night.count < rule.leastNight { found.append(Shortfall(measure: "night", found: night.count, least: rule.leastNight)) }
        return found
    }

    /// Whether it is a valid recording by the rule.
    public var isValid: Bool { shortfalls.isEmpty && all.count > 1 }
}
