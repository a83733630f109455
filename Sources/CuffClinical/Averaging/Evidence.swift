/// How well a number of this program's tables is founded.
public enum Evidence: String, Sendable, Hashable, CaseIterable {
    /// Read in the guideline itself or in a summary of the society that made it.
    case guideline
    /// Computed here from numbers that were read in the guideline.
    case derived
    /// Read in another publication.
    case secondary
    /// Some of several numbers are from memory: they are printed only with this remark.
    case partly = "partly_unverified"
    /// From memory, and not compared with any text: it is printed only with this remark.
    case unverified

    /// The grade as people read it beside a number.
    public var words: StaticString {
        switch self {
        case .guideline: "read in the guideline"
        case .derived: "derived here from the guideline's table of equivalents"
        case .secondary: "read in another publication"
        case .partly: "partly from memory, not checked against the guideline"
        case .unverified: "from memory, not checked against the guideline"
        }
    }

    /// The same where there is little room.
    public var shortWords: StaticString {
        switch self {
        case .guideline: "guideline's text"
        case .derived: "derived"
        case .secondary: "second-hand"
        case .partly: "partly from memory"
        case .unverified: "from memory"
        }
    }

    /// Whether a number of this grade must not be printed without the remark.
    public var needsRemark: Bool { self == .partly || self == .unverified }

    /// One grade for several numbers: that of the weakest, and `partly` where only some are from memory.
    public static func summary(_ grades: [Evidence]) -> Evidence {
        guard grades.contains(where: \.needsRemark) else {
            return grades.contains(.secondary) ? .secondary : grades.contains(.derived) ? .derived : .guideline
        }
        return grades.allSatisfy { $0 == .unverified } ? .unverified : .partly
    }
}

/// What one number of a rule rests on.
public struct Ground: Sendable, Hashable {
    /// The number.
    public var number: RuleNumber
    /// How well it is founded.
    public var evidence: Evidence
    /// The words of the document, where they were read; else empty.
    public var quotation: String
    /// Where they stand, or where the number was read instead; empty for the document itself.
    public var source: String

    init(_ number: RuleNumber, _ evidence: Evidence, _ quotation: String = "", at source: String = "") {
        (self.number, self.evidence, self.quotation, self.source) = (number, evidence, quotation, source)
    }

    /// Several numbers that stand in one sentence.
    static func each(_ numbers: [RuleNumber], _ evidence: Evidence, _ quotation: String = "", at source: String = "") -> [Ground] {
        numbers.map { Ground($0, evidence, quotation, at: source) }
    }
}

/// The numbers that rules of averages and of recordings consist of, by their names in JSON.
public enum RuleNumber: String, Sendable, Hashable, CaseIterable {
    case readingsPerSession = "readings_per_session"
    case sessionsPerDay = "sessions_per_day"
    case plannedDays = "planned_days"
    case leavesOutDays = "left_out_days"
    case lastDay = "last_day"
    case takesOfSession = "readings_taken_of_session"
    case sessionMeans = "session_means"
    case onlyMorningAndEvening = "only_morning_and_evening"
    case leastDays = "least_days"
    case leastDaysMeasured = "least_days_measured"
    case leastReadings = "least_readings"
    case leastReadingsMeasured = "least_readings_measured"
    case trendOnly = "trend_only"
    case leastPercent = "least_percent"
    case leastDay = "least_by_day"
    case leastNight = "least_at_night"
    case typicalReadings = "typical_readings"
    case preferredNight = "preferred_at_night"
    case hours
}
