import CuffCore

/// A quantity beyond blood pressure, or something felt with one of a few values, that a person may type in, and that statistics and
/// exports know: one row of the table.
public struct QuantityType: Sendable, Hashable {
    /// The word on the command line and in JSON.
    public let name: String
    /// The sample type: identifier, unit of comparison, aggregation.
    public let sample: SampleType
    /// The code of the nomenclature under which readings of it are stored.
    public let mdc: UInt32
    /// The unit's term in partition 4 of the nomenclature.
    public let unit: UInt16
    /// What a person, or a person's surroundings, can have; anything else is a slip of the fingers unless insisted on.
    public let plausible: ClosedRange<Double>
    /// The values of a category; empty for a quantity.
    public let values: [CategoryValue]

    private init(
        _ name: String, _ sample: SampleType, _ partition: UInt16, _ term: UInt16, unit: UInt16, _ plausible: ClosedRange<Double>
    ) {
        self.name = name
        self.sample = sample
        mdc = UInt32(partition) << 16 | UInt32(term)
        self.unit = unit
        self.plausible = plausible
        values = []
    }

    private init(_ name: String, _ sample: SampleType, _ term: UInt16, _ values: [CategoryValue]) {
        self.name = name
        self.sample = sample
        mdc = 1024 << 16 | UInt32(term)
        unit = 0
        plausible = 0...Double(values.map(\.number).max() ?? 0)
        self.values = values
    }

    /// Every type. Codes of partitions 2 and 4: `NomenclatureTerm`, `NomenclatureUnit`. Sound levels and what people feel have no term there: theirs stand in
    /// partition 1024, which is private (MDC_PART_PVT), and their unit above 0xF000, which is private in each partition (ISO/IEEE
    /// 11073-10101); both are this program's own. The ranges are wide limits of this program's own.
    public static let all: [QuantityType] = [
        QuantityType("body_mass", .bodyMass, 2, 57664, unit: 1731, 0.3...650),
        QuantityType("height", .height, 2, 57668, unit: 1297, 20...280),
        QuantityType("body_temperature", .bodyTemperature, 2, 19292, unit: 6048, 25...45),
        QuantityType("oxygen_saturation", .oxygenSaturation, 2, 19384, unit: 544, 30...100),
        QuantityType("respiratory_rate", .respiratoryRate, 2, 20490, unit: 2784, 2...100),
        QuantityType("blood_glucose", .bloodGlucose, 2, 29112, unit: 2130, 10...1000),
        QuantityType("environmental_audio_exposure", .environmentalAudioExposure, 1024, 0xC0F1, unit: 0xFDBA, 0...150),
        QuantityType("headphone_audio_exposure", .headphoneAudioExposure, 1024, 0xC0F2, unit: 0xFDBA, 0...150),
        QuantityType("dizziness", .dizziness, 0xC0F4, CategoryValue.severity),
        QuantityType("headache", .headache, 0xC0F5, CategoryValue.severity),
        QuantityType("fainting", .fainting, 0xC0F6, CategoryValue.severity),
        QuantityType("chest_pain", .chestPain, 0xC0F7, CategoryValue.severity),
        QuantityType("shortness_of_breath", .shortnessOfBreath, 0xC0F8, CategoryValue.severity),
        QuantityType("palpitations", .palpitations, 0xC0F9, CategoryValue.severity),
    ]

    /// The value of a category that is stored under a number; `nil` for a quantity, and for a number that no value has.
    public func value(_ digits: Digits) -> CategoryValue? { values.first { Double($0.number) == digits.value } }

    /// The type of this word; `nil` for one that is not listed.
    public static func named(_ name: String) -> QuantityType? { all.first { $0.name == name } }

    /// The type of a stored quantity; `nil` where it is of none, or in a unit in which values of the type are not compared. Private
    /// terms of the nomenclature are this program's own only where a person typed them in.
    public static func of(_ reading: Reading) -> QuantityType? {
        guard case .quantity(let quantity) = reading.content, let type = all.first(where: { $0.mdc == quantity.mdc }),
            type.unit == quantity.unit
        else { return nil }
        let isPrivate = type.mdc >> 16 == 1024
        return isPrivate && reading.origin != .entered ? nil : type
    }
}

/// A quantity that a person types in. It becomes a reading of origin `entered`; the same value at the same time is the same reading.
public struct ManualQuantity: Sendable, Hashable {
    /// What it is.
    public var type: QuantityType
    /// The digits as they were typed, in the unit of the type.
    public var value: Digits
    /// When it began, or when it was measured.
    public var time: Timestamp
    /// How long it lasted; `nil` for a moment.
    public var duration: Duration?
    /// The user slot; `nil` for none.
    public var user: Int32?
    /// What the person says beside it.
    public var remarks: Remarks

    /// Sets each property as given; nothing is checked.
    public init(
        _ type: QuantityType, _ value: Digits, at time: Timestamp, lasting duration: Duration? = nil, user: Int32? = nil,
        remarks: Remarks = Remarks()
    ) {
        (self.type, self.value, self.time, self.duration, self.user, self.remarks) = (type, value, time, duration, user, remarks)
    }

    /// The reading, with its id and times.
    public func reading(received: Timestamp, zone: ZoneTable) -> Reading {
        var text = TextBuffer(capacity: 96)
        text.append(utc: time)
        text.append(string: " \(type.name) ")
        text.append(value)
        if let duration { text.append(string: " \(duration.components.seconds) s") }
        let quantity = Quantity(
            partition: UInt16(truncatingIfNeeded: type.mdc >> 16), term: UInt16(truncatingIfNeeded: type.mdc), value: value, unit: type.unit
        )
        var reading = Reading.entered(.quantity(quantity), as: text.array, at: time, user: user, received: received, zone: zone)
        reading.duration = duration
        reading.text = type.value(value)?.word
        reading.remarks = remarks.isEmpty ? nil : remarks
        return reading
    }
}
