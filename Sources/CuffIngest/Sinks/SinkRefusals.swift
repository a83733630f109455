/// The readings of one run that the other side refused; no quantities, and no failed measurements, for which many servers have no place.
public struct SinkRefusals: Sendable, Equatable {
    /// Blood pressures that were refused.
    public var readings = 0
    /// Of these, those that have the cuff's time and no zone for it.
    public var withoutZone = 0
    /// What the other side said of the last one.
    public var reason = ""

    /// None.
    public init() {}

    mutating func add(_ line: Outbox.Line, _ reason: String) {
        guard line.isBloodPressure else { return }
        readings += 1
        self.reason = reason
        if line.lacksZone { withoutZone += 1 }
    }
}

extension Outbox.Line {
    /// `OutboxState` and the end of a run judge a refusal by what was refused. The line is this program's own, and a quote within a value
    /// is escaped, so a key is found by its bytes.
    private func has(_ key: StaticString) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains("\"\(key)\":")
    }

    var isBloodPressure: Bool { bytes.starts(with: "{\"type\":\"blood_pressure\",".utf8) }
    /// Nothing is missing of it: a server that has a place for blood pressures can take it.
    var isCompleteReading: Bool { isBloodPressure && !isPending && has("measured") }
    /// The cuff said when, and no rule of the clock was applied.
    var lacksZone: Bool { has("device_time") && !has("measured") && !has("clock") }
}
