import CuffClinical
import CuffCore
import CuffIngest

/// Home averages as a person reads them at a terminal.
struct AverageText {
    let lines: AverageLines

    func append(_ run: AverageRun, zone: ZoneTable, to text: inout TextBuffer) {
        let each = run.averages.each
        guard !each.isEmpty else { return text.append("no readings\n") }
        let users = Set(each.map(\.owner.user))
        let cuffs = Set(each.map(\.owner.source))
        for (index, one) in each.enumerated() {
            if index > 0 { text.append(0x0A) }
            var heading: [String] = users.count > 1 ? [Persons.heading(one.owner.user)] : []
            if cuffs.count > 1, let source = one.owner.source, run.sources.indices.contains(source) {
                heading.append(run.sources[source].name)
            }
            if !heading.isEmpty { text.append(string: heading.joined(separator: ", ") + "\n") }
            for line in block(one.average) { text.append(string: line + "\n") }
        }
    }

    /// The lines of one average.
    func block(_ average: ProtocolAverage) -> [String] {
        var block = [Self.title(average.rule)]
        guard let first = average.days.first?.key, let last = average.days.last?.key else {
            return block + ["no reading counts"] + leftOut(average)
        }
        block.append("\(Self.date(first)) to \(Self.date(last)), \(average.zone.name)")
        block += means(average)
        let measured = average.daysMeasured == average.days.count ? "" : " of \(average.daysMeasured) measured"
        let single = average.singleSessions == 0 ? "" : " (\(average.singleSessions) of a single reading)"
        block.append(
            "days          \(average.days.count)\(measured), \(Plural.text(average.sessions, "session"))\(single)"
                + (average.plannedReadings.map { "; the plan asks for \($0) readings" } ?? ""))
        block += leftOut(average)
        let remarks = ProtocolAverage.toldFlags.compactMap { flag in average.flagged[flag].map { "\($0) \(Self.words(flag))" } }
        if !remarks.isEmpty { block.append("with remarks  \(remarks.joined(separator: ", "))") }
        block.append(completeness(average))
        block += differences(average)
        block += judgement(average)
        return block
    }

    private func means(_ average: ProtocolAverage) -> [String] {
        var rows = ["              readings  systolic  diastolic  pulse"]
        for (name, sums) in [("all", average.all), ("morning", average.morning), ("evening", average.evening)] where sums.count > 0 {
            rows.append(row(name, sums))
        }
        if average.rule.isTrendOnly {
            for week in average.weeks { rows.append(row(Self.date(week.monday), week.sums)) }
        }
        return rows
    }

    private func row(_ name: String, _ sums: PressureSums) -> String {
        let threshold = lines.guideline?.thresholds[lines.setting]
        return Self.padded(name, 14) + Self.right("\(sums.count)", 8)
            + Self.right(sums.systolic?.printed(near: threshold?.systolic) ?? "-", 10)
            + Self.right(sums.diastolic?.printed(near: threshold?.diastolic) ?? "-", 11)
            + Self.right(sums.pulse?.rounded(places: 0).text ?? "-", 7)
    }

    private func leftOut(_ average: ProtocolAverage) -> [String] {
        guard !average.leftOut.isEmpty else { return [] }
        let parts = average.leftOut.map { "\($0.value): \(Self.sentence($0.key))" }.sorted()
        return parts.enumerated().map { ($0.offset == 0 ? "left out      " : "              ") + $0.element }
    }

    private func completeness(_ average: ProtocolAverage) -> String {
        let rule = average.rule
        if rule.isTrendOnly { return "completeness  \(rule.name) follows a trend; it has no single result" }
        guard let worst = average.shortfalls.first else {
            let asks = rule.leastReadings ?? rule.leastDays ?? rule.leastDaysMeasured
            return "completeness  " + (asks == nil ? "\(rule.name) asks for no least number" : "enough for \(rule.name)")
        }
        let unit =
            switch worst.measure {
            case .readings: "readings"
            case .days: "days that count"
            case .daysMeasured: "days"
            }
        return "completeness  too few for \(rule.name): \(worst.found) of \(worst.least) \(unit)"
    }

    private func differences(_ average: ProtocolAverage) -> [String] {
        var rows: [String] = []
        if let difference = average.morningMinusEvening {
            rows.append(
                "difference    morning less evening \(difference.systolic.rounded(places: 1).text)/"
                    + "\(difference.diastolic.rounded(places: 1).text) mmHg")
        }
        if let (systolic, diastolic) = average.dayToDay {
            func pair(_ first: Double, _ second: Double) -> String { "\(Self.oneDecimal(first))/\(Self.oneDecimal(second))" }
            var words = "day to day    SD (sample) \(pair(systolic.standardDeviation, diastolic.standardDeviation)) mmHg, "
            words += "CV \(pair(systolic.coefficientOfVariation, diastolic.coefficientOfVariation)) %"
            if let first = systolic.averageReal, let second = diastolic.averageReal {
                words += ", ARV \(first.rounded(places: 1).text)/\(second.rounded(places: 1).text) mmHg"
            }
            rows.append(words + ", of the means of \(systolic.count) days")
        }
        return rows
    }

    private func judgement(_ average: ProtocolAverage) -> [String] {
        guard let guideline = lines.guideline else { return [] }
        let judgement = lines.judgement(of: average)
        var rows: [String] = []
        if let threshold = guideline.thresholds[lines.setting] {
            var words = "threshold     \(threshold.systolic)/\(threshold.diastolic) mmHg (\(Self.settingWords(lines.setting)), "
            words += "\(guideline.title), \(guideline.year)\(Self.mark(threshold.evidence)))"
            if let reached = judgement?.reached {
                words += ": systolic \(Self.words(reached.systolic)), diastolic \(Self.words(reached.diastolic))"
            } else if !lines.isAdult {
                words += "; not compared without --adult"
            }
            rows.append(words)
        }
        if let judgement, let name = judgement.className, let evidence = judgement.classEvidence {
            let isolated = judgement.isIsolatedSystolic == true ? ", isolated systolic" : ""
            rows.append("class         \(name)\(isolated) (\(guideline.name)\(Self.mark(evidence)))")
        }
        return rows
    }

    /// One line of a reading with what became of it.
    static func append(_ reading: HomeReading, _ fate: ReadingFate, zone: ZoneTable, to text: inout TextBuffer) {
        let time = reading.time.map { String($0.text(in: zone).prefix(16)).replacing("T", with: " ") } ?? "(time unknown)"
        var line = padded(time, 17) + right(short(reading.systolic), 5) + "/" + padded(short(reading.diastolic), 5)
        if let user = reading.user { line += " user \(user)" }
        if let place = fate.place { line += "  day \(place.day), session \(place.session), \(place.window.rawValue)" }
        line += fate.leavingOut.map { "  left out: \(sentence($0))" } ?? "  counts"
        text.append(string: line + "\n")
    }
}

/// Words and columns.
extension AverageText {
    static func title(_ rule: AveragingRule) -> String {
        guard !rule.title.isEmpty else { return rule.name }
        return "\(rule.name): \(rule.title)\(rule.year.map { ", \($0)" } ?? "")\(mark(rule.evidence))"
    }

    /// Numbers that were not compared with any text carry this mark wherever they are printed.
    static func mark(_ evidence: Evidence) -> String { evidence == .unverified ? "; from memory, not checked against the guideline" : "" }

    static func words(_ reached: Bool) -> String { reached ? "at or above" : "below" }

    static func settingWords(_ setting: PressureSetting) -> String {
        switch setting {
        case .home: "at home"
        case .office: "office"
        case .ambulatoryDay: "ambulatory, day"
        case .ambulatoryNight: "ambulatory, night"
        case .ambulatory24h: "ambulatory, 24 hours"
        }
    }

    static func words(_ flag: MeasurementFlags) -> String {
        flag == .averaged ? "the cuff's averages" : flag.text(separator: ",").replacing("_", with: " ")
    }

    static func sentence(_ reason: LeavingOut) -> String {
        switch reason {
        case .excluded(let exclusion): exclusion.sentence.description
        case .partOfAverage: "the cuff made an average of it that counts"
        case .firstDays: "the rule leaves out the first days"
        case .afterPlan: "it is after the last day of the rule"
        case .firstOfSession: "the rule leaves out the first readings of a session"
        case .surplus: "the rule takes fewer readings of a session"
        case .otherWindow: "it is neither in the morning nor in the evening"
        }
    }

    /// The table of the rules and guidelines.
    static func rules() -> String {
        var text = "rules of averages\n"
        for rule in AveragingRule.all {
            var facts: [String] = []
            if let days = rule.plannedDays { facts.append("\(days) days of \(rule.sessionsPerDay) x \(rule.readingsPerSession) readings") }
            facts.append(rule.leavesOutDays > 0 ? "leaves out the first \(Plural.text(rule.leavesOutDays, "day"))" : "leaves out no day")
            if let last = rule.lastDay { facts.append("counts up to day \(last)") }
            if let most = rule.takesOfSession { facts.append("the first \(most) readings of a session") }
            if rule.onlyMorningAndEvening { facts.append("mornings and evenings only") }
            if let least = rule.leastReadings { facts.append("at least \(least) readings that count") }
            if let least = rule.leastDays { facts.append("at least \(least) days that count") }
            if let least = rule.leastDaysMeasured { facts.append("at least \(least) days") }
            if rule.isTrendOnly { facts.append("weekly means, no single result") }
            text += "  \(padded(rule.name, 14))\(facts.joined(separator: "; "))\n"
            if !rule.source.isEmpty { text += "  \(padded("", 14))\(sourceWords(rule.title, rule.year, rule.evidence, rule.source))\n" }
        }
        text += "\nguidelines, with the means from which on they speak of hypertension in adults\n"
        for guideline in PressureGuideline.all {
            let numbers = PressureSetting.allCases.compactMap { setting in
                guideline.thresholds[setting].map {
                    "\(settingWords(setting)) \($0.systolic)/\($0.diastolic)\($0.evidence == .unverified ? " (from memory, unchecked)" : "")"
                }
            }
            let tables = PressureSetting.allCases.filter { guideline.classes[$0] != nil }.map(settingWords)
            text += "  \(padded(guideline.name, 14))\(numbers.joined(separator: "; "))\n"
            if !tables.isEmpty { text += "  \(padded("", 14))classes: \(tables.joined(separator: ", "))\n" }
            text += "  \(padded("", 14))\(guideline.title), \(guideline.year): \(guideline.source)\n"
        }
        return text
    }

    private static func sourceWords(_ title: String, _ year: Int?, _ evidence: Evidence, _ source: String) -> String {
        let kind =
            switch evidence {
            case .guideline: ""
            case .secondary: "by another publication: "
            case .unverified: "from memory, unchecked: "
            }
        return "\(title)\(year.map { ", \($0)" } ?? ""): \(kind)\(source)"
    }

    static func date(_ day: Int64) -> String {
        var text = TextBuffer(capacity: 16)
        text.append(DeviceTime(wallSeconds: day * 86400, precision: .day))
        return text.string
    }

    static func oneDecimal(_ value: Double) -> String {
        Decimals(units: Int64((value * 10 + 0.5).rounded(.down)), places: 1).text
    }

    static func short(_ value: Double) -> String {
        var text = TextBuffer(capacity: 16)
        text.append(rounded: value)
        return text.string
    }

    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
