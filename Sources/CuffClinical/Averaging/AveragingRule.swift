/// A plan of measurements at home, and how their average is computed. Each number has a source.
public struct AveragingRule: Sendable, Hashable {
    /// The least numbers that a result needs; `nil` if the rule does not ask.
    package struct Least: Sendable, Hashable {
        /// Days with a reading that counts, and days with any reading.
        package var days: Int?, daysMeasured: Int?
        /// Readings that count, and readings including those that the rule leaves out.
        package var readings: Int?, readingsMeasured: Int?
        package init() {}
    }

    /// The name on the command line, with the year of its document.
    public var name: String
    /// Its source; `nil` if it is of no document.
    package var document: GuidelineDocument?
    /// Planned readings in a session, and sessions a day.
    public var readingsPerSession = 2, sessionsPerDay = 2
    /// Days of the whole plan; `nil` if it does not say.
    public var plannedDays: Int?
    /// The number of first days that are left out.
    public var leavesOutDays = 0
    /// The last day that counts, counted from 1; `nil`: all count.
    public var lastDay: Int?
    /// The number of first readings of each session that are left out.
    public var leavesOutOfSession = 0
    /// The number of first readings of each session that count; `nil`: all.
    public var takesOfSession: Int?
    /// Whether the result is a mean of the sessions' means; otherwise it is a mean of readings.
    public var averagesSessions = false
    /// Whether readings outside of morning and evening are left out.
    public var onlyMorningAndEvening = false
    package var least = Least()
    /// Whether it follows a person over weeks, so that an average of all readings is meaningless.
    public var isTrendOnly = false
    /// The source of each of the numbers above.
    var grounds: [Ground] = []
    /// The guideline with its home thresholds, by its name in `PressureGuideline.all`.
    public var guideline: String?

    /// A rule that leaves nothing out.
    package init(_ name: String, _ document: GuidelineDocument? = nil) {
        (self.name, self.document) = (name, document)
    }

    /// A rule with the name of its document, which is also the guideline that goes with it.
    init(_ document: GuidelineDocument) {
        self.init(document.id, document)
        guideline = document.id
    }

    /// The society and, for a rule without a result, its purpose; empty for a rule without a document.
    public var title: String { (document?.society ?? "") + (isTrendOnly ? ", long-term follow-up" : "") }
    /// The year of the document; `nil` if it has none.
    public var year: Int? { document?.year }
    /// One grade for all of its numbers.
    public var evidence: Evidence { Evidence.summary(grounds.map(\.evidence)) }

    /// The grade of one number; `nil` if the document does not mention it.
    package func evidence(of number: RuleNumber) -> Evidence? { grounds.first { $0.number == number }?.evidence }

    /// The grade of `plannedReadings` of an average.
    public var planEvidence: Evidence {
        let parts: [RuleNumber] = [.readingsPerSession, .sessionsPerDay, .plannedDays, .leavesOutDays]
        return Evidence.summary(parts.compactMap(evidence))
    }

    /// The numbers that are set, in the order of reading; 1 for properties without a number.
    package var numbers: [(number: RuleNumber, value: Int)] {
        let set: [(RuleNumber, Int?)] = [
            (.readingsPerSession, evidence(of: .readingsPerSession) == nil ? nil : readingsPerSession),
            (.sessionsPerDay, evidence(of: .sessionsPerDay) == nil ? nil : sessionsPerDay), (.plannedDays, plannedDays),
            (.leavesOutDays, leavesOutDays == 0 && evidence(of: .leavesOutDays) == nil ? nil : leavesOutDays), (.lastDay, lastDay),
            (.takesOfSession, takesOfSession), (.sessionMeans, averagesSessions ? 1 : nil),
            (.onlyMorningAndEvening, onlyMorningAndEvening ? 1 : nil), (.leastReadingsMeasured, least.readingsMeasured),
            (.leastReadings, least.readings), (.leastDaysMeasured, least.daysMeasured), (.leastDays, least.days),
            (.trendOnly, isTrendOnly ? 1 : nil),
        ]
        return set.compactMap { number, value in value.map { (number, $0) } }
    }

    /// The rule of that name, or of another name of its document, or `nil`.
    public static func named(_ name: String) -> AveragingRule? {
        all.first { $0.name == name } ?? all.first { $0.name == $0.document?.id && $0.document?.isNamed(name) == true }
    }
}
