/// What a cuff, or this program, says about a reading beside its numbers. This file is the one list of flag words.
public struct MeasurementFlags: OptionSet, Sendable, Hashable {
    /// One bit for each word of `words`, in their order.
    public let rawValue: UInt32
    /// Any bits; bits without a word are kept and not printed.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The cuff noticed an irregular pulse. It is the cuff's remark, and no diagnosis.
    public static let irregularPulse = MeasurementFlags(rawValue: 1 << 0)
    /// The cuff noticed that the person moved.
    public static let bodyMovement = MeasurementFlags(rawValue: 1 << 1)
    /// The cuff noticed that it sat too loosely.
    public static let cuffLoose = MeasurementFlags(rawValue: 1 << 2)
    /// The cuff noticed that the arm was in a wrong position.
    public static let improperPosition = MeasurementFlags(rawValue: 1 << 3)
    /// The pulse was above the range of the cuff.
    public static let pulseOverRange = MeasurementFlags(rawValue: 1 << 4)
    /// The pulse was below the range of the cuff.
    public static let pulseUnderRange = MeasurementFlags(rawValue: 1 << 5)
    /// The protocol has no check over these bytes, so damage on the line cannot be excluded.
    public static let noMeasurementCheck = MeasurementFlags(rawValue: 1 << 6)
    /// Outside `BloodPressure.isPlausible`; the values are as the cuff sent them.
    public static let implausible = MeasurementFlags(rawValue: 1 << 7)
    /// The cuff reports that its fitting sensor was satisfied.
    public static let cuffFitted = MeasurementFlags(rawValue: 1 << 8)
    /// The value is an average made by the cuff over several inflations.
    public static let averaged = MeasurementFlags(rawValue: 1 << 9)
    /// The cuff measured more than once to get this value.
    public static let remeasured = MeasurementFlags(rawValue: 1 << 10)
    /// The cuff's quality digit was not zero, and its meaning is not documented.
    public static let qualityNoted = MeasurementFlags(rawValue: 1 << 11)
    // IEEE 11073-20601 Measurement-Status bits.
    /// The agent calls the value invalid (bit 0).
    public static let invalid = MeasurementFlags(rawValue: 1 << 12)
    /// The agent calls the value questionable (bit 1).
    public static let questionable = MeasurementFlags(rawValue: 1 << 13)
    /// The agent calls the value not available (bit 2).
    public static let notAvailable = MeasurementFlags(rawValue: 1 << 14)
    /// The agent was calibrating (bit 3).
    public static let calibrationOngoing = MeasurementFlags(rawValue: 1 << 15)
    /// The value was made for a test, not measured on a person (bit 4).
    public static let testData = MeasurementFlags(rawValue: 1 << 16)
    /// The value was made for a demonstration, not measured on a person (bit 5).
    public static let demoData = MeasurementFlags(rawValue: 1 << 17)
    /// The agent says that the value was confirmed, e.g. by an operator (bit 8).
    public static let validated = MeasurementFlags(rawValue: 1 << 18)
    /// An early estimate; the measurement was not complete (bit 9).
    public static let earlyIndication = MeasurementFlags(rawValue: 1 << 19)
    /// The measurement was still going on (bit 10).
    public static let ongoing = MeasurementFlags(rawValue: 1 << 20)
    /// More bytes followed the value than its description announced; the described part was read.
    public static let trailingBytes = MeasurementFlags(rawValue: 1 << 21)
    /// The pressures came as single numbers, and this program joined those of one time stamp into one blood pressure.
    public static let joined = MeasurementFlags(rawValue: 1 << 22)

    /// The words in the order of their bits.
    public static let words: [StaticString] = [
        "irregular_pulse", "body_movement", "cuff_loose", "improper_position", "pulse_over_range",
        "pulse_under_range", "no_measurement_check", "implausible", "cuff_fitted", "averaged", "remeasured",
        "quality_noted", "invalid", "questionable", "not_available", "calibration_ongoing", "test_data", "demo_data",
        "validated", "early_indication", "ongoing", "trailing_bytes", "joined",
    ]
}
