import CuffCore

/// The table of the report: a row for each day with its readings by part of the day. For a long time, a row for each week
/// or month with averages.
struct ReportDiary {
    let report: Report
    let language: Language
    private let automaticCount: Int
    private let medicines: [String: String]

    init(_ report: Report, _ language: Language) {
        self.report = report
        self.language = language
        medicines = ReportBox.marks(report)
        automaticCount = report.tally.all.automaticCount
    }

    func append(to text: inout TextBuffer) {
        guard let table = report.tally.table else { return }
        let cut = table.cut
        let used = report.tally.parts.keys
        let parts = DayWindow.daily.filter(used.contains)
        let (title, legend): (Phrase, Phrase) = report.isListed ? (.list, .listLegend) : (.averagesList, .averagesLegend)
        text.append(html: "<h2>\(language[title]) <small>\(language[legend])</small></h2>\n")
        let unit: Phrase = cut.bucketing == .day ? .day : cut.bucketing == .week ? .weekOf : .month
        text.append(html: "<div class=\"wide\"><table class=\"diary\"><thead><tr><th>\(language[unit])</th>")
        for part in parts { text.append(html: "<th>\(name(of: part)) <small class=\"soft\">\(report.windows.hours(part))</small></th>") }
        text.append("</tr></thead>\n<tbody>\n")
        let rows = Dictionary(grouping: report.sorted, by: \.day)
        for (key, averages) in table.parts {
            text.append(html: "<tr><td>\(name(of: key, cut))</td>")
            for part in parts {
                text.append(html: "<td data-part=\"\(name(of: part))\">")
                if report.isListed {
                    for entry in rows[key] ?? [] where entry.window == part { append(entry, to: &text) }
                } else if let own = averages[part] {
                    let rest = "\(ReportPage.whole(own.pulse.average())) · \(own.count)"
                    text.append(
                        html:
                            "<span class=\"r\"><b>\(language.number(ReportPage.pair(own, report.lines)))</b> <span class=\"soft\">\(rest)</span></span>"
                    )
                }
                text.append("</td>")
            }
            text.append("</tr>\n")
        }
        text.append("</tbody></table></div>\n")
    }

    private func name(of part: DayWindow) -> String {
        switch part {
        case .morning: language[.morning]
        case .evening: language[.evening]
        case .other: language[.otherTimes]
        }
    }

    private func name(of key: Int64, _ cut: CalendarCut) -> String {
        guard let start = cut.interval(of: key)?.lowerBound.seconds else { return "" }
        let day = WallTime.floor(report.zone.wall(at: start) + 7200, 86400)
        switch cut.bucketing {
        case .day: return language.weekday(key)
        case .month: return language.month(day)
        case .week, .hour, .daypart, .hourOfDay, .interval, .range: return language.full(day)
        }
    }

    private func append(_ entry: Report.Entry, to text: inout TextBuffer) {
        let (point, lines) = (entry.point, report.lines)
        func marked(_ value: Double, _ threshold: Double) -> String {
            (value >= threshold ? "▲" : "") + language.number(Decimals.whole(value, near: threshold))
        }
        let clock = Language.clock(report.zone.wall(at: point.time.seconds))
        let pair = "\(marked(point.systolic, lines.systolic))/\(marked(point.diastolic, lines.diastolic))"
        text.append(html: "<span class=\"r\"><span class=\"t\">\(clock)</span> <b>\(pair)</b>")
        if let pulse = point.pulse { text.append(html: " <span class=\"soft\">\(ReportPage.whole(pulse))</span>") }
        text.append("</span>")
        let notes = notes(entry).joined(separator: ", ")
        if !notes.isEmpty { text.append(html: " <small>\(notes)</small>") }
        text.append(" ")
    }

    private func notes(_ entry: Report.Entry) -> [String] {
        let flags = language.flags(entry.point.flags.intersection(Self.notedFlags))
        var notes = flags.isEmpty ? [] : [flags]
        // The foot of the page says what applies to all readings.
        if entry.isEntered, report.tally.enteredCount < report.count { notes.append(language[.typedIn]) }
        if entry.basis == .imported, report.tally.count(.imported) < report.count { notes.append(language[.imported]) }
        if entry.point.trigger == .automatic, automaticCount < report.count { notes.append(language[.automatic]) }
        if let remarks = entry.remarks { notes.append(language.remarks(remarks, medicines: medicines)) }
        return notes.filter { !$0.isEmpty }
    }

    private static let notedFlags = ProtocolAverage.toldFlags.reduce(into: MeasurementFlags()) { $0.formUnion($1) }
}
