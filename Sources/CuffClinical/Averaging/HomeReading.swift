import CuffCore

/// What a home average needs of one stored blood pressure.
public struct HomeReading: Sendable, Hashable {
    /// The id of the reading; `Reading.ID.none` where nobody asks for single readings.
    public var id: Reading.ID
    /// When it was measured; `nil` where that is unknown.
    public var time: Timestamp?
    /// The systolic pressure in mmHg.
    public var systolic: Double
    /// The diastolic pressure in mmHg.
    public var diastolic: Double
    /// Beats per minute; `nil` where the cuff sent none.
    public var pulse: Double?
    /// The flags of the reading.
    public var flags: MeasurementFlags
    /// The user slot; `nil` for none.
    public var user: Int?
    /// The caller's number of the cuff.
    public var source: Int
    /// Why it can count in no average at all; `nil` where it can.
    public var exclusion: Exclusion?

    /// Sets each property as given.
    public init(
        id: Reading.ID = .none, time: Timestamp?, systolic: Double, diastolic: Double, pulse: Double? = nil,
        flags: MeasurementFlags = [], user: Int? = nil, source: Int = 0, exclusion: Exclusion? = nil
    ) {
        self.id = id
        self.time = time
        self.systolic = systolic
        self.diastolic = diastolic
        self.pulse = pulse
        self.flags = flags
        self.user = user
        self.source = source
        self.exclusion = exclusion
    }
}

/// Why a rule does not count a reading.
public enum LeavingOut: Sendable, Hashable {
    /// It counts in no average at all.
    case excluded(Exclusion)
    /// One of the inflations of which the cuff itself made an average that counts.
    case partOfAverage
    /// On one of the first days, which the rule leaves out.
    case firstDays
    /// After the last day of the plan.
    case afterPlan
    /// One of the first readings of its session, which the rule leaves out.
    case firstOfSession
    /// One more in its session than the rule takes.
    case surplus
    /// Neither in the morning nor in the evening, where the rule takes only these.
    case otherWindow

    /// The reason in JSON.
    public var word: String {
        switch self {
        case .excluded(let exclusion): exclusion.word.description
        case .partOfAverage: "part_of_average"
        case .firstDays: "first_days"
        case .afterPlan: "after_plan"
        case .firstOfSession: "first_of_session"
        case .surplus: "surplus_of_session"
        case .otherWindow: "neither_morning_nor_evening"
        }
    }
}

/// What became of one reading under a rule.
public struct ReadingFate: Sendable, Hashable {
    /// Where the reading stands; `nil` for one that no session holds.
    public struct Place: Sendable, Hashable {
        /// From 1, the day of the first reading that can count.
        public var day: Int
        /// From 1, over the whole period.
        public var session: Int
        /// From 1 within its session.
        public var numberInSession: Int
        /// The part of the day of the session.
        public var window: DayWindow
    }

    /// Why it does not count; `nil` where it counts.
    public var leavingOut: LeavingOut?
    /// Where it stands; `nil` for a reading that is in no session.
    public var place: Place?
}
