import CuffCore

/// A type of sample with HealthKit's identifier, unit and aggregation. Types that HealthKit does not have begin with `Cuff` and are left
/// out of its exchange format.
public struct SampleType: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case quantity, correlation, category, series }

    /// HealthKit's identifier, or one beginning with `Cuff`.
    public let identifier: StaticName
    package let kind: Kind
    /// The unit in which values are compared and exported; `nil` for types without values.
    public let unit: HealthUnit?
    /// How values become one number; `nil` for types without values.
    public let aggregation: AggregationStyle?
    /// The longest interval of one sample.
    public let longest: Duration

    /// Apple advises against samples of a day or more ("Saving data to HealthKit"); here they are refused.
    static let day = Duration.seconds(86400)

    /// The systolic pressure, a part of `bloodPressure`.
    public static let systolic = quantity("HKQuantityTypeIdentifierBloodPressureSystolic", .mmHg, .discreteArithmetic)
    /// The diastolic pressure, a part of `bloodPressure`.
    public static let diastolic = quantity("HKQuantityTypeIdentifierBloodPressureDiastolic", .mmHg, .discreteArithmetic)
    /// The pulse rate.
    public static let heartRate = quantity("HKQuantityTypeIdentifierHeartRate", .countPerMinute, .discreteTemporallyWeighted)
    /// The standard deviation of the intervals between beats.
    public static let heartRateVariability = quantity(
        "HKQuantityTypeIdentifierHeartRateVariabilitySDNN", .millisecond, .discreteArithmetic)
    /// The mean pressure as a cuff sends it. HealthKit has no such type.
    public static let meanPressure = quantity("CuffQuantityTypeIdentifierMeanPressure", .mmHg, .discreteArithmetic)
    /// The pressure in the cuff while it measures. HealthKit has no such type.
    public static let cuffPressure = quantity(
        "CuffQuantityTypeIdentifierCuffPressure", .mmHg, .discreteTemporallyWeighted)
    /// How many measurements were made. HealthKit has no such type.
    public static let measurements = quantity("CuffQuantityTypeIdentifierMeasurements", .count, .cumulative)

    /// The mass of a body.
    public static let bodyMass = quantity("HKQuantityTypeIdentifierBodyMass", .kilogram, .discreteArithmetic)
    /// The height of a person.
    public static let height = quantity("HKQuantityTypeIdentifierHeight", .centimetre, .discreteArithmetic)
    /// The temperature of a body.
    public static let bodyTemperature = quantity("HKQuantityTypeIdentifierBodyTemperature", .celsius, .discreteArithmetic)
    /// The share of haemoglobin that carries oxygen.
    public static let oxygenSaturation = quantity("HKQuantityTypeIdentifierOxygenSaturation", .percent, .discreteArithmetic)
    /// Breaths a minute.
    public static let respiratoryRate = quantity("HKQuantityTypeIdentifierRespiratoryRate", .countPerMinute, .discreteArithmetic)
    /// The concentration of glucose in blood.
    public static let bloodGlucose = quantity("HKQuantityTypeIdentifierBloodGlucose", .milligramPerDecilitre, .discreteArithmetic)
    /// The sound level around a person (A-weighted).
    public static let environmentalAudioExposure = quantity(
        "HKQuantityTypeIdentifierEnvironmentalAudioExposure", .decibelSoundPressure, .equivalentContinuousLevel)
    /// The sound level from headphones (A-weighted).
    public static let headphoneAudioExposure = quantity(
        "HKQuantityTypeIdentifierHeadphoneAudioExposure", .decibelSoundPressure, .equivalentContinuousLevel)

    /// A systolic and a diastolic sample together.
    public static let bloodPressure = SampleType(
        identifier: "HKCorrelationTypeIdentifierBloodPressure", kind: .correlation, unit: nil, aggregation: nil,
        longest: day)
    /// The times of single heart beats.
    public static let heartbeatSeries = SampleType(
        identifier: "HKDataTypeIdentifierHeartbeatSeries", kind: .series, unit: nil, aggregation: nil, longest: day)
    /// A hearing test.
    public static let audiogram = SampleType(
        identifier: "HKDataTypeIdentifierAudiogram", kind: .series, unit: nil, aggregation: nil, longest: day)
    /// The cuff reported an irregular pulse. This is HealthKit's nearest type; nothing is diagnosed.
    public static let irregularPulse = category("HKCategoryTypeIdentifierIrregularHeartRhythmEvent")
    /// The pulse was at or above the person's limit.
    public static let highHeartRate = category("HKCategoryTypeIdentifierHighHeartRateEvent")
    /// The pulse was at or below the person's limit.
    public static let lowHeartRate = category("HKCategoryTypeIdentifierLowHeartRateEvent")

    /// A loud sound for a short time, at or above the person's limit.
    public static let audioExposureEvent = category("HKCategoryTypeIdentifierAudioExposureEvent")

    // Symptoms with their severity (`CategoryValue.severity`). Identifiers: Apple's HKTypeIdentifiers.h, iOS 13.6.
    /// Dizziness.
    public static let dizziness = category("HKCategoryTypeIdentifierDizziness")
    /// A headache.
    public static let headache = category("HKCategoryTypeIdentifierHeadache")
    /// Fainting.
    public static let fainting = category("HKCategoryTypeIdentifierFainting")
    /// A tight or painful chest.
    public static let chestPain = category("HKCategoryTypeIdentifierChestTightnessOrPain")
    /// Shortness of breath.
    public static let shortnessOfBreath = category("HKCategoryTypeIdentifierShortnessOfBreath")
    /// A rapid, pounding or fluttering heartbeat.
    public static let palpitations = category("HKCategoryTypeIdentifierRapidPoundingOrFlutteringHeartbeat")

    /// Every type, HealthKit's and this program's.
    public static let all: [SampleType] = [
        systolic, diastolic, heartRate, heartRateVariability, meanPressure, cuffPressure, measurements, bodyMass, height,
        bodyTemperature, oxygenSaturation, respiratoryRate, bloodGlucose, environmentalAudioExposure, headphoneAudioExposure, bloodPressure,
        heartbeatSeries, audiogram, irregularPulse, highHeartRate, lowHeartRate, audioExposureEvent, dizziness, headache, fainting,
        chestPain, shortnessOfBreath, palpitations,
    ]

    /// The type of this identifier; `nil` for one that is not listed.
    public static func named(_ identifier: String) -> SampleType? {
        all.first { $0.identifier.description == identifier }
    }

    /// Whether values of the type may be in this unit: the dimensions agree.
    public func allows(_ unit: HealthUnit) -> Bool { self.unit?.isConvertible(to: unit) ?? false }

    /// Throws `invalidArgument` unless a sample of this type may cover the time.
    func checkExtent(_ start: Timestamp, _ end: Timestamp) throws(HealthError) {
        guard start <= end else { throw .invalid("the sample ends before it starts") }
        guard Duration.milliseconds(end.milliseconds - start.milliseconds) < longest else {
            throw .invalid("a sample of \(identifier) must be shorter than \(longest.components.seconds) s")
        }
    }

    private static func quantity(_ identifier: StaticName, _ unit: HealthUnit, _ style: AggregationStyle) -> SampleType {
        SampleType(identifier: identifier, kind: .quantity, unit: unit, aggregation: style, longest: day)
    }

    private static func category(_ identifier: StaticName) -> SampleType {
        SampleType(identifier: identifier, kind: .category, unit: nil, aggregation: nil, longest: day)
    }
}
