import CuffClinical
import CuffCore
import CuffIngest

/// A recording of a day and a night as a person reads it at a terminal.
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
        for (name, sums) in [("24 hours", recording.all), ("day", recording.day), ("night", recording.night)] where sums.count > 0 {
            block.rows.append(row(name, sums))
        }
        if let byHours = recording.byHours {
            block.rows.append(["by hours", "", byHours.systolic.rounded(places: 1).text, byHours.diastolic.rounded(places: 1).text, ""])
        }
        let hours = recording.hours
        let kind = recording.plan.diary == nil ? "fixed hours\(AverageText.mark(rule.evidence))" : "diary"
        block.facts = [
            .init("hours", "day \(AmbulatoryRecording.clock(hours.day)), night \(AmbulatoryRecording.clock(hours.night)) (\(kind))")
        ]
        block.facts += validity + indices + thresholds
        return block
    }

    static func lines(_ guideline: PressureGuideline?) -> ReferenceLines {
        guard let threshold = guideline?.thresholds[.ambulatory24h] ?? guideline?.thresholds[.ambulatoryDay] else { return .home }
        return ReferenceLines(systolic: Double(threshold.systolic), diastolic: Double(threshold.diastolic))
    }

    private var validity: [ReportBlock.Fact] {
        let (valid, expected) = (recording.all.count, recording.expected)
        let share = expected > 0 ? " (\(AmbulatoryRecording.percent(valid, expected)) %)" : ""
        var words = "\(valid) valid of \(expected) "
        words += recording.plan.dayMinutes ?? recording.plan.nightMinutes == nil ? "tried" : "planned"
        words += share + (recording.failed > 0 ? "; \(recording.failed) failed" : "")
        let reasons = recording.leftOut.map { "\($0.value) left out: \($0.key.sentence)" }.sorted()
        words += reasons.map { "; \($0)" }.joined()
        guard !recording.isValid else {
            return [.init("measurements", words), .init("validity", "a valid recording by \(recording.rule.name)")]
        }
        let missing = recording.shortfalls.map {
            $0.measure == "percent" ? "\($0.found) of \($0.least) %" : "\($0.found) of \($0.least) by \($0.measure)"
        }
        return [
            .init("measurements", words),
            .init("validity", "not a valid recording by \(recording.rule.name): \(missing.joined(separator: ", "))"),
        ]
    }

    private func row(_ name: String, _ sums: PressureSums) -> [String] {
        [
            name, "\(sums.count)", sums.systolic?.rounded(places: 1).text ?? "-", sums.diastolic?.rounded(places: 1).text ?? "-",
            sums.pulse?.rounded(places: 0).text ?? "-",
        ]
    }

    private var indices: [ReportBlock.Fact] {
        var rows: [ReportBlock.Fact] = []
        if let fall = recording.fallInPercent {
            let word = recording.dipping.map { ": \($0.rawValue.replacing("_", with: " ")), that night" } ?? ""
            rows.append(.init("nightly fall", "\(fall.rounded(places: 1).text) % systolic\(word)"))
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
        return recording.loads(guideline).compactMap { load in
            guard let threshold = guideline.thresholds[load.setting] else { return nil }
            let part = AverageText.settingWords(load.setting)
            var words = "\(threshold.systolic)/\(threshold.diastolic) mmHg (\(part), \(guideline.title), \(guideline.year)"
            words += AverageText.mark(threshold.evidence) + ")"
            if load.readings > 0 {
                words += ": \(AmbulatoryRecording.percent(load.systolic, load.readings)) % of the systolic and "
                words += "\(AmbulatoryRecording.percent(load.diastolic, load.readings)) % of the diastolic readings reach it"
            }
            if isAdult, let reached = recording.judgement(guideline, load.setting)?.reached {
                words += "; mean: systolic \(AverageText.words(reached.systolic)), diastolic \(AverageText.words(reached.diastolic))"
            }
            return .init("threshold", words)
        }
    }
}
