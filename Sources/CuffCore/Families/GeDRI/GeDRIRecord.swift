enum GeDRIRecord {
    static let headerLength = 40
    /// One class, in records of current levels.
    static let subrecordLength = 278
    /// Basic class and three extensions, in records of older levels.
    static let oldSubrecordLength = 1088
    /// The NIBP group's offset in its subrecord: the time, then 72 bytes.
    static let nibpOffset = 4 + 72

    static func isPhysiological(_ record: Span<UInt8>) -> Bool { record.littleEndian16(14) == 0 }

    /// The end of the temperatures in a subrecord: the groups up to there are documented.
    static let temperaturesEnd = 4 + 118

    struct DisplayedValues {
        var start: Int
        var isBasic: Bool
        /// All classes in one, without a field for the class.
        var isOld: Bool
    }

    /// The subrecords of displayed values of the two known lengths; empty for records of other main types.
    static func displayedValues(in record: Span<UInt8>) -> [DisplayedValues] {
        guard isPhysiological(record) else { return [] }
        let parts = subrecords(record)
        var found: [DisplayedValues] = []
        for (index, part) in parts.enumerated() where part.type == 1 {
            let length = (parts[(index + 1)...].first { $0.start > part.start }?.start ?? record.count) - part.start
            guard length >= subrecordLength else { continue }
            let isOld = length >= oldSubrecordLength
            let isBasic = record.littleEndian16(part.start + subrecordLength - 2).map { $0 >> 8 & 15 == 0 } ?? false
            found.append(DisplayedValues(start: part.start, isBasic: isOld || isBasic, isOld: isOld))
        }
        return found
    }

    static func nibp(in record: Span<UInt8>) -> GeDRINIBP? {
        displayedValues(in: record).first(where: \.isBasic).flatMap { GeDRINIBP(record, at: $0.start + nibpOffset) }
    }

    private static func subrecords(_ record: Span<UInt8>) -> [(start: Int, type: UInt8)] {
        var found: [(start: Int, type: UInt8)] = []
        for index in 0..<8 {
            let place = 16 + 3 * index
            guard let offset = record.littleEndian16(place), let type = record.byte(place + 2), type != 0xFF else { break }
            let start = headerLength + Int(offset)
            if start < record.count { found.append((start, type)) }
        }
        return found
    }
}

struct GeDRINIBP: Equatable, Sendable {
    /// Systolic, diastolic, mean in 1/100 mmHg, rate per minute; as sent.
    struct Values: Equatable, Sendable { var systolic, diastolic, mean, rate: Int16 }

    var status: UInt32
    var label: UInt16
    var values: Values

    init?(_ record: Span<UInt8>, at offset: Int) {
        guard let status = record.littleEndian32(offset), let label = record.littleEndian16(offset + 4),
            let systolic = record.littleEndian16(offset + 6), let diastolic = record.littleEndian16(offset + 8),
            let mean = record.littleEndian16(offset + 10), let rate = record.littleEndian16(offset + 12)
        else { return nil }
        self.status = status
        self.label = label
        values = Values(
            systolic: Int16(bitPattern: systolic), diastolic: Int16(bitPattern: diastolic), mean: Int16(bitPattern: mean),
            rate: Int16(bitPattern: rate))
    }

    var isActive: Bool { status & 3 == 3 }
    var isMeasuring: Bool { label & 0x20 != 0 }
    var isCalibrating: Bool { label & 0x80 != 0 }
    var isOld: Bool { label & 0x100 != 0 }

    /// AUTO and STAT measure automatically; without them a key was pressed. Without a cuff in the label the trigger is unknown.
    var trigger: Reading.Trigger { label & 0x18 != 0 ? .automatic : label & 7 != 0 ? .manual : .unknown }

    var bloodPressure: BloodPressure? {
        guard let systolic = Self.pressure(values.systolic), let diastolic = Self.pressure(values.diastolic) else { return nil }
        let mean = Self.pressure(values.mean)
        let rate = values.rate > 0 ? PulseRate(Int(values.rate)) : nil
        return BloodPressure(
            systolic: systolic, diastolic: diastolic, mean: mean, pulse: rate,
            meanAbsence: mean == nil ? .notMeasured : .none, pulseAbsence: rate == nil ? .notMeasured : .none)
    }

    private static func pressure(_ value: Int16) -> Pressure? {
        value > 0 ? Pressure(Digits(mantissa: Int64(value), exponent: -2), .mmHg) : nil
    }

    /// The values as sent, which are constant while the result is shown; status and label are not.
    var raw: RawBytes {
        RawBytes([UInt8](littleEndian: [values.systolic, values.diastolic, values.mean, values.rate].map { Int($0) }))
    }
}
