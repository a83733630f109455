import CuffCore

extension ProtocolAverage {
    /// What is missing for a result; empty if it is complete.
    package var shortfalls: [Shortfall] {
        Shortfall.each([
            (.leastReadingsMeasured, readingsMeasured, rule.least.readingsMeasured), (.leastReadings, all.count, rule.least.readings),
            (.leastDays, days.count, rule.least.days), (.leastDaysMeasured, daysMeasured, rule.least.daysMeasured),
        ])
    }

    /// Whether a mean may be compared with thresholds: enough readings for the rule, at least two, and a rule with a result.
    public var isComplete: Bool { shortfalls.isEmpty && all.count > 1 && !rule.isTrendOnly }

    /// The readings that the plan requires on the days that count; `nil` if the plan sets no days.
    public var plannedReadings: Int? {
        rule.plannedDays.map { max(0, $0 - rule.leavesOutDays) * rule.readingsPerSession * rule.sessionsPerDay }
    }

    /// The mean of the mornings minus that of the evenings.
    public var morningMinusEvening: (systolic: Fraction, diastolic: Fraction)? {
        guard let first = morning.systolic, let second = evening.systolic, let third = morning.diastolic, let fourth = evening.diastolic,
            let systolic = first.subtracting(second), let diastolic = third.subtracting(fourth)
        else { return nil }
        return (systolic, diastolic)
    }

    /// The variability of the daily means; `nil` for fewer than five days.
    package var dayToDay: (systolic: Variability, diastolic: Variability)? {
        guard days.count >= Self.leastDaysOfVariability, let systolic = Variability(days.compactMap(\.all.systolic)),
            let diastolic = Variability(days.compactMap(\.all.diastolic))
        else { return nil }
        return (systolic, diastolic)
    }

    /// Fewer days give no meaningful variability.
    public static let leastDaysOfVariability = 5

    /// The mean of the later half of the days that count, less that of the earlier half, in mmHg, and the number of days in each half. The
    /// middle day of an odd number is in neither half. `nil` for fewer than four days, so that no half is a single day.
    public var trend: (days: Int, systolic: Fraction, diastolic: Fraction)? {
        guard days.count >= 4 else { return nil }
        let half = days.count / 2
        func sums(_ days: ArraySlice<Day>) -> PressureSums { days.reduce(into: PressureSums()) { $0.add($1.all) } }
        let (early, late) = (sums(days.prefix(half)), sums(days.suffix(half)))
        guard let first = early.systolic, let second = late.systolic, let low = early.diastolic, let later = late.diastolic,
            let systolic = second.subtracting(first), let diastolic = later.subtracting(low)
        else { return nil }
        return (half, systolic, diastolic)
    }

    /// The sums of each ISO week with a reading that counts, ascending; `monday` in days since 1970.
    package var weeks: [(monday: Int64, sums: PressureSums)] {
        var found: [(monday: Int64, sums: PressureSums)] = []
        for day in days {
            // 1970-01-01 was a Thursday.
            let monday = WallTime.floor(day.key + 3, 7) * 7 - 3
            if found.last?.monday != monday { found.append((monday, PressureSums())) }
            found[found.count - 1].sums.add(day.all)
        }
        return found
    }
}
