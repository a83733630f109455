/// How time is divided for statistics. Boundaries are those of a wall clock in a given zone.
public enum Bucketing: String, Sendable, Hashable, CaseIterable {
    case day
    /// ISO 8601 weeks, which begin on Monday.
    case week
    case month
    /// Each hour of each day. An hour that is repeated by a change of the offset makes two buckets.
    case hour
    /// Morning, afternoon, evening, night, each over all days.
    case daypart
    /// The 24 hours of the wall clock, each over all days.
    case hourOfDay = "hour-of-day"
    /// Intervals of equal length on the wall clock, from an anchor.
    case interval
    /// One interval.
    case range

    /// Those that need no length or bounds.
    public static let named: [Bucketing] = [.day, .week, .month, .hour, .daypart, .hourOfDay]
}

/// The parts of a day: morning 06–12, afternoon 12–18, evening 18–22, night 22–06 on the wall clock. The raw value is the bucket's key.
enum DayPart: Int, CaseIterable {
    case morning, afternoon, evening, night

    var word: StaticString { (["morning", "afternoon", "evening", "night"] as [StaticString])[rawValue] }

    /// The part that contains the hour 0…23.
    init(hour: Int) {
        self =
            switch hour {
            case 6..<12: .morning
            case 12..<18: .afternoon
            case 18..<22: .evening
            default: .night
            }
    }
}
