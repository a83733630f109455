import CuffCore

/// What `cuff watch --web` shows: cuffs, readings by person, sinks. One HTML page whose tables need no script; its style and
/// script are served beside it (`LivePageStyle`, `LivePageScript`). All text is escaped.
public struct LivePage: Sendable {
    /// One person's latest readings.
    public struct Person: Sendable {
        /// `User 1`, or `Without a user`.
        public var name: String
        /// Oldest first, blood pressures and failed measurements.
        public var readings: [Reading]

        /// Sets each property as given.
        public init(name: String, readings: [Reading]) {
            self.name = name
            self.readings = readings
        }
    }

    /// An open link.
    public struct Cuff: Sendable, Hashable {
        /// The id of the driver.
        public var driver: DriverID
        /// The device or address.
        public var place: String
        /// Readings since the link was opened.
        public var readings: Int

        /// Sets each property as given.
        public init(driver: DriverID, place: String, readings: Int) {
            self.driver = driver
            self.place = place
            self.readings = readings
        }
    }

    /// A measurement that runs, or that broke off.
    public struct Live: Sendable, Hashable {
        /// Why no end of a measurement came.
        public enum Loss: String, Sendable {
            /// The link closed.
            case connectionLost = "connection lost"
            /// The link is open, and the pressures ceased.
            case silent
        }

        /// Tells one cuff from another on the page.
        public var key: String
        /// The identity of the cuff, else its driver.
        public var name: String
        /// The newest cuff pressure in mmHg, rounded.
        public var pressure: Int
        /// Why it broke off; `nil` while it runs.
        public var loss: Loss?

        /// Sets each property as given.
        public init(key: String, name: String, pressure: Int, loss: Loss? = nil) {
            self.key = key
            self.name = name
            self.pressure = pressure
            self.loss = loss
        }
    }

    /// A sink of the run.
    public struct Delivery: Sendable, Hashable {
        /// The kind of the sink and, of a file, its last name; never a whole address, which may hold a user's name.
        public var name: String
        /// The cuff waits for it.
        public var isRequired: Bool
        /// Readings stored in this run.
        public var stored: Int
        /// Readings that wait.
        public var waiting: Int
        /// Whether its last write failed.
        public var hasFailed: Bool

        /// Sets each property as given.
        public init(name: String, isRequired: Bool, stored: Int, waiting: Int, hasFailed: Bool) {
            self.name = name
            self.isRequired = isRequired
            self.stored = stored
            self.waiting = waiting
            self.hasFailed = hasFailed
        }
    }

    /// Alerts that stand, the latest first.
    public var alerts: [StandingAlert] = []
    /// The persons of the page, in their order.
    public var persons: [Person] = []
    /// The open links.
    public var cuffs: [Cuff] = []
    /// Measurements that run or broke off.
    public var live: [Live] = []
    /// The sinks of the run.
    public var deliveries: [Delivery] = []
    /// Of times that have no offset of their own.
    public var zone: ZoneTable
    /// Name and version of the program.
    public var generator: String

    /// Rows of one person's table.
    public static let rows = 20
    /// Readings of one person's trend.
    public static let trend = 60

    /// An empty page.
    public init(zone: ZoneTable, generator: String = "cuff") {
        self.zone = zone
        self.generator = generator
    }

    /// Appends the whole page; `generated` is the time that it says it shows.
    public func append(generated: Timestamp, to text: inout TextBuffer) {
        text.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        text.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        text.append("<meta name=\"color-scheme\" content=\"light dark\">\n<title>Blood pressure – cuff</title>\n")
        text.append("<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/style.css\">\n")
        text.append("<script src=\"/live.js\" defer></script>\n</head>\n<body>\n")
        text.append("<a class=\"skip\" href=\"#readings\">Skip to the readings</a>\n<header><h1>Blood pressure</h1>\n")
        text.append("<p id=\"state\" role=\"status\">As of ")
        append(time: generated, to: &text)
        text.append("; reload for newer readings</p></header>\n<main id=\"page\">\n")
        appendLive(to: &text)
        appendAlerts(to: &text)
        text.append("<div id=\"readings\">\n")
        for (index, person) in persons.enumerated() { append(person, index, to: &text) }
        if persons.isEmpty {
            text.append(
                "<section><h2>Readings</h2>\n<p class=\"soft\">There are no readings yet. They appear here when a cuff sends them.</p></section>\n"
            )
        }
        text.append("</div>\n")
        text.append("<div id=\"cuffs-part\">\n")
        appendCuffs(to: &text)
        text.append("</div>\n<div id=\"sinks-part\">\n")
        appendDeliveries(to: &text)
        text.append("</div>\n</main>\n<footer><p>")
        text.append(markup: "\(generator). Pressures in whole mmHg. This page gives no medical advice.")
        text.append("</p></footer>\n</body>\n</html>\n")
    }

    // MARK: Sections

    private func appendLive(to text: inout TextBuffer) {
        text.append("<section id=\"live\" aria-label=\"Measurements that run\"")
        text.append(live.isEmpty ? " hidden>\n" : ">\n")
        for one in live {
            text.append(one.loss == nil ? "<div class=\"live\" data-key=\"" : "<div class=\"live lost\" data-key=\"")
            text.append(markup: one.key)
            text.append("\"><small>")
            text.append(markup: one.name)
            if let loss = one.loss {
                text.append("</small>")
                text.append(markup: "\(loss.rawValue) at \(one.pressure) mmHg")
                text.append("</div>\n")
                continue
            }
            text.append("</small><b>")
            text.append(decimal: Int64(one.pressure))
            text.append("</b> mmHg <meter min=\"0\" max=\"300\" value=\"")
            text.append(decimal: Int64(one.pressure))
            text.append("\"></meter></div>\n")
        }
        text.append("</section>\n")
    }

    private func append(_ person: Person, _ index: Int, to text: inout TextBuffer) {
        let name = "person-\(index)"
        text.append(string: "<section aria-labelledby=\"\(name)\"><h2 id=\"\(name)\">")
        text.append(markup: person.name)
        text.append("</h2>\n")
        let rule = InclusionRule(zone: zone)
        let counted = person.readings.filter { if case .counts = rule.verdict(on: $0) { true } else { false } }
        if let latest = counted.last, let pressure = latest.bloodPressure {
            text.append("<div class=\"latest\"><p class=\"value\"><b>")
            text.append(markup: Self.pair(pressure))
            text.append("</b> mmHg")
            if let pulse = pressure.pulse {
                text.append(" · <b>")
                text.append(markup: "\(Self.whole(pulse.digits.value))")
                text.append("</b> per minute")
            }
            text.append("</p><p class=\"soft\">")
            append(timeOf: latest, to: &text)
            text.append("</p></div>\n")
            LiveTrend(counted.suffix(Self.trend).compactMap(\.bloodPressure)).append(to: &text)
        }
        appendTable(person.readings.suffix(Self.rows).reversed(), to: &text)
        text.append("</section>\n")
    }

    private func appendTable(_ readings: [Reading], to text: inout TextBuffer) {
        text.append("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Latest readings\"><table><thead><tr>")
        text.append("<th scope=\"col\">When</th><th scope=\"col\">Systolic / diastolic</th><th scope=\"col\">Mean</th>")
        text.append("<th scope=\"col\">Pulse</th><th scope=\"col\">Notes</th></tr></thead>\n<tbody>\n")
        for reading in readings {
            text.append("<tr><th scope=\"row\">")
            append(timeOf: reading, to: &text)
            text.append("</th><td>")
            switch reading.content {
            case .bloodPressure(let pressure):
                text.append(markup: Self.pair(pressure))
                if pressure.systolic.unit == .kPa {
                    text.append(markup: " (\(pressure.systolic.digits.value)/\(pressure.diastolic.digits.value) kPa)")
                }
                text.append("</td><td>")
                if let mean = pressure.mean { text.append(markup: "\(Self.whole(mean.inMmHg))") }
                text.append("</td><td>")
                if let pulse = pressure.pulse { text.append(markup: "\(Self.whole(pulse.digits.value))") }
            case .failure(let failure):
                if failure.reason != .withdrawn { text.append("failed: ") }
                text.append(markup: failure.reason.word.description.replacing("_", with: " "))
                text.append("</td><td></td><td>")
            case .pulseRate, .quantity: text.append("</td><td></td><td>")
            }
            text.append("</td><td>")
            text.append(markup: Self.words(reading.flags))
            text.append("</td></tr>\n")
        }
        text.append("</tbody></table></div>\n")
    }

    private func appendCuffs(to text: inout TextBuffer) {
        text.append("<section aria-labelledby=\"cuffs\"><h2 id=\"cuffs\">Cuffs</h2>\n")
        guard !cuffs.isEmpty else {
            text.append("<p class=\"soft\">No cuff is connected. <code>cuff list</code> shows what is plugged in.</p></section>\n")
            return
        }
        text.append(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Cuffs\"><table><thead><tr><th scope=\"col\">Device</th>")
        text.append("<th scope=\"col\">Driver</th><th scope=\"col\">Readings since it was connected</th></tr></thead>\n<tbody>\n")
        for cuff in cuffs {
            text.append("<tr><th scope=\"row\">")
            text.append(markup: cuff.place)
            text.append("</th><td>")
            text.append(markup: cuff.driver.description)
            text.append("</td><td>")
            text.append(decimal: Int64(cuff.readings))
            text.append("</td></tr>\n")
        }
        text.append("</tbody></table></div></section>\n")
    }

    private func appendDeliveries(to text: inout TextBuffer) {
        text.append("<section aria-labelledby=\"sinks\"><h2 id=\"sinks\">Sinks</h2>\n")
        text.append("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Sinks\"><table><thead><tr><th scope=\"col\">Sink</th>")
        text.append("<th scope=\"col\">Stored</th><th scope=\"col\">Waiting</th><th scope=\"col\">State</th></tr></thead>\n<tbody>\n")
        for sink in deliveries {
            text.append("<tr><th scope=\"row\">")
            text.append(markup: sink.name + (sink.isRequired ? "" : " (optional)"))
            text.append("</th><td>")
            text.append(decimal: Int64(sink.stored))
            text.append("</td><td>")
            text.append(decimal: Int64(sink.waiting))
            text.append(sink.hasFailed ? "</td><td class=\"bad\">failing: see the log or <code>cuff sinks</code>" : "</td><td>working")
            text.append("</td></tr>\n")
        }
        text.append("</tbody></table></div></section>\n")
    }

    // MARK: Values

    private func append(timeOf reading: Reading, to text: inout TextBuffer) {
        if let time = reading.measured {
            append(wall: time.seconds + Int64(reading.measuredOffset) * 60, to: &text)
        } else if let time = reading.bestTime(in: zone) {
            append(time: time, to: &text)
        } else {
            text.append("time unknown")
        }
    }

    func append(time: Timestamp, to text: inout TextBuffer) { append(wall: zone.wall(at: time.seconds), to: &text) }

    private func append(wall: Int64, to text: inout TextBuffer) {
        var buffer = TextBuffer(capacity: 24)
        buffer.append(DeviceTime(wallSeconds: wall))
        let shown = buffer.string.prefix(16)
        text.append("<time datetime=\"")
        text.append(string: String(shown))
        text.append("\">")
        text.append(string: String(shown).replacing("T", with: " "))
        text.append("</time>")
    }

    /// In mmHg, whole.
    private static func pair(_ pressure: BloodPressure) -> String {
        "\(whole(pressure.systolic.inMmHg))/\(whole(pressure.diastolic.inMmHg))"
    }

    private static func words(_ flags: MeasurementFlags) -> String {
        let words = MeasurementFlags.words.indices.filter { flags.rawValue >> $0 & 1 == 1 }.map { "\(MeasurementFlags.words[$0])" }
        return words.joined(separator: ", ").replacing("_", with: " ")
    }

    private static func whole(_ value: Double) -> Int { Int(max(-9999, min(9999, value.rounded()))) }
}
