import CuffCore

/// The table of the report: a row for each day with its readings by part of the day; over long times a row for each week
/// or month with averages.
struct ReportDiary {
    let report: Report

    private let automaticCount: Int

    init(_ report: Report) {
        self.report = report
        automaticCount = report.tally.all.automaticCount
    }

    func append(to text: inout TextBuffer) {
        guard let table = report.tally.table else { return }
        let cut = table.cut
        let used = report.tally.parts.keys
        let parts = DayWindow.daily.filter(used.contains)
        text.append(
            report.isListed
                ? "<h2>Readings <small>time, mmHg, pulse per minute</small></h2>\n"
                : "<h2>Averages <small>mmHg, pulse per minute, number of readings</small></h2>\n")
        text.append("<div class=\"wide\"><table class=\"diary\"><thead><tr><th>")
        text.append(cut.bucketing == .day ? "Day" : cut.bucketing == .week ? "Week of" : "Month")
        text.append("</th>")
        for part in parts {
            let words = report.windows.words(part)
            text.append("<th>")
            text.append(markup: words.name)
            text.append(" <small class=\"soft\">")
            text.append(markup: words.hours)
            text.append("</small></th>")
        }
        text.append("</tr></thead>\n<tbody>\n")
        let rows = Dictionary(grouping: report.sorted, by: \.day)
        for (key, averages) in table.parts {
            text.append("<tr><td>")
            text.append(markup: name(of: key, cut))
            text.append("</td>")
            for part in parts {
                text.append("<td data-part=\"")
                text.append(markup: report.windows.words(part).name)
                text.append("\">")
                if report.isListed {
                    for entry in rows[key] ?? [] where entry.window == part { append(entry, to: &text) }
                } else if case let own = averages[part], own.count > 0 {
                    appendAverage(own, to: &text)
                }
                text.append("</td>")
            }
            text.append("</tr>\n")
        }
        text.append("</tbody></table></div>\n")
    }

    private func name(of key: Int64, _ cut: CalendarCut) -> String {
        guard let start = cut.interval(of: key)?.lowerBound.seconds else { return "" }
        let day = WallTime.floor(report.zone.wall(at: start) + 7200, 86400)
        switch cut.bucketing {
        case .day: return DateWords.weekday(key)
        case .month: return DateWords.month(day)
        case .week, .hour, .daypart, .hourOfDay, .interval, .range: return DateWords.full(day)
        }
    }

    private func append(_ entry: Report.Entry, to text: inout TextBuffer) {
        let point = entry.point
        let wall = report.zone.wall(at: point.time.seconds)
        text.append("<span class=\"r\"><span class=\"t\">")
        text.append(markup: Self.clock(wall - WallTime.floor(wall, 86400) * 86400))
        text.append("</span> <b>")
        text.append(markup: ReportPage.pair(point.systolic, point.diastolic, report.lines))
        text.append("</b>")
        if let word = reached(point) {
            text.append(" <span class=\"up\">▲ ")
            text.append(word)
            text.append("</span>")
        }
        if let pulse = point.pulse {
            text.append(" <span class=\"soft\">")
            text.append(markup: ReportPage.whole(pulse))
            text.append("</span>")
        }
        let notes = self.notes(entry)
        if !notes.isEmpty {
            text.append(" <small>")
            text.append(markup: notes.joined(separator: ", "))
            text.append("</small>")
        }
        if let remarks = entry.remarks {
            text.append(" <small class=\"say\">")
            text.append(markup: remarks.sentence)
            text.append("</small>")
        }
        text.append("</span>")
    }

    private func notes(_ entry: Report.Entry) -> [String] {
        let words: [(MeasurementFlags, String)] = [
            (.irregularPulse, "irregular"), (.bodyMovement, "moved"), (.cuffLoose, "loose"),
            (.improperPosition, "position"), (.averaged, "average"),
        ]
        var notes = words.filter { entry.point.flags.contains($0.0) }.map(\.1)
        // What is true of all of them stands in the foot.
        if entry.isEntered, report.tally.enteredCount < report.count { notes.append("typed in") }
        if entry.point.trigger == .automatic, automaticCount < report.count { notes.append("auto") }
        return notes
    }

    /// Which of the pressures is at or above the reference.
    private func reached(_ point: ReadingPoint) -> StaticString? {
        switch (point.systolic >= report.lines.systolic, point.diastolic >= report.lines.diastolic) {
        case (true, true): "both"
        case (true, false): "systolic"
        case (false, true): "diastolic"
        case (false, false): nil
        }
    }

    private func appendAverage(_ statistics: ReadingStatistics, to text: inout TextBuffer) {
        text.append("<span class=\"r\"><b>")
        text.append(markup: ReportPage.pair(statistics, report.lines))
        text.append("</b> <span class=\"soft\">")
        text.append(markup: "\(ReportPage.whole(statistics.pulse.average())) · \(statistics.count)")
        text.append("</span></span>")
    }

    /// `07:31`, of seconds after midnight.
    static func clock(_ seconds: Int64) -> String {
        "\(ReportPage.two(Int(seconds / 3600))):\(ReportPage.two(Int(seconds / 60 % 60)))"
    }
}
