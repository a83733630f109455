struct IntelliVueCuffs: Sendable, Equatable {
    var own = IntelliVueCuff(systolic: 0x4A05, diastolic: 0x4A06, mean: 0x4A07)
    var telemetry = IntelliVueCuff(systolic: 0xF0A1, diastolic: 0xF0A2, mean: 0xF0A3)
    static let pulse: UInt16 = 0xF0E5
    static let perMinute: UInt16 = 0x0AA0
    var pulse: IntelliVueValue?
    private var pulseStamp: [UInt8] = []

    mutating func receive(_ object: IntelliVueObject) {
        own.receive(object)
        telemetry.receive(object)
        if let value = object.values.first(where: { $0.code == Self.pulse }) {
            pulse = value
            pulseStamp = object.stamp
        }
    }

    mutating func join(_ next: IntelliVueCuffs) {
        own.join(next.own)
        telemetry.join(next.telemetry)
        if next.pulse != nil {
            pulse = next.pulse
            pulseStamp = next.pulseStamp
        }
    }

    var isWhole: Bool { own.isPair && pulse != nil }

    /// The reading of a cuff; `nil` without a blood pressure. The pulse is that of the monitor's own cuff, unless it has another time.
    func reading(of cuff: IntelliVueCuff) -> Reading? {
        guard let systolic = cuff.systolic?.pressure, let diastolic = cuff.diastolic?.pressure else { return nil }
        let isOwn = cuff.codes == own.codes && (pulseStamp.isEmpty || pulseStamp == cuff.stamp)
        let rate = isOwn && pulse?.unit == Self.perMinute ? pulse?.digits.flatMap { $0.mantissa > 0 ? PulseRate($0) : nil } : nil
        let mean = cuff.mean?.pressure
        let pressure = BloodPressure(
            systolic: systolic, diastolic: diastolic, mean: mean, pulse: rate,
            meanAbsence: mean == nil ? cuff.mean.map { Self.absence(of: $0) } ?? .none : .none,
            pulseAbsence: rate == nil && isOwn ? pulse.map { Self.absence(of: $0) } ?? .none : .none)
        var flags: MeasurementFlags = []
        for value in [cuff.systolic, cuff.diastolic, mean == nil ? nil : cuff.mean, rate == nil ? nil : pulse] {
            flags.formUnion(value?.flags ?? [])
        }
        return Reading(
            .bloodPressure(pressure), driver: "intellivue", flags: flags, clock: cuff.clock, origin: .memory,
            raw: RawBytes(cuff.raw))
    }

    /// A value in another unit counts as missing.
    private static func absence(of value: IntelliVueValue) -> Absence { value.absence == .none ? .notMeasured : value.absence }
}

/// The parts of one cuff's result, in one object or in several with the same time.
struct IntelliVueCuff: Sendable, Equatable {
    let codes: [UInt16]
    private var values: [IntelliVueValue?] = [nil, nil, nil]
    var clock = DeviceClock.absent
    var stamp: [UInt8] = []

    init(systolic: UInt16, diastolic: UInt16, mean: UInt16) { codes = [systolic, diastolic, mean] }

    var systolic: IntelliVueValue? { values[0] }
    var diastolic: IntelliVueValue? { values[1] }
    var mean: IntelliVueValue? { values[2] }
    var isPair: Bool { values[0] != nil && values[1] != nil }
    private var isEmpty: Bool { values.allSatisfy { $0 == nil } }

    mutating func receive(_ object: IntelliVueObject) {
        for value in object.values {
            guard let index = codes.firstIndex(of: value.code) else { continue }
            // Parts with different times are of different determinations.
            if isEmpty || stamp != object.stamp { begin(object.clock, object.stamp) }
            values[index] = value
        }
    }

    mutating func join(_ next: IntelliVueCuff) {
        guard !next.isEmpty else { return }
        if isEmpty || stamp != next.stamp { begin(next.clock, next.stamp) }
        for (index, value) in next.values.enumerated() where value != nil { values[index] = value }
    }

    private mutating func begin(_ clock: DeviceClock, _ stamp: [UInt8]) {
        values = [nil, nil, nil]
        self.clock = clock
        self.stamp = stamp
    }

    /// The time and the values as sent, without the states.
    var raw: [UInt8] { stamp + values.flatMap { $0?.raw ?? [] } }
}
