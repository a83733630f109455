import CuffCore

/// One person's part of the live page: the latest reading, averages, the chart, the latest readings as a table, downloads.
struct PersonPart {
    let page: LivePage
    let person: LivePage.Person
    /// Seconds on the wall clock.
    let now: Int64

    private var language: Language { page.language }

    func append(to text: inout TextBuffer) {
        guard let report = person.report else { return }
        let id = "person-\(person.key)"
        text.append(html: "<section id=\"\(id)\" class=\"person\" aria-labelledby=\"\(id)-title\">")
        text.append(html: "<h2 id=\"\(id)-title\">\(person.name.isEmpty ? language[.list] : person.name)</h2>\n")
        appendLatest(to: &text)
        appendAverages(report.lines, to: &text)
        appendChart(report, to: &text)
        appendTable(to: &text)
        let (own, days) = (person.key, page.days)
        text.append(html: "<p class=\"files\"><a href=\"\(page.address("/report", person: own, days: days))\">\(language[.report])</a> ")
        text.append(
            html:
                "<a href=\"\(page.address("/readings.csv", person: own, days: days))\" download=\"readings.csv\">\(language[.csv])</a></p>\n"
        )
        text.append("</section>\n")
    }

    private func appendLatest(to text: inout TextBuffer) {
        guard let latest = person.newest, let pressure = latest.reading.bloodPressure else { return }
        text.append(html: "<div class=\"latest\"><p><b>\(Self.pair(pressure))</b> mmHg")
        if let pulse = pressure.pulse { text.append(html: " · \(language[.perMinuteOf, Self.whole(pulse.digits.value)])") }
        let notes = notes(latest.reading, cuff: latest.cuff)
        text.append(html: "</p><p>\(time(of: latest.reading))\(notes.isEmpty ? "" : " · \(notes)")</p></div>\n")
    }

    private func appendAverages(_ lines: ReferenceLines, to text: inout TextBuffer) {
        guard !person.averages.isEmpty else { return }
        text.append("<div class=\"averages\">\n")
        for (days, cuff, average) in person.averages {
            let summary = AverageSummary(average: average, lines: lines, language: language)
            let name = "\(language[.average]), \(language[.lastDays, days])\(cuff.isEmpty ? "" : ", \(cuff)")"
            text.append(html: "<div data-key=\"\(days)\(cuff)\"><h3>\(name)</h3>\n<p><b>\(summary.pair(average.all))</b> mmHg")
            text.append("</p>\n")
            var parts = summary.parts.map { "\(language[$0.name]) \(summary.pair($0.mean))" }
            if average.all.pulse != nil { parts.append("\(language[.pulse]) \(summary.pulse(average.all))") }
            if !parts.isEmpty { text.append(html: "<p>\(parts.joined(separator: " · "))</p>\n") }
            text.append(html: "<p class=\"soft\">\(summary.completeness)</p></div>\n")
        }
        text.append("</div>\n")
        if let first = person.averages.first {
            let summary = AverageSummary(average: first.average, lines: lines, language: language)
            text.append(html: "<p class=\"soft\">\(language[.rule]): \(summary.rule)</p>\n")
        }
    }

    private func appendChart(_ report: Report, to text: inout TextBuffer) {
        let label = person.name.isEmpty ? language[.shownRange] : "\(language[.shownRange]), \(person.name)"
        text.append(html: "<nav class=\"ranges\" aria-label=\"\(label)\">\n")
        for days in LivePage.ranges {
            let name = days == 0 ? language[.everything] : days == 365 ? language[.oneYear] : language[.lastDays, days]
            let address = page.address(person: page.shown, days: days)
            text.append(html: "<a href=\"\(address)\"\(page.current(days == page.days))>\(name)</a>\n")
        }
        text.append("</nav>\n")
        guard report.count > 0 else {
            text.append(html: "<p class=\"soft\">\(language[.noReadingsInRange])</p>\n")
            return
        }
        text.append("<figure>\n")
        ReportChart.append(report, language, origin: report.lines.origin(language), to: &text)
        text.append("</figure>\n")
    }

    private func appendTable(to text: inout TextBuffer) {
        text.append(html: "<table><caption>\(language[.latestReadings])</caption>\n<thead><tr>")
        for head in [language[.when], "mmHg", language[.pulse], language[.notes]] { text.append(html: "<th scope=\"col\">\(head)</th>") }
        text.append("</tr></thead>\n<tbody>\n")
        for (reading, cuff) in person.latest {
            text.append(html: "<tr data-key=\"\(reading.id.description)\"><th scope=\"row\">\(time(of: reading))</th>")
            let pressure = reading.bloodPressure
            text.append(html: "<td>\(pressure.map { Self.pair($0) } ?? "–")</td>")
            text.append(html: "<td>\(pressure?.pulse.map { "\(Self.whole($0.digits.value))" } ?? "–")</td>")
            text.append(html: "<td>\(notes(reading, cuff: cuff))</td></tr>\n")
        }
        text.append("</tbody></table>\n")
    }

    /// Failure, flags, remarks, other values, and the cuff.
    private func notes(_ reading: Reading, cuff: String) -> String {
        var notes: [String] = []
        if case .failure(let failure) = reading.content {
            let reason = language.word("failure", failure.reason.word)
            notes.append(failure.reason == .withdrawn ? reason : language[.failedWith, reason])
        }
        if reading.flags != [] { notes.append(language.flags(reading.flags)) }
        if let remarks = reading.remarks { notes.append(language.remarks(remarks)) }
        if let mean = reading.bloodPressure?.mean { notes.append(language[.meanPressure, Self.whole(mean.inMmHg)]) }
        if let pressure = reading.bloodPressure, pressure.systolic.unit == .kPa {
            notes.append(language.number("\(pressure.systolic.digits.value)/\(pressure.diastolic.digits.value)") + " kPa")
        }
        notes.append(reading.origin == .entered ? language[.typedIn] : cuff)
        return notes.filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private func time(of reading: Reading) -> Markup {
        if let time = reading.measured { return page.time(time.seconds + Int64(reading.measuredOffset) * 60, now: now) }
        return reading.bestTime(in: page.zone).map { page.time(page.zone.wall(at: $0.seconds), now: now) } ?? "\(language[.timeUnknown])"
    }

    /// In whole mmHg.
    private static func pair(_ pressure: BloodPressure) -> String {
        "\(whole(pressure.systolic.inMmHg))/\(whole(pressure.diastolic.inMmHg))"
    }

    private static func whole(_ value: Double) -> Int { Int(max(-9999, min(9999, value.rounded()))) }
}
