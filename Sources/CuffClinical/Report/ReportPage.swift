import CuffCore

/// Draws a `Report` as one self-contained HTML page: no script, nothing loaded, all text escaped. Several persons are several
/// sections, each on paper of its own.
public struct ReportPage: Sendable {
    /// The first person's report.
    public let report: Report
    /// Name and version of the program, for the foot of the page.
    public let generator: String
    /// The other persons of the page.
    private let others: [Report]
    /// What it is printed on.
    private let paper: Paper

    /// The papers of printers.
    public enum Paper: String, Sendable, Hashable, CaseIterable { case a4, letter }

    /// `others` are the reports of the other persons on the same page, in their order.
    public init(_ report: Report, _ others: [Report] = [], generator: String = "cuff", paper: Paper = .a4) {
        self.paper = paper
        self.report = report
        self.others = others
        self.generator = generator
    }

    /// Appends the whole page; `generated` is printed in its foot.
    public func append(generated: Timestamp, to text: inout TextBuffer) {
        text.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        text.append("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n")
        text.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        text.append("<meta name=\"color-scheme\" content=\"light dark\">\n<title>")
        text.append(markup: report.person.isEmpty ? "Blood pressure" : "Blood pressure of \(report.person)")
        text.append("</title>\n<style>\n")
        text.append(ReportStyle.text)
        let reports = [report] + others
        ReportPaper(paper: paper, persons: reports.map { $0.person.isEmpty ? $0.section : $0.person }).append(to: &text)
        text.append("\n</style>\n</head>\n<body>\n<main>\n")
        for (place, one) in reports.enumerated() {
            text.append(string: "<section class=\"person p\(place)\">\n")
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
        let who = report.person.isEmpty ? report.section : report.person
        if !who.isEmpty {
            text.append("<div class=\"who\">")
            text.append(markup: who)
            text.append("</div>")
        }
        text.append("</header>\n")
        guard let first = report.tally.first, let last = report.tally.last else { return }
        text.append("<p class=\"soft\">")
        text.append(markup: DateWords.full(day(first)))
        if day(last) != day(first) {
            text.append(" – ")
            text.append(markup: DateWords.full(day(last)))
        }
        text.append(markup: " · \(Self.count(report.count, "reading")) on \(Self.count(report.tally.days.count, "day"))")
        text.append("</p>\n")
    }

    private func appendFacts(to text: inout TextBuffer) {
        let all = report.tally.all
        let lines = report.lines
        let reached = report.tally.reached
        text.append("<section class=\"facts\">")
        fact("main", "Average", Self.pair(all, lines), "mmHg, all counted readings", to: &text)
        fact("", "Pulse", Self.whole(all.pulse.average()), "per minute", to: &text)
        if let low = all.systolic.minimum?.value, let high = all.systolic.maximum?.value,
            let lowest = all.diastolic.minimum?.value, let highest = all.diastolic.maximum?.value
        {
            fact(
                "", "Systolic range", "\(Self.whole(low))–\(Self.whole(high))",
                "diastolic \(Self.whole(lowest))–\(Self.whole(highest))", to: &text)
        }
        fact(
            "", "At or above \(lines.numbers) mmHg",
            "\(Int((Double(reached) / Double(report.count) * 100).rounded())) %",
            "\(reached) of \(Self.count(report.count, "reading")); \(lines.setting.words), \(lines.shortOrigin)", to: &text)
        text.append("</section>\n")
    }

    private func fact(_ name: StaticString, _ words: String, _ value: String, _ detail: String, to text: inout TextBuffer) {
        text.append("<div class=\"")
        text.append(name)
        text.append("\"><small>")
        text.append(markup: words)
        text.append("</small><b>")
        text.append(markup: value)
        text.append("</b><small>")
        text.append(markup: detail)
        text.append("</small></div>")
    }

    private func appendChart(to text: inout TextBuffer) {
        text.append("<figure>\n")
        // A phone gets a picture of its own, because the letters of a scaled one are too small.
        ReportChart(report).append("broad", to: &text)
        ReportChart(report, width: 390).append("narrow", to: &text)
        let each: StaticString =
            switch report.tally.chart.cut.bucketing {
            case .hour: "hour"
            case .week: "week"
            case .month: "month"
            case .day, .daypart, .hourOfDay, .interval, .range: "day"
            }
        text.append("<figcaption>Each ")
        text.append(each)
        text.append(": the bar spans lowest to highest, the circle is the average (filled: systolic, open: diastolic). ")
        let lines = report.lines
        text.append(markup: "Dashed lines: \(Int(lines.systolic)) and \(Int(lines.diastolic)) mmHg (\(lines.origin)).")
        text.append("</figcaption>\n</figure>\n")
    }

    private func appendParts(to text: inout TextBuffer) {
        text.append("<h2>By part of the day</h2>\n<div class=\"wide parts\"><table><thead><tr><th></th><th>Readings</th>")
        text.append("<th>Average <small>mmHg</small></th><th>Systolic range</th><th>Diastolic range</th><th>Pulse</th>")
        text.append("<th>")
        text.append(markup: "≥ \(report.lines.numbers)")
        text.append(" <small>")
        text.append(markup: report.lines.shortOrigin)
        text.append("</small></th></tr></thead>\n<tbody>\n")
        let parts = report.tally.parts
        for window in DayWindow.daily {
            guard let own = parts[window] else { continue }
            let words = report.windows.words(window)
            row(words.name, words.hours, own, isAll: false, to: &text)
        }
        row("All", "", ReportTally.Part(statistics: report.tally.all, reached: report.tally.reached), isAll: true, to: &text)
        text.append("</tbody></table></div>\n")
    }

    private func row(_ name: String, _ detail: String, _ part: ReportTally.Part, isAll: Bool, to text: inout TextBuffer) {
        let (statistics, reached) = (part.statistics, part.reached)
        func range(_ quantity: QuantityStatistics) -> String {
            guard let low = quantity.minimum?.value, let high = quantity.maximum?.value else { return "–" }
            return Self.whole(low) == Self.whole(high) ? Self.whole(low) : "\(Self.whole(low))–\(Self.whole(high))"
        }
        text.append(isAll ? "<tr class=\"all\"><td>" : "<tr><td>")
        text.append(markup: name)
        if !detail.isEmpty {
            text.append(" <small class=\"soft\">")
            text.append(markup: detail)
            text.append("</small>")
        }
        let cells = [
            "\(statistics.count)", Self.pair(statistics, report.lines), range(statistics.systolic), range(statistics.diastolic),
            Self.whole(statistics.pulse.average()),
            "\(reached) (\(Int((Double(reached) / Double(max(1, statistics.count)) * 100).rounded())) %)",
        ]
        for cell in cells {
            text.append("</td><td>")
            text.append(markup: cell)
        }
        text.append("</td></tr>\n")
    }

    private func appendLeftOut(to text: inout TextBuffer) {
        guard !report.leftOut.isEmpty else { return }
        text.append("<h2>Left out of averages and chart</h2>\n")
        text.append("<table class=\"text\"><thead><tr><th>When</th><th>What</th><th>Why</th></tr></thead>\n<tbody>\n")
        for one in report.leftOut {
            text.append("<tr><td>")
            text.append(markup: one.time.map(moment) ?? "unknown")
            text.append("</td><td>")
            text.append(markup: Self.words(one.content))
            text.append("</td><td>")
            text.append(markup: one.reason.sentence.description)
            text.append("</td></tr>\n")
        }
        text.append("</tbody></table>\n")
        if report.leftOutCount > report.leftOut.count {
            text.append(
                string: "<p class=\"soft\">The latest \(report.leftOut.count) of \(report.leftOutCount) are listed.</p>\n")
        }
    }

    private func moment(_ time: Timestamp) -> String {
        let wall = report.zone.wall(at: time.seconds)
        let day = WallTime.floor(wall, 86400)
        return "\(DateWords.full(day)), \(ReportDiary.clock(wall - day * 86400))"
    }

    private static func words(_ content: Reading.Content) -> String {
        switch content {
        case .bloodPressure(let pressure):
            "\(whole(pressure.systolic.inMmHg))/\(whole(pressure.diastolic.inMmHg)) mmHg"
        case .failure(let failure):
            "failed: " + failure.reason.word.description.map { $0 == "_" ? " " : "\($0)" }.joined()
                + (failure.code.isEmpty ? "" : " (\(failure.code))")
        case .pulseRate, .quantity: "–"
        }
    }

    private func appendFoot(_ generated: Timestamp, to text: inout TextBuffer) {
        text.append("<footer>\n")
        let lines = report.lines
        paragraph(
            "▲ marks readings with the systolic pressure, the diastolic or both at or above \(lines.numbers) mmHg, from which on averages "
                + "are called hypertension (\(lines.origin)). Values are as the cuff measured them; averages count every listed "
                + "reading the same.", to: &text)
        if report.count > 0 {
            let windows = report.windows
            paragraph(
                "Morning is \(windows.words(.morning).hours) and evening \(windows.words(.evening).hours), by the beginning of a session"
                    + (windows.evening.upperBound > 1440 ? "; after midnight it is the evening of the day before." : "."), to: &text)
        }
        let names = report.sources.enumerated().map { index, source in
            let count = report.tally.bySource[index] ?? 0
            let name = source.driver == "manual" ? "typed in by hand" : source.name
            return name + (count > 0 ? " (\(Self.count(count, "reading")))" : "")
        }
        if !names.isEmpty { paragraph("Measured with: \(names.joined(separator: ", ")).", to: &text) }
        appendTimes(to: &text)
        paragraph("Made with \(generator) on \(moment(generated)). A record of measurements, not a diagnosis.", to: &text)
        text.append("</footer>\n")
    }

    private func appendTimes(to text: inout TextBuffer) {
        let bases: [(Report.Entry.TimeBasis, String)] = [
            (.synced, "by the cuff's clock, which was right"), (.corrected, "by the cuff's clock, corrected"),
            (.unchecked, "by the cuff's clock, not checked"), (.arrival, "by arrival"), (.entered, "as typed in"),
        ]
        let parts = bases.compactMap { (basis, words) -> String? in
            let count = report.tally.count(basis)
            return count > 0 ? "\(count) \(words)" : nil
        }
        guard !parts.isEmpty else { return }
        paragraph("Times are in \(report.zone.name): \(parts.joined(separator: "; ")).", to: &text)
    }

    private func paragraph(_ words: String, to text: inout TextBuffer) {
        text.append("<p>")
        text.append(markup: words)
        text.append("</p>\n")
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
    static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
