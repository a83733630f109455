import CuffCore

/// What `cuff watch --web` shows: alerts, cuffs, readings by person, sinks. One HTML page whose tables need no script; the style
/// (`live.css`) and the script (`live.js`) are served with it. All text is escaped.
package struct LivePage: Sendable {
    package struct Person: Sendable {
        /// `User 1`, or `Without a user`.
        package var name: String
        package var readings: [Reading]

        package init(name: String, readings: [Reading]) { (self.name, self.readings) = (name, readings) }
    }

    package struct Cuff: Sendable, Hashable {
        package var driver: DriverID
        package var place: String
        /// Readings since the link was opened.
        package var readings: Int

        package init(driver: DriverID, place: String, readings: Int) {
            (self.driver, self.place, self.readings) = (driver, place, readings)
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

    package var alerts: [StandingAlert] = []
    package var persons: [Person] = []
    package var cuffs: [Cuff] = []
    package var live: [Live] = []
    package var deliveries: [Delivery] = []
    /// The zone of times without an offset.
    package var zone: ZoneTable
    package var generator: String

    package static let rows = 20
    package static let trend = 60

    package static var style: [UInt8] { PackageResources.live_css }
    package static var script: [UInt8] { PackageResources.live_js }

    package init(zone: ZoneTable, generator: String = "cuff") { (self.zone, self.generator) = (zone, generator) }

    /// Appends the whole page; `generated` is the time it shows. The parts that the script replaces are there even if they are empty.
    package func append(generated: Timestamp, to text: inout TextBuffer) {
        text.append(
            html: """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>Blood pressure – cuff</title>
                <link rel="icon" href="data:,">
                <link rel="stylesheet" href="/style.css">
                <script src="/live.js" defer></script>
                </head>
                <body>
                <a class="skip" href="#readings">Skip to the readings</a>
                <header><h1>Blood pressure</h1>
                <p id="state" role="status">As of \(time(generated)); reload for newer readings</p></header>
                <main id="page">

                """)
        appendLive(to: &text)
        text.append("<div id=\"alerts-part\">\n")
        appendAlerts(to: &text)
        text.append("</div>\n<div id=\"readings\">\n")
        for (index, person) in persons.enumerated() { append(person, index, to: &text) }
        if persons.isEmpty {
            text.append(
                "<section><h2>Readings</h2>\n<p class=\"soft\">No readings yet. They appear here when a cuff sends them.</p></section>\n")
        }
        text.append("</div>\n<div id=\"cuffs-part\">\n")
        appendCuffs(to: &text)
        text.append("</div>\n<div id=\"sinks-part\">\n")
        appendDeliveries(to: &text)
        text.append("</div>\n</main>\n<footer><p>")
        text.append(html: "\(generator). Pressures in whole mmHg. This page gives no medical advice.</p></footer>\n</body>\n</html>\n")
    }

    // MARK: Sections

    private func appendLive(to text: inout TextBuffer) {
        text.append("<section id=\"live\" aria-label=\"Measurements in progress\"")
        text.append(live.isEmpty ? " hidden>\n" : ">\n")
        for one in live {
            if let loss = one.loss {
                text.append(html: "<div class=\"live lost\" data-key=\"\(one.key)\"><small>\(one.name)</small>")
                text.append(html: "\(loss.rawValue) at \(one.pressure) mmHg</div>\n")
            } else {
                text.append(html: "<div class=\"live\" data-key=\"\(one.key)\"><small>\(one.name)</small><b>\(one.pressure)</b> mmHg ")
                text.append(html: "<meter min=\"0\" max=\"300\" value=\"\(one.pressure)\"></meter></div>\n")
            }
        }
        text.append("</section>\n")
    }

    /// A table that scrolls sideways on a narrow screen. The first cell of a row names it.
    private func appendTable(_ name: String, _ head: [String], _ rows: [[Markup]], to text: inout TextBuffer) {
        text.append(html: "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"\(name)\"><table><thead><tr>")
        for cell in head { text.append(html: "<th scope=\"col\">\(cell)</th>") }
        text.append("</tr></thead>\n<tbody>\n")
        for row in rows {
            for (index, cell) in row.enumerated() {
                text.append(html: index == 0 ? "<tr><th scope=\"row\">\(cell)</th>" : "<td>\(cell)</td>")
            }
            text.append("</tr>\n")
        }
        text.append("</tbody></table></div>\n")
    }

    private func appendAlerts(to text: inout TextBuffer) {
        guard !alerts.isEmpty else { return }
        text.append("<section aria-labelledby=\"alerts\"><h2 id=\"alerts\" class=\"bad\">Alerts</h2>\n")
        let rows: [[Markup]] = alerts.map {
            ["\($0.rule)", "\($0.condition)", time($0.since), "\($0.person ?? "")", "\($0.device ?? "")"]
        }
        appendTable("Alerts", ["Rule", "Condition", "Since", "Person", "Cuff"], rows, to: &text)
        text.append("</section>\n")
    }

    private func append(_ person: Person, _ index: Int, to text: inout TextBuffer) {
        text.append(html: "<section aria-labelledby=\"person-\(index)\"><h2 id=\"person-\(index)\">\(person.name)</h2>\n")
        let rule = InclusionRule(zone: zone)
        let counted = person.readings.filter { if case .counts = rule.verdict(on: $0) { true } else { false } }
        if let latest = counted.last, let pressure = latest.bloodPressure {
            text.append(html: "<div class=\"latest\"><p class=\"value\"><b>\(Self.pair(pressure))</b> mmHg")
            if let pulse = pressure.pulse { text.append(html: " · <b>\(Self.whole(pulse.digits.value))</b> per minute") }
            text.append(html: "</p><p class=\"soft\">\(time(of: latest))</p></div>\n")
            LiveTrend(counted.suffix(Self.trend).compactMap(\.bloodPressure)).append(to: &text)
        }
        appendTable(
            "Latest readings", ["When", "Systolic / diastolic", "Mean", "Pulse", "Notes"],
            person.readings.suffix(Self.rows).reversed().map(row), to: &text)
        text.append("</section>\n")
    }

    private func row(_ reading: Reading) -> [Markup] {
        var (value, mean, pulse): (Markup, Markup, Markup) = ("", "", "")
        switch reading.content {
        case .bloodPressure(let pressure):
            let kPa = pressure.systolic.unit == .kPa
            value = "\(Self.pair(pressure))\(kPa ? " (\(pressure.systolic.digits.value)/\(pressure.diastolic.digits.value) kPa)" : "")"
            if let own = pressure.mean { mean = "\(Self.whole(own.inMmHg))" }
            if let own = pressure.pulse { pulse = "\(Self.whole(own.digits.value))" }
        case .failure(let failure):
            let reason = failure.reason.word.description.replacing("_", with: " ")
            value = failure.reason == .withdrawn ? "\(reason)" : "failed: \(reason)"
        case .pulseRate, .quantity: break
        }
        return [time(of: reading), value, mean, pulse, "\(reading.flags.text(separator: ", ").replacing("_", with: " "))"]
    }

    private func appendCuffs(to text: inout TextBuffer) {
        text.append("<section aria-labelledby=\"cuffs\"><h2 id=\"cuffs\">Cuffs</h2>\n")
        if cuffs.isEmpty {
            text.append("<p class=\"soft\">No cuff is connected. <code>cuff list</code> shows what is plugged in.</p>")
        } else {
            let rows: [[Markup]] = cuffs.map { ["\($0.place)", "\($0.driver)", "\($0.readings)"] }
            appendTable("Cuffs", ["Device", "Driver", "Readings since it was connected"], rows, to: &text)
        }
        text.append("</section>\n")
    }

    private func appendDeliveries(to text: inout TextBuffer) {
        text.append("<section aria-labelledby=\"sinks\"><h2 id=\"sinks\">Sinks</h2>\n")
        let rows: [[Markup]] = deliveries.map { sink in
            [
                "\(sink.name)\(sink.isRequired ? "" : " (optional)")", "\(sink.stored)", "\(sink.waiting)",
                sink.hasFailed ? "<span class=\"bad\">failing: see the log or <code>cuff sinks</code></span>" : "working",
            ]
        }
        appendTable("Sinks", ["Sink", "Stored", "Waiting", "State"], rows, to: &text)
        text.append("</section>\n")
    }

    // MARK: Values

    private func time(of reading: Reading) -> Markup {
        if let time = reading.measured { return Self.time(wall: time.seconds + Int64(reading.measuredOffset) * 60) }
        return reading.bestTime(in: zone).map(time) ?? "time unknown"
    }

    private func time(_ time: Timestamp) -> Markup { Self.time(wall: zone.wall(at: time.seconds)) }

    private static func time(wall: Int64) -> Markup {
        var buffer = TextBuffer(capacity: 24)
        buffer.append(DeviceTime(wallSeconds: wall))
        let shown = buffer.string.prefix(16)
        return "<time datetime=\"\(shown)\">\(shown.replacing("T", with: " "))</time>"
    }

    /// In whole mmHg.
    private static func pair(_ pressure: BloodPressure) -> String {
        "\(whole(pressure.systolic.inMmHg))/\(whole(pressure.diastolic.inMmHg))"
    }

    private static func whole(_ value: Double) -> Int { Int(max(-9999, min(9999, value.rounded()))) }
}
