import CuffClinical
import CuffCore

enum RuleList {
    static func text() -> String {
        var text = "rules of averages\n"
        for rule in AveragingRule.all {
            let facts = rule.numbers.map { words($0.number, $0.value) + mark(rule.evidence(of: $0.number)) }
            text += entry(
                rule.name, [facts.isEmpty ? "the mean of every reading that counts" : facts.joined(separator: "; ")], rule.document)
        }
        text += "\nrules of recordings (cuff ambulatory)\n"
        for rule in AmbulatoryRule.all {
            let facts = rule.numbers.map {
                ($0.number == .hours ? "night \(AmbulatoryRecording.clock(rule.hours.night))" : words($0.number, $0.value))
                    + mark(rule.evidence(of: $0.number))
            }
            text += entry(rule.name, [facts.joined(separator: "; ")], rule.document)
        }
        text += "\nguidelines, with the means that they classify as hypertension in adults\n"
        for guideline in PressureGuideline.all {
            let numbers = PressureSetting.allCases.compactMap { setting in
                guideline.thresholds[setting].map {
                    "\(setting.words) \($0.systolic)/\($0.diastolic)\(mark($0.evidence))"
                }
            }
            var lines = numbers.isEmpty ? [] : [numbers.joined(separator: "; ")]
            if guideline.comparesMorningAndEvening { lines.append("at home: the mean of the mornings or of the evenings") }
            let tables = PressureSetting.allCases.compactMap { setting in
                guideline.classes[setting].map { setting.words.description + mark($0.evidence) }
            }
            if !tables.isEmpty { lines.append("classes: \(tables.joined(separator: "; "))") }
            text += entry(guideline.name, lines, guideline.document)
        }
        return text + "\nNumbers without a remark were read in the document. --rules --json quotes the source of each number.\n"
    }

    private static func entry(_ name: String, _ lines: [String], _ document: GuidelineDocument?) -> String {
        var lines = lines
        if let document {
            var source = document.society + (document.date.isEmpty ? "" : ", \(document.date)")
            source += (document.updated.isEmpty ? "" : ", updated \(document.updated)") + ": \(document.citation)"
            lines.append(source + (document.doi.isEmpty ? "" : ", doi \(document.doi)"))
            if let word = Language.english.superseded(document) { lines.append(word) }
        }
        return lines.enumerated().map { "  \(($0.offset == 0 ? name : "").padded(to: 16))\($0.element)\n" }.joined()
    }

    private static func mark(_ evidence: Evidence?) -> String {
        switch evidence {
        case .guideline, nil: ""
        case .derived: " (derived)"
        case .secondary: " (by another publication)"
        case .partly: " (partly from memory, unchecked)"
        case .unverified: " (from memory, unchecked)"
        }
    }

    private static func words(_ number: RuleNumber, _ value: Int) -> String {
        switch number {
        case .readingsPerSession: "\(value) readings a session"
        case .sessionsPerDay: "\(value) sessions a day"
        case .plannedDays: "\(value) days"
        case .leavesOutDays: value == 0 ? "leaves out no day" : "leaves out day \(value == 1 ? "1" : "1-\(value)")"
        case .lastDay: "counts up to day \(value)"
        case .takesOfSession: "the first \(value) readings of a session"
        case .sessionMeans: "the mean of sessions"
        case .onlyMorningAndEvening: "mornings and evenings only"
        case .leastDays: "at least \(value) days that count"
        case .leastDaysMeasured: "at least \(value) days"
        case .leastReadings: "at least \(value) readings that count"
        case .leastReadingsMeasured: "at least \(value) readings, those left out included"
        case .trendOnly: "weekly means, no single result"
        case .leastPercent: "at least \(value) % of those expected"
        case .leastHours: "at least \(value) hours without a plan"
        case .leastDay: "at least \(value) by day"
        case .leastNight: "at least \(value) at night"
        case .typicalReadings: "usually \(value) or more"
        case .preferredNight: "preferably \(value) at night"
        case .hours: "hours"
        }
    }
}
