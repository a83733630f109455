import CuffCore

/// A reading as HealthKit samples: a blood-pressure correlation, and a heart-rate sample if the cuff sent a pulse. Nothing is
/// computed; absent values stay absent.
public struct ReadingSamples: Sendable, Hashable {
    /// The pressures; `nil` for a pulse alone.
    public let bloodPressure: Correlation?
    /// The pulse; `nil` if the cuff sent none.
    public let heartRate: QuantitySample?
    /// A quantity beyond blood pressure; `nil` for a pressure or a pulse.
    public let quantity: QuantitySample?
    /// A symptom; `nil` for anything else.
    public let category: CategorySample?
    /// A hearing test; `nil` for anything else.
    package let audiogram: Audiogram?
    /// When the reading was measured.
    public let time: Timestamp
    /// The metadata.
    public let metadata: HealthMetadata
    package let events: [HeartEvent]

    /// An irregular pulse, and a low or a high heart rate, as events without a value. Nothing is diagnosed.
    public var heartEvents: [CategorySample] {
        guard let source = bloodPressure?.source ?? heartRate?.source else { return [] }
        return events.compactMap { try? CategorySample($0.kind.type, start: time, end: time, source: source) }
    }

    /// `zone` is named in the metadata, and dates a reading that has only its cuff's own time. A pulse of `lowPulse` or less, or of
    /// `highPulse` or more, in beats per minute, is a heart event.
    /// - Throws: A `HealthError`: `noData` for a reading without values or time or that is pending, and `invalidArgument` for one that
    ///   counts nowhere, such as test data, and for limits that cross.
    public init(
        _ reading: Reading, source: HealthSource, device: DeviceIdentity? = nil, zone: ZoneTable, lowPulse: Double = 40,
        highPulse: Double = 120
    ) throws(HealthError) {
        guard let limits = HeartRateLimits(low: lowPulse, high: highPulse) else { throw .invalid("the limits of the pulse cross") }
        try self.init(reading, source: source, device: device, zone: zone, limits: limits)
    }

    package init(
        _ reading: Reading, source: HealthSource, device: DeviceIdentity?, zone: ZoneTable, limits: HeartRateLimits
    ) throws(HealthError) {
        if let reason = InclusionRule(zone: zone).reason(reading.flags) {
            throw .invalid("\(reason.sentence)")
        }
        guard !reading.isPending else { throw HealthError(.noData, "the cuff has not completed the reading") }
        guard let time = reading.bestTime(in: zone) else {
            throw HealthError(.noData, "the time of the reading is unknown")
        }
        var metadata = HealthMetadata(
            wasUserEntered: reading.isEntered, timeZone: Self.timeZone(of: reading, at: time, zone),
            deviceSerialNumber: device?.serial)
        metadata.restore(reading)
        metadata.sync = (Self.syncIdentifier(reading.id), Int(reading.revision) + 1)
        if let user = reading.user { metadata.other["CuffUser"] = "\(user)" }
        if !reading.flags.isEmpty { metadata.other["CuffFlags"] = reading.flags.text(separator: " ") }
        if let word = reading.trigger.word { metadata.other["CuffTrigger"] = word.description }
        if let decoder = reading.decoder { metadata.other["CuffDecoder"] = decoder }
        (self.time, self.metadata) = (time, metadata)
        let pulse: PulseRate?
        switch reading.content {
        case .bloodPressure(let pressure):
            pulse = pressure.pulse
            var own = metadata
            if let mean = pressure.mean { own.other["CuffMeanPressure"] = mean.text }
            func sample(_ type: SampleType, _ pressure: Pressure) throws(HealthError) -> QuantitySample {
                try QuantitySample(type, HealthQuantity(pressure), start: time, end: time, source: source, device: device)
            }
            bloodPressure = try Correlation(
                .bloodPressure,
                [sample(.systolic, pressure.systolic), sample(.diastolic, pressure.diastolic)],
                start: time, end: time, source: source, device: device, metadata: own)
        case .pulseRate(let rate):
            pulse = rate
            bloodPressure = nil
        case .quantity:
            let test = Audiogram(reading)
            audiogram = test
            category = try test == nil ? Self.category(of: reading, at: time, source, metadata) : nil
            quantity = try test == nil && category == nil ? Self.quantity(of: reading, at: time, source, device, metadata) : nil
            (bloodPressure, heartRate, events) = (nil, nil, [])
            return
        case .failure: throw HealthError(.noData, "the reading is neither a blood pressure nor a pulse")
        }
        (quantity, category, audiogram) = (nil, nil, nil)
        if let pulse {
            var own = metadata
            own.sync = (Self.syncIdentifier(reading.id) + ":hr", Int(reading.revision) + 1)
            heartRate = try QuantitySample(
                .heartRate, HealthQuantity(pulse), start: time, end: time, source: source, device: device, metadata: own)
        } else {
            heartRate = nil
        }
        events = HeartEvent.events(of: reading, at: time, limits: limits)
    }

    /// The zone of the reading, which may differ from that of the export. A reading keeps only the offset of its zone, so another zone is
    /// named by its offset.
    static func timeZone(of reading: Reading, at time: Timestamp, _ zone: ZoneTable) -> String {
        let here = zone.offset(at: time.seconds) / 60
        let offset = reading.measured == nil ? reading.clock.time?.utcOffset.map { Int($0) } ?? here : Int(reading.measuredOffset)
        return offset == here ? zone.name : ZoneTable.name(ofOffset: offset)
    }

    private static func quantity(
        of reading: Reading, at time: Timestamp, _ source: HealthSource, _ device: DeviceIdentity?, _ metadata: HealthMetadata
    ) throws(HealthError) -> QuantitySample {
        guard case .quantity(let quantity) = reading.content, let value = quantity.value, let type = QuantityType.of(reading),
            let unit = type.sample.unit
        else { throw HealthError(.noData, "the reading has no value of a known type") }
        // A share is 0 to 1 in HealthKit, although its unit is "%".
        let isShare = unit == .percent
        let digits = isShare ? Digits(mantissa: value.mantissa, exponent: Int8(clamping: Int(value.exponent) - 2)) : value
        return try QuantitySample(
            type.sample, HealthQuantity(digits, unit), start: time, end: end(of: reading, from: time), source: source, device: device,
            metadata: metadata)
    }

    /// `nil` for a reading that is not of a category.
    private static func category(
        of reading: Reading, at time: Timestamp, _ source: HealthSource, _ metadata: HealthMetadata
    ) throws(HealthError) -> CategorySample? {
        guard let type = QuantityType.of(reading), type.sample.kind == .category, case .quantity(let quantity) = reading.content else {
            return nil
        }
        guard let value = quantity.value.flatMap({ type.value($0) }) else {
            throw HealthError(.noData, "the reading has no value of its category")
        }
        return try CategorySample(
            type.sample, value: value, start: time, end: end(of: reading, from: time), source: source, metadata: metadata)
    }

    private static func end(of reading: Reading, from time: Timestamp) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds + (reading.duration.map { $0.components.seconds * 1000 } ?? 0))
    }

    static func syncIdentifier(_ id: Reading.ID) -> String { "cuff:\(id)" }
}
