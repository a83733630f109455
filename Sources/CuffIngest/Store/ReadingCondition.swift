import CuffClinical
import CuffCore

/// A condition on the values of readings: `.systolic >= 135 && !.flag(.irregularPulse)`. A comparison does not hold for a reading
/// without the value.
public indirect enum ReadingCondition: Sendable, Hashable {
    /// A number of a reading. The raw value is its word.
    public enum Measure: String, Sendable, Hashable, CaseIterable {
        /// In mmHg.
        case systolic, diastolic, mean
        /// Beats a minute, beside a pressure or alone.
        case pulse
        /// The systolic less the diastolic pressure, in mmHg.
        case pulsePressure = "pulse_pressure"
        /// Of any other quantity, in its own unit.
        case value

        func of(_ reading: Reading) -> Double? {
            switch reading.content {
            case .bloodPressure(let pressure):
                of(
                    pressure.systolic.inMmHg, pressure.diastolic.inMmHg, mean: pressure.mean?.inMmHg, pulse: pressure.pulse?.digits.value)
            case .pulseRate(let rate): self == .pulse ? rate.digits.value : nil
            case .quantity(let quantity): self == .value ? quantity.value?.value : nil
            case .failure: nil
            }
        }

        /// Of a blood pressure as statistics see it.
        func of(_ point: ReadingPoint) -> Double? { of(point.systolic, point.diastolic, mean: point.mean, pulse: point.pulse) }

        private func of(_ systolic: Double, _ diastolic: Double, mean: Double?, pulse: Double?) -> Double? {
            switch self {
            case .systolic: systolic
            case .diastolic: diastolic
            case .mean: mean
            case .pulse: pulse
            case .pulsePressure: systolic - diastolic
            case .value: nil
            }
        }
    }

    case compare(Measure, SeriesCondition.Comparison, Double)
    /// The reading has all of these flags.
    case flag(MeasurementFlags)
    case not(ReadingCondition)
    case all([ReadingCondition])
    case any([ReadingCondition])

    /// Reads `systolic>=135`, blanks around the sign allowed.
    /// - Throws: An `IngestError` of status `usage` for anything else.
    public init(_ text: String) throws(IngestError) {
        guard let (word, comparison, value) = SeriesCondition.parts(text), let measure = Measure(rawValue: word) else {
            throw IngestError(RequestFault.notACondition(text, measures: Measure.allCases.map(\.rawValue)))
        }
        self = .compare(measure, comparison, value)
    }

    /// Whether it holds for a reading.
    public func holds(_ reading: Reading) -> Bool { holds(reading.flags) { $0.of(reading) } }

    func holds(_ point: ReadingPoint) -> Bool { holds(point.flags) { $0.of(point) } }

    private func holds(_ flags: MeasurementFlags, _ number: (Measure) -> Double?) -> Bool {
        switch self {
        case .compare(let measure, let comparison, let value): number(measure).map { comparison.holds($0, value) } ?? false
        case .flag(let wanted): flags.isSuperset(of: wanted)
        case .not(let condition): !condition.holds(flags, number)
        case .all(let conditions): conditions.allSatisfy { $0.holds(flags, number) }
        case .any(let conditions): conditions.contains { $0.holds(flags, number) }
        }
    }

    /// Both hold.
    public static func && (a: ReadingCondition, b: ReadingCondition) -> ReadingCondition { .all([a, b]) }
    /// At least one of them holds.
    public static func || (a: ReadingCondition, b: ReadingCondition) -> ReadingCondition { .any([a, b]) }
    /// It does not hold.
    public static prefix func ! (a: ReadingCondition) -> ReadingCondition { .not(a) }
}

extension ReadingCondition.Measure {
    /// The number is at least this one.
    public static func >= (a: Self, b: Double) -> ReadingCondition { .compare(a, .atLeast, b) }
    /// The number is at most this one.
    public static func <= (a: Self, b: Double) -> ReadingCondition { .compare(a, .atMost, b) }
    /// The number is above this one.
    public static func > (a: Self, b: Double) -> ReadingCondition { .compare(a, .above, b) }
    /// The number is below this one.
    public static func < (a: Self, b: Double) -> ReadingCondition { .compare(a, .below, b) }
    /// The number is this one.
    public static func == (a: Self, b: Double) -> ReadingCondition { .compare(a, .equal, b) }
}

extension SeriesCondition.Comparison {
    func holds(_ a: Double, _ b: Double) -> Bool {
        switch self {
        case .atLeast: a >= b
        case .atMost: a <= b
        case .equal: a == b
        case .above: a > b
        case .below: a < b
        }
    }
}
