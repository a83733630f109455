import CuffCore

/// What is said of the readings that count.
extension ProtocolAverage {
    /// Something of which the rule asks for more.
    public struct Shortfall: Sendable, Hashable {
        /// What is counted.
        public enum Measure: String, Sendable, Hashable {
            case readings
            /// Readings, those that are left out by the rule included.
            case readingsMeasured = "readings_measured"
            /// Days with a reading that counts.
            case days
            /// Days with a reading, those that are left out included.
            case daysMeasured = "days_measured"
        }

        /// What there are too few of.
        public var measure: Measure
        /// How many there are, and how many the rule asks for at least.
        public var found: Int, least: Int

        /// The number of the rule.
        public var number: RuleNumber {
            switch measure {
            case .readings: .leastReadings
            case .readingsMeasured: .leastReadingsMeasured
            case .days: .leastDays
            case .daysMeasured: .leastDaysMeasured
            }
        }
    }

    /// What is missing for a result by the rule; empty where it is complete.
    public var shortfalls: [Shortfall] {
        let asked: [(Shortfall.Measure, Int, Int?)] = [
            (.readingsMeasured, readingsMeasured, rule.leastReadingsMeasured), (.readings, all.count, rule.leastReadings),
            (.days, days.count, rule.leastDays),
            (.daysMeasured, daysMeasured, rule.leastDaysMeasured),
        ]
        return asked.compactMap { measure, found, least in
            least.flatMap { found < $0 ? Shortfall(measure: measure, found: found, least: $0) : nil }
        }
    }

    /// Whether a mean may be compared with thresholds: enough readings for the rule, more than one, and a rule that has a
    /// result.
    public var isComplete: Bool { shortfalls.isEmpty && all.count > 1 && !rule.isTrendOnly }

    /// Readings that the plan asks for on the days from the first counted to the last, at most on its planned ones; `nil`
    /// where the plan sets no days.
    public var plannedReadings: Int? {
        rule.plannedDays.map { max(0, $0 - rule.leavesOutDays) * rule.readingsPerSession * rule.sessionsPerDay }
    }

    /// The mean of the mornings less that of the evenings, systolic and diastolic.
    public var morningMinusEvening: (systolic: Fraction, diastolic: Fraction)? {
        guard let first = morning.systolic, let second = evening.systolic, let third = morning.diastolic, let fourth = evening.diastolic,
            let systolic = first.subtracting(second), let diastolic = third.subtracting(fourth)
        else { return nil }
        return (systolic, diastolic)
    }

    /// How the means of the single days differ from each other; `nil` for fewer than five days.
    public var dayToDay: (systolic: Variability, diastolic: Variability)? {
        guard days.count >= Self.leastDaysOfVariability, let systolic = Variability(days.compactMap(\.all.systolic)),
            let diastolic = Variability(days.compactMap(\.all.diastolic))
        else { return nil }
        return (systolic, diastolic)
    }

    /// Fewer days say nothing of how days differ.
    public static let leastDaysOfVariability = 5

    /// What the later half of the days has more than the earlier.
    public struct Trend: Sendable, Hashable {
        /// Days in each half.
        public var days: Int
        /// The mean of the later half's readings less that of the earlier half's, in mmHg.
        public var systolic: Fraction, diastolic: Fraction
    }

    /// The trend over the days that count; the middle one of an odd number is in neither half. `nil` for fewer than four days: of three
    /// one would be compared with one.
    public var trend: Trend? {
        guard days.count >= 4 else { return nil }
        let half = days.count / 2
        func sums(_ days: ArraySlice<Day>) -> PressureSums { days.reduce(into: PressureSums()) { $0.add($1.all) } }
        let (early, late) = (sums(days.prefix(half)), sums(days.suffix(half)))
        guard let first = early.systolic, let second = late.systolic, let low = early.diastolic, let later = late.diastolic,
            let systolic = second.subtracting(first), let diastolic = later.subtracting(low)
        else { return nil }
        return Trend(days: half, systolic: systolic, diastolic: diastolic)
    }

    /// One stretch of a long observation.
    public struct Week: Sendable, Hashable {
        /// The Monday it begins with, in days since 1970.
        public var monday: Int64
        /// All its readings that count.
        public var sums: PressureSums
    }

    /// The sums of each ISO week with a reading that counts, ascending: what a trend is made of.
    public var weeks: [Week] {
        var found: [Week] = []
        for day in days {
            // 1970-01-01 was a Thursday.
            let monday = WallTime.floor(day.key + 3, 7) * 7 - 3
            if found.last?.monday != monday { found.append(Week(monday: monday, sums: PressureSums())) }
            found[found.count - 1].sums.add(day.all)
        }
        return found
    }
}

/// How values in an order differ from each other. There are no agreed normal values for any of these.
public struct Variability: Sendable, Hashable {
    /// How many values.
    public let count: Int
    /// Their exact mean; `nil` only where it does not fit.
    public let mean: Fraction?
    /// The sample standard deviation (n - 1).
    public let standardDeviation: Double
    /// The standard deviation as a part of the mean, in percent.
    public let coefficientOfVariation: Double
    /// The average real variability: the mean distance of neighbours; `nil` only where it does not fit.
    public let averageReal: Fraction?
    /// Least and greatest value.
    public let least: Fraction, greatest: Fraction

    /// Of at least two values, in the order of time; `nil` for fewer.
    public init?(_ values: [Fraction]) {
        guard values.count > 1, let least = values.min(), let greatest = values.max() else { return nil }
        count = values.count
        (self.least, self.greatest) = (least, greatest)
        let number = Fraction(Int64(values.count))
        mean = Self.sum(values)?.divided(by: number)
        let center = mean?.value ?? values.reduce(0) { $0 + $1.value } / Double(count)
        let spread = values.reduce(0.0) { $0 + ($1.value - center) * ($1.value - center) }
        standardDeviation = (spread / Double(count - 1)).squareRoot()
        coefficientOfVariation = center == 0 ? 0 : 100 * standardDeviation / center
        let steps = zip(values, values.dropFirst()).map { $1.subtracting($0)?.magnitude }
        averageReal = Self.sum(steps.compactMap { $0 })?.divided(by: Fraction(Int64(values.count - 1)))
    }

    static func sum(_ values: [Fraction]) -> Fraction? {
        var total: Fraction? = Fraction(0)
        for value in values { total = total?.adding(value) }
        return total
    }
}
