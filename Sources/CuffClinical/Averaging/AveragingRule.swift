/// How well a number of this program's tables is founded.
public enum Evidence: String, Sendable, Hashable {
    /// Read in the guideline itself or in a summary of the society that made it.
    case guideline
    /// Read in another publication.
    case secondary
    /// Some of the numbers were read, others are from memory; it is printed only with this remark.
    case partly = "partly_unverified"
    /// From memory, and not compared with any text: it is printed only with this remark.
    case unverified
}

/// One plan of measuring at home and how its average is made. A rule is data; the text that names it carries its year.
public struct AveragingRule: Sendable, Hashable {
    /// As it is named on a command line, with the version of the rule where there are several.
    public var name: String
    /// The society and its document; empty for a rule of nobody.
    public var title: String
    /// The year of the document; `nil` where it has none.
    public var year: Int?
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
    /// Whether readings outside of morning and evening are left out.
    public var onlyMorningAndEvening = false
    /// Days with a reading that counts, at least, after leaving out.
    public var leastDays: Int?
    /// Days with a reading, at least, those that are left out included.
    public var leastDaysMeasured: Int?
    /// Readings that count, at least, after leaving out.
    public var leastReadings: Int?
    /// Whether it is for following a person over weeks, so that one average of all is nobody's result.
    public var isTrendOnly = false
    /// How well the numbers above are founded, and where they stand.
    public var evidence = Evidence.guideline
    /// Where a reader finds the rule.
    public var source = ""
    /// The guideline whose home thresholds go with it, by its name in `PressureGuideline.all`.
    public var guideline: String?

    /// A rule that leaves nothing out.
    public init(_ name: String, title: String = "", year: Int? = nil) {
        self.name = name
        self.title = title
        self.year = year
    }

    /// The rule of that name; `nil` where there is none.
    public static func named(_ name: String) -> AveragingRule? { all.first { $0.name == name } }
}

extension AveragingRule {
    /// Every rule that can be named. `all` comes first and is nobody's.
    public static let all: [AveragingRule] = [
        everything, niceNG136, esh2021, aha2020, hypertensionCanada, jsh2019, eshLongTerm, cardX,
    ]

    /// The plain mean of every reading that counts.
    public static let everything = AveragingRule("all")

    /// Two readings at least a minute apart, twice a day, for at least 4 and ideally 7 days; the first day is left out.
    static let niceNG136: AveragingRule = {
        var rule = AveragingRule("nice-ng136", title: "NICE NG136", year: 2019)
        (rule.plannedDays, rule.leavesOutDays, rule.leastDays) = (7, 1, 3)
        rule.source = "NICE guideline NG136, recommendations, nice.org.uk"
        rule.guideline = "nice-ng136"
        return rule
    }()

    static let esh2021: AveragingRule = {
        var rule = AveragingRule("esh-2021", title: "European Society of Hypertension", year: 2021)
        (rule.plannedDays, rule.leavesOutDays, rule.leastReadings, rule.leastDaysMeasured) = (7, 1, 12, 3)
        rule.evidence = .partly
        rule.source = "Stergiou et al., J Hypertens 39:1293 (abstract); PMC8030885, table 3"
        rule.guideline = "esh-2021"
        return rule
    }()

    static let aha2020: AveragingRule = {
        var rule = AveragingRule("aha-2020", title: "American Heart Association and American Medical Association", year: 2020)
        (rule.plannedDays, rule.leastReadings, rule.leastDays) = (7, 12, 3)
        rule.evidence = .secondary
        rule.source = "learn.bpcorrect.com on Circulation CIR.0000000000000803"
        rule.guideline = "acc-aha-2017"
        return rule
    }()

    static let hypertensionCanada: AveragingRule = {
        var rule = AveragingRule("htn-canada", title: "Hypertension Canada", year: 2017)
        (rule.plannedDays, rule.leavesOutDays, rule.lastDay) = (7, 1, 7)
        rule.source = "Hypertension Canada/CHEP 2017, home table, medsquares.com; hypertension.ca"
        return rule
    }()

    static let jsh2019: AveragingRule = {
        var rule = AveragingRule("jsh-2019", title: "Japanese Society of Hypertension", year: 2019)
        (rule.plannedDays, rule.takesOfSession, rule.leastDays, rule.onlyMorningAndEvening) = (7, 2, 5, true)
        rule.evidence = .partly
        rule.source = "Kario, JSH 2019, PMC6875598 (abstract)"
        rule.guideline = "jsh-2019"
        return rule
    }()

    static let eshLongTerm: AveragingRule = {
        var rule = AveragingRule("esh-longterm", title: "European Society of Hypertension, long-term follow-up")
        rule.isTrendOnly = true
        rule.evidence = .secondary
        rule.source = "PMC8030885, table 3"
        return rule
    }()

    static let cardX: AveragingRule = {
        var rule = AveragingRule("cardx", title: "HL7 CardX")
        rule.plannedDays = 7
        rule.source = "HL7 CardX Hypertension Management IG, SMBP example readings"
        return rule
    }()
}
