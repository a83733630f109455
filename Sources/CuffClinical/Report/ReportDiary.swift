import CuffCore

/// The table of the report: a row for each day with its readings by part of the day. For a long time, a row for each week
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
        let unit = cut.bucketing == .day ? "Day" : cut.bucketing == .week ? "Week of" : "Month"
        text.append(html: "<div class=\"wide\"><table class=\"diary\"><thead><tr><th>\(unit)</th>")
        for part in parts {
            let words = report.windows.words(part)
            text.append(html: "<th>\(words.name) <small class=\"soft\">\(words.hours)</small></th>")
        }
        text.append("</tr></thead>\n<tbody>\n")
        let rows = Dictionary(grouping: report.sorted, by: \.day)
        for (key, averages) in table.parts {
            text.append(html: "<tr><td>\(name(of: key, cut))</td>")
            for part in parts {
                text.append(html: "<td data-part=\"\(report.windows.words(part).name)\">")
                if report.isListed {
                    for entry in rows[key] ?? [] where entry.window == part { append(entry, to: &text) }
                } else if case let own = averages[part], own.count > 0 {
                    let rest = "\(ReportPage.whole(own.pulse.average())) · \(own.count)"
                    text.append(
                        html: "<span class=\"r\"><b>\(ReportPage.pair(own, report.lines))</b> <span class=\"soft\">\(rest)</span></span>")
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
        let clock = DateWords.clock(wall - WallTime.floor(wall, 86400) * 86400)
        let pair = ReportPage.pair(point.systolic, point.diastolic, report.lines)
        text.append(html: "<span class=\"r\"><span class=\"t\">\(clock)</span> <b>\(pair)</b>")
        if let word = reached(point) { text.append(html: " <span class=\"up\">▲ \(word)</span>") }
        if let pulse = point.pulse { text.append(html: " <span class=\"soft\">\(ReportPage.whole(pulse))</span>") }
        let notes = notes(entry).joined(separator: ", ")
        if !notes.isEmpty { text.append(html: " <small>\(notes)</small>") }
        if let remarks = entry.remarks { text.append(html: " <small class=\"say\">\(remarks.sentence)</small>") }
        text.append("</span>")
    }

    private func notes(_ entry: Report.Entry) -> [String] {
        let words: [(MeasurementFlags, String)] = [
            (.irregularPulse, "irregular"), (.bodyMovement, "moved"), (.cuffLoose, "loose"),
            (.improperPosition, "position"), (.averaged, "average"),
        ]
        var notes = words.filter { entry.point.flags.contains($0.0) }.map(\.1)
        // The foot of the page says what applies to all readings.
        if entry.isEntered, report.tally.enteredCount < report.count { notes.append("typed in") }
        if entry.basis == .imported, report.tally.count(.imported) < report.count { notes.append("imported") }
        if entry.point.trigger == .automatic, automaticCount < report.count { notes.append("auto") }
        return notes
    }

    /// Which of the pressures is at or above the reference.
    private func reached(_ point: ReadingPoint) -> String? {
        switch (point.systolic >= report.lines.systolic, point.diastolic >= report.lines.diastolic) {
        case (true, true): "both"
        case (true, false): "systolic"
        case (false, true): "diastolic"
        case (false, false): nil
        }
    }
}
