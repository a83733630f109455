import CuffCore

/// Home averages as JSON lines: `average`, one for each person and cuff, and `average_reading`, one for each reading with its result.
package struct AverageLines: Sendable {
    /// The cuffs by their numbers in the averages.
    package var sources: [Provenance]
    /// The guideline whose thresholds and classes are printed; `nil` for none.
    package var guideline: PressureGuideline?
    package var setting: PressureSetting
    /// Whether the person was declared an adult; otherwise no mean is compared.
    package var isAdult: Bool

    package init(sources: [Provenance], guideline: PressureGuideline? = nil, setting: PressureSetting = .home, isAdult: Bool = false) {
        self.sources = sources
        self.guideline = guideline
        self.setting = setting
        self.isAdult = isAdult
    }

    /// The mean compared with the guideline; `nil` if it may not be compared.
    package func judgement(of average: ProtocolAverage) -> Judgement? {
        guard isAdult, average.isComplete, let guideline else { return nil }
        let compared: [(DayWindow?, PressureMean)] =
            comparesMorningAndEvening ? [(.morning, average.morning), (.evening, average.evening)] : [(nil, average.all)]
        let means = compared.compactMap { window, mean in
            mean.systolic.flatMap { systolic in mean.diastolic.map { Judgement.Mean(window, systolic: systolic, diastolic: $0) } }
        }
        return means.isEmpty ? nil : Judgement(guideline, setting, means)
    }

    /// Whether the guideline compares the mean of the mornings and that of the evenings, which it does at home only.
    package var comparesMorningAndEvening: Bool { setting == .home && guideline?.comparesMorningAndEvening == true }

    package func append(_ average: ProtocolAverage, _ owner: HomeAverages.Owner, to text: inout TextBuffer) {
        text.append("{\"type\":\"average\",\"schema\":1")
        append(average.rule, to: &text)
        append(owner, to: &text)
        text.append(key: "zone", average.zone.name)
        text.append(key: "setting", setting.rawValue)
        if let span = average.span {
            text.append(key: "from", span.lowerBound.text(in: average.zone))
            text.append(key: "to", span.upperBound.text(in: average.zone))
        }
        if let day = average.firstDay { text.append(key: "day_1", TextBuffer.date(day)) }
        text.append(key: "readings", average.all.count)
        text.append(key: "readings_measured", average.readingsMeasured)
        if let planned = average.plannedReadings {
            text.append(key: "planned", planned)
            text.append(key: "planned_evidence", average.rule.planEvidence.rawValue)
        }
        text.append(key: "days", average.days.count)
        text.append(key: "days_measured", average.daysMeasured)
        text.append(key: "sessions", average.sessions)
        text.append(key: "single_sessions", average.singleSessions)
        text.append(key: "complete", average.shortfalls.isEmpty)
        appendCounts(average, to: &text)
        append(average.all, to: &text)
        if average.rule.averagesSessions { text.append(key: "mean_of", "sessions") }
        for (name, sums) in [("morning", average.morning), ("evening", average.evening)] where sums.count > 0 {
            text.append(string: ",\"\(name)\":{\"readings\":\(sums.count)")
            append(sums, to: &text)
            text.append("}")
        }
        if let difference = average.morningMinusEvening {
            text.append(",\"morning_minus_evening\":{")
            append(difference.systolic, difference.diastolic, to: &text)
            text.append("}")
        }
        if let trend = average.trend {
            text.append(string: ",\"trend\":{\"days\":\(trend.days),")
            append(trend.systolic, trend.diastolic, to: &text)
            text.append("}")
        }
        if let differing = average.dayToDay {
            text.append(string: ",\"day_to_day\":{\"days\":\(differing.systolic.count),\"systolic_mmHg\":")
            differing.systolic.append(to: &text)
            text.append(",\"diastolic_mmHg\":")
            differing.diastolic.append(to: &text)
            text.append("}")
        }
        if average.rule.isTrendOnly { appendWeeks(average, to: &text) }
        appendJudgement(average, to: &text)
        text.append("}\n")
    }

    private func append(_ rule: AveragingRule, to text: inout TextBuffer) {
        text.append(key: "rule", rule.name)
        guard let document = rule.document else { return }
        document.appendFacts("rule_", to: &text)
        text.append(key: "rule_evidence", rule.evidence.rawValue)
        text.append(key: "rule_source", document.citation)
    }

    private func append(_ owner: HomeAverages.Owner, to text: inout TextBuffer) {
        if let name = owner.person.name { text.append(key: "person", name) }
        if let slot = owner.person.slot { text.append(key: "user", slot) }
        guard let source = owner.source, sources.indices.contains(source) else { return }
        text.append(key: "driver", sources[source].driver)
        text.append(key: "device", sources[source].device)
    }

    private func appendCounts(_ average: ProtocolAverage, to text: inout TextBuffer) {
        if !average.shortfalls.isEmpty {
            text.append(key: "too_few")
            Shortfall.append(average.shortfalls, average.rule.evidence, to: &text)
        }
        text.append(key: "left_out", counts: average.leftOut.map { ($0.key.word, $0.value) }.sorted { $0.0 < $1.0 })
        if average.isOfBothArms { text.append(key: "both_arms", true) }
        let flags = ProtocolAverage.toldFlags.compactMap { flag in average.flagged[flag].map { (flag.text(separator: ","), $0) } }
        text.append(key: "flags", counts: flags)
    }

    private func append(_ mean: PressureMean, to text: inout TextBuffer) {
        guard let systolic = mean.systolic, let diastolic = mean.diastolic else { return }
        text.append(0x2C)
        append(systolic, diastolic, near: guideline?.thresholds[setting], to: &text)
        if let pulse = mean.pulse {
            text.append(",\"pulse_per_min\":")
            append(pulse, to: &text)
        }
    }

    private func append(_ systolic: Fraction, _ diastolic: Fraction, near threshold: PressureThreshold? = nil, to text: inout TextBuffer) {
        text.append("\"systolic_mmHg\":")
        append(systolic, near: threshold?.systolic, to: &text)
        text.append(",\"diastolic_mmHg\":")
        append(diastolic, near: threshold?.diastolic, to: &text)
    }

    private func append(_ number: Fraction, near threshold: Int? = nil, to text: inout TextBuffer) {
        text.append(string: "{\"exact\":\"\(number.text)\",\"avg\":\(number.rounded(places: 2, near: threshold).text)")
        if let threshold { text.append(string: ",\"text\":\"\(number.printed(near: threshold))\"") }
        text.append("}")
    }

    private func appendWeeks(_ average: ProtocolAverage, to text: inout TextBuffer) {
        text.append(key: "weeks")
        text.append(list: average.weeks) { week, text in
            text.append(string: "{\"from\":\"\(TextBuffer.date(week.monday))\",\"readings\":\(week.sums.count)")
            append(PressureMean(week.sums), to: &text)
            text.append("}")
        }
    }

    private func appendJudgement(_ average: ProtocolAverage, to text: inout TextBuffer) {
        guard let guideline else { return }
        let judgement = judgement(of: average)
        if let threshold = guideline.thresholds[setting] {
            text.append(",\"threshold\":{\"guideline\":")
            text.append(jsonString: guideline.name)
            guideline.document.appendFacts("", to: &text)
            text.append(string: ",\"evidence\":\"\(threshold.evidence.rawValue)\"")
            text.append(string: ",\"systolic_mmHg\":\(threshold.systolic),\"diastolic_mmHg\":\(threshold.diastolic)")
            if setting == .office, let value = guideline.officeValue { text.append(key: "office_value", value.rawValue) }
            if comparesMorningAndEvening { text.append(key: "compared", "morning_or_evening") }
            if let judgement { appendReached(judgement, to: &text) }
            text.append("}")
        }
        judgement?.appendClass(to: &text)
    }

    private func appendReached(_ judgement: Judgement, to text: inout TextBuffer) {
        guard let reached = judgement.reached else { return }
        text.append(string: ",\"systolic_reached\":\(reached.systolic),\"diastolic_reached\":\(reached.diastolic)")
        for mean in judgement.means {
            guard let window = mean.window else { continue }
            text.append(string: ",\"\(window.rawValue)\":{\"systolic_reached\":\(mean.systolicReached)")
            text.append(string: ",\"diastolic_reached\":\(mean.diastolicReached)}")
        }
    }

    package func append(_ reading: HomeReading, _ fate: ReadingFate, rule: AveragingRule, zone: ZoneTable, to text: inout TextBuffer) {
        text.append("{\"type\":\"average_reading\",\"schema\":1")
        text.append(key: "rule", rule.name)
        text.append(key: "id", reading.id)
        append(HomeAverages.Owner(person: reading.person, source: reading.source), to: &text)
        if let time = reading.time { text.append(key: "measured", time.text(in: zone)) }
        text.append(key: "systolic_mmHg", rounded: reading.systolic)
        text.append(key: "diastolic_mmHg", rounded: reading.diastolic)
        text.append(key: "counts", fate.leavingOut == nil)
        if let reason = fate.leavingOut { text.append(key: "reason", reason.word) }
        if let place = fate.place {
            text.append(key: "day", place.day)
            text.append(key: "session", place.session)
            text.append(key: "number_in_session", place.numberInSession)
            text.append(key: "window", place.window.rawValue)
        }
        text.append("}\n")
    }
}

extension GuidelineDocument {
    /// Year, date, DOI and successor as members of a JSON object.
    func appendFacts(_ prefix: String, to text: inout TextBuffer) {
        if let year { text.append(string: ",\"\(prefix)year\":\(year)") }
        for (key, value) in [("date", date), ("updated", updated), ("doi", doi), ("superseded_by", supersededBy ?? "")] where !value.isEmpty
        {
            text.append(string: ",\"\(prefix)\(key)\":")
            text.append(jsonString: value)
        }
    }
}

extension Judgement {
    /// `,"class":{…}`; nothing where the guideline has no table.
    func appendClass(to text: inout TextBuffer) {
        guard let className, let classEvidence else { return }
        text.append(",\"class\":{\"guideline\":")
        text.append(jsonString: guideline.name)
        guideline.document.appendFacts("", to: &text)
        text.append(key: "evidence", classEvidence.rawValue)
        text.append(key: "name", className)
        if !condition.isEmpty { text.append(key: "condition", condition) }
        if let isIsolatedSystolic { text.append(key: "isolated_systolic", isIsolatedSystolic) }
        if let remark = isolated.first {
            if !remark.isSystolic { text.append(key: "isolated_diastolic", true) }
            text.append(key: "isolated_evidence", remark.evidence.rawValue)
        }
        text.append(key: "source", guideline.source)
        text.append("}")
    }
}
