/// The blood pressures of one run that were refused. Quantities and failures do not count: many servers cannot store them.
public struct SinkRefusals: Sendable, Equatable {
    /// Refused blood pressures.
    public var readings = 0
    /// How many of them have the cuff's local time and no zone.
    public var withoutZone = 0
    /// The last reason given.
    public var reason = ""

    /// No refusals.
    public init() {}

    mutating func add(_ line: Outbox.Line, _ reason: String) {
        guard line.isBloodPressure else { return }
        readings += 1
        self.reason = reason
        if line.lacksZone { withoutZone += 1 }
    }
}

extension Outbox.Line {
    /// Text searches suffice: the line is this program's own, and quotes within values are escaped.
    private func has(_ key: StaticString) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains("\"\(key)\":")
    }

    var isBloodPressure: Bool { bytes.starts(with: "{\"type\":\"blood_pressure\",".utf8) }
    /// A complete reading, which a server for blood pressures can store.
    var isCompleteReading: Bool { isBloodPressure && !isPending && has("measured") }
    /// With the cuff's time, not corrected by any clock rule.
    var lacksZone: Bool { has("device_time") && !has("measured") && !has("clock") }
}
