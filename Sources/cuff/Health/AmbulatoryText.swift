import CuffClinical
import CuffCore
import CuffIngest

/// Prints a 24-hour recording at a terminal.
struct AmbulatoryText {
    let recording: AmbulatoryRecording
    let guideline: PressureGuideline?
    let isAdult: Bool

    var block: ReportBlock {
        let rule = recording.rule
        var block = ReportBlock("\(rule.name): \(rule.title), \(rule.year)\(AverageText.mark(rule.evidence))")
        if let span = recording.span {
            let times = [span.lowerBound, span.upperBound].map { String($0.text(in: recording.zone).prefix(16)).replacing("T", with: " ") }
            block.period = "\(times[0]) to \(times[1]), \(recording.zone.name)"
        }
        block.head = ["", "readings", "systolic", "diastolic", "pulse"]
        let parts: [(String, PressureSums, PressureSetting)] = [
            ("24 hours", recording.all, .ambulatory24h), ("day", recording.day, .ambulatoryDay),
            ("night", recording.night, .ambulatoryNight),
        ]
        for (name, sums, setting) in parts where sums.count > 0 { block.rows.append(row(name, sums, guideline?.thresholds[setting])) }
        if let byHours = recording.byHours {
            block.rows.append(["by hours", "", byHours.systolic.rounded(places: 1).text, byHours.diastolic.rounded(places: 1).text, ""])
        }
        let hours = recording.hours
        let kind = recording.plan.diary == nil ? "fixed hours\(rule.evidence(of: .hours).map(AverageText.mark) ?? "")" : "diary"
        block.facts = [
            .init("hours", "day \(AmbulatoryRecording.clock(hours.day)), night \(AmbulatoryRecording.clock(hours.night)) (\(kind))")
        ]
        if let word = AverageText.superseded(rule.document) { block.facts.insert(.init("rule", word), at: 0) }
        block.facts += validity + indices + thresholds
        return block
    }

    static func lines(_ guideline: PressureGuideline?) -> ReferenceLines {
        let hasWhole = guideline?.thresholds[.ambulatory24h] != nil || guideline?.thresholds[.ambulatoryDay] == nil
        return ReferenceLines(guideline, hasWhole ? .ambulatory24h : .ambulatoryDay)
    }

    private var validity: [ReportBlock.Fact] {
        let (valid, expected) = (recording.all.count, recording.expected)
        let share = expected > 0 ? " (\(AmbulatoryRecording.percent(valid, expected)) %)" : ""
        var words = "\(valid) valid of \(expected) "
        words += recording.plan.dayMinutes ?? recording.plan.nightMinutes == nil ? "tried" : "planned"
        words += share + (recording.failed > 0 ? "; \(recording.failed) failed" : "")
        let reasons = recording.leftOut.map { "\($0.value) left out: \($0.key.sentence)" }.sorted()
        words += reasons.map { "; \($0)" }.joined()
        let rule = recording.rule
        guard !recording.isValid else {
            let fewer = recording.fewerThanUsual.map {
                $0.measure == "all"
                    ? "; \($0.found) of usually \($0.least) or more" : "; \($0.found) of preferably \($0.least) at \($0.measure)"
            }
            return [
                .init("measurements", words),
                .init("validity", "a valid recording by \(rule.name)\(AverageText.remark(rule.evidence))\(fewer.joined())"),
            ]
        }
        let missing = recording.shortfalls.map {
            ($0.measure == "percent" ? "\($0.found) of \($0.least) %" : "\($0.found) of \($0.least) by \($0.measure)")
                + (rule.evidence(of: $0.number).map(AverageText.remark) ?? "")
        }
        return [
            .init("measurements", words),
            .init("validity", "not a valid recording by \(recording.rule.name): \(missing.joined(separator: ", "))"),
        ]
    }

    private func row(_ name: String, _ sums: PressureSums, _ threshold: PressureThreshold?) -> [String] {
        [
            name, "\(sums.count)", sums.systolic?.rounded(places: 1, near: threshold?.systolic).text ?? "-",
            sums.diastolic?.rounded(places: 1, near: threshold?.diastolic).text ?? "-", sums.pulse?.rounded(places: 0).text ?? "-",
        ]
    }

    private var indices: [ReportBlock.Fact] {
        var rows: [ReportBlock.Fact] = []
        if let fall = recording.fallInPercent {
            typealias Dipping = AmbulatoryRecording.Dipping
            let origin = "\(Dipping.document.id)\(AverageText.mark(Dipping.evidence))"
            let word = recording.dipping.map { ": \($0.rawValue.replacing("_", with: " ")), that night (\(origin))" } ?? ""
            let number = fall.rounded(places: 1) { Dipping(fallInPercent: $0) }.text
            rows.append(.init("nightly fall", "\(number) % systolic\(word)"))
        }
        if let surge = recording.surge {
            if let value = surge.sleepTrough { rows.append(.init("surge", "\(value.rounded(places: 1).text) mmHg from the sleep trough")) }
            if let value = surge.preWaking { rows.append(.init("surge", "\(value.rounded(places: 1).text) mmHg from before waking")) }
        }
        for (name, differing) in [("systolic", recording.systolicDiffering), ("diastolic", recording.diastolicDiffering)] {
            guard let all = differing.all else { continue }
            var words = "\(name): SD (sample) \(AverageText.oneDecimal(all.standardDeviation))"
            if let weighted = differing.weightedDeviation { words += ", weighted by day and night \(AverageText.oneDecimal(weighted))" }
            if let steps = all.averageReal { words += ", ARV \(steps.rounded(places: 1).text)" }
            if let steps = differing.averageRealByTime { words += ", weighted by time \(steps.rounded(places: 1).text)" }
            rows.append(.init("variability", words + " mmHg, CV \(AverageText.oneDecimal(all.coefficientOfVariation)) %"))
        }
        return rows
    }

    private var thresholds: [ReportBlock.Fact] {
        guard let guideline else { return [] }
        var facts = recording.loads(guideline).flatMap { load -> [ReportBlock.Fact] in
            guard let threshold = guideline.thresholds[load.setting] else { return [] }
            var words = AverageText.threshold(threshold, guideline, load.setting)
            if load.readings > 0 {
                words += ": \(AmbulatoryRecording.percent(load.systolic, load.readings)) % of the systolic and "
                words += "\(AmbulatoryRecording.percent(load.diastolic, load.readings)) % of the diastolic readings reach it"
            }
            guard isAdult, let judgement = recording.judgement(guideline, load.setting) else { return [.init("threshold", words)] }
            if let reached = judgement.reached {
                words += "; mean: systolic \(AverageText.words(reached.systolic)), diastolic \(AverageText.words(reached.diastolic))"
            }
            let part = load.setting.words.description.replacing("ambulatory, ", with: "") + ": "
            return [.init("threshold", words)] + AverageText.classFacts(judgement, part).filter { $0.name == "class" }
        }
        if let word = AverageText.superseded(guideline.document) { facts.append(.init("guideline", word)) }
        return facts
    }
}
