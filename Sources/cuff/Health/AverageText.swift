import CuffClinical
import CuffCore
import CuffIngest

struct AverageText {
    let lines: AverageLines
    private var english: Language { .english }

    func blocks(_ averages: HomeAverages) -> [ReportBlock] {
        let each = averages.each
        let persons = Persons(each.map(\.owner.person))
        let cuffs = Set(each.map(\.owner.source))
        return each.map { one in
            let person = one.owner.person
            var heading = [persons.neededHeading(person)].compactMap { $0 }
            // The heading of an unnamed person names the cuff.
            if cuffs.count > 1, heading.isEmpty || person.name != nil, let source = one.owner.source, lines.sources.indices.contains(source)
            {
                heading.append(lines.sources[source].name)
            }
            var block = block(one.average)
            block.heading = heading.joined(separator: ", ")
            return block
        }
    }

    func block(_ average: ProtocolAverage) -> ReportBlock {
        var block = ReportBlock(Self.title(average.rule))
        if let word = average.rule.document.flatMap(english.superseded) { block.facts.append(.init("rule", word)) }
        guard let first = average.days.first?.key, let last = average.days.last?.key else {
            block.facts += [.init("days", "no reading counts")] + leftOut(average)
            return block
        }
        block.period = "\(TextBuffer.date(first)) to \(TextBuffer.date(last)), \(average.zone.name)"
        block.head = ["", "readings", "systolic", "diastolic", "pulse"]
        block.rows = means(average)
        let measured = average.daysMeasured == average.days.count ? "" : " of \(average.daysMeasured) measured"
        let single = average.singleSessions == 0 ? "" : " (\(average.singleSessions) of a single reading)"
        let remark = english.remark(average.rule.planEvidence)
        var plan = average.plannedReadings.map { "; the plan asks for \($0) readings\(remark)" } ?? ""
        if let days = average.rule.plannedDays, average.daysMeasured > days { plan += " on \(days) days: --since narrows the period" }
        block.facts += [.init("days", "\(average.days.count)\(measured), \(Plural.text(average.sessions, "session"))\(single)\(plan)")]
        block.facts += leftOut(average)
        let remarks = ProtocolAverage.toldFlags.compactMap { flag in average.flagged[flag].map { "\($0) \(Self.words(flag))" } }
        if !remarks.isEmpty { block.facts.append(.init("with remarks", remarks.joined(separator: ", "))) }
        if average.isOfBothArms { block.facts.append(.init("arms", english.bothArms)) }
        if let words = completeness(average) { block.facts.append(.init("completeness", words)) }
        block.facts += differences(average) + judgement(average)
        return block
    }

    private func means(_ average: ProtocolAverage) -> [[String]] {
        var rows: [[String]] = []
        for (name, sums) in [("all", average.all), ("morning", average.morning), ("evening", average.evening)] where sums.count > 0 {
            rows.append(row(name, sums))
        }
        if average.rule.isTrendOnly {
            for week in average.weeks { rows.append(row(TextBuffer.date(week.monday), week.sums.mean)) }
        }
        return rows
    }

    private func row(_ name: String, _ sums: PressureMean) -> [String] {
        let threshold = lines.guideline?.thresholds[lines.setting]
        return [
            name, "\(sums.count)", sums.systolic?.printed(near: threshold?.systolic) ?? "-",
            sums.diastolic?.printed(near: threshold?.diastolic) ?? "-", sums.pulse?.rounded(places: 0).text ?? "-",
        ]
    }

    private func leftOut(_ average: ProtocolAverage) -> [ReportBlock.Fact] {
        let parts = average.leftOut.map { "\($0.value): \($0.key.sentence)" }.sorted()
        return parts.enumerated().map { .init($0.offset == 0 ? "left out" : "", $0.element) }
    }

    /// `nil` for a rule without a least number.
    private func completeness(_ average: ProtocolAverage) -> String? {
        let rule = average.rule
        if rule.isTrendOnly { return "\(rule.name) follows a trend; it has no single result" }
        guard let worst = average.shortfalls.first else {
            return rule.least == AveragingRule.Least() ? nil : "enough for \(rule.name)"
        }
        let unit =
            switch worst.number {
            case .leastReadings: "readings that count"
            case .leastReadingsMeasured: "readings, those left out included"
            case .leastDays: "days that count"
            default: "days"
            }
        return "too few for \(rule.name): \(worst.found) of \(worst.least) \(unit)"
            + (rule.evidence(of: worst.number).map(english.remark) ?? "")
    }

    private func differences(_ average: ProtocolAverage) -> [ReportBlock.Fact] {
        var rows: [ReportBlock.Fact] = []
        if let difference = average.morningMinusEvening {
            let words =
                "morning less evening \(difference.systolic.rounded(places: 1).text)/\(difference.diastolic.rounded(places: 1).text) mmHg"
            rows.append(.init("difference", words))
        }
        if let trend = average.trend {
            let numbers = "\(trend.systolic.rounded(places: 1).text)/\(trend.diastolic.rounded(places: 1).text) mmHg"
            rows.append(.init("trend", "last \(trend.days) days less first \(trend.days) days \(numbers)"))
        }
        if let (systolic, diastolic) = average.dayToDay {
            func pair(_ first: Double, _ second: Double) -> String { "\(english.oneDecimal(first))/\(english.oneDecimal(second))" }
            var words = "SD (sample) \(pair(systolic.standardDeviation, diastolic.standardDeviation)) mmHg, "
            words += "CV \(pair(systolic.coefficientOfVariation, diastolic.coefficientOfVariation)) %"
            if let first = systolic.averageReal, let second = diastolic.averageReal {
                words += ", ARV \(first.rounded(places: 1).text)/\(second.rounded(places: 1).text) mmHg"
            }
            rows.append(.init("day to day", words + ", of the means of \(systolic.count) days"))
        }
        return rows
    }

    private func judgement(_ average: ProtocolAverage) -> [ReportBlock.Fact] {
        guard let guideline = lines.guideline else { return [] }
        let judgement = lines.judgement(of: average)
        var rows: [ReportBlock.Fact] = []
        if let threshold = guideline.thresholds[lines.setting] {
            var words = english.threshold(threshold, guideline, lines.setting)
            if let judgement, judgement.means.first?.window == nil, let reached = judgement.reached {
                words += ": systolic \(english.reached(reached.systolic)), diastolic \(english.reached(reached.diastolic))"
            } else if let judgement {
                words += judgement.means.map {
                    "; \($0.window?.rawValue ?? "all"): systolic \(english.reached($0.systolicReached)), diastolic \(english.reached($0.diastolicReached))"
                }.joined()
            } else if !lines.isAdult {
                words += "; not compared without --adult"
            }
            rows.append(.init("threshold", words))
        }
        if let words = english.officeValue(guideline, lines.setting) { rows.append(.init("office", words)) }
        if let judgement, let fact = english.classFact(judgement) { rows += [fact, .init("source", guideline.source)] }
        if let word = english.superseded(guideline.document), !rows.isEmpty { rows.append(.init("guideline", word)) }
        return rows
    }

    static func append(_ reading: HomeReading, _ fate: ReadingFate, zone: ZoneTable, to text: inout TextBuffer) {
        let time = reading.time.map { String($0.text(in: zone).prefix(16)).replacing("T", with: " ") } ?? "(time unknown)"
        let (systolic, diastolic) = (TextBuffer.rounded(reading.systolic), TextBuffer.rounded(reading.diastolic))
        var line = time.padded(to: 17) + systolic.indented(to: 5) + "/" + diastolic.padded(to: 5)
        switch reading.person {
        case .named(let name): line += " " + name
        case .unnamed(let slot?, let cuff): line += " user \(slot)" + (cuff.map { $0 == Household.typedIn ? "" : " of \($0)" } ?? "")
        case .unnamed: break
        }
        if let place = fate.place { line += "  day \(place.day), session \(place.session), \(place.window.rawValue)" }
        line += fate.leavingOut.map { "  left out: \($0.sentence)" } ?? "  counts"
        text.append(string: line + "\n")
    }

    static func title(_ rule: AveragingRule) -> String {
        guard !rule.title.isEmpty else { return rule.name }
        return "\(rule.name): \(rule.title)\(rule.year.map { ", \($0)" } ?? "")\(Language.english.mark(rule.evidence))"
    }

    static func words(_ flag: MeasurementFlags) -> String {
        flag == .averaged ? "the cuff's averages" : flag.text(separator: ",").replacing("_", with: " ")
    }
}
