import CuffCore

/// From which pulse on a reading is worth an event. Nothing is diagnosed; a limit is what the person set.
public struct HeartRateLimits: Sendable, Hashable {
    /// Beats per minute; at or below is low.
    public let low: Double
    /// At or above is high.
    public let high: Double

    /// `nil` where the limits cross.
    public init?(low: Double, high: Double) {
        guard low >= 0, low < high else { return nil }
        self.low = low
        self.high = high
    }

    private init(_ low: Double, _ high: Double) {
        self.low = low
        self.high = high
    }

    /// 40 and 120 per minute, usual limits of smart watches.
    public static let usual = HeartRateLimits(40, 120)
}

/// Something beside a reading that its numbers or its cuff say: an irregular pulse, a high or a low heart rate.
public struct HeartEvent: Sendable, Hashable {
    /// What was noticed. The raw value is the word in JSON.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case irregularPulse = "irregular_pulse"
        case highHeartRate = "high_heart_rate"
        case lowHeartRate = "low_heart_rate"

        /// The HealthKit type of the event.
        public var type: SampleType {
            switch self {
            case .irregularPulse: .irregularPulse
            case .highHeartRate: .highHeartRate
            case .lowHeartRate: .lowHeartRate
            }
        }
    }

    /// What was noticed.
    public var kind: Kind
    /// When the reading was measured.
    public var time: Timestamp
    /// The id of the reading that it was noticed in.
    public var reading: Reading.ID
    /// The user slot of the reading.
    public var user: Int32?
    /// The pulse of the reading; `nil` where the cuff sent none.
    public var pulse: PulseRate?
    /// The limit that was met; `nil` where the cuff itself said so.
    public var limit: Double?

    /// The events of one reading. An implausible pulse, or a reading that does not count, makes none.
    public static func events(of reading: Reading, at time: Timestamp, limits: HeartRateLimits) -> [HeartEvent] {
        guard !reading.isPending, InclusionRule(zone: .utc).reason(reading.flags) == nil else { return [] }
        let pulse: PulseRate?
        switch reading.content {
        case .bloodPressure(let pressure): pulse = pressure.pulse
        case .pulseRate(let rate): pulse = rate
        case .quantity, .failure: return []
        }
        var events: [HeartEvent] = []
        func note(_ kind: Kind, limit: Double? = nil) {
            events.append(HeartEvent(kind: kind, time: time, reading: reading.id, user: reading.user, pulse: pulse, limit: limit))
        }
        if reading.flags.contains(.irregularPulse) { note(.irregularPulse) }
        if let rate = pulse?.digits.value, rate > 0 {
            if rate >= limits.high {
                note(.highHeartRate, limit: limits.high)
            } else if rate <= limits.low {
                note(.lowHeartRate, limit: limits.low)
            }
        }
        if !events.contains(where: { $0.kind != .irregularPulse }) {
            if reading.flags.contains(.pulseOverRange) { note(.highHeartRate) }
            if reading.flags.contains(.pulseUnderRange) { note(.lowHeartRate) }
        }
        return events
    }

    /// One JSON line: `{"type":"event","schema":1,"event":"high_heart_rate",…}`.
    public func append(to text: inout TextBuffer, driver: String, device: String, zone: ZoneTable) {
        text.append("{\"type\":\"event\",\"schema\":1,\"event\":")
        text.append(jsonString: kind.rawValue)
        text.append(",\"reading\":\"")
        text.append(reading)
        text.append("\",\"driver\":")
        text.append(jsonString: driver)
        if !device.isEmpty {
            text.append(",\"device\":")
            text.append(jsonString: device)
        }
        if let user {
            text.append(",\"user\":")
            text.append(decimal: Int64(user))
        }
        text.append(",\"time\":\"")
        text.append(local: time, offset: zone.offset(at: time.seconds) / 60)
        text.append(0x22)
        if let pulse {
            text.append(",\"pulse_per_min\":")
            text.append(pulse.digits)
        }
        if let limit {
            text.append(",\"limit_per_min\":")
            text.append(rounded: limit)
        }
        text.append("}\n")
    }
}
