import CuffClinical
import CuffIngest

/// The rules of averages and of recordings, and the guidelines, as a person reads them.
enum RuleList {
    /// The table of the rules and guidelines.
    static func text() -> String {
        var text = "rules of averages\n"
        for rule in AveragingRule.all {
            var facts: [String] = []
            if let days = rule.plannedDays { facts.append("\(days) days of \(rule.sessionsPerDay) x \(rule.readingsPerSession) readings") }
            facts.append(
                rule.leavesOutDays > 0 ? "leaves out day \(rule.leavesOutDays == 1 ? "1" : "1-\(rule.leavesOutDays)")" : "leaves out no day"
            )
            if let last = rule.lastDay { facts.append("counts up to day \(last)") }
            if let most = rule.takesOfSession { facts.append("the first \(most) readings of a session") }
            if rule.onlyMorningAndEvening { facts.append("mornings and evenings only") }
            if let least = rule.leastReadings { facts.append("at least \(least) readings that count") }
            if let least = rule.leastDays { facts.append("at least \(least) days that count") }
            if let least = rule.leastDaysMeasured { facts.append("at least \(least) days") }
            if rule.isTrendOnly { facts.append("weekly means, no single result") }
            text += "  \(AverageText.padded(rule.name, 14))\(facts.joined(separator: "; "))\n"
            if !rule.source.isEmpty {
                text += "  \(AverageText.padded("", 14))\(sourceWords(rule.title, rule.year, rule.evidence, rule.source))\n"
            }
        }
        text += "\nguidelines, with the means from which on they speak of hypertension in adults\n"
        for guideline in PressureGuideline.all {
            let numbers = PressureSetting.allCases.compactMap { setting in
                guideline.thresholds[setting].map {
                    "\(AverageText.settingWords(setting)) \($0.systolic)/\($0.diastolic)\($0.evidence == .unverified ? " (from memory, unchecked)" : "")"
                }
            }
            let tables = PressureSetting.allCases.filter { guideline.classes[$0] != nil }.map(AverageText.settingWords)
            text += "  \(AverageText.padded(guideline.name, 14))\(numbers.joined(separator: "; "))\n"
            if !tables.isEmpty { text += "  \(AverageText.padded("", 14))classes: \(tables.joined(separator: ", "))\n" }
            text += "  \(AverageText.padded("", 14))\(guideline.title), \(guideline.year): \(guideline.source)\n"
        }
        return text
    }

    private static func sourceWords(_ title: String, _ year: Int?, _ evidence: Evidence, _ source: String) -> String {
        let kind =
            switch evidence {
            case .guideline: ""
            case .secondary: "by another publication: "
            case .partly: "partly from memory, unchecked; by another publication: "
            case .unverified: "from memory, unchecked: "
            }
        return "\(title)\(year.map { ", \($0)" } ?? ""): \(kind)\(source)"
    }
}
