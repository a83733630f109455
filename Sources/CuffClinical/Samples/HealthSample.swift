import CuffCore

/// A sample that can be kept as a reading: a blood pressure, a quantity, or a symptom.
public protocol HealthSample: Sendable {
    /// When the value begins.
    var start: Timestamp { get }
    /// When the value ends.
    var end: Timestamp { get }
    var metadata: HealthMetadata { get }
    /// The reading that keeps the sample, of origin `entered`. The same values at the same time are the same reading. `received` is
    /// now, and `zone` gives the wall clock of the id.
    /// - Throws: A `HealthError`: `invalidArgument` for a type without readings, an implausible value, and a time in the future;
    ///   `dataSizeExceeded` for metadata of more than 4,000 bytes.
    func reading(user: Int32?, received: Timestamp, zone: ZoneTable) throws(HealthError) -> Reading
}

extension HealthSample {
    /// Two clocks may differ by a minute.
    func checkTime(_ received: Timestamp) throws(HealthError) {
        guard start.milliseconds <= received.milliseconds + 60_000 else { throw .invalid("the sample is in the future") }
    }

    var duration: Duration? {
        let seconds = (end.milliseconds - start.milliseconds) / 1000
        return seconds > 0 ? .seconds(seconds) : nil
    }
}

extension Correlation: HealthSample {
    /// A pulse is a separate sample and becomes a separate reading.
    /// - Throws: As ``HealthSample/reading(user:received:zone:)``.
    public func reading(user: Int32?, received: Timestamp, zone: ZoneTable) throws(HealthError) -> Reading {
        try checkTime(received)
        func pressure(_ type: SampleType) throws(HealthError) -> Pressure {
            guard let quantity = object(type)?.quantity else { throw .invalid("the correlation has no \(type.identifier)") }
            if quantity.unit == .kPa { return Pressure(quantity.digits, .kPa) }
            guard let converted = quantity.converted(to: .mmHg) else { throw .invalid("\(quantity.unit) is not a unit of pressure") }
            return Pressure(converted.digits, .mmHg)
        }
        let values = BloodPressure(systolic: try pressure(.systolic), diastolic: try pressure(.diastolic))
        guard values.isPlausible else { throw .invalid("the values are outside what an arm can have") }
        return try metadata.kept(in: ManualEntry(values, at: start, user: user).reading(received: received, zone: zone))
    }
}

extension QuantitySample: HealthSample {
    /// A heart rate becomes a pulse; body mass, temperature and the like become a quantity in the unit of the type.
    /// - Throws: As ``HealthSample/reading(user:received:zone:)``.
    public func reading(user: Int32?, received: Timestamp, zone: ZoneTable) throws(HealthError) -> Reading {
        try checkTime(received)
        guard let type = QuantityType.all.first(where: { $0.sample == self.type }), let unit = type.sample.unit else {
            throw .invalid("a sample of \(self.type.identifier) cannot be stored alone")
        }
        guard var digits = quantity.converted(to: unit)?.digits else { throw .invalid("\(quantity.unit) is not a unit of \(type.name)") }
        // A share is 0 to 1 in HealthKit, although its unit is "%".
        if unit == .percent { digits.exponent = Int8(clamping: Int(digits.exponent) + 2) }
        guard type.plausible.contains(digits.value) else { throw .invalid("\(digits.value) \(unit) is outside what \(type.name) can be") }
        let entry = ManualQuantity(type, digits, at: start, lasting: duration, user: user)
        return try metadata.kept(in: entry.reading(received: received, zone: zone))
    }
}

extension CategorySample: HealthSample {
    /// Heart events are computed from readings, and not stored.
    /// - Throws: As ``HealthSample/reading(user:received:zone:)``.
    public func reading(user: Int32?, received: Timestamp, zone: ZoneTable) throws(HealthError) -> Reading {
        try checkTime(received)
        guard let type = QuantityType.all.first(where: { $0.sample == self.type }), let value, type.values.contains(value) else {
            throw .invalid("a sample of \(self.type.identifier) with this value cannot be stored alone")
        }
        let number = Digits(mantissa: Int64(value.number))
        let entry = ManualQuantity(type, number, at: start, lasting: duration, user: user)
        return try metadata.kept(in: entry.reading(received: received, zone: zone))
    }
}

extension HealthMetadata {
    /// HealthKit has no keys for these.
    static let keys: [Remarks.Key: String] = [
        .note: "CuffNote", .medication: "CuffMedication", .posture: "CuffPosture", .arm: "CuffArm",
    ]
    private static let externalKey = "HKExternalUUID"

    /// The reading with the remarks of the sample, cut to what a reading keeps, and its other keys.
    func kept(in reading: Reading) throws(HealthError) -> Reading {
        var reading = reading
        reading.remarks = Remarks(stored: { key in Self.keys[key].flatMap { other[$0] } })
        reading.metadata = other.filter { !Self.keys.values.contains($0.key) }
        reading.metadata[Self.externalKey] = externalUUID
        try Self.checkSize(reading.metadata)
        return reading
    }

    /// Sets what `kept(in:)` keeps.
    mutating func restore(_ reading: Reading) {
        other = reading.metadata
        externalUUID = other.removeValue(forKey: Self.externalKey)
        for (key, text) in reading.remarks?.all ?? [] { if let name = Self.keys[key] { other[name] = text } }
    }
}
