import CuffCore

/// A quantity other than blood pressure, or a symptom with one of a few values, that can be typed in, counted and exported.
package struct QuantityType: Sendable, Hashable {
    package let name: String
    package let sample: SampleType
    /// The nomenclature code under which readings are stored.
    package let mdc: UInt32
    /// The unit's term in partition 4 of the nomenclature.
    package let unit: UInt16
    /// The plausible range; other values are refused as typing errors unless forced.
    package let plausible: ClosedRange<Double>
    package let values: [CategoryValue]

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

    /// Every type. Codes of partitions 2 and 4: `NomenclatureTerm`, `NomenclatureUnit`. Sound levels and symptoms have no term there: theirs
    /// are in partition 1024, which is private (MDC_PART_PVT), and their unit is above 0xF000, which is private in each partition (ISO/IEEE
    /// 11073-10101); this program chose both. The ranges are wide limits of this program.
    package static let all: [QuantityType] = [
        QuantityType("heart_rate", .heartRate, 2, 18474, unit: 2720, PulseRate.plausible),
        QuantityType("body_mass", .bodyMass, 2, 57664, unit: 1731, 0.3...650),
        QuantityType("height", .height, 2, 57668, unit: 1297, 20...280),
        QuantityType("body_temperature", .bodyTemperature, 2, 19292, unit: 6048, 25...45),
        QuantityType("oxygen_saturation", .oxygenSaturation, 2, 19384, unit: 544, 30...100),
        QuantityType("respiratory_rate", .respiratoryRate, 2, 20490, unit: 2784, 2...100),
        QuantityType("blood_glucose", .bloodGlucose, 2, 29112, unit: 2130, 10...1000),
        QuantityType("environmental_audio_exposure", .environmentalAudioExposure, 1024, 0xC0F1, unit: 0xFDBA, 0...150),
        QuantityType("headphone_audio_exposure", .headphoneAudioExposure, 1024, 0xC0F2, unit: 0xFDBA, 0...150),
        QuantityType("audio_exposure_event", .audioExposureEvent, 0xC0FA, CategoryValue.audioExposure),
        QuantityType("dizziness", .dizziness, 0xC0F4, CategoryValue.severity),
        QuantityType("headache", .headache, 0xC0F5, CategoryValue.severity),
        QuantityType("fainting", .fainting, 0xC0F6, CategoryValue.severity),
        QuantityType("chest_pain", .chestPain, 0xC0F7, CategoryValue.severity),
        QuantityType("shortness_of_breath", .shortnessOfBreath, 0xC0F8, CategoryValue.severity),
        QuantityType("palpitations", .palpitations, 0xC0F9, CategoryValue.severity),
    ]

    /// A pulse of its own. Its readings hold a pulse, not a quantity.
    package static let heartRate = all[0]

    /// The value of a category with this number, or `nil`.
    package func value(_ digits: Digits) -> CategoryValue? { values.first { Double($0.number) == digits.value } }

    /// The type of this word; `nil` for one that is not listed.
    package static func named(_ name: String) -> QuantityType? { all.first { $0.name == name } }

    /// The type of a stored quantity; `nil` if it has none, or is in another unit. Private terms of the nomenclature are this program's own
    /// only if a person typed them in.
    package static func of(_ reading: Reading) -> QuantityType? {
        if case .pulseRate = reading.content { return heartRate }
        guard case .quantity(let quantity) = reading.content, let type = all.first(where: { $0.mdc == quantity.mdc }),
            type.unit == quantity.unit
        else { return nil }
        let isPrivate = type.mdc >> 16 == 1024
        return isPrivate && !reading.isEntered ? nil : type
    }

    /// The word for the value of a category; `nil` for other quantities.
    func word(of reading: Reading) -> String? {
        guard case .quantity(let quantity) = reading.content else { return nil }
        return quantity.value.flatMap { value($0)?.word }
    }
}
