/// An average by a rule in the words and numbers of the report and of the live page.
struct AverageSummary {
    let average: ProtocolAverage
    let lines: ReferenceLines
    let language: Language

    /// `134/84`: whole mmHg, with decimals near the threshold.
    func pair(_ mean: PressureMean) -> String {
        guard let systolic = mean.systolic, let diastolic = mean.diastolic else { return "–" }
        return language.number(
            "\(systolic.printed(near: Int(lines.systolic)))/\(diastolic.printed(near: Int(lines.diastolic)))")
    }

    func pulse(_ mean: PressureMean) -> String { mean.pulse?.rounded(places: 0).text ?? "–" }

    /// The morning and the evening, if they have readings.
    var parts: [(name: Phrase, mean: PressureMean)] {
        [(.morning, average.morning), (.evening, average.evening)].filter { $0.1.count > 0 }
    }

    /// `NICE NG136, 2019; in the guideline's text; without the first day`.
    var rule: String {
        let rule = average.rule
        var parts = [language[.meanOfAll]]
        if let document = rule.document {
            parts = ["\(document.society)\(document.year.map { ", \($0)" } ?? "")", language.word("grade", rule.evidence.rawValue)]
            if let next = document.successor { parts.append(language[.superseded, "\(next.society), \(next.date)"]) }
        }
        if rule.leavesOutDays > 0 { parts.append(language[.withoutFirstDays, rule.leavesOutDays]) }
        if let last = rule.lastDay { parts.append(language[.upToDay, last]) }
        if let most = rule.takesOfSession { parts.append(language[.firstOfSession, most]) }
        if rule.averagesSessions { parts.append(language[.meanOfSessions]) }
        if rule.onlyMorningAndEvening { parts.append(language[.onlyMorningAndEvening]) }
        return parts.joined(separator: "; ")
    }

    /// `26 readings on 7 days; the plan has 28 readings; enough for this rule`.
    var completeness: String {
        let rule = average.rule
        guard average.all.count > 0 else { return language[.nothingCounts] }
        var parts = ["\(language[.readings, average.all.count]) \(language[.onDays, average.days.count])"]
        if let days = rule.plannedDays, average.daysMeasured > days {
            parts.append(language[.plannedDays, days])
        } else if let planned = average.plannedReadings {
            parts.append(language[.planned, planned] + language.remark(rule.planEvidence))
        }
        if rule.isTrendOnly {
            parts.append(language[.trendOnly])
        } else if let worst = average.shortfalls.first {
            let units: [RuleNumber: Phrase] = [
                .leastReadings: .readingsThatCount, .leastReadingsMeasured: .readingsMeasured, .leastDays: .daysThatCount,
            ]
            let unit = units[worst.number] ?? .daysMeasured
            parts.append(
                language[.tooFew, worst.found, worst.least, language[unit]] + (rule.evidence(of: worst.number).map(language.remark) ?? ""))
        } else if rule.least != AveragingRule.Least() {
            parts.append(language[.enough])
        }
        return parts.joined(separator: "; ")
    }

    /// `3 irregular pulse, 1 body movement`; empty for none.
    var flagged: String {
        ProtocolAverage.toldFlags.compactMap { flag in average.flagged[flag].map { "\($0) \(language.flags(flag))" } }.joined(
            separator: ", ")
    }

    /// Empty if the readings are not of both arms.
    var arms: String { average.isOfBothArms ? language[.bothArms] : "" }

    /// How the mean compares with the guideline; empty if it may not be compared.
    func judgement(_ guideline: PressureGuideline?, isAdult: Bool) -> [String] {
        let comparison = AverageLines(sources: [], guideline: guideline, setting: lines.setting, isAdult: isAdult)
        guard let judgement = comparison.judgement(of: average) else { return [] }
        var parts: [String] = []
        for mean in judgement.threshold == nil ? [] : judgement.means {
            let words = language[.averageIs, language.reached(mean.systolicReached), language.reached(mean.diastolicReached)]
            switch mean.window {
            case .morning: parts.append("\(language[.morning]): \(words)")
            case .evening: parts.append("\(language[.evening]): \(words)")
            case .other, nil: parts.append(words)
            }
        }
        if let words = language.officeValue(judgement.guideline, lines.setting) { parts.append(words) }
        if let name = language.className(judgement), let evidence = judgement.classEvidence {
            let words = "\(name) (\(language.word("grade", evidence.rawValue))\(language.condition(judgement)))"
            parts.append(language[.guidelineClass, words])
        }
        return parts
    }
}
