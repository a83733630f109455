import CuffCore
import Glibc

/// What a cuff told about itself, and what its family can do.
public struct DeviceInformation: Sendable {
    /// The driver of the cuff.
    public var driver: CuffDriver
    /// What the cuff reported of itself; `nil` where it was not asked or did not answer.
    public var identity: DeviceIdentity?
    /// The cuff's clock; `nil` where it was not read.
    public var clock: DeviceClockReport?

    /// Sets each property as given.
    public init(driver: CuffDriver, identity: DeviceIdentity?, clock: DeviceClockReport?) {
        self.driver = driver
        self.identity = identity
        self.clock = clock
    }

    private var rows: [(key: String, value: String)] {
        [
            ("driver", driver.id.description), ("id", identity?.id ?? ""), ("manufacturer", identity?.manufacturer ?? ""),
            ("model", identity?.model ?? ""), ("serial", identity?.serial ?? ""), ("firmware", identity?.firmware ?? ""),
            ("battery_percent", identity?.battery.map(String.init) ?? ""), ("clock", clock?.text ?? ""),
            ("clock_wanted", identity?.wantsClock == true ? "yes: it asks for its clock to be set" : ""),
        ].filter { !$0.value.isEmpty }
    }

    /// Lines for a person.
    public var text: String {
        let own = identity?.details.map { (key: $0.name, value: $0.value) } ?? []
        return (rows + own + [("can", driver.capabilities.words.joined(separator: ", "))]).map { row in
            row.key + String(repeating: " ", count: max(1, 16 - row.key.count)) + row.value + "\n"
        }.joined()
    }

    /// One JSON object and a line feed.
    public var json: String {
        var text = TextBuffer()
        text.append("{\"type\":\"device\",\"schema\":1")
        for row in rows where !["battery_percent", "clock", "clock_wanted"].contains(row.key) {
            text.append(string: ",\"\(row.key)\":")
            text.append(jsonString: row.value)
        }
        if let battery = identity?.battery { text.append(string: ",\"battery_percent\":\(battery)") }
        if let clock {
            text.append(",\"device_clock\":\"")
            text.append(clock.time)
            text.append(string: "\",\"behind_s\":\(clock.behind)")
            if clock.isHostUnsynchronised { text.append(",\"host_clock\":\"unsynchronised\"") }
        }
        if identity?.wantsClock == true { text.append(",\"clock_wanted\":true") }
        appendDetails(to: &text)
        text.append(string: ",\"capabilities\":[\(driver.capabilities.words.map { "\"\($0)\"" }.joined(separator: ","))]")
        if !driver.cycles.isEmpty { text.append(string: ",\"cycles_min\":[\(driver.cycles.map(String.init).joined(separator: ","))]") }
        text.append("}\n")
        return text.string
    }
}

extension DeviceInformation {
    /// What the cuff says of itself beside the rest: a list, because several may have one name.
    private func appendDetails(to text: inout TextBuffer) {
        guard let details = identity?.details, !details.isEmpty else { return }
        text.append(",\"details\":[")
        for (index, detail) in details.enumerated() {
            text.append(string: index == 0 ? "{\"name\":" : ",{\"name\":")
            text.append(jsonString: detail.name)
            text.append(",\"value\":")
            text.append(jsonString: detail.value)
            text.append("}")
        }
        text.append("]")
    }
}

/// Local times as people write them.
public enum HostTime {
    /// `now`, or `2026-05-05T07:31[:00]`, with the offset of this machine's zone: some cuffs keep it beside the time.
    public static func local(_ text: String) throws(IngestError) -> DeviceTime {
        if text == "now" {
            var seconds = time(nil)
            var parts = tm()
            localtime_r(&seconds, &parts)
            return DeviceTime(
                year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday), hour: Int(parts.tm_hour),
                minute: Int(parts.tm_min), second: min(59, Int(parts.tm_sec)), utcOffset: Int(parts.tm_gmtoff) / 60)
        }
        let numbers = text.split(whereSeparator: { !$0.isNumber }).map { Int($0) ?? -1 }
        guard numbers.count == 5 || numbers.count == 6, text.count >= 16 else { throw malformed(text) }
        var time = DeviceTime(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers.count == 6 ? numbers[5] : 0)
        guard time.isPossible else { throw malformed(text) }
        let zone = HostZone.local()
        time.utcOffset = Int16(truncatingIfNeeded: zone.offset(at: zone.instant(ofWall: time.wallSeconds)) / 60)
        return time
    }

    private static func malformed(_ text: String) -> IngestError {
        IngestError(RequestFault.notALocalTime(text))
    }
}

/// What must hold before a cuff's memory may be erased.
public enum Clearing {
    /// Throws a usage error unless a required durable sink is among the options and `confirmation` is `erase`.
    public static func permit(_ options: IngestOptions, confirmation: String) throws(IngestError) {
        guard options.keepsReadings else {
            throw IngestError(CommandFault.erasesUnstored)
        }
        guard confirmation == "erase" else {
            throw IngestError(CommandFault.erasureNotConfirmed)
        }
    }
}
