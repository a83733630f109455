extension AveragingRule {
    /// Every rule. `all` comes first; it belongs to no guideline.
    public static let all: [AveragingRule] = [
        everything, niceNG136, esh2021, esc2024, aha2020, hypertensionCanada2017, hypertensionCanada2025, jsh2019, jsh2025, ish2020,
        hopeAsia2023, eshLongTerm, cardX,
    ]

    /// The plain mean of every reading that counts.
    public static let everything = AveragingRule("all")

    /// At least 4 days are measured, so 3 are left when the first is discarded.
    static let niceNG136: AveragingRule = {
        var rule = AveragingRule(GuidelineDocument.niceNG136)
        (rule.plannedDays, rule.leavesOutDays, rule.least.days) = (7, 1, 3)
        let (days, discard) = (
            "at least 4 days, ideally for 7 days",
            "Discard the measurements taken on the first day and use the average value of all the remaining measurements"
        )
        rule.grounds = [
            Ground(
                .readingsPerSession, .guideline, "2 consecutive measurements are taken, at least 1 minute apart and with the person seated",
                at: "1.2.7"),
            Ground(.sessionsPerDay, .guideline, "twice daily, ideally in the morning and evening", at: "1.2.7"),
            Ground(.plannedDays, .guideline, days, at: "1.2.7"), Ground(.leavesOutDays, .guideline, discard, at: "1.2.7"),
            Ground(.leastDays, .guideline, days + ". " + discard, at: "1.2.7"),
        ]
        return rule
    }()

    /// The 12 readings are of the recording, before its first day is discarded: three days of four readings are enough.
    static let esh2021: AveragingRule = {
        var rule = AveragingRule(GuidelineDocument.esh2021)
        (rule.plannedDays, rule.leavesOutDays, rule.least.readingsMeasured, rule.least.daysMeasured) = (7, 1, 12, 3)
        let boxes = "Boxes 4, 6 and 7, quoted by Analitix; so also Schutte et al., Nat Rev Cardiol 19:643 (2022)"
        rule.grounds =
            Ground.each(
                [.plannedDays, .leastDaysMeasured, .leastReadingsMeasured], .secondary,
                "Assess HBPM of 7 days (at least 3 days with at least 12 readings).", at: boxes)
            + [
                Ground(
                    .leavesOutDays, .secondary, "Discard the first day and calculate the average of all the other readings.", at: boxes)
            ] + Ground.each([.readingsPerSession, .sessionsPerDay], .secondary, at: boxes)
        return rule
    }()

    /// No number of readings is named.
    static let esc2024: AveragingRule = {
        var rule = AveragingRule(GuidelineDocument.esc2024)
        (rule.plannedDays, rule.least.daysMeasured) = (7, 3)
        let place = "p. 3931–3932"
        rule.grounds =
            [
                Ground(
                    .readingsPerSession, .guideline,
                    "Two measurements should be taken at each measurement session, performed 1–2 min apart.", at: place)
            ]
            + Ground.each(
                [.sessionsPerDay, .plannedDays, .leastDaysMeasured], .guideline,
                "twice a day (morning and evening) at the same time for a minimum of 3 days and up to 7 days", at: place)
            + [Ground(.leavesOutDays, .guideline, "At the end of the measurement period, all readings are averaged.", at: place)]
        return rule
    }()

    /// The statement sets no threshold of its own; the guideline of its societies does.
    static let aha2020: AveragingRule = {
        var rule = AveragingRule(GuidelineDocument.aha2020)
        (rule.plannedDays, rule.least.readings, rule.least.days) = (7, 12, 3)
        rule.guideline = GuidelineDocument.ahaACC2025.id
        rule.grounds =
            Ground.each(
                [.readingsPerSession, .sessionsPerDay], .guideline,
                "2 measurements taken at least 1 minute apart in the morning and evening")
            + Ground.each(
                [.plannedDays, .leastReadings, .leastDays], .guideline,
                "optimally for 7 days (ie, 28 readings total) with a minimum of 3 days (ie, 12 readings total)")
            + [Ground(.leavesOutDays, .guideline, "the average of all SBP and DBP readings should be obtained")]
        return rule
    }()

    static let hypertensionCanada2017: AveragingRule = {
        var rule = AveragingRule(GuidelineDocument.hypertensionCanada2017)
        (rule.plannedDays, rule.leavesOutDays, rule.lastDay) = (7, 1, 7)
        rule.guideline = GuidelineDocument.hypertensionCanada2020.id
        let text =
            "duplicate measures, morning and evening, for an initial 7-day period. First-day home BP values should not be considered"
        rule.grounds = Ground.each([.readingsPerSession, .sessionsPerDay, .plannedDays, .leavesOutDays, .lastDay], .guideline, text)
        return rule
    }()

    /// The schedule is from the society's page for patients, which discards nothing; the guideline's own was not found.
    static let hypertensionCanada2025: AveragingRule = {
        var rule = AveragingRule(GuidelineDocument.hypertensionCanada2025)
        rule.plannedDays = 7
        let page = "hypertension.ca/how-do-i-monitor-my-bp, undated"
        rule.grounds =
            [Ground(.readingsPerSession, .secondary, "two blood pressure readings, with 1 minute between each", at: page)]
            + Ground.each([.sessionsPerDay, .plannedDays], .secondary, "in the morning and the evening for 7 days", at: page)
        return rule
    }()

    static let jsh2019: AveragingRule = {
        var rule = japanese(.jsh2019)
        let source = "ohasama-study.jp, the guideline's list reworded by its study group"
        rule.grounds =
            Ground.each(
                [.readingsPerSession, .sessionsPerDay, .takesOfSession, .sessionMeans, .onlyMorningAndEvening], .secondary, at: source)
            + [Ground(.leastDays, .secondary, "評価には少なくとも5日間の測定値が必要", at: source)]
        return rule
    }()

    /// The schedule of 2019: that of 2025 was not seen.
    static let jsh2025: AveragingRule = {
        var rule = japanese(.jsh2025)
        rule.grounds = Ground.each(
            [.readingsPerSession, .sessionsPerDay, .takesOfSession, .sessionMeans, .onlyMorningAndEvening, .leastDays], .unverified,
            at: "as in 2019; the schedule of 2025 was not seen")
        return rule
    }()

    private static func japanese(_ document: GuidelineDocument) -> AveragingRule {
        var rule = AveragingRule(document)
        (rule.takesOfSession, rule.averagesSessions, rule.least.days, rule.onlyMorningAndEvening) = (2, true, 5, true)
        return rule
    }

    static let ish2020: AveragingRule = {
        var rule = AveragingRule(GuidelineDocument.ish2020)
        (rule.plannedDays, rule.leavesOutDays, rule.least.daysMeasured) = (7, 1, 3)
        rule.grounds =
            [Ground(.leastDaysMeasured, .secondary, at: "urinenephrology.org: minimum 3 days, preferably 6-7")]
            + Ground.each([.readingsPerSession, .sessionsPerDay, .plannedDays, .leavesOutDays], .unverified)
        return rule
    }()

    /// The plan called 722: 7 days, 2 sessions, 2 readings.
    static let hopeAsia2023: AveragingRule = {
        var rule = AveragingRule(GuidelineDocument.hopeAsia2023)
        rule.plannedDays = 7
        rule.grounds = Ground.each(
            [.readingsPerSession, .sessionsPerDay, .plannedDays], .secondary,
            at: "the 722 protocol: Lin, Kario et al., J Clin Hypertens 2022 (abstract)")
        return rule
    }()

    static let eshLongTerm: AveragingRule = {
        var rule = AveragingRule("esh-longterm", GuidelineDocument.esh2021)
        rule.isTrendOnly = true
        rule.grounds = [
            Ground(
                .trendOnly, .secondary,
                at: "Box 6, quoted by Analitix: two measurements once or twice a week, or at least monthly")
        ]
        return rule
    }()

    static let cardX: AveragingRule = {
        var rule = AveragingRule("cardx", GuidelineDocument.cardX)
        rule.plannedDays = 7
        rule.grounds = Ground.each([.readingsPerSession, .sessionsPerDay, .plannedDays], .guideline)
        return rule
    }()
}
