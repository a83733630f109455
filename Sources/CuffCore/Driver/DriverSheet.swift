/// A driver's documentation as text, for `cuff drivers NAME`, the table of `cuff drivers` and docs/CUFFS.md.
package enum DriverSheet {
    /// The full sheet of one driver: one fact per line, after a name of 14 columns.
    package static func text(_ driver: CuffDriver) -> String {
        var lines = ["\(driver.id)  \(driver.summary)", ""]
        func row(_ name: String, _ value: String) { lines.append(name.padded(to: 14) + value) }
        row("models", driver.models.joined(separator: ", "))
        row("transport", transport(driver.medium))
        if driver.medium == .tty {
            row("line", ([driver.line] + driver.otherLines).map(\.text).joined(separator: "; also "))
        }
        row("framing", driver.framing)
        row("check", driver.check ?? "none: damage on the line cannot be recognised, and every value is as it came")
        row("evidence", "grade \(driver.grade.rawValue), tested on \(evidence(driver.testedOn))")
        row("revision", "\(driver.revision), kept with each stored reading")
        row("can", driver.capabilities.words.isEmpty ? "nothing" : driver.capabilities.words.joined(separator: ", "))
        row("cannot", Capabilities.words.filter { !driver.capabilities.words.contains($0) }.joined(separator: ", "))
        if let preparation = driver.preparation { row("first", preparation) }
        row("changes", driver.changes)
        for claim in driver.claims { row("usb", self.claim(claim)) }
        if driver.claims.isEmpty { row("usb", "none known; assign the port") }
        for option in driver.options.sorted(by: { $0.key < $1.key }) {
            row("option", "\(option.key)=… \(option.value)")
        }
        for option in driver.simulatorOptions.sorted(by: { $0.key < $1.key }) {
            row("simulator", "\(option.key)=… \(option.value)")
        }
        for note in driver.notes { row("note", note) }
        for doubt in driver.unverified { row("unverified", doubt) }
        for source in driver.sources { row("source", source) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func transport(_ medium: CuffDriver.Medium) -> String {
        switch medium {
        case .tty: "serial (tty), also a pty or tcp"
        case .hidraw: "USB HID (hidraw)"
        case .usb: "USB bulk endpoints (usbfs)"
        }
    }

    private static func node(_ driver: CuffDriver) -> String {
        driver.medium == .tty ? "tty \(driver.line.text)" : driver.medium.rawValue
    }

    /// A recording by others is evidence for the bytes; it does not mean that this project has had the cuff.
    static func evidence(_ tested: CuffDriver.TestedOn) -> String {
        let untested = "untested on hardware by this project"
        return switch tested {
        case .recordedByUs: "bytes that this project recorded from a real cuff"
        case .recordedElsewhere(let source): "bytes recorded elsewhere (\(source)); \(untested)"
        case .documented: "documented bytes; \(untested)"
        case .derived: "bytes built from a documented layout; \(untested)"
        }
    }

    /// A claim as text: the ids and what happens when such a device is connected.
    package static func claim(_ claim: CuffDriver.Claim) -> String {
        switch claim {
        case .usb(let vendor, let product): "\(USBID.text(vendor)):\(USBID.text(product)) (claimed when plugged in)"
        case .release(let vendor, let product, let release):
            "\(USBID.text(vendor)):\(USBID.text(product)) release \(USBID.text(release)) (claimed when plugged in; other releases only when assigned)"
        case .shared(let vendor, let product):
            "\(USBID.text(vendor)):\(USBID.text(product)) (shared with other devices: only when assigned)"
        }
    }

    package static func cells(_ driver: CuffDriver) -> [String] {
        [
            driver.id.description, node(driver), driver.framing, driver.check ?? "none",
            driver.grade.rawValue, driver.testedOn.text, driver.capabilities.words.joined(separator: ","),
        ]
    }

    /// A table for a terminal of this width: driver, models, connection.
    package static func table(_ drivers: [CuffDriver], width: Int?) -> String {
        let rows = drivers.map { [$0.id.description, $0.models.joined(separator: ", "), connection($0), $0.testedOn.text] }
        return TextTable(["DRIVER", "MODELS", "CONNECTION", "TESTED ON"], rows, wrapping: 1, optional: [3]).text(width: width)
    }

    /// The connection in a few words: the kind of line, and the cuff's or bridge chip's ids.
    package static func connection(_ driver: CuffDriver) -> String {
        let line = driver.medium == .tty ? "serial" : "USB"
        let ids = driver.claims.map { $0.id.description }
        return ([line] + ids).joined(separator: " ")
    }

    /// One driver per line, tab-separated: id, node, framing, check, grade, test, capabilities, models.
    package static func plain(_ drivers: [CuffDriver]) -> String {
        drivers.map { (cells($0) + [$0.models.joined(separator: ", ")]).joined(separator: "\t") + "\n" }.joined()
    }

    /// The table of docs/CUFFS.md.
    package static func markdown(_ drivers: [CuffDriver]) -> String {
        var text = "| driver | models | transport | framing; check | grade, tested on | can |\n|---|---|---|---|---|---|\n"
        for driver in drivers {
            let framing = "\(driver.framing); \(driver.check ?? "no check")".replacing("|", with: "\\|")
            text += "| `\(driver.id)` | \(driver.models.joined(separator: ", ")) | \(node(driver)) | \(framing) "
            text += "| \(driver.grade.rawValue), \(driver.testedOn.text) | \(driver.capabilities.words.joined(separator: ", ")) |\n"
        }
        return text
    }

    /// Appends one JSON object and a line feed. Keys are additive; an absent key means unknown or none.
    package static func appendJSON(_ driver: CuffDriver, to text: inout TextBuffer) {
        func list(_ values: [String]) -> JSONOutput { .list(values.map { .text($0) }) }
        let recorder = driver.testedOn == .recordedByUs ? "this project" : "others"
        let members: [(String, JSONOutput?)] = [
            ("driver", .text(driver.id.description)),
            ("summary", .text(driver.summary)),
            ("models", list(driver.models)),
            ("medium", .text(driver.medium.rawValue)),
            ("lines", driver.medium == .tty ? list(([driver.line] + driver.otherLines).map(\.text)) : nil),
            ("framing", .text(driver.framing)),
            ("check", driver.check.map { .text($0) }),
            ("grade", .text(driver.grade.rawValue)),
            ("tested_on", .text(driver.testedOn.word)),
            ("recorded_by", driver.testedOn.word == "recorded" ? .text(recorder) : nil),
            ("recording", driver.testedOn.recording.map { .text($0) }),
            ("revision", .number(Int(driver.revision))),
            ("capabilities", list(driver.capabilities.words)),
            ("first", driver.preparation.map { .text($0) }),
            ("changes", .text(driver.changes)),
            ("usb", list(driver.claims.map(claim))),
            ("unverified", list(driver.unverified)),
            ("notes", list(driver.notes)),
            ("sources", list(driver.sources)),
        ]
        text.append(string: JSONOutput.line("driver", members))
    }
}
