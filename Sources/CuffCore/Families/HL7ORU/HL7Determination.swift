struct HL7Determinations: Sendable {
    /// Far more than a message of `HL7Frame.maximumLength` needs; further OBX are ignored.
    private static let mostObservations = 1024
    /// The part of a PID segment that is kept with a record; the fields that name a patient come first.
    private static let longestPatient = 1024

    /// An order number has at most 22 characters, or four parts of up to 199 from version 2.7.
    private static let longestPlacer = 800

    private(set) var found: [HL7Determination] = []
    /// Why values were refused, and the code if that is the reason.
    private(set) var refused: [(why: StaticName, code: [UInt8])] = []

    private struct Key: Hashable {
        var order: Int
        var group: [UInt8]
        var time: DeviceTime?
    }

    init(_ message: HL7Message, isMindray: Bool) {
        let (observations, unread) = Self.observations(message, isMindray: isMindray)
        refused = unread
        let pressures = observations.filter { $0.code.role.isPressure }
        let groups = Self.grouped(pressures) { Key(order: $0.order, group: $0.place.group, time: $0.time) }.flatMap(Self.divided)
        let pulses = observations.filter { !$0.code.role.isPressure }
        var candidates: [HL7Determination] = []
        for group in groups {
            do throws(Refusal) {
                let found = try Self.determination(group, pulses, isAlone: groups.count { Self.isBeside(group, $0) } == 1)
                if let found { candidates.append(found) }
            } catch { refused.append((error.sentence, [])) }
        }
        // The same values in another nomenclature without a group: one determination.
        found = candidates.filter { one in
            !one.group.isEmpty || !candidates.contains { !$0.group.isEmpty && $0.isSame(as: one) }
        }
    }

    /// Drops determinations that may have lost values at a truncated end.
    mutating func keepWhole() {
        let whole = found.filter(\.isWhole)
        if whole.count < found.count { refused.append(("a blood pressure at the end of a message that may have been cut off", [])) }
        found = whole
    }

    /// Whether two groups have the same time, so that a pulse is assigned by group.
    private static func isBeside(_ group: [HL7Observation], _ other: [HL7Observation]) -> Bool {
        guard let a = group.first, let b = other.first else { return false }
        return a.time == b.time && a.patient == b.patient && (a.time != nil || a.order == b.order)
    }

    private struct Refusal: Error { var sentence: StaticName }

    private static func observations(
        _ message: HL7Message, isMindray: Bool
    ) -> (found: [HL7Observation], unread: [(why: StaticName, code: [UInt8])]) {
        var found: [HL7Observation] = []
        var unread: [(why: StaticName, code: [UInt8])] = []
        var order = 0
        var request = HL7Segment([], message.separators)
        var patient: [UInt8] = []
        let separators = message.separators
        let numbered = HL7SubID.numberedOrders(message)
        for segment in message.segments {
            if segment.isNamed("PID") {
                order += 1
                request = HL7Segment([], separators)
                patient = Array(segment.bytes.prefix(longestPatient))
            } else if segment.isNamed("OBR") {
                order += 1
                request = segment
            } else if segment.isNamed("OBX") {
                let code = separators.components(segment.field(3))
                if found.count < mostObservations, let code = HL7Code(code, isMindray: isMindray) {
                    var observation = observation(
                        segment, code, order: order, isNumbered: numbered.contains(order), request, separators)
                    observation.patient = patient
                    found.append(observation)
                } else if let why = HL7UnreadPressure.reason(segment, code, separators), !unread.contains(where: { $0.why == why }) {
                    unread.append((why, Array(segment.field(3))))
                }
            }
        }
        return (found, unread)
    }

    private static func time(_ field: ArraySlice<UInt8>, _ separators: HL7Separators) -> DeviceTime? {
        separators.components(field).first.flatMap { HL7Field.time($0) }
    }

    private static func observation(
        _ segment: HL7Segment, _ code: HL7Code, order: Int, isNumbered: Bool, _ request: HL7Segment,
        _ separators: HL7Separators
    ) -> HL7Observation {
        let identifier = separators.components(segment.field(3)).first ?? []
        let own = time(segment.field(14), separators)
        let stamp = own == nil ? request.field(7) : segment.field(14)
        let worth = HL7Worth(segment, isCorrected: request.field(25).elementsEqual("C".utf8), separators)
        return HL7Observation(
            code: code, value: worth.hasValue ? value(segment, separators) : .absent(.notMeasured),
            unit: HL7Unit(separators.components(segment.field(6))),
            place: isNumbered ? HL7SubID() : HL7SubID(segment.field(4), code: identifier, separators), time: time(stamp, separators),
            flags: worth.flags, standing: worth.standing, placer: Array(request.field(2).prefix(longestPlacer)), order: order,
            patient: [],
            record: record(segment, stamp, separators.field, isNumbered: isNumbered))
    }

    private static func value(_ segment: HL7Segment, _ separators: HL7Separators) -> HL7Field.Number {
        guard segment.field(2).elementsEqual("NM".utf8) else { return .unreadable }
        let components = separators.components(segment.field(5))
        guard components.count == 1 else { return .unreadable }
        return HL7Field.number(components[0])
    }

    private static func record(_ segment: HL7Segment, _ stamp: ArraySlice<UInt8>, _ separator: UInt8, isNumbered: Bool) -> [UInt8] {
        var bytes = Array("OBX".utf8) + [separator]
        for number in 2...6 { bytes += [separator] + (isNumbered && number == 4 ? [] : segment.field(number)) }
        return bytes + [UInt8](repeating: separator, count: 8) + stamp
    }

    /// The observations of one key as determinations: usually one; if a value is repeated, divided by the last part of OBX-4.
    private static func divided(_ observations: [HL7Observation]) -> [[HL7Observation]] {
        var seen: [HL7Code.Role: HL7Observation] = [:]
        let isRepeated = observations.contains { observation in
            guard let other = seen.updateValue(observation, forKey: observation.code.role) else { return false }
            return other.place.member != observation.place.member
        }
        guard isRepeated else { return [observations] }
        return grouped(observations, by: \.place.member)
    }

    /// The observations with equal keys, in the order of their first ones.
    private static func grouped<Key: Hashable>(_ observations: [HL7Observation], by key: (HL7Observation) -> Key) -> [[HL7Observation]] {
        let members = Dictionary(grouping: observations, by: key)
        var seen: Set<Key> = []
        return observations.map(key).filter { seen.insert($0).inserted }.map { members[$0] ?? [] }
    }

    /// The one value of a role; several contradict each other.
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
        // Mindray sends no unit, and means mmHg.
        case .unstated: .mmHg
        case .perMinute, .other: nil
        }
    }

    private static func determination(
        _ group: [HL7Observation], _ pulses: [HL7Observation], isAlone: Bool
    ) throws(Refusal) -> HL7Determination? {
        if group.contains(where: { $0.standing == .withdrawal && $0.code.role != .mean }) { return withdrawal(of: group) }
        let high = try single(.systolic, of: group)
        let low = try single(.diastolic, of: group)
        let mean = try single(.mean, of: group)
        // Nothing was measured, or could not be; a monitor repeats that in every message.
        if group.allSatisfy({ if case .absent = $0.value { true } else { false } }) { return nil }
        guard let high, let low else {
            let isGrouped = group.contains { !$0.place.group.isEmpty }
            throw Refusal(sentence: isGrouped ? "half a blood pressure in a group of its own (OBX-4)" : "half a blood pressure")
        }
        return try joined(high, low, mean, isAlone ? pulses : pulses.filter { $0.place.group == high.place.group })
    }

    /// The sender deletes or invalidates an earlier result; the values are meaningless.
    private static func withdrawal(of group: [HL7Observation]) -> HL7Determination? {
        guard let first = group.first else { return nil }
        let place = first.place
        return HL7Determination(
            flags: [], standing: .withdrawal, placer: first.placer, time: first.time,
            group: place.group + (place.member.isEmpty ? [] : [0x2E] + place.member), patient: first.patient,
            record: Array(group.map(\.record).joined(separator: [HL7Frame.carriageReturn])), values: [], isWhole: true)
    }

    private static func joined(
        _ high: HL7Observation, _ low: HL7Observation, _ mean: HL7Observation?, _ pulses: [HL7Observation]
    ) throws(Refusal) -> HL7Determination {
        guard case .value(let systolic) = high.value, case .value(let diastolic) = low.value else {
            if high.value == .unreadable || low.value == .unreadable { throw Refusal(sentence: "a pressure that is no number") }
            throw Refusal(sentence: "pressures of a determination whose systolic or diastolic pressure is absent or invalid")
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
        for part in parts { flags.formUnion(part.flags) }
        return HL7Determination(
            pressure: pressure, flags: flags, standing: standing(of: parts), placer: high.placer, time: high.time,
            group: high.place.group + (high.place.member.isEmpty ? [] : [0x2E] + high.place.member),
            patient: high.patient,
            record: Array(parts.map(\.record).joined(separator: [HL7Frame.carriageReturn])),
            values: [high.value, low.value, mean?.value ?? .absent(.none)],
            isWhole: pressure.mean != nil && pressure.pulse != nil)
    }

    /// The determination is corrected, or early, if one of its values is.
    private static func standing(of parts: [HL7Observation]) -> Reading.Reference.Standing {
        let all = parts.map(\.standing)
        return all.contains(.correction) ? .correction : all.contains(.preliminary) ? .preliminary : .result
    }

    /// The pulse at the determination's time: the cuff's own if it has a value, else the spot record's. Two different ones give none.
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
        var withoutValue: HL7Observation?
        for role in [HL7Code.Role.cuffPulse, .pulse] {
            let all = fitting.filter { $0.code.role == role }
            guard let first = all.first else { continue }
            guard all.allSatisfy({ $0.value == first.value }) else { break }
            if case .value = first.value { return first }
            withoutValue = withoutValue ?? first
        }
        return withoutValue
    }
}
