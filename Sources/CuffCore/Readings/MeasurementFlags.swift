/// Annotations of a reading by the cuff or this program; the only list of flag words.
public struct MeasurementFlags: OptionSet, Sendable, Hashable {
    /// One bit per word of `words`, in order.
    public let rawValue: UInt32
    /// Unnamed bits are kept and not printed.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The cuff detected an irregular pulse; not a diagnosis.
    public static let irregularPulse = MeasurementFlags(rawValue: 1 << 0)
    /// The cuff detected movement.
    public static let bodyMovement = MeasurementFlags(rawValue: 1 << 1)
    /// The cuff detected that it was too loose.
    public static let cuffLoose = MeasurementFlags(rawValue: 1 << 2)
    /// The cuff detected a wrong position of the arm.
    public static let improperPosition = MeasurementFlags(rawValue: 1 << 3)
    /// The pulse was above the range of the cuff.
    public static let pulseOverRange = MeasurementFlags(rawValue: 1 << 4)
    /// The pulse was below the range of the cuff.
    public static let pulseUnderRange = MeasurementFlags(rawValue: 1 << 5)
    /// The protocol has no check of these bytes; line damage cannot be excluded.
    public static let noMeasurementCheck = MeasurementFlags(rawValue: 1 << 6)
    /// Outside `BloodPressure.isPlausible`; the values are as the cuff sent them.
    public static let implausible = MeasurementFlags(rawValue: 1 << 7)
    /// The cuff reports that its fitting sensor was satisfied.
    public static let cuffFitted = MeasurementFlags(rawValue: 1 << 8)
    /// The value is an average made by the cuff over several inflations.
    public static let averaged = MeasurementFlags(rawValue: 1 << 9)
    /// The cuff measured more than once to get this value.
    public static let remeasured = MeasurementFlags(rawValue: 1 << 10)
    /// The cuff's quality digit was not zero; its meaning is not documented.
    public static let qualityNoted = MeasurementFlags(rawValue: 1 << 11)
    // IEEE 11073-20601 Measurement-Status bits.
    /// The agent reports the value as invalid (bit 0).
    public static let invalid = MeasurementFlags(rawValue: 1 << 12)
    /// The agent reports the value as questionable (bit 1).
    public static let questionable = MeasurementFlags(rawValue: 1 << 13)
    /// The agent reports the value as not available (bit 2).
    public static let notAvailable = MeasurementFlags(rawValue: 1 << 14)
    /// The agent was calibrating (bit 3).
    public static let calibrationOngoing = MeasurementFlags(rawValue: 1 << 15)
    /// A test value, not measured on a person (bit 4).
    public static let testData = MeasurementFlags(rawValue: 1 << 16)
    /// A demonstration value, not measured on a person (bit 5).
    public static let demoData = MeasurementFlags(rawValue: 1 << 17)
    /// The agent reports the value as confirmed, e.g. by an operator (bit 8).
    public static let validated = MeasurementFlags(rawValue: 1 << 18)
    /// An early estimate; the measurement was not complete (bit 9).
    public static let earlyIndication = MeasurementFlags(rawValue: 1 << 19)
    /// The measurement was not finished (bit 10).
    public static let ongoing = MeasurementFlags(rawValue: 1 << 20)
    /// More bytes followed than described; the described part was read.
    public static let trailingBytes = MeasurementFlags(rawValue: 1 << 21)
    /// The pressures were sent as single numbers; this program joined those of one time stamp.
    public static let joined = MeasurementFlags(rawValue: 1 << 22)

    /// Measurement-Status of IEEE 11073-20601 (0947). Bits 0002 and 0001 belong to other standards.
    private static let measurementStatus: [(UInt16, MeasurementFlags)] = [
        (0x8000, .invalid), (0x4000, .questionable), (0x2000, .notAvailable), (0x1000, .calibrationOngoing), (0x0800, .testData),
        (0x0400, .demoData), (0x0080, .validated), (0x0040, .earlyIndication), (0x0020, .ongoing),
    ]

    @inline(never)
    init(measurementStatus status: UInt16) { self.init(status, Self.measurementStatus) }

    /// The flags of the bits that are set.
    init(_ bits: UInt16, _ table: [(UInt16, MeasurementFlags)]) {
        self = table.reduce(into: []) { if bits & $1.0 != 0 { $0.formUnion($1.1) } }
    }

    /// The words in bit order.
    public static let words: [StaticString] = [
        "irregular_pulse", "body_movement", "cuff_loose", "improper_position", "pulse_over_range",
        "pulse_under_range", "no_measurement_check", "implausible", "cuff_fitted", "averaged", "remeasured",
        "quality_noted", "invalid", "questionable", "not_available", "calibration_ongoing", "test_data", "demo_data",
        "validated", "early_indication", "ongoing", "trailing_bytes", "joined",
    ]

    /// The words of the flags that are set, in bit order.
    package var list: [StaticString] { Self.words.indices.filter { rawValue >> UInt32($0) & 1 == 1 }.map { Self.words[$0] } }
}
