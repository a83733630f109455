import CuffCore

/// The appendix of a report: the rule with its sources, the averages as exact fractions, each reading with what became of it, and what is
/// no blood pressure. Every printed average can be recomputed from it.
struct ReportExplanation {
    let report: Report
    let generator: String
    let language: Language

    func append(to text: inout TextBuffer) {
        text.append(html: "<section class=\"explained\"><h2>\(language[.explained])</h2>\n")
        let decoders = Dictionary(report.explained.map { ($0.decoder, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
        let names = decoders.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
        text.append(html: "<p>\(language[.explainedText, generator, names.isEmpty ? "–" : names])</p>\n")
        if let rule = report.averages.first?.average.rule { append(rule, to: &text) }
        appendMeans(to: &text)
        appendReadings(to: &text)
        appendFailures(to: &text)
        text.append("</section>\n")
    }

    private func table(_ name: String, _ head: [Phrase], _ rows: [[String]], to text: inout TextBuffer) {
        guard !rows.isEmpty else { return }
        text.append(html: "<div class=\"wide\"><table class=\"text \(name)\"><thead><tr>\(Markup.cells(head.map { language[$0] }, "th"))")
        text.append("</tr></thead>\n<tbody>\n")
        for row in rows { text.append(html: "<tr>\(Markup.cells(row))</tr>\n") }
        text.append("</tbody></table></div>\n")
    }

    private func append(_ rule: AveragingRule, to text: inout TextBuffer) {
        let source = rule.document.map { ": \($0.citation)\($0.doi.isEmpty ? "" : ", doi \($0.doi)")" } ?? ""
        text.append(html: "<h3>\(language[.rules]) <small>\(rule.name)\(source)</small></h3>\n")
        let rows = rule.numbers.map { number, value in
            let ground = rule.grounds.first { $0.number == number }
            let grade = ground.map { language.word("grade", $0.evidence.rawValue) + ($0.source.isEmpty ? "" : ", \($0.source)") }
            return [language.word("rule", number.rawValue), "\(value)", ground?.quotation ?? "", grade ?? ""]
        }
        table("rule", [.numberOfRule, .value, .quotation, .evidence], rows, to: &text)
    }

    private func appendMeans(to text: inout TextBuffer) {
        text.append(html: "<h3>\(language[.exactMeans])</h3>\n<ul class=\"means\">\n")
        for (cuff, average) in report.averages {
            let means: [(Phrase, PressureMean)] = [(.average, average.all), (.morning, average.morning), (.evening, average.evening)]
            for (name, mean) in means {
                guard let systolic = mean.systolic, let diastolic = mean.diastolic else { continue }
                let pulse = mean.pulse.map { "; \(language[.pulse]) \($0.text)" } ?? ""
                let numbers = "\(language[.systolic]) \(systolic.text); \(language[.diastolic]) \(diastolic.text)\(pulse)"
                text.append(html: "<li>\(cuff.isEmpty ? "" : cuff + ": ")\(language[name]). ")
                text.append(html: "\(language[.exactMean, mean.count]): \(numbers)</li>\n")
            }
        }
        text.append("</ul>\n")
    }

    private func appendReadings(to text: inout TextBuffer) {
        let isMixed = Set(report.explained.map(\.decoder)).count > 1
        let rows = report.explained.map { one in
            let (reading, fate) = (one.reading, one.fate)
            let part: Phrase? = fate.place.map { $0.window == .morning ? .morning : $0.window == .evening ? .evening : .otherTimes }
            return [
                reading.id.description, reading.time.map { $0.text(in: report.zone) } ?? language[.timeUnknown],
                part.map { language[$0] } ?? "–", "\(decimal(reading.systolic))/\(decimal(reading.diastolic))",
                reading.pulse.map(decimal) ?? "–", one.cuff.name + (isMixed ? ", \(one.decoder)" : ""),
                fate.leavingOut.map { language.word("reason", $0.word) } ?? language[.counts],
            ]
        }
        text.append(html: "<h3>\(language[.list])</h3>\n")
        table("ids", [.readingID, .when, .partOfDay, .what, .pulse, .cuff, .why], rows, to: &text)
    }

    private func decimal(_ value: Double) -> String { language.number(TextBuffer.rounded(value)) }

    /// What the averages never see, because it is no blood pressure.
    private func appendFailures(to text: inout TextBuffer) {
        let rows = report.leftOut.compactMap { one -> [String]? in
            guard case .failure(let failure) = one.content else { return nil }
            let code = failure.code.isEmpty ? "" : " (\(failure.code))"
            return [
                one.time.map { language.moment(report.zone.wall(at: $0.seconds)) } ?? language[.timeUnknown],
                language[.failedWith, language.word("failure", failure.reason.word) + code], language.word("reason", one.reason.rawValue),
            ]
        }
        guard !rows.isEmpty else { return }
        text.append(html: "<h3>\(language[.leftOut])</h3>\n")
        table("failures", [.when, .what, .why], rows, to: &text)
    }
}
