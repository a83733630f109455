import CuffCore

/// The first box of a report: averages by the rule, how they compare, how complete they are, and what was noted.
struct ReportBox {
    let report: Report
    let language: Language

    func append(to text: inout TextBuffer) {
        text.append("<section class=\"box\">\n")
        for (cuff, average) in report.averages {
            let summary = AverageSummary(average: average, lines: report.lines, language: language)
            if !cuff.isEmpty { text.append(html: "<h2>\(cuff)</h2>\n") }
            text.append("<div class=\"facts\">")
            fact("main", language[.average], summary.pair(average.all), "mmHg", to: &text)
            for (name, mean) in summary.parts {
                fact("", language[name], summary.pair(mean), language[.readings, mean.count], to: &text)
            }
            fact("", language[.pulse], summary.pulse(average.all), language[.perMinute], to: &text)
            text.append("</div>\n<dl>\n")
            row(.completeness, summary.completeness, to: &text)
            row(.rule, summary.rule, to: &text)
            let judgement = summary.judgement(report.guideline, isAdult: report.isAdult)
            if !judgement.isEmpty { row(.compared, "\(report.lines.numbers) mmHg: \(judgement.joined(separator: "; "))", to: &text) }
            row(.noted, summary.flagged, to: &text)
            row(.average, summary.arms, to: &text)
            text.append("</dl>\n")
        }
        appendOfAll(to: &text)
        text.append("</section>\n")
    }

    private func fact(_ name: String, _ words: String, _ value: String, _ detail: String, to text: inout TextBuffer) {
        text.append(html: "<div class=\"\(name)\"><small>\(words)</small><b>\(value)</b><small>\(detail)</small></div>")
    }

    private func row(_ name: Phrase, _ words: String, to text: inout TextBuffer) {
        guard !words.isEmpty else { return }
        text.append(html: "<div><dt>\(language[name])</dt><dd>\(words)</dd></div>\n")
    }

    /// What is of all readings, whatever the rule.
    private func appendOfAll(to text: inout TextBuffer) {
        text.append("<dl>\n")
        if report.count > 0 {
            let lines = report.lines
            let share = Int((Double(report.tally.reached) / Double(report.count) * 100).rounded())
            let words = language[.atOrAbove, report.tally.reached, language[.readings, report.count], share]
            row(.compared, "\(lines.numbers) mmHg: \(words) (\(lines.origin(language)))", to: &text)
            let all = report.tally.all
            row(
                .range,
                "\(language[.systolic]) \(Self.range(all.systolic)), \(language[.diastolic]) \(Self.range(all.diastolic)) mmHg, "
                    + "\(language[.pulse]) \(Self.range(all.pulse))", to: &text)
        }
        let marks = Self.marks(report)
        let medicines = report.medicines.keys.sorted().map { "\(marks[$0] ?? "") \($0) (\(report.medicines[$0] ?? 0))" }
        row(.medicines, medicines.joined(separator: ", "), to: &text)
        var reasons: [String] = []
        for reason in Exclusion.allCases {
            guard let count = report.leftOutByReason[reason] else { continue }
            reasons.append(
                reason == .notABloodPressure ? language[.failed, count] : "\(count): \(language.word("reason", reason.rawValue))")
        }
        row(.leftOut, reasons.joined(separator: "; "), to: &text)
        text.append("</dl>\n")
    }

    /// A circled number for each medicine of the box, which the table of readings uses: `①`.
    static func marks(_ report: Report) -> [String: String] {
        let names = report.medicines.keys.sorted().enumerated()
        return Dictionary(
            uniqueKeysWithValues: names.map { ($0.element, Unicode.Scalar(0x2460 + UInt32($0.offset)).map { "\($0)" } ?? "") })
    }

    private static func range(_ quantity: QuantityStatistics) -> String {
        guard let low = quantity.minimum?.value, let high = quantity.maximum?.value else { return "–" }
        return ReportPage.whole(low) == ReportPage.whole(high)
            ? ReportPage.whole(low) : "\(ReportPage.whole(low))–\(ReportPage.whole(high))"
    }
}
