/// The positions of pressures and their pulse in a report, learned by `PHDRepeatedReport`.
struct PHDPressuresAndPulse: Sendable {
    // The positions of the SFLOATs; `mean` is 0 without a mean.
    private let systolic: Int
    private let diastolic: Int
    private let mean: Int
    private let pulse: Int
    private let stampOfPressures: Int
    private let stampOfPulse: Int
    private let rawStart: Int
    private let rawEnd: Int
    private let stampKind: PHDStamp.Kind
    private let unit: PressureUnit
    private let person: Int32?
    private let flags: MeasurementFlags

    /// `nil` if the two are not such a pair; not an error.
    init?(
        _ first: PHDObservation, _ second: PHDObservation, _ configuration: borrowing PHDConfiguration, _ apdu: Span<UInt8>
    ) {
        guard first.object >= 0, second.object >= 0, first.handle != 0, second.handle != 0, !first.isCut, !second.isCut,
            !first.hasTrailingBytes, !second.hasTrailingBytes, !first.lacksHandle,
            first.person == second.person, first.stamp.kind == second.stamp.kind, first.stamp.isOfCalendar, first.term == 0,
            second.term == 0,
            first.attribute == PHDAttribute.compoundBasicNumeric, second.attribute == PHDAttribute.basicNumeric,
            configuration.objects[first.object].role == .pressure, configuration.objects[second.object].role == .pulse,
            !configuration.hasPressureStatus,
            second.unit(0, apdu, configuration.objects[second.object]) == PHDMetric.beatsPerMinute,
            !first.isAmbiguous(apdu, configuration.objects[first.object], configuration.metrics),
            let (places, unit) = first.pressurePlaces(apdu, configuration.objects[first.object], configuration.metrics),
            first.count == places.count
        else { return nil }
        systolic = first.value + 2 * Int(places.systolic)
        diastolic = first.value + 2 * Int(places.diastolic)
        mean = places.mean == PHDPressurePlaces.nowhere ? 0 : first.value + 2 * Int(places.mean)
        pulse = second.value
        stampKind = first.stamp.kind
        stampOfPressures = first.stampPlaces.lowerBound
        stampOfPulse = second.stampPlaces.lowerBound
        self.unit = unit
        person = first.person
        flags = first.flags(apdu).union(second.flags(apdu))
        rawStart = first.raw.lowerBound
        rawEnd = first.raw.upperBound
    }

    func stamp(_ apdu: Span<UInt8>) -> PHDStamp { PHDStamp(stampKind, apdu, stampOfPressures) }

    /// Emits the reading; `false` for different stamps, no time, or a pressure without a value.
    @inline(__always)
    func emit(_ apdu: Span<UInt8>, into actions: inout SessionActions) -> Bool {
        let stamp = stamp(apdu)
        guard stamp == PHDStamp(stampKind, apdu, stampOfPulse), case .time = stamp.clock,
            let high = PHDNumber(apdu, systolic, width: 2).digits,
            let low = PHDNumber(apdu, diastolic, width: 2).digits
        else { return false }
        var pressure = BloodPressure(systolic: Pressure(high, unit), diastolic: Pressure(low, unit))
        if mean > 0 {
            let number = PHDNumber(apdu, mean, width: 2)
            pressure.mean = number.digits.map { Pressure($0, unit) }
            pressure.meanAbsence = number.absence
        }
        let number = PHDNumber(apdu, pulse, width: 2)
        pressure.pulse = number.digits.map { PulseRate($0) }
        pressure.pulseAbsence = number.absence
        actions.emit(
            Reading(
                .bloodPressure(pressure), driver: "phd", user: person, flags: flags, clock: stamp.clock, origin: .push,
                repetition: .withoutPulse, raw: RawBytes(apdu.extracting(rawStart..<max(rawStart, rawEnd)))))
        return true
    }
}
