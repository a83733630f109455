import CuffCore

/// Draws a `Report` as one self-contained HTML page: no script, nothing loaded, all text escaped. Each person has a section, which is
/// printed on separate paper.
public struct ReportPage: Sendable {
    /// The first person's report.
    public let report: Report
    /// Name and version of the program, for the foot of the page.
    public let generator: String
    private let others: [Report]
    private let paper: Paper

    /// The papers of printers.
    public enum Paper: String, Sendable, Hashable, CaseIterable { case a4, letter }

    /// `others` are the reports of the other persons on the same page, in their order.
    public init(_ report: Report, _ others: [Report] = [], generator: String = "cuff", paper: Paper = .a4) {
        (self.report, self.others, self.generator, self.paper) = (report, others, generator, paper)
    }

    /// Appends the whole page; `generated` is printed in its foot.
    public func append(generated: Timestamp, to text: inout TextBuffer) {
        text.append(
            html: """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>\(report.person.isEmpty ? "Blood pressure" : "Blood pressure of \(report.person)")</title>
                <style>

                """)
        let style = PackageResources.report_css
        text.append(bytes: style.span)
        let reports = [report] + others
        ReportPaper(paper: paper, persons: reports.map(\.name)).append(to: &text)
        text.append("</style>\n</head>\n<body>\n<main>\n")
        for (place, one) in reports.enumerated() {
            text.append(html: "<section class=\"person p\(place)\">\n")
            ReportPage(one, generator: generator).appendBody(generated, to: &text)
            text.append("</section>\n")
        }
        text.append("</main>\n</body>\n</html>\n")
    }

    private func appendBody(_ generated: Timestamp, to text: inout TextBuffer) {
        appendHead(to: &text)
        for block in report.blocks { block.appendMarkup(to: &text) }
        if report.count == 0 {
            text.append("<p>There are no readings to show in this time.</p>\n")
        } else {
            appendFacts(to: &text)
            appendChart(to: &text)
            appendParts(to: &text)
            if report.listsReadings { ReportDiary(report).append(to: &text) }
        }
        appendLeftOut(to: &text)
        appendFoot(generated, to: &text)
    }

    private func day(_ time: Timestamp) -> Int64 { WallTime.floor(report.zone.wall(at: time.seconds), 86400) }

    private func appendHead(to text: inout TextBuffer) {
        text.append("<header><h1>Blood pressure</h1>")
        if !report.name.isEmpty { text.append(html: "<div class=\"who\">\(report.name)</div>") }
        text.append("</header>\n")
        guard let first = report.tally.first, let last = report.tally.last else { return }
        let end = day(last) == day(first) ? "" : " – \(DateWords.full(day(last)))"
        let counts = "\(Self.count(report.count, "reading")) on \(Self.count(report.tally.days.count, "day"))"
        text.append(html: "<p class=\"soft\">\(DateWords.full(day(first)))\(end) · \(counts)</p>\n")
    }

    private func appendFacts(to text: inout TextBuffer) {
        let all = report.tally.all
        let lines = report.lines
        let reached = report.tally.reached
        text.append("<section class=\"facts\">")
        fact("main", "Average", Self.pair(all, lines), "mmHg, all counted readings", to: &text)
        fact("", "Pulse", Self.whole(all.pulse.average()), "per minute", to: &text)
        if all.count > 0 {
            fact("", "Systolic range", Self.range(all.systolic), "diastolic \(Self.range(all.diastolic))", to: &text)
        }
        fact(
            "", "At or above \(lines.numbers) mmHg", "\(Self.percent(reached, of: report.count)) %",
            "\(reached) of \(Self.count(report.count, "reading")); \(lines.setting.words), \(lines.shortOrigin)", to: &text)
        text.append("</section>\n")
    }

    private func fact(_ name: String, _ words: String, _ value: String, _ detail: String, to text: inout TextBuffer) {
        text.append(html: "<div class=\"\(name)\"><small>\(words)</small><b>\(value)</b><small>\(detail)</small></div>")
    }

    private func appendChart(to text: inout TextBuffer) {
        text.append("<figure>\n")
        // On a phone the letters of a scaled picture would be too small.
        ReportChart(report).append("broad", to: &text)
        ReportChart(report, width: 390).append("narrow", to: &text)
        let bucket =
            switch report.tally.chart.cut.bucketing {
            case .hour: "hour"
            case .week: "week"
            case .month: "month"
            case .day, .daypart, .hourOfDay, .interval, .range: "day"
            }
        let lines = report.lines
        text.append(
            html: """
                <figcaption>Each \(bucket): the bar spans lowest to highest, the circle is the average (filled: systolic, open: diastolic). \
                Dashed lines: \(Int(lines.systolic)) and \(Int(lines.diastolic)) mmHg (\(lines.origin)).</figcaption>
                </figure>

                """)
    }

    private func appendParts(to text: inout TextBuffer) {
        text.append(
            html: """
                <h2>By part of the day</h2>
                <div class="wide parts"><table><thead><tr><th></th><th>Readings</th><th>Average <small>mmHg</small></th>\
                <th>Systolic range</th><th>Diastolic range</th><th>Pulse</th>\
                <th>≥ \(report.lines.numbers) <small>\(report.lines.shortOrigin)</small></th></tr></thead>
                <tbody>

                """)
        let parts = report.tally.parts
        for window in DayWindow.daily {
            guard let own = parts[window] else { continue }
            let words = report.windows.words(window)
            let detail: Markup = words.hours.isEmpty ? "" : " <small class=\"soft\">\(words.hours)</small>"
            text.append(html: "<tr><td>\(words.name)\(detail)</td>\(cells(own))</tr>\n")
        }
        let all = ReportTally.Part(statistics: report.tally.all, reached: report.tally.reached)
        text.append(html: "<tr class=\"all\"><td>All</td>\(cells(all))</tr>\n</tbody></table></div>\n")
    }

    private func cells(_ part: ReportTally.Part) -> Markup {
        let statistics = part.statistics
        return .cells([
            "\(statistics.count)", Self.pair(statistics, report.lines), Self.range(statistics.systolic), Self.range(statistics.diastolic),
            Self.whole(statistics.pulse.average()), "\(part.reached) (\(Self.percent(part.reached, of: statistics.count)) %)",
        ])
    }

    private func appendLeftOut(to text: inout TextBuffer) {
        guard !report.leftOut.isEmpty else { return }
        text.append("<h2>Left out of averages and chart</h2>\n")
        text.append("<table class=\"text\"><thead><tr><th>When</th><th>What</th><th>Why</th></tr></thead>\n<tbody>\n")
        for one in report.leftOut {
            let cells = [one.time.map(moment) ?? "unknown", Self.words(one.content), one.reason.sentence.description]
            text.append(html: "<tr>\(Markup.cells(cells))</tr>\n")
        }
        text.append("</tbody></table>\n")
        if report.leftOutCount > report.leftOut.count {
            text.append(html: "<p class=\"soft\">The latest \(report.leftOut.count) of \(report.leftOutCount) are listed.</p>\n")
        }
    }

    private func moment(_ time: Timestamp) -> String {
        let wall = report.zone.wall(at: time.seconds)
        let day = WallTime.floor(wall, 86400)
        return "\(DateWords.full(day)), \(DateWords.clock(wall - day * 86400))"
    }

    private static func words(_ content: Reading.Content) -> String {
        switch content {
        case .bloodPressure(let pressure): "\(whole(pressure.systolic.inMmHg))/\(whole(pressure.diastolic.inMmHg)) mmHg"
        case .failure(let failure):
            "failed: " + failure.reason.word.description.replacing("_", with: " ") + (failure.code.isEmpty ? "" : " (\(failure.code))")
        case .pulseRate, .quantity: "–"
        }
    }

    private func appendFoot(_ generated: Timestamp, to text: inout TextBuffer) {
        let lines = report.lines
        var paragraphs = [
            "▲ marks readings with a systolic pressure, a diastolic pressure or both at or above \(lines.numbers) mmHg, the average from which "
                + "the guideline defines hypertension (\(lines.origin)). Values are as the cuff measured them; every listed reading has the "
                + "same weight in averages."
        ]
        if report.count > 0 {
            let windows = report.windows
            paragraphs.append(
                "Morning is \(windows.words(.morning).hours) and evening \(windows.words(.evening).hours), by the start of a session"
                    + (windows.evening.upperBound > 1440 ? "; after midnight it is the evening of the day before." : "."))
        }
        let names = report.sources.enumerated().map { index, source in
            let count = report.tally.bySource[index] ?? 0
            let name = source.driver == "manual" ? "typed in by hand" : source.name
            return name + (count > 0 ? " (\(Self.count(count, "reading")))" : "")
        }
        if !names.isEmpty { paragraphs.append("Measured with: \(names.joined(separator: ", ")).") }
        let times = report.tally.times
        if !times.isEmpty { paragraphs.append("Times are in \(report.zone.name): \(times.joined(separator: "; ")).") }
        paragraphs.append(
            "Made with \(generator) on \(moment(generated)). A record of one's own measurements, not a medical device: do not base doses or treatment on it."
        )
        text.append("<footer>\n")
        for paragraph in paragraphs { text.append(html: "<p>\(paragraph)</p>\n") }
        text.append("</footer>\n")
    }

    private static func percent(_ part: Int, of whole: Int) -> Int { Int((Double(part) / Double(max(1, whole)) * 100).rounded()) }

    private static func range(_ quantity: QuantityStatistics) -> String {
        guard let low = quantity.minimum?.value, let high = quantity.maximum?.value else { return "–" }
        return whole(low) == whole(high) ? whole(low) : "\(whole(low))–\(whole(high))"
    }

    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
    static func whole(_ value: Double?) -> String { value.map { "\(Int($0.rounded()))" } ?? "–" }
    /// `134/84`, with as many decimals as keep each on its side of the threshold.
    static func pair(_ systolic: Double, _ diastolic: Double, _ lines: ReferenceLines) -> String {
        "\(Decimals.whole(systolic, near: lines.systolic))/\(Decimals.whole(diastolic, near: lines.diastolic))"
    }
    static func pair(_ statistics: ReadingStatistics, _ lines: ReferenceLines) -> String {
        guard let systolic = statistics.systolic.average(), let diastolic = statistics.diastolic.average() else { return "–/–" }
        return pair(systolic, diastolic, lines)
    }
}
