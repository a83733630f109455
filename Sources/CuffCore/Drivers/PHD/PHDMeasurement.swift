/// Where the pressures stand among the components of a compound.
struct PHDPressurePlaces: Sendable {
    static let nowhere: UInt8 = 0xFF
    private(set) var systolic = nowhere
    private(set) var diastolic = nowhere
    private(set) var mean = nowhere

    /// A compound of pressures has three components; metrics beyond sixteen would be another kind of object.
    init(_ count: Int, metric: (Int) -> UInt16?) {
        for index in 0..<min(count, 16) {
            switch metric(index) {
            case PHDMetric.systolic: systolic = UInt8(index)
            case PHDMetric.diastolic: diastolic = UInt8(index)
            case PHDMetric.mean: mean = UInt8(index)
            default: break
            }
        }
    }

    var areComplete: Bool { systolic != Self.nowhere && diastolic != Self.nowhere }
}

/// From observations to readings: values, units, status bits, raw bytes. Nothing is converted, nothing repaired.
extension PHDObservation {
    /// Measurement-Status (0947). Bits 0002 and 0001 belong to other standards.
    @inline(never)
    static func flags(measurementStatus status: UInt16) -> MeasurementFlags {
        var flags: MeasurementFlags = []
        if status & 0x8000 != 0 { flags.insert(.invalid) }
        if status & 0x4000 != 0 { flags.insert(.questionable) }
        if status & 0x2000 != 0 { flags.insert(.notAvailable) }
        if status & 0x1000 != 0 { flags.insert(.calibrationOngoing) }
        if status & 0x0800 != 0 { flags.insert(.testData) }
        if status & 0x0400 != 0 { flags.insert(.demoData) }
        if status & 0x0080 != 0 { flags.insert(.validated) }
        if status & 0x0040 != 0 { flags.insert(.earlyIndication) }
        if status & 0x0020 != 0 { flags.insert(.ongoing) }
        return flags
    }

    /// The blood-pressure status enumeration, 128::22000.
    static func flags(pressureStatus status: UInt16) -> MeasurementFlags {
        var flags: MeasurementFlags = []
        if status & 0x8000 != 0 { flags.insert(.bodyMovement) }
        if status & 0x4000 != 0 { flags.insert(.cuffLoose) }
        if status & 0x2000 != 0 { flags.insert(.irregularPulse) }
        if status & 0x1000 != 0 { flags.insert(.pulseOverRange) }
        if status & 0x0800 != 0 { flags.insert(.pulseUnderRange) }
        if status & 0x0400 != 0 { flags.insert(.improperPosition) }
        return flags
    }

    @inline(__always)
    var flags: MeasurementFlags {
        var flags = status == 0 ? [] : Self.flags(measurementStatus: status)
        if hasTrailingBytes { flags.insert(.trailingBytes) }
        return flags
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

    /// A component by its place.
    @inline(__always)
    func component(_ index: Int, _ bytes: Span<UInt8>) -> PHDNumber {
        let (item, number, lead) = width
        return PHDNumber(bytes, value + index * item + lead, width: number)
    }

    /// The metric of a component: what it says itself, the list beside it, or the configured list.
    @inline(__always)
    func metric(
        _ index: Int, _ bytes: Span<UInt8>, _ object: PHDConfiguration.Object, _ configured: [UInt16]
    ) -> UInt16? {
        if attribute == PHDAttribute.compoundNumeric { return bytes.bigEndian16(value + index * 10) }
        if metricCount > 0 { return index < metricCount ? bytes.bigEndian16(metrics + index * 2) : nil }
        let place = object.metrics.lowerBound + index
        return index < object.metrics.count && place < configured.count ? configured[place] : nil
    }

    /// The unit of a component.
    @inline(__always)
    func unit(_ index: Int, _ bytes: Span<UInt8>, _ object: PHDConfiguration.Object) -> UInt16 {
        switch attribute {
        case PHDAttribute.compoundNumeric: return bytes.bigEndian16(value + index * 10 + 4) ?? 0
        case PHDAttribute.numeric: return bytes.bigEndian16(value + 4) ?? 0
        default: return unit != 0 ? unit : object.unit
        }
    }

    /// The number of a simple observation.
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

    /// What a blood-pressure object said: pressures, or the failure to measure any.
    enum Pressures {
        case bloodPressure(BloodPressure)
        case failure(Failure)
        /// No systolic and diastolic in a pressure unit here: the components stay what they are.
        case other
    }

    func pressures(_ bytes: Span<UInt8>, _ object: PHDConfiguration.Object, _ configured: [UInt16]) -> Pressures {
        guard let (places, unit) = pressurePlaces(bytes, object, configured) else { return .other }
        let systolic = component(Int(places.systolic), bytes)
        let diastolic = component(Int(places.diastolic), bytes)
        guard let high = systolic.digits, let low = diastolic.digits else {
            let reason: FailureReason =
                systolic.digits != nil ? .diastolicNotFound : diastolic.digits != nil ? .systolicNotFound : .noValue
            return .failure(Failure(reason))
        }
        var pressure = BloodPressure(systolic: Pressure(high, unit), diastolic: Pressure(low, unit))
        if places.mean != PHDPressurePlaces.nowhere {
            let mean = component(Int(places.mean), bytes)
            pressure.mean = mean.digits.map { Pressure($0, unit) }
            pressure.meanAbsence = mean.absence
        }
        return .bloodPressure(pressure)
    }

    /// Where systolic and diastolic stand, in one unit of pressure; `nil` where they do not.
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

    /// Bits of an enumeration, 16 or 32; a 16-bit string stands in the upper half where bit 0 is the first.
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

    /// The observation's own bytes, from the object's handle on. Ids are made from them, so they must tell two objects
    /// with equal values apart, and must not contain what arrives later.
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
        }
        return RawBytes(writer.bytes)
    }
}
