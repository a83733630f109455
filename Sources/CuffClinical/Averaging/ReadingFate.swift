/// Why a rule does not count a reading.
public enum LeavingOut: Sendable, Hashable {
    /// No average counts it.
    case excluded(Exclusion)
    /// On one of the first days, which the rule leaves out.
    case firstDays
    /// After the last day of the plan.
    case afterPlan
    /// One of the first readings of its session, which the rule leaves out.
    case firstOfSession
    /// After the last reading of its session that the rule counts.
    case surplus
    /// Neither in the morning nor in the evening, if the rule counts only these.
    case otherWindow

    /// One of the inflations in an average of the cuff, which counts instead.
    public static let partOfAverage = LeavingOut.excluded(.partOfAverage)

    /// The reason in JSON.
    public var word: String {
        switch self {
        case .excluded(let exclusion): exclusion.rawValue
        case .firstDays: "first_days"
        case .afterPlan: "after_plan"
        case .firstOfSession: "first_of_session"
        case .surplus: "surplus_of_session"
        case .otherWindow: "neither_morning_nor_evening"
        }
    }

    /// A clause of a sentence for people.
    package var sentence: StaticString {
        switch self {
        case .excluded(let exclusion): exclusion.sentence
        case .firstDays: "the rule leaves out the first days"
        case .afterPlan: "it is after the last day of the rule"
        case .firstOfSession: "the rule leaves out the first readings of a session"
        case .surplus: "the rule takes fewer readings of a session"
        case .otherWindow: "it is neither in the morning nor in the evening"
        }
    }

    /// Every reason.
    static let all =
        Exclusion.allCases.map { LeavingOut.excluded($0) } + [
            .firstDays, .afterPlan, .firstOfSession, .surplus, .otherWindow,
        ]
}

/// How a rule treated one reading.
public struct ReadingFate: Sendable, Hashable {
    package struct Place: Sendable, Hashable {
        /// From 1, the day of the first reading that can count.
        package var day: Int
        /// From 1, over the whole period.
        package var session: Int
        /// From 1 within its session.
        var numberInSession: Int
        package var window: DayWindow
    }

    /// Why it does not count; `nil` if it counts.
    public var leavingOut: LeavingOut?
    /// Its position; `nil` for a reading outside of sessions.
    package var place: Place?
}
