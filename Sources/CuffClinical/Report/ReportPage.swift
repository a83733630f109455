import CuffCore

/// Draws a `Report` as one self-contained HTML page: no script, nothing loaded, all text escaped. Each person has a section, which is
/// printed on separate paper.
package struct ReportPage: Sendable {
    package let report: Report
    /// Name and version of the program, for the foot of the page.
    package let generator: String
    package let language: Language
    private let others: [Report]
    private let paper: Paper

    package enum Paper: String, Sendable, Hashable, CaseIterable { case a4, letter }

    /// `others` are the reports of the other persons on the same page, in their order.
    package init(
        _ report: Report, _ others: [Report] = [], generator: String = "cuff", paper: Paper = .a4, language: Language = .english
    ) {
        (self.report, self.others, self.generator, self.paper) = (report, others, generator, paper)
        self.language = language
    }

    /// Appends the whole page; `generated` is printed in its foot.
    package func append(generated: Timestamp, to text: inout TextBuffer) {
        let title = report.person.isEmpty ? language[.bloodPressure] : language[.bloodPressureOf, report.person]
        text.append(
            html: """
                <!DOCTYPE html>
                <html lang="\(language.code)">
                <head>
                <meta charset="utf-8">
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>\(title)</title>
                <style>

                """)
        for style in [PackageResources.shared_css, PackageResources.report_css] { text.append(bytes: style.span) }
        let reports = [report] + others
        ReportPaper(paper: paper, language: language, persons: reports.map(\.name)).append(to: &text)
        text.append("</style>\n</head>\n<body>\n<main>\n")
        for (place, one) in reports.enumerated() {
            text.append(html: "<section class=\"person p\(place)\">\n")
            ReportPage(one, generator: generator, language: language).appendBody(generated, to: &text)
            text.append("</section>\n")
        }
        text.append("</main>\n</body>\n</html>\n")
    }

    private func appendBody(_ generated: Timestamp, to text: inout TextBuffer) {
        appendHead(to: &text)
        if report.count == 0 { text.append(html: "<p>\(language[.noReadings])</p>\n") }
        if report.count > 0 || report.leftOutCount > 0 { ReportBox(report: report, language: language).append(to: &text) }
        if report.count > 0 {
            text.append("<figure>\n")
            ReportChart.append(report, language, to: &text)
            text.append("</figure>\n")
        }
        for block in report.blocks { block.appendMarkup(to: &text) }
        if report.count > 0, report.listsReadings { ReportDiary(report, language).append(to: &text) }
        appendFoot(generated, to: &text)
        if report.explains {
            ReportExplanation(report: report, generator: generator, language: language).append(to: &text)
        }
    }

    private func day(_ time: Timestamp) -> Int64 { WallTime.floor(report.zone.wall(at: time.seconds), 86400) }

    private func appendHead(to text: inout TextBuffer) {
        text.append(html: "<header><h1>\(language[.bloodPressure])</h1>")
        if !report.name.isEmpty { text.append(html: "<div class=\"who\">\(report.name)</div>") }
        if let first = report.tally.first.map(day), let last = report.tally.last.map(day) {
            let period = first == last ? language.full(first) : language[.period, language.full(first), language.full(last)]
            text.append(html: "<div class=\"when\">\(period)</div>")
        }
        text.append("</header>\n")
    }

    private func appendFoot(_ generated: Timestamp, to text: inout TextBuffer) {
        var paragraphs: [String] = []
        if report.count > 0 {
            let windows = report.windows
            let midnight = windows.evening.upperBound > 1440 ? " " + language[.afterMidnight] : ""
            paragraphs = [
                language[.markNote] + " " + language[.windows, windows.hours(.morning), windows.hours(.evening)] + midnight
            ]
        }
        let names = report.sources.enumerated().map { index, source in
            let count = report.tally.bySource[index] ?? 0
            let name = source.driver == "manual" ? language[.typedIn] : source.name
            return name + (count > 0 ? " (\(language[.readings, count]))" : "")
        }
        if !names.isEmpty { paragraphs.append(language[.measuredWith, names.joined(separator: ", ")]) }
        let times = Report.Entry.TimeBasis.allCases.filter { report.tally.count($0) > 0 }.map {
            "\(report.tally.count($0)) \(language.word("time", $0.rawValue))"
        }
        if !times.isEmpty { paragraphs.append(language[.times, report.zone.name, times.joined(separator: "; ")]) }
        let made = language.moment(report.zone.wall(at: generated.seconds))
        paragraphs.append(language[.madeWith, generator, made] + " " + language[.intendedUse])
        text.append("<footer>\n")
        for paragraph in paragraphs { text.append(html: "<p>\(paragraph)</p>\n") }
        text.append("</footer>\n")
    }

    static func whole(_ value: Double?) -> String { value.map { "\(Int($0.rounded()))" } ?? "–" }
    /// `134/84`, with as many decimals as keep each on its side of the threshold.
    static func pair(_ statistics: ReadingStatistics, _ lines: ReferenceLines) -> String {
        guard let systolic = statistics.systolic.average(), let diastolic = statistics.diastolic.average() else { return "–/–" }
        return "\(Decimals.whole(systolic, near: lines.systolic))/\(Decimals.whole(diastolic, near: lines.diastolic))"
    }
}
