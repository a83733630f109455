import CuffCore

/// The pulse limits for events. Nothing is diagnosed; the person sets the limits.
package struct HeartRateLimits: Sendable, Hashable {
    /// Beats per minute; at or below is low.
    package let low: Double
    /// At or above is high.
    package let high: Double

    /// `nil` if the limits cross.
    package init?(low: Double, high: Double) {
        guard low >= 0, low < high else { return nil }
        self.low = low
        self.high = high
    }

    private init(_ low: Double, _ high: Double) {
        self.low = low
        self.high = high
    }

    /// 40 and 120 per minute, usual limits of smart watches.
    package static let usual = HeartRateLimits(40, 120)
}

/// An event of a reading: an irregular pulse, a high or a low heart rate.
package struct HeartEvent: Sendable, Hashable {
    /// What was noticed. The raw value is the word in JSON.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case irregularPulse = "irregular_pulse"
        case highHeartRate = "high_heart_rate"
        case lowHeartRate = "low_heart_rate"

        package var type: SampleType {
            switch self {
            case .irregularPulse: .irregularPulse
            case .highHeartRate: .highHeartRate
            case .lowHeartRate: .lowHeartRate
            }
        }
    }

    package var kind: Kind
    package var time: Timestamp
    package var reading: Reading.ID
    package var user: Int32?
    /// The name of the person, as the reading has it.
    package var person: String?
    /// The pulse of the reading; `nil` if the cuff sent none.
    package var pulse: PulseRate?
    /// The limit that was reached; `nil` if the cuff reported the event.
    package var limit: Double?

    /// The events of one reading; none for an implausible pulse or an excluded reading.
    package static func events(of reading: Reading, at time: Timestamp, limits: HeartRateLimits) -> [HeartEvent] {
        guard !reading.isPending, InclusionRule(zone: .utc).reason(reading.flags) == nil else { return [] }
        let pulse: PulseRate?
        switch reading.content {
        case .bloodPressure(let pressure): pulse = pressure.pulse
        case .pulseRate(let rate): pulse = rate
        case .quantity, .failure: return []
        }
        var events: [HeartEvent] = []
        func note(_ kind: Kind, limit: Double? = nil) {
            events.append(
                HeartEvent(
                    kind: kind, time: time, reading: reading.id, user: reading.user, person: reading.person, pulse: pulse, limit: limit))
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
    package func append(to text: inout TextBuffer, driver: String, device: String, zone: ZoneTable) {
        text.append("{\"type\":\"event\",\"schema\":1")
        text.append(key: "event", kind.rawValue)
        text.append(key: "reading", reading)
        text.append(key: "driver", driver)
        if !device.isEmpty { text.append(key: "device", device) }
        if let user { text.append(key: "user", Int(user)) }
        if let person { text.append(key: "person", person) }
        text.append(key: "time", time, in: zone)
        if let pulse { text.append(key: "pulse_per_min", pulse.digits) }
        if let limit { text.append(key: "limit_per_min", rounded: limit) }
        text.append("}\n")
    }
}
