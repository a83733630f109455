import CuffCore

/// A quantity that a person types in. It becomes a reading of origin `entered`; the same value at the same time is the same reading.
package struct ManualQuantity: Sendable, Hashable {
    package var type: QuantityType
    /// The digits as they were typed, in the unit of the type.
    package var value: Digits
    /// When it began or was measured.
    package var time: Timestamp
    /// How long it lasted; `nil` for a moment.
    package var duration: Duration?
    /// The user slot; `nil` for none.
    package var user: Int32?
    package var remarks: Remarks

    package init(
        _ type: QuantityType, _ value: Digits, at time: Timestamp, lasting duration: Duration? = nil, user: Int32? = nil,
        remarks: Remarks = Remarks()
    ) {
        (self.type, self.value, self.time, self.duration, self.user, self.remarks) = (type, value, time, duration, user, remarks)
    }

    package func reading(received: Timestamp, zone: ZoneTable) -> Reading {
        var text = TextBuffer(capacity: 96)
        text.append(utc: time)
        text.append(string: " \(type.name) ")
        text.append(value)
        if let duration { text.append(string: " \(duration.components.seconds) s") }
        let quantity = Quantity(
            partition: UInt16(truncatingIfNeeded: type.mdc >> 16), term: UInt16(truncatingIfNeeded: type.mdc), value: value, unit: type.unit
        )
        let content: Reading.Content = type == .heartRate ? .pulseRate(PulseRate(value)) : .quantity(quantity)
        var reading = Reading.entered(content, as: text.array, at: time, user: user, received: received, zone: zone)
        reading.duration = duration
        reading.text = type.value(value)?.word
        reading.remarks = remarks.isEmpty ? nil : remarks
        return reading
    }
}
