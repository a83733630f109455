struct Ground: Sendable, Hashable {
    var number: RuleNumber
    var evidence: Evidence
    /// The words of the document, if they were read; otherwise empty.
    var quotation: String
    /// The place in the document, or where the number was read instead; may be empty.
    var source: String

    init(_ number: RuleNumber, _ evidence: Evidence, _ quotation: String = "", at source: String = "") {
        (self.number, self.evidence, self.quotation, self.source) = (number, evidence, quotation, source)
    }

    static func each(_ numbers: [RuleNumber], _ evidence: Evidence, _ quotation: String = "", at source: String = "") -> [Ground] {
        numbers.map { Ground($0, evidence, quotation, at: source) }
    }
}

/// The numbers of rules for averages and recordings, by their names in JSON.
package enum RuleNumber: String, Sendable, Hashable, CaseIterable {
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
    /// Of a recording without a plan: follows from `leastPercent`.
    case leastHours = "least_hours"
    case leastDay = "least_by_day"
    case leastNight = "least_at_night"
    case typicalReadings = "typical_readings"
    case preferredNight = "preferred_at_night"
    case hours
}
