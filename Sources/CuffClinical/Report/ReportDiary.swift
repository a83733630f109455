import CuffCore

/// The table of the report: a row for each day with its readings by part of the day; over long times a row for each week
/// or month with averages.
struct ReportDiary {
    let report: Report

    init(_ report: Report) { self.report = report }

    func append(_ entries: [Report.Entry], to text: inout TextBuffer) {
        let cut = CalendarCut(report.chartBucketing == .hour ? .day : report.chartBucketing, zone: report.zone)
        let isDaily = cut.bucketing == .day
        let used = Set(entries.map(part))
        let parts = DayParts.Part.allCases.filter(used.contains)
        text.append(
            isDaily
                ? "<h2>Readings <small>time, mmHg, pulse per minute</small></h2>\n"
                : "<h2>Averages <small>mmHg, pulse per minute, number of readings</small></h2>\n")
        text.append("<div class=\"wide\"><table class=\"diary\"><thead><tr><th>")
        text.append(isDaily ? "Day" : cut.bucketing == .week ? "Week of" : "Month")
        text.append("</th>")
        for part in parts {
            let hours = report.parts.hours(of: part)
            text.append("<th>")
            text.append(markup: ReportPage.capital(part.word))
            text.append(" <small class=\"soft\">")
            text.append(markup: "\(ReportPage.two(hours.from))–\(ReportPage.two(hours.to))")
            text.append("</small></th>")
        }
        text.append("</tr></thead>\n<tbody>\n")
        let rows = Dictionary(grouping: entries) { cut.key(at: $0.point.time) }
        for (key, readings) in rows.sorted(by: { $0.key < $1.key }) {
            text.append("<tr><td>")
            text.append(markup: name(of: key, cut))
            text.append("</td>")
            for part in parts {
                text.append("<td>")
                let own = readings.filter { self.part(of: $0) == part }
                if isDaily {
                    for entry in own { append(entry, to: &text) }
                } else if !own.isEmpty {
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

    private func part(of entry: Report.Entry) -> DayParts.Part {
        let wall = report.zone.wall(at: entry.point.time.seconds)
        return report.parts.part(ofHour: Int(wall - WallTime.floor(wall, 86400) * 86400) / 3600)
    }

    private func append(_ entry: Report.Entry, to text: inout TextBuffer) {
        let point = entry.point
        let wall = report.zone.wall(at: point.time.seconds)
        text.append("<span class=\"r\"><span class=\"t\">")
        text.append(markup: Self.clock(wall - WallTime.floor(wall, 86400) * 86400))
        text.append("</span> <b>")
        text.append(markup: "\(ReportPage.whole(point.systolic))/\(ReportPage.whole(point.diastolic))")
        text.append("</b>")
        if report.lines.isReached(point.systolic, point.diastolic) {
            text.append("<span class=\"up\" title=\"at or above the reference\">▲</span>")
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
        text.append("</span>")
    }

    private func notes(_ entry: Report.Entry) -> [String] {
        let words: [(MeasurementFlags, String)] = [
            (.irregularPulse, "irregular"), (.bodyMovement, "moved"), (.cuffLoose, "loose"),
            (.improperPosition, "position"), (.averaged, "average"),
        ]
        var notes = words.filter { entry.point.flags.contains($0.0) }.map(\.1)
        if entry.origin == .entered { notes.append("typed in") }
        if entry.point.trigger == .automatic { notes.append("auto") }
        return notes
    }

    private func appendAverage(_ entries: [Report.Entry], to text: inout TextBuffer) {
        var statistics = ReadingStatistics()
        for entry in entries { statistics.add(entry.point) }
        text.append("<span class=\"r\"><b>")
        text.append(markup: ReportPage.pair(statistics))
        text.append("</b> <span class=\"soft\">")
        text.append(markup: "\(ReportPage.whole(statistics.pulse.average())) · \(statistics.count)")
        text.append("</span></span>")
    }

    /// `07:31`, of seconds after midnight.
    static func clock(_ seconds: Int64) -> String {
        "\(ReportPage.two(Int(seconds / 3600))):\(ReportPage.two(Int(seconds / 60 % 60)))"
    }
}
