/// One plan of measuring at home and how its average is made. A rule is data: each of its numbers names what it rests on.
public struct AveragingRule: Sendable, Hashable {
    /// As it is named on a command line, with the year of its document.
    public var name: String
    /// The society; empty for a rule of nobody.
    public var title: String
    /// The document that it is from; `nil` for a rule of nobody.
    public var document: GuidelineDocument?
    /// What the plan asks for in one session, and how many sessions a day.
    public var readingsPerSession = 2, sessionsPerDay = 2
    /// Days of the whole plan; `nil` where it sets none.
    public var plannedDays: Int?
    /// The first so many days are left out.
    public var leavesOutDays = 0
    /// Days after this one, counted from 1, do not count; `nil`: all do.
    public var lastDay: Int?
    /// The first so many readings of each session are left out.
    public var leavesOutOfSession = 0
    /// Of each session at most so many readings count, the first ones; `nil`: all.
    public var takesOfSession: Int?
    /// Whether the mean of a session is its value, and the result a mean of sessions; otherwise it is one of readings.
    public var averagesSessions = false
    /// Whether readings outside of morning and evening are left out.
    public var onlyMorningAndEvening = false
    /// Days with a reading that counts, at least, after leaving out.
    public var leastDays: Int?
    /// Days with a reading, at least, those that are left out included.
    public var leastDaysMeasured: Int?
    /// Readings that count, at least, after leaving out.
    public var leastReadings: Int?
    /// Readings, at least, those that the rule leaves out included.
    public var leastReadingsMeasured: Int?
    /// Whether it is for following a person over weeks, so that an average of all readings means nothing.
    public var isTrendOnly = false
    /// What each of the numbers above rests on.
    public var grounds: [Ground] = []
    /// The guideline whose home thresholds go with it, by its name in `PressureGuideline.all`.
    public var guideline: String?

    /// A rule that leaves nothing out.
    public init(_ name: String, _ document: GuidelineDocument? = nil, title: String? = nil) {
        self.name = name
        self.document = document
        self.title = title ?? document?.society ?? ""
    }

    /// A rule with the name of its document, which is also the guideline that goes with it.
    init(_ document: GuidelineDocument) {
        self.init(document.id, document)
        guideline = document.id
    }

    /// The year of the document; `nil` where it has none.
    public var year: Int? { document?.year }
    /// Where a reader finds the rule; empty for a rule of nobody.
    public var source: String { document?.citation ?? "" }
    /// One grade for all of its numbers.
    public var evidence: Evidence { Evidence.summary(grounds.map(\.evidence)) }

    /// How well one number is founded; `nil` where the document does not mention it.
    public func evidence(of number: RuleNumber) -> Evidence? { grounds.first { $0.number == number }?.evidence }

    /// The number of `plannedReadings` of an average is made of these.
    public var planEvidence: Evidence {
        let parts: [RuleNumber] = [.readingsPerSession, .sessionsPerDay, .plannedDays, .leavesOutDays]
        return Evidence.summary(parts.compactMap(evidence))
    }

    /// The numbers that are set, in the order in which people read them; 1 for what has no number.
    public var numbers: [(number: RuleNumber, value: Int)] {
        let set: [(RuleNumber, Int?)] = [
            (.readingsPerSession, evidence(of: .readingsPerSession) == nil ? nil : readingsPerSession),
            (.sessionsPerDay, evidence(of: .sessionsPerDay) == nil ? nil : sessionsPerDay), (.plannedDays, plannedDays),
            (.leavesOutDays, leavesOutDays == 0 && evidence(of: .leavesOutDays) == nil ? nil : leavesOutDays), (.lastDay, lastDay),
            (.takesOfSession, takesOfSession), (.sessionMeans, averagesSessions ? 1 : nil),
            (.onlyMorningAndEvening, onlyMorningAndEvening ? 1 : nil), (.leastReadingsMeasured, leastReadingsMeasured),
            (.leastReadings, leastReadings), (.leastDaysMeasured, leastDaysMeasured), (.leastDays, leastDays),
            (.trendOnly, isTrendOnly ? 1 : nil),
        ]
        return set.compactMap { number, value in value.map { (number, $0) } }
    }

    /// The rule of that name, or of another name of its document; `nil` where there is none.
    public static func named(_ name: String) -> AveragingRule? {
        all.first { $0.name == name } ?? all.first { $0.name == $0.document?.id && $0.document?.isNamed(name) == true }
    }
}
