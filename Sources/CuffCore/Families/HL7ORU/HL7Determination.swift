/// One value of the cuff, or a pulse, as an OBX has it.
struct HL7Observation: Sendable {
    var code: HL7Code
    var value: HL7Field.Number
    var unit: HL7Unit
    /// What OBX-4 says.
    var place: HL7SubID
    /// OBX-14, or OBR-7 of its order.
    var time: DeviceTime?
    var isPreliminary: Bool
    /// The number of the order (OBR) or patient (PID) it stands under.
    var order: Int
    /// The PID segment it stands under; empty where there is none.
    var patient: [UInt8]
    /// What of the segment belongs to the value, whatever message repeats it: OBX-2 to 6 and 14, or OBR-7 in its place. A running number
    /// in OBX-4 does not: it changes with what else the message holds.
    var record: [UInt8]
}

/// One determination of the cuff: the values of one group and time.
struct HL7Determination: Sendable {
    var pressure: BloodPressure
    var flags: MeasurementFlags
    /// Its own time; `nil` where only the message has one.
    var time: DeviceTime?
    var group: [UInt8]
    /// The PID segment it stands under.
    var patient: [UInt8]
    /// Its segments, without those of other determinations.
    var record: [UInt8]
    /// Systolic, diastolic and mean as sent: what tells it from the one before where it has no time.
    var values: [HL7Field.Number]
    var isWhole: Bool

    /// The same patient, time of its own and values.
    func isSame(as other: HL7Determination) -> Bool {
        time != nil && time == other.time && patient == other.patient && values == other.values
    }
}

/// What a message says of the cuff.
struct HL7Determinations: Sendable {
    /// Far more than a message of `HL7Frame.maximumLength` needs; OBX beyond are not looked at.
    private static let mostObservations = 1024
    /// The part of a PID segment that is kept with a record; the fields that name a patient come first.
    private static let longestPatient = 1024

    private(set) var found: [HL7Determination] = []
    /// Why values were not taken, one sentence each.
    private(set) var refused: [StaticName] = []

    /// These and no others.
    init(_ found: [HL7Determination]) { self.found = found }

    private struct Key: Hashable {
        var order: Int
        var group: [UInt8]
        var time: DeviceTime?
    }

    init(_ message: HL7Message, isMindray: Bool) {
        let observations = Self.observations(message, isMindray: isMindray)
        var keys: [Key] = []
        var members: [Key: [HL7Observation]] = [:]
        for observation in observations where observation.code.role.isPressure {
            let key = Key(order: observation.order, group: observation.place.group, time: observation.time)
            if members[key] == nil { keys.append(key) }
            members[key, default: []].append(observation)
        }
        var groups: [[HL7Observation]] = []
        for key in keys { groups += Self.divided(members[key] ?? []) }
        let pulses = observations.filter { !$0.code.role.isPressure }
        var candidates: [HL7Determination] = []
        for group in groups {
            switch Self.determination(group, pulses, isAlone: groups.count { Self.isBeside(group, $0) } == 1) {
            case .success(let determination): if let determination { candidates.append(determination) }
            case .failure(let why): refused.append(why.sentence)
            }
        }
        // The same in another nomenclature, and under no group: one determination, told twice.
        found = candidates.filter { one in
            !one.group.isEmpty || !candidates.contains { !$0.group.isEmpty && $0.isSame(as: one) }
        }
    }

    /// Whether two groups have the same time, so that only the group tells whose a pulse is.
    private static func isBeside(_ group: [HL7Observation], _ other: [HL7Observation]) -> Bool {
        guard let a = group.first, let b = other.first else { return false }
        return a.time == b.time && a.patient == b.patient && (a.time != nil || a.order == b.order)
    }

    private struct Refusal: Error { var sentence: StaticName }

    // MARK: Reading the segments

    private static func observations(_ message: HL7Message, isMindray: Bool) -> [HL7Observation] {
        var found: [HL7Observation] = []
        var order = 0
        var orderTime = ArraySlice<UInt8>()
        var patient: [UInt8] = []
        let separators = message.separators
        let numbered = HL7SubID.numberedOrders(message)
        for segment in message.segments where found.count < mostObservations {
            if segment.isNamed("PID") {
                order += 1
                orderTime = []
                patient = Array(segment.bytes.prefix(longestPatient))
            } else if segment.isNamed("OBR") {
                order += 1
                orderTime = segment.field(7)
            } else if segment.isNamed("OBX"), let code = HL7Code(separators.components(segment.field(3)), isMindray: isMindray) {
                var observation = observation(
                    segment, code, order: order, isNumbered: numbered.contains(order), orderTime, separators)
                observation.patient = patient
                found.append(observation)
            }
        }
        return found
    }

    private static func time(_ field: ArraySlice<UInt8>, _ separators: HL7Separators) -> DeviceTime? {
        separators.components(field).first.flatMap { HL7Field.time($0) }
    }

    private static func observation(
        _ segment: HL7Segment, _ code: HL7Code, order: Int, isNumbered: Bool, _ orderTime: ArraySlice<UInt8>,
        _ separators: HL7Separators
    ) -> HL7Observation {
        let identifier = separators.components(segment.field(3)).first ?? []
        let own = time(segment.field(14), separators)
        let stamp = own == nil ? orderTime : segment.field(14)
        let status = Array(segment.field(11))
        return HL7Observation(
            code: code, value: value(segment, status, separators), unit: HL7Unit(separators.components(segment.field(6))),
            place: isNumbered ? HL7SubID() : HL7SubID(segment.field(4), code: identifier, separators), time: time(stamp, separators),
            isPreliminary: status == [0x50] || status == [0x53], order: order, patient: [],
            record: record(segment, stamp, separators.field, isNumbered: isNumbered))
    }

    private static func value(_ segment: HL7Segment, _ status: [UInt8], _ separators: HL7Separators) -> HL7Field.Number {
        guard segment.field(2).elementsEqual("NM".utf8) else { return .unreadable }
        // Final, entered, corrected, changed, preliminary, partial; all others (X, D, W, I, N, O) say that there is no value.
        guard status.isEmpty || status.count == 1 && "FRCUPS".utf8.contains(status[0]) else { return .absent(.notMeasured) }
        let components = separators.components(segment.field(5))
        guard components.count == 1 else { return .unreadable }
        return HL7Field.number(components[0])
    }

    private static func record(_ segment: HL7Segment, _ stamp: ArraySlice<UInt8>, _ separator: UInt8, isNumbered: Bool) -> [UInt8] {
        var bytes = Array("OBX".utf8) + [separator]
        for number in 2...6 { bytes += [separator] + (isNumbered && number == 4 ? [] : segment.field(number)) }
        return bytes + [UInt8](repeating: separator, count: 8) + stamp
    }

    // MARK: Putting values together

    /// The observations of one key as determinations: one as a rule; by the last part of OBX-4 where a value stands there twice.
    private static func divided(_ observations: [HL7Observation]) -> [[HL7Observation]] {
        var seen: [HL7Code.Role: HL7Observation] = [:]
        let isRepeated = observations.contains { observation in
            guard let other = seen.updateValue(observation, forKey: observation.code.role) else { return false }
            return other.place.member != observation.place.member
        }
        guard isRepeated else { return [observations] }
        var order: [[UInt8]] = []
        var members: [[UInt8]: [HL7Observation]] = [:]
        for observation in observations {
            if members[observation.place.member] == nil { order.append(observation.place.member) }
            members[observation.place.member, default: []].append(observation)
        }
        return order.map { members[$0] ?? [] }
    }

    /// The one value of a role; more than one is a contradiction.
    private static func single(_ role: HL7Code.Role, of observations: [HL7Observation]) throws(Refusal) -> HL7Observation? {
        let all = observations.filter { $0.code.role == role }
        guard let first = all.first else { return nil }
        guard all.allSatisfy({ $0.value == first.value && pressureUnit($0) == pressureUnit(first) }) else {
            throw Refusal(sentence: "one value of a determination twice, and not the same")
        }
        return first
    }

    private static func pressureUnit(_ observation: HL7Observation) -> PressureUnit? {
        switch observation.unit {
        case .pressure(let unit): unit
        // Mindray names none, and counts in mmHg.
        case .unstated: .mmHg
        case .perMinute, .other: nil
        }
    }

    private static func determination(
        _ group: [HL7Observation], _ pulses: [HL7Observation], isAlone: Bool
    ) -> Result<HL7Determination?, Refusal> {
        do throws(Refusal) {
            let high = try single(.systolic, of: group)
            let low = try single(.diastolic, of: group)
            let mean = try single(.mean, of: group)
            guard let high, let low else {
                let isGrouped = group.contains { !$0.place.group.isEmpty }
                throw Refusal(sentence: isGrouped ? "half a blood pressure in a group of its own (OBX-4)" : "half a blood pressure")
            }
            return .success(try joined(high, low, mean, isAlone ? pulses : pulses.filter { $0.place.group == high.place.group }))
        } catch { return .failure(error) }
    }

    private static func joined(
        _ high: HL7Observation, _ low: HL7Observation, _ mean: HL7Observation?, _ pulses: [HL7Observation]
    ) throws(Refusal) -> HL7Determination? {
        guard case .value(let systolic) = high.value, case .value(let diastolic) = low.value else {
            // Nothing was measured, or could not be; a monitor says so in every message.
            if high.value == .unreadable || low.value == .unreadable { throw Refusal(sentence: "a pressure that is no number") }
            return nil
        }
        guard let unit = pressureUnit(high), unit == pressureUnit(low), mean.map({ unit == pressureUnit($0) }) != false else {
            throw Refusal(sentence: "pressures of one determination without a common unit")
        }
        var pressure = BloodPressure(systolic: Pressure(systolic, unit), diastolic: Pressure(diastolic, unit))
        if case .unstated = high.unit, !pressure.fitsItsUnit { throw Refusal(sentence: "a pressure without a unit that is none in mmHg") }
        var parts = [high, low]
        if let mean {
            parts.append(mean)
            switch mean.value {
            case .value(let digits): pressure.mean = Pressure(digits, unit)
            case .absent(let why): pressure.meanAbsence = why
            case .unreadable: pressure.meanAbsence = .notMeasured
            }
        }
        let isDoubtful = parts.contains(where: \.code.isDoubtful)
        if let pulse = pulse(of: high, among: pulses) {
            parts.append(pulse)
            switch pulse.value {
            case .value(let digits): pressure.pulse = PulseRate(digits)
            case .absent(let why): pressure.pulseAbsence = why
            case .unreadable: pressure.pulseAbsence = .notMeasured
            }
        }
        var flags: MeasurementFlags = .noMeasurementCheck
        if isDoubtful { flags.insert(.questionable) }
        if parts.contains(where: \.isPreliminary) { flags.insert(.earlyIndication) }
        return HL7Determination(
            pressure: pressure, flags: flags, time: high.time,
            group: high.place.group + (high.place.member.isEmpty ? [] : [0x2E] + high.place.member),
            patient: high.patient,
            record: Array(parts.map(\.record).joined(separator: [HL7Frame.carriageReturn])),
            values: [high.value, low.value, mean?.value ?? .absent(.none)],
            isWhole: pressure.mean != nil && pressure.pulse != nil)
    }

    /// The pulse of the determination's time: the cuff's own before that of the record. Two that differ are none.
    private static func pulse(of pressure: HL7Observation, among pulses: [HL7Observation]) -> HL7Observation? {
        let fitting = pulses.filter { pulse in
            guard pulse.time == pressure.time, pulse.patient == pressure.patient, pulse.time != nil || pulse.order == pressure.order else {
                return false
            }
            switch pulse.unit {
            case .perMinute, .unstated: return true
            case .pressure, .other: return false
            }
        }
        for role in [HL7Code.Role.cuffPulse, .pulse] {
            let all = fitting.filter { $0.code.role == role }
            guard let first = all.first else { continue }
            return all.allSatisfy { $0.value == first.value } ? first : nil
        }
        return nil
    }
}
