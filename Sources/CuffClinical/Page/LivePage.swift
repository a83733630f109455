import CuffCore

/// What `cuff watch --web` shows: measurements in progress, alerts, readings by person, cuffs, sinks. One HTML page that needs no script;
/// the style and the script (`live.js`) are served with it. All text is escaped.
package struct LivePage: Sendable {
    package struct Person: Sendable {
        /// The name; empty for the only person, who needs none.
        package var name: String
        /// The person in addresses of this page: letters and digits.
        package var key: String
        /// The latest readings, newest first, each with the name of its cuff.
        package var latest: [(reading: Reading, cuff: String)] = []
        /// The latest reading that counts.
        package var newest: (reading: Reading, cuff: String)?
        /// Averages of the last days, each with the name of its cuff, which is empty if all are of one cuff.
        package var averages: [(days: Int, cuff: String, average: ProtocolAverage)] = []
        /// The readings in the range that is shown; `nil` if the person is not shown.
        package var report: Report?

        package init(name: String, key: String) { (self.name, self.key) = (name, key) }
    }

    package struct Cuff: Sendable, Hashable {
        /// The user's name for it, or its model; empty if neither is known.
        package var name: String
        package var driver: DriverID
        package var place: String
        /// Readings since the link was opened.
        package var readings: Int

        package init(name: String, driver: DriverID, place: String, readings: Int) {
            (self.name, self.driver, self.place, self.readings) = (name, driver, place, readings)
        }
    }

    package struct Live: Sendable, Hashable {
        package enum Loss: String, Sendable {
            case connectionLost = "connection lost"
            /// The link is open, but no more pressures arrive.
            case silent
        }

        package var key: String
        package var name: String
        /// The latest cuff pressure in mmHg, rounded.
        package var pressure: Int
        /// `nil` while the measurement is in progress.
        package var loss: Loss?

        package init(key: String, name: String, pressure: Int, loss: Loss? = nil) {
            (self.key, self.name, self.pressure, self.loss) = (key, name, pressure, loss)
        }
    }

    package struct Delivery: Sendable, Hashable {
        /// The kind of the sink and the last name of its file; never a whole address, which may contain a user's name.
        package var name: String
        /// The cuff waits for it.
        package var isRequired: Bool
        /// Readings stored in this run, and readings queued.
        package var stored: Int, waiting: Int
        package var hasFailed: Bool

        package init(name: String, isRequired: Bool, stored: Int, waiting: Int, hasFailed: Bool) {
            (self.name, self.isRequired, self.hasFailed) = (name, isRequired, hasFailed)
            (self.stored, self.waiting) = (stored, waiting)
        }
    }

    /// The range of the chart, by the days in an address; 0 is all.
    package static let ranges = [7, 30, 365, 0]
    /// The rows of a person's table.
    package static let rows = 20

    package var alerts: [StandingAlert] = []
    package var persons: [Person] = []
    /// The key of the only person that is shown; `nil`: all.
    package var shown: String?
    /// One of `ranges`.
    package var days = 30
    package var cuffs: [Cuff] = []
    package var live: [Live] = []
    package var deliveries: [Delivery] = []
    /// Why sections of the configuration were left out.
    package var skipped: [String] = []
    /// The zone of times without an offset.
    package var zone: ZoneTable
    package var generator: String
    package var language: Language

    package static var style: [UInt8] { PackageResources.shared_css + PackageResources.live_css }
    package static var script: [UInt8] { PackageResources.live_js }

    package init(zone: ZoneTable, language: Language = .english, generator: String = "cuff") {
        (self.zone, self.language, self.generator) = (zone, language, generator)
    }

    /// Appends the whole page, as of `now`. The script changes `main` alone.
    package func append(generated now: Timestamp, to text: inout TextBuffer) {
        let wall = zone.wall(at: now.seconds)
        text.append(
            html: """
                <!DOCTYPE html>
                <html lang="\(language.code)">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>\(language[.bloodPressure]) – cuff</title>
                <link rel="icon" href="data:,">
                <link rel="stylesheet" href="/style.css">
                <script src="/live.js" defer></script>
                </head>
                <body>
                <a class="skip" href="#readings">\(language[.skip])</a>
                <header><h1>\(language[.bloodPressure])</h1>
                <p id="state" role="status" data-following="\(language[.following])">\(language[.asOf, language.moment(wall)])</p></header>
                <p id="gone" role="alert" data-text="\(language[.notConnected, "%1"])" data-minutes="\(minutes)" hidden><b></b> <span></span>
                \(language[.shownIsOld])</p>
                <main id="page">

                """)
        appendNavigation(to: &text)
        appendLive(to: &text)
        appendAlerts(to: &text)
        text.append("<div id=\"readings\">\n")
        for person in persons where person.report != nil { PersonPart(page: self, person: person, now: wall).append(to: &text) }
        if persons.isEmpty {
            text.append(html: "<section><h2>\(language[.list])</h2>\n<p class=\"soft\">\(language[.noReadingsYet])</p></section>\n")
        }
        text.append("</div>\n")
        appendCuffs(to: &text)
        appendDeliveries(to: &text)
        appendList("skipped", .skippedSections, skipped.map { "\($0)" }, to: &text)
        text.append(html: "</main>\n<footer><p>\(generator). \(language[.intendedUse])</p></footer>\n</body>\n</html>\n")
    }

    /// Both forms, for the script.
    private var minutes: String { "\(language[.minutes, 1])|\(language[.minutes, "%1"])" }

    /// The address of this page for a person (`nil`: all) and a range.
    func address(_ path: String = "/", person: String?, days: Int) -> String {
        "\(path)?days=\(days)\(person.map { "&person=\($0)" } ?? "")&lang=\(language.code)"
    }

    // MARK: Sections

    private func appendNavigation(to text: inout TextBuffer) {
        guard persons.count > 1 else { return }
        text.append(html: "<nav id=\"persons\" aria-label=\"\(language[.persons])\">\n")
        let all = [(key: String?.none, name: language[.everyone])] + persons.map { (key: $0.key, name: $0.name) }
        for one in all {
            text.append(html: "<a href=\"\(address(person: one.key, days: days))\"\(current(one.key == shown))>\(one.name)</a>\n")
        }
        text.append("</nav>\n")
    }

    func current(_ isCurrent: Bool) -> Markup { isCurrent ? " aria-current=\"page\"" : "" }

    private func appendLive(to text: inout TextBuffer) {
        text.append(html: "<section id=\"live\" aria-label=\"\(language[.measurementsInProgress])\"\(live.isEmpty ? " hidden" : "")>\n")
        for one in live {
            switch one.loss {
            case nil:
                text.append(html: "<div class=\"live\" data-key=\"\(one.key)\"><span>\(one.name): \(language[.measuring]) …</span> ")
                text.append(html: "<span><b>\(one.pressure)</b> mmHg</span> <meter min=\"0\" max=\"300\" value=\"\(one.pressure)\" ")
                text.append(html: "aria-label=\"\(language[.cuffPressure])\"></meter></div>\n")
            case let loss?:
                let words = language[loss == .silent ? .silent : .connectionLost, one.pressure]
                text.append(html: "<div class=\"live lost\" data-key=\"\(one.key)\">\(one.name): \(words)</div>\n")
            }
        }
        text.append("</section>\n")
    }

    private func appendList(_ id: String, _ title: Phrase, _ items: [Markup], otherwise: Phrase? = nil, to text: inout TextBuffer) {
        if items.isEmpty, otherwise == nil { return }
        text.append(html: "<section id=\"\(id)\" aria-labelledby=\"\(id)-title\"><h2 id=\"\(id)-title\">\(language[title])</h2>\n")
        if items.isEmpty, let otherwise {
            text.append(html: "<p class=\"soft\">\(language[otherwise])</p>\n")
        } else {
            text.append("<ul>\n")
            for item in items { text.append(html: "<li>\(item)</li>\n") }
            text.append("</ul>\n")
        }
        text.append("</section>\n")
    }

    private func appendAlerts(to text: inout TextBuffer) {
        let items: [Markup] = alerts.map { alert in
            let whose = [alert.person, alert.device].compactMap { $0 }.joined(separator: ", ")
            let wall = zone.wall(at: alert.since.seconds)
            return
                "<b>\(whose.isEmpty ? "" : whose + ": ")\(alert.rule)</b> (\(alert.condition)), \(language[.since]) \(time(wall, now: nil))"
        }
        appendList("alerts", .alerts, items, to: &text)
    }

    private func appendCuffs(to text: inout TextBuffer) {
        let items: [Markup] = cuffs.map { cuff in
            let name = cuff.name.isEmpty ? cuff.place : cuff.name
            return "<b>\(name)</b> (\(cuff.driver)): \(language[.connected]); \(language[.readingsSince, cuff.readings])"
        }
        appendList("cuffs", .cuffs, items, otherwise: .noCuff, to: &text)
    }

    private func appendDeliveries(to text: inout TextBuffer) {
        let items: [Markup] = deliveries.map { sink in
            var words = [language[.kept, sink.stored]]
            if sink.waiting > 0 { words.append(language[.waiting, sink.waiting]) }
            let name = sink.name + (sink.isRequired ? "" : " (\(language[.optional]))")
            let failing: Markup = sink.hasFailed ? " <span class=\"bad\">\(language[.failing])</span>" : ""
            return "<b>\(name)</b>: \(words.joined(separator: "; "))\(failing)"
        }
        appendList("sinks", .sinks, items, to: &text)
    }

    /// A time on the wall clock; relative to `now` if given.
    func time(_ wall: Int64, now: Int64?) -> Markup {
        let stamp = TextBuffer.text { $0.append(DeviceTime(wallSeconds: wall)) }
        return
            "<time datetime=\"\(stamp.prefix(16))\">\(now.map { language.moment(wall, now: $0) } ?? language.moment(wall))</time>"
    }
}
