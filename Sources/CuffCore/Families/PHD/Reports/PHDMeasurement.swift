struct PHDPressurePlaces: Sendable {
    static let nowhere: UInt8 = 0xFF
    private(set) var systolic = nowhere
    private(set) var diastolic = nowhere
    private(set) var mean = nowhere

    /// A compound of pressures has three components; one with more than these is another kind of object.
    static let ceiling = 16

    /// A metric that occurs twice is not used: the values cannot be distinguished.
    init(_ count: Int, metric: (Int) -> UInt16?) {
        guard count <= Self.ceiling else { return }
        var seen = (systolic: 0, diastolic: 0, mean: 0)
        for index in 0..<count {
            switch metric(index) {
            case PHDMetric.systolic: (systolic, seen.systolic) = (UInt8(index), seen.systolic + 1)
            case PHDMetric.diastolic: (diastolic, seen.diastolic) = (UInt8(index), seen.diastolic + 1)
            case PHDMetric.mean: (mean, seen.mean) = (UInt8(index), seen.mean + 1)
            default: break
            }
        }
        if seen.systolic > 1 { systolic = Self.nowhere }
        if seen.diastolic > 1 { diastolic = Self.nowhere }
        if seen.mean > 1 { mean = Self.nowhere }
    }

    /// The components that are pressures.
    var count: Int { [systolic, diastolic, mean].count { $0 != Self.nowhere } }
    var areComplete: Bool { systolic != Self.nowhere && diastolic != Self.nowhere }
}

/// Converts observations to readings: values, units, status bits, raw bytes. Nothing is converted or repaired.
extension PHDObservation {
    /// The blood-pressure status enumeration, 128::22000.
    static let pressureStatus: [(UInt16, MeasurementFlags)] = [
        (0x8000, .bodyMovement), (0x4000, .cuffLoose), (0x2000, .irregularPulse), (0x1000, .pulseOverRange), (0x0800, .pulseUnderRange),
        (0x0400, .improperPosition),
    ]

    static func flags(pressureStatus status: UInt16) -> MeasurementFlags { MeasurementFlags(status, pressureStatus) }

    /// The flags of the value, beside it and within it; for a compound, those of one component or of any.
    @inline(__always)
    func flags(_ bytes: Span<UInt8>, component: Int? = nil) -> MeasurementFlags {
        let status = status | innerStatus(bytes, component)
        var flags = status == 0 ? [] : MeasurementFlags(measurementStatus: status)
        if hasTrailingBytes { flags.insert(.trailingBytes) }
        return flags
    }

    /// Nu-Observed-Value and Enum-Observed-Value: u16 id, u16 status, ...; a compound has one such head in each component.
    @inline(__always)
    private func innerStatus(_ bytes: Span<UInt8>, _ component: Int?) -> UInt16 {
        switch attribute {
        case PHDAttribute.numeric, PHDAttribute.enumeration: return bytes.bigEndian16(value + 2) ?? 0
        case PHDAttribute.compoundNumeric:
            if let component { return bytes.bigEndian16(value + component * 10 + 2) ?? 0 }
            var all: UInt16 = 0
            for index in 0..<count { all |= bytes.bigEndian16(value + index * 10 + 2) ?? 0 }
            return all
        default: return 0
        }
    }

    /// The metric in a Nu-Observed-Value or beside the value; 0 if none.
    func ownTerm(_ bytes: Span<UInt8>) -> UInt16 {
        let inner = attribute == PHDAttribute.numeric ? bytes.bigEndian16(value) ?? 0 : 0
        return inner != 0 ? inner : term
    }

    func isAmbiguous(_ index: Int, _ bytes: Span<UInt8>, _ object: PHDConfiguration.Object, _ configured: [UInt16]) -> Bool {
        guard let own = metric(index, bytes, object, configured) else { return false }
        for other in 0..<min(count, Self.componentCeiling)
        where other != index && metric(other, bytes, object, configured) == own { return true }
        return false
    }

    /// Components of a compound that become quantities: one of hundreds of values is a waveform.
    static let componentCeiling = 64

    func isAmbiguous(_ bytes: Span<UInt8>, _ object: PHDConfiguration.Object, _ configured: [UInt16]) -> Bool {
        guard isCompound else { return false }
        for index in 0..<min(count, Self.componentCeiling) where isAmbiguous(index, bytes, object, configured) { return true }
        return false
    }

    /// Bytes of one component and of its number within it.
    @inline(__always)
    private var width: (item: Int, number: Int, lead: Int) {
        switch attribute {
        case PHDAttribute.compoundBasicNumeric: (2, 2, 0)
        case PHDAttribute.compoundNumeric: (10, 4, 6)
        default: (4, 4, 0)
        }
    }

    @inline(__always)
    func component(_ index: Int, _ bytes: Span<UInt8>) -> PHDNumber {
        let (item, number, lead) = width
        return PHDNumber(bytes, value + index * item + lead, width: number)
    }

    /// The metric of a component: its own, that of the report's list, or that of the configuration.
    @inline(__always)
    func metric(
        _ index: Int, _ bytes: Span<UInt8>, _ object: PHDConfiguration.Object, _ configured: [UInt16]
    ) -> UInt16? {
        if attribute == PHDAttribute.compoundNumeric { return bytes.bigEndian16(value + index * 10) }
        if metricCount > 0 { return index < metricCount ? bytes.bigEndian16(metrics + index * 2) : nil }
        let place = object.metrics.lowerBound + index
        return index < object.metrics.count && place < configured.count ? configured[place] : nil
    }

    @inline(__always)
    func unit(_ index: Int, _ bytes: Span<UInt8>, _ object: PHDConfiguration.Object) -> UInt16 {
        switch attribute {
        case PHDAttribute.compoundNumeric: return bytes.bigEndian16(value + index * 10 + 4) ?? 0
        case PHDAttribute.numeric: return bytes.bigEndian16(value + 4) ?? 0
        default: return unit != 0 ? unit : object.unit
        }
    }

    @inline(__always)
    var isNumber: Bool {
        attribute == PHDAttribute.basicNumeric || attribute == PHDAttribute.simpleNumeric || attribute == PHDAttribute.numeric
    }

    @inline(__always)
    func number(_ bytes: Span<UInt8>) -> PHDNumber {
        switch attribute {
        case PHDAttribute.basicNumeric: PHDNumber(bytes, value, width: 2)
        case PHDAttribute.numeric: PHDNumber(bytes, value + 6, width: 4)
        default: PHDNumber(bytes, value, width: 4)
        }
    }

    @inline(__always)
    var isCompound: Bool {
        attribute == PHDAttribute.compoundBasicNumeric || attribute == PHDAttribute.compoundSimpleNumeric
            || attribute == PHDAttribute.compoundNumeric
    }

    enum Pressures {
        case bloodPressure(BloodPressure)
        case failure(MeasurementFailure)
        /// No systolic and diastolic in a pressure unit: the components are kept as they are.
        case other

        init(_ systolic: PHDNumber, _ diastolic: PHDNumber, mean: PHDNumber?, _ unit: PressureUnit) {
            guard let high = systolic.digits, let low = diastolic.digits else {
                let reason: FailureReason =
                    systolic.digits != nil ? .diastolicNotFound : diastolic.digits != nil ? .systolicNotFound : .noValue
                self = .failure(.init(reason))
                return
            }
            self = .bloodPressure(
                BloodPressure(
                    systolic: Pressure(high, unit), diastolic: Pressure(low, unit), mean: mean?.digits.map { Pressure($0, unit) },
                    meanAbsence: mean?.absence ?? .none))
        }
    }

    func pressures(_ bytes: Span<UInt8>, _ object: PHDConfiguration.Object, _ configured: [UInt16]) -> Pressures {
        guard let (places, unit) = pressurePlaces(bytes, object, configured) else { return .other }
        let mean = places.mean == PHDPressurePlaces.nowhere ? nil : component(Int(places.mean), bytes)
        return Pressures(component(Int(places.systolic), bytes), component(Int(places.diastolic), bytes), mean: mean, unit)
    }

    /// Whether a compound has components beside its pressures.
    func hasOthers(_ bytes: Span<UInt8>, _ object: PHDConfiguration.Object, _ configured: [UInt16]) -> Bool {
        guard let (places, _) = pressurePlaces(bytes, object, configured) else { return false }
        return count > places.count
    }

    func pressurePlaces(
        _ bytes: Span<UInt8>, _ object: PHDConfiguration.Object, _ configured: [UInt16]
    ) -> (PHDPressurePlaces, PressureUnit)? {
        guard isCompound else { return nil }
        var unit: UInt16?
        var isOneUnit = true
        let places = PHDPressurePlaces(count) { index in
            let metric = metric(index, bytes, object, configured)
            if metric == PHDMetric.systolic || metric == PHDMetric.diastolic || metric == PHDMetric.mean {
                let own = self.unit(index, bytes, object)
                if unit != nil && unit != own { isOneUnit = false }
                unit = own
            }
            return metric
        }
        guard isOneUnit, places.areComplete, let unit, let scale = Self.pressureUnit(unit) else { return nil }
        return (places, scale)
    }

    @inline(__always)
    static func pressureUnit(_ unit: UInt16) -> PressureUnit? {
        switch unit {
        case PHDMetric.mmHg: .mmHg
        case PHDMetric.kPa: .kPa
        default: nil
        }
    }

    /// The bits of a status enumeration, or the first sixteen of a longer string.
    func statusBits(_ bytes: Span<UInt8>) -> UInt16? {
        guard attribute != PHDAttribute.simpleOID, let bits = bits(bytes) else { return nil }
        let isEnumeration = attribute == PHDAttribute.enumeration
        if isEnumeration, bytes.bigEndian16(value + 4) != 16 { return nil }
        let size = isEnumeration ? Int(bytes.bigEndian16(value + 6) ?? 0) : length
        return UInt16(truncatingIfNeeded: size == 4 ? bits >> 16 : bits)
    }

    /// The text of an enumeration: an octet string, whose first byte is 0 because no text here has 256 characters, or the text alone, as
    /// some agents send. `nil` without text.
    func text(_ bytes: Span<UInt8>) -> String? {
        var place = value
        var end = value + length
        if attribute == PHDAttribute.enumeration {
            // u16 id, u16 status, choice { 1 oid, 2 text, 16 bits }, u16 length
            guard bytes.bigEndian16(value + 4) == 2, let size = bytes.bigEndian16(value + 6), 8 + Int(size) <= length else { return nil }
            place += 8
            end = place + Int(size)
        } else if attribute != PHDAttribute.simpleText {
            return nil
        }
        if let size = bytes.bigEndian16(place), place + 2 + Int(size) == end || size < 256 && place + 2 + Int(size) <= end {
            place += 2
            end = place + Int(size)
        }
        let text = DeviceIdentity.text(bytes.part(place, min(end - place, Reading.longestText)))
        return text.isEmpty ? nil : text
    }

    /// Bits of an enumeration, 16 or 32; a 16-bit string is in the upper half if bit 0 is the first.
    func bits(_ bytes: Span<UInt8>) -> UInt32? {
        switch attribute {
        case PHDAttribute.simpleBits, PHDAttribute.basicBits, PHDAttribute.simpleOID:
            return length == 4 ? bytes.bigEndian32(value) : bytes.bigEndian16(value).map { UInt32($0) }
        case PHDAttribute.enumeration:
            // u16 id, u16 status, choice { 1 oid, 2 text, 16 bits }, u16 length
            guard let choice = bytes.bigEndian16(value + 4), let size = bytes.bigEndian16(value + 6),
                8 + Int(size) <= length, choice == 1 || choice == 16
            else { return nil }
            return size == 4 ? bytes.bigEndian32(value + 8) : size == 2 ? bytes.bigEndian16(value + 8).map { UInt32($0) } : nil
        default: return nil
        }
    }

    /// The computed stamp of a periodic segment's entry: two equal entries of a night are two measurements. `nil` for other observations.
    private var placedStamp: [UInt8]? {
        guard stampPlaces.isEmpty, stampBytes.isEmpty, stamp.kind != .none else { return nil }
        var writer = PHDWriter(capacity: 8)
        writer.append32(UInt32(truncatingIfNeeded: stamp.bits >> 32))
        writer.append32(UInt32(truncatingIfNeeded: stamp.bits))
        return writer.bytes
    }

    /// The observation's own bytes, from the object's handle. Ids depend on them, so they must distinguish objects with equal values, and
    /// must not contain what arrives later.
    @inline(__always)
    func rawBytes(_ bytes: Span<UInt8>) -> RawBytes {
        lacksHandle ? handledBytes(bytes) : RawBytes(bytes.extracting(raw))
    }

    @inline(never)
    private func handledBytes(_ bytes: Span<UInt8>) -> RawBytes {
        var writer = PHDWriter(capacity: 4 + raw.count)
        writer.append16(handle)
        writer.counted {
            $0.append(bytes.extracting(raw).array)
            $0.append(bytes.extracting(stampBytes).array)
            if let placed = placedStamp { $0.append(placed) }
            if let segment {
                $0.append16(segment.store)
                $0.append16(segment.instance)
            }
        }
        return RawBytes(writer.bytes)
    }
}
