import CuffCore

/// A 24-hour recording in words.
package struct AmbulatoryBlock {
    let recording: AmbulatoryRecording
    let guideline: PressureGuideline?
    let isAdult: Bool
    let language: Language

    package init(_ recording: AmbulatoryRecording, _ guideline: PressureGuideline?, isAdult: Bool, language: Language = .english) {
        (self.recording, self.guideline, self.isAdult, self.language) = (recording, guideline, isAdult, language)
    }

    package var block: ReportBlock {
        let rule = recording.rule
        let document = rule.document
        var block = ReportBlock("\(rule.name): \(document.society), \(document.year ?? 0)\(language.mark(rule.evidence))")
        if let span = recording.span {
            let times = [span.lowerBound, span.upperBound].map { String($0.text(in: recording.zone).prefix(16)).replacing("T", with: " ") }
            block.period = "\(language[.fromTo, times[0], times[1]]), \(recording.zone.name)"
        }
        block.head = [""] + language[.recordingHead].split(separator: ";").map(String.init)
        let parts: [(PressureSums, PressureSetting)] = [
            (recording.all, .ambulatory24h), (recording.day, .ambulatoryDay), (recording.night, .ambulatoryNight),
        ]
        for (sums, setting) in parts where sums.count > 0 { block.rows.append(row(part(setting), sums, guideline?.thresholds[setting])) }
        if let byHours = recording.byHours {
            block.rows.append([language[.byHours], "", decimal(byHours.systolic), decimal(byHours.diastolic), ""])
        }
        let hours = recording.hours
        let fixed = language[.fixedHours] + (rule.evidence(of: .hours).map(language.mark) ?? "")
        let kind = recording.plan.diary == nil ? fixed : language[.diary]
        if let words = language.superseded(rule.document) { block.facts.append(.init(language[.ruleName], words)) }
        let clocks = [hours.day, hours.night].map(AmbulatoryRecording.clock)
        block.facts.append(.init(language[.hours], language[.hoursOf, clocks[0], clocks[1], kind]))
        block.facts += validity + indices + thresholds
        return block
    }

    /// The block for the report, with the hours drawn.
    package var drawn: ReportBlock {
        var block = block
        var plot = TextBuffer()
        block.heading = language[.dayAndNight]
        RangePlot(recording, style: RangePlot.Style(width: 90), lines: .ambulatory(guideline), language: language).append(to: &plot)
        block.plot = plot.string
        return block
    }

    private func part(_ setting: PressureSetting) -> String {
        language[setting == .ambulatoryDay ? .byDay : setting == .ambulatoryNight ? .byNight : .wholeDay]
    }

    private func decimal(_ value: Fraction) -> String { language.number(value.rounded(places: 1).text) }

    private func row(_ name: String, _ sums: PressureSums, _ threshold: PressureThreshold?) -> [String] {
        func text(_ value: Fraction?, _ threshold: Int?) -> String {
            value.map { language.number($0.rounded(places: 1, near: threshold).text) } ?? "-"
        }
        return [
            name, "\(sums.count)", text(sums.systolic, threshold?.systolic), text(sums.diastolic, threshold?.diastolic),
            sums.pulse?.rounded(places: 0).text ?? "-",
        ]
    }

    private var validity: [ReportBlock.Fact] {
        let (valid, expected, rule) = (recording.all.count, recording.expected, recording.rule)
        var words = language[recording.hasPlan ? .validOfPlanned : .validOfTried, valid, expected]
        let share = language.number(AmbulatoryRecording.percent(valid, expected, least: rule.leastPercent))
        if expected > 0 { words += " (\(share) %)" }
        if recording.failed > 0 { words += "; \(language[.failedCount, recording.failed])" }
        let reasons = recording.leftOut.map { language[.leftOutCount, $0.value, language.word("reason", $0.key.rawValue)] }.sorted()
        words += reasons.map { "; \($0)" }.joined()
        let fewer = recording.fewerThanUsual.map {
            "; " + language[$0.number == .typicalReadings ? .ofUsually : .ofPreferably, $0.found, $0.least]
        }
        let phrases: [RuleNumber: Phrase] = [.leastPercent: .ofPercent, .leastHours: .ofHours, .leastDay: .ofDay]
        let missing = recording.shortfalls.map { one in
            let phrase = phrases[one.number] ?? .ofNight
            let found = one.number == .leastPercent ? share : "\(one.found)"
            return language[phrase, found, one.least] + (rule.evidence(of: one.number).map(language.remark) ?? "")
        }
        let verdict =
            recording.isValid
            ? language[.validRecording, rule.name] + language.remark(rule.evidence) + fewer.joined()
            : language[.invalidRecording, rule.name, missing.joined(separator: ", ")]
        return [.init(language[.measurements], words), .init(language[.validity], verdict)]
    }

    private var indices: [ReportBlock.Fact] {
        var rows: [ReportBlock.Fact] = []
        if let fall = recording.fallInPercent {
            typealias Dipping = AmbulatoryRecording.Dipping
            let origin = "\(Dipping.document.id)\(language.mark(Dipping.evidence))"
            let words = recording.dipping.map { language[.thatNight, language.word("dipping", $0.rawValue), origin] } ?? ""
            let number = language.number(fall.rounded(places: 1) { Dipping(fallInPercent: $0) }.text)
            rows.append(.init(language[.nightlyFall], language[.fallOf, number] + words))
        }
        if let surge = recording.surge {
            for (phrase, value) in [(Phrase.fromTrough, surge.sleepTrough), (.fromBeforeWaking, surge.preWaking)] {
                if let value { rows.append(.init(language[.surge], language[phrase, decimal(value)])) }
            }
        }
        let pressures = [(Phrase.systolicDeviation, recording.systolicDiffering), (.diastolicDeviation, recording.diastolicDiffering)]
        for (phrase, differing) in pressures {
            guard let all = differing.all else { continue }
            var words = language[phrase, language.oneDecimal(all.standardDeviation)]
            if let weighted = differing.weightedDeviation { words += language[.weightedByDay, language.oneDecimal(weighted)] }
            if let steps = all.averageReal { words += ", ARV \(decimal(steps))" }
            if let steps = differing.averageRealByTime { words += language[.weightedByTime, decimal(steps)] }
            rows.append(.init(language[.variability], words + " mmHg, CV \(language.oneDecimal(all.coefficientOfVariation)) %"))
        }
        return rows
    }

    private var thresholds: [ReportBlock.Fact] {
        guard let guideline else { return [] }
        var facts = recording.loads(guideline).flatMap { load -> [ReportBlock.Fact] in
            guard let threshold = guideline.thresholds[load.setting] else { return [] }
            var words = language.threshold(threshold, guideline, load.setting)
            if load.readings > 0 {
                let shares = [load.systolic, load.diastolic].map { language.number(AmbulatoryRecording.percent($0, load.readings)) }
                words += language[.loads, shares[0], shares[1]]
            }
            guard isAdult, let judgement = recording.judgement(guideline, load.setting) else { return [.init(language[.threshold], words)] }
            if let reached = judgement.reached {
                words += "; " + language[.averageIs, language.reached(reached.systolic), language.reached(reached.diastolic)]
            }
            let ofClass = language.classFact(judgement, "\(part(load.setting)): ")
            return [.init(language[.threshold], words)] + [ofClass].compactMap { $0 }
        }
        if let words = language.superseded(guideline.document) { facts.append(.init(language[.guideline], words)) }
        return facts
    }
}

extension ReferenceLines {
    /// The threshold of 24 hours, else of the day.
    package static func ambulatory(_ guideline: PressureGuideline?) -> ReferenceLines {
        let hasWhole = guideline?.thresholds[.ambulatory24h] != nil || guideline?.thresholds[.ambulatoryDay] == nil
        return ReferenceLines(guideline, hasWhole ? .ambulatory24h : .ambulatoryDay)
    }
}
