import CuffCore

/// A day and a night of automatic measurements of one person: its validity, its means, and the differences over the day.
package struct AmbulatoryRecording: Sendable {
    package let rule: AmbulatoryRule
    package let plan: AmbulatoryPlan
    package let zone: ZoneTable
    /// The hours of day and night: those of the diary, or of the rule.
    package let hours: DayAndNight

    package struct Point: Sendable, Hashable {
        package var time: Timestamp
        /// Exact pressures in mmHg.
        package var systolic: Fraction, diastolic: Fraction
        /// Night, day, or neither.
        var isNight: Bool?
    }

    /// The longest recording, and the most measurements in one: two days, one a minute.
    package static let longest = Duration.seconds(2 * 86400)
    /// More than one a minute over two days is not a recording of a person.
    package static let mostEvents = 2880
    /// A measurement this soon after a failed one repeats it, in milliseconds.
    private static let retry: Int64 = 300_000

    /// Readings that count, ascending.
    package private(set) var points: [Point] = []
    /// Planned measurements, or attempts if no plan is known; a repetition replaces its failure.
    package private(set) var expected = 0
    /// Failed measurements, repeated or not.
    package private(set) var failed = 0
    /// Readings that do not count, by reason.
    package private(set) var leftOut: [Exclusion: Int] = [:]
    /// All readings that count, those of the day, those of the night.
    package private(set) var all = PressureSums(), day = PressureSums(), night = PressureSums()
    /// The times of the first and the last attempt; `nil` for none.
    package private(set) var span: ClosedRange<Timestamp>?
    /// When the person woke after the night with most readings, by diary or fixed hours; `nil` without a reading at night.
    package private(set) var waking: Timestamp?
    /// When that night began.
    private(set) var asleep: Timestamp?
    /// The length of night and day in minutes, including a change of the zone's offset.
    package private(set) var nightMinutes: Int64, dayMinutes: Int64

    /// Evaluates the measurements, in any order.
    package init(_ events: [AmbulatoryEvent], rule: AmbulatoryRule, plan: AmbulatoryPlan = AmbulatoryPlan(), zone: ZoneTable) {
        self.rule = rule
        self.plan = plan
        self.zone = zone
        hours = plan.diary ?? rule.hours
        (nightMinutes, dayMinutes) = (Int64(hours.night.count), Int64(hours.day.count))
        let events = events.sorted { $0.time < $1.time }
        guard let first = events.first?.time, let last = events.last?.time else { return }
        span = first...last
        var parts = AverageParts<AmbulatoryEvent>()
        var single: [AmbulatoryEvent] = []
        // An average of the cuff is one measurement.
        func pass(_ event: AmbulatoryEvent, _ isPart: Bool) {
            if isPart { leftOut[.partOfAverage, default: 0] += 1 } else { single.append(event) }
        }
        for event in events { parts.add(event, at: event.time, source: 0, flags: event.flags, pass: pass) }
        parts.finish(pass: pass)
        count(single)
        if let planned = planned(from: first, to: last) { expected = planned }
        findWaking()
    }

    private mutating func count(_ events: [AmbulatoryEvent]) {
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

    /// The planned measurements within 24 hours, or within the whole recording if it is longer.
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
        var nights: [(end: Int64, readings: Int)] = []
        for point in points where point.isNight == true {
            let end = endOfNight(at: point.time)
            if nights.last?.end != end { nights.append((end, 0)) }
            nights[nights.count - 1].readings += 1
        }
        // A recording may begin with the end of another night. Of equal nights the first counts.
        guard let most = nights.map(\.readings).max(), let end = nights.first(where: { $0.readings == most })?.end else { return }
        let begin = end - Int64(hours.night.count) * 60
        let (from, to) = (zone.firstInstant(fromWall: begin), zone.firstInstant(fromWall: end))
        (asleep, waking) = (Timestamp(seconds: from), Timestamp(seconds: to))
        nightMinutes = max(0, to - from) / 60
        if hours.isComplete { dayMinutes = max(0, 1440 - nightMinutes) }
    }

    /// The end of the night of a sleep reading, on the wall clock.
    private func endOfNight(at time: Timestamp) -> Int64 {
        let wall = zone.wall(at: time.seconds)
        let midnight = WallTime.floor(wall, 86400) * 86400
        let minute = Int(wall - midnight) / 60
        let awake = hours.night.upperBound % 1440
        return midnight + Int64(awake > minute ? awake : awake + 1440) * 60
    }

    /// Where a recording that may be valid has fewer readings than the rule calls usual or preferable.
    package var fewerThanUsual: [Shortfall] {
        Shortfall.each([(.typicalReadings, all.count, rule.typicalReadings), (.preferredNight, night.count, rule.preferredNight)])
    }

    /// What is missing for a valid recording; empty if nothing is.
    package var shortfalls: [Shortfall] {
        var found: [Shortfall] = []
        if let least = rule.leastPercent, expected == 0 || all.count * 100 < expected * least {
            found.append(Shortfall(number: .leastPercent, found: expected == 0 ? 0 : all.count * 100 / expected, least: least))
        }
        // Without a plan nothing is expected of the hours before the first and after the last measurement, so these must be few.
        if let least = rule.leastPercent, !hasPlan, let span {
            let seconds = span.upperBound.seconds - span.lowerBound.seconds
            if seconds * 100 < 86400 * Int64(least) {
                found.append(Shortfall(number: .leastHours, found: Int(seconds / 3600), least: (24 * least + 99) / 100))
            }
        }
        return found + Shortfall.each([(.leastDay, day.count, rule.leastDay), (.leastNight, night.count, rule.leastNight)])
    }

    /// Whether the time between measurements was planned.
    package var hasPlan: Bool { plan.dayMinutes != nil || plan.nightMinutes != nil }

    /// Whether the night has enough readings to compare it with the day. For a rule that asks for none at night, the least is that of
    /// ESC 2024, which has the classes of the fall at night.
    var hasNight: Bool { rule.leastNight > 0 || night.count >= AmbulatoryRule.usual.leastNight }

    package var isValid: Bool { shortfalls.isEmpty && all.count > 1 }
}
