/// Why a component is missing. `none`: the cuff does not send it at all, or it had not come when the line ended.
public enum Absence: UInt8, Sendable, Hashable {
    case none
    /// IEEE 11073 NaN: no valid result.
    case notANumber
    /// IEEE 11073 NRes: not representable at this resolution.
    case notAtThisResolution
    case positiveInfinity, negativeInfinity
    case reserved
    /// The cuff sent dashes, blanks or its own "no value" code.
    case notMeasured

    /// The value of `mean_absent`, `pulse_absent` and `value_absent` in JSON; `nil` for `none`.
    public var word: StaticString? {
        switch self {
        case .none: nil
        case .notANumber: "not_a_number"
        case .notAtThisResolution: "not_at_this_resolution"
        case .positiveInfinity: "positive_infinity"
        case .negativeInfinity: "negative_infinity"
        case .reserved: "reserved_value"
        case .notMeasured: "not_measured"
        }
    }
}

extension Absence {
    /// The special values of an IEEE 11073 FLOAT, which have exponent 0; `none` for numbers.
    init(float word: UInt32) {
        switch word {
        case 0x007F_FFFF: self = .notANumber
        case 0x0080_0000: self = .notAtThisResolution
        case 0x007F_FFFE: self = .positiveInfinity
        case 0x0080_0002: self = .negativeInfinity
        case 0x0080_0001: self = .reserved
        default: self = .none
        }
    }
}

/// One inflation of the cuff. Systolic and diastolic are not optional, so that half a blood pressure cannot be built.
public struct BloodPressure: Sendable, Hashable {
    /// The higher pressure, as sent.
    public var systolic: Pressure
    /// The lower pressure, as sent.
    public var diastolic: Pressure
    /// Only as the cuff sent it; never computed here.
    public var mean: Pressure?
    /// The pulse rate sent with the pressures, if any.
    public var pulse: PulseRate?
    /// Why there is no mean; `none` if there is one or the cuff sent nothing about it.
    public var meanAbsence: Absence
    /// Why there is no pulse; `none` if there is one or the cuff sent nothing about it.
    public var pulseAbsence: Absence

    /// Creates a reading without checks (`isPlausible`).
    @inlinable
    public init(
        systolic: Pressure, diastolic: Pressure, mean: Pressure? = nil, pulse: PulseRate? = nil,
        meanAbsence: Absence = .none, pulseAbsence: Absence = .none
    ) {
        self.systolic = systolic
        self.diastolic = diastolic
        self.mean = mean
        self.pulse = pulse
        self.meanAbsence = meanAbsence
        self.pulseAbsence = pulseAbsence
    }

    /// A reading in whole mmHg and beats per minute. `nil`: the cuff did not send the value.
    @inlinable
    public static func mmHg(_ systolic: Int, _ diastolic: Int, mean: Int? = nil, pulse: Int? = nil) -> BloodPressure {
        BloodPressure(
            systolic: .mmHg(systolic), diastolic: .mmHg(diastolic),
            mean: mean.map(Pressure.mmHg), pulse: pulse.map { PulseRate($0) })
    }

    /// A reading of a cuff that writes 0 for unmeasured values. `meanOrZero` is `nil` for a cuff that never sends a mean.
    @inlinable
    public static func mmHg(_ systolic: Int, _ diastolic: Int, meanOrZero mean: Int? = nil, pulseOrZero pulse: Int) -> BloodPressure {
        BloodPressure(
            systolic: .mmHg(systolic), diastolic: .mmHg(diastolic), mean: mean.flatMap { $0 > 0 ? .mmHg($0) : nil },
            pulse: pulse > 0 ? PulseRate(pulse) : nil, meanAbsence: mean.map { $0 > 0 ? .none : .notMeasured } ?? .none,
            pulseAbsence: pulse > 0 ? .none : .notMeasured)
    }

    /// The lowest systolic pressure of a living arm, in mmHg: below the neonatal range of every documented cuff. It is also the highest kPa
    /// value (300 mmHg are 40 kPa), so that values in the wrong unit always exceed the limits.
    static let lowestSystolic = 40
    static let highestSystolic = 300

    @inline(__always)
    var fitsItsUnit: Bool {
        if let whole = systolic.wholeMmHg { return whole >= Self.lowestSystolic && whole <= Self.highestSystolic }
        return (Double(Self.lowestSystolic)...Double(Self.highestSystolic)).contains(systolic.inMmHg)
    }

    /// Whether the values are possible in a living arm: systolic above diastolic and within 40…300 mmHg, diastolic above 0, any mean
    /// between them, any pulse within 20…300 per minute. The upper pressure limit is that of IEEE 11073 practice (PHD profile policy); the
    /// pulse limits exceed the range of every documented cuff. Other readings are flagged `implausible`, neither dropped nor changed.
    @inline(__always)
    public var isPlausible: Bool {
        guard let high = systolic.wholeMmHg, let low = diastolic.wholeMmHg else {
            return Self.arePlausible(systolic, diastolic) && isMeanPlausible && pulse?.isPlausible ?? true
        }
        guard high > low, low > 0, high >= Self.lowestSystolic, high <= Self.highestSystolic else { return false }
        if let mean = mean?.wholeMmHg { guard mean >= low, mean <= high else { return false } } else if !isMeanPlausible { return false }
        return pulse?.isPlausible ?? true
    }

    private var isMeanPlausible: Bool { mean.map { Self.isMean($0, of: systolic, diastolic) } ?? true }

    @inline(never)
    private static func isMean(_ mean: Pressure, of systolic: Pressure, _ diastolic: Pressure) -> Bool {
        mean.inMmHg >= diastolic.inMmHg && mean.inMmHg <= systolic.inMmHg
    }

    @inline(never)
    private static func arePlausible(_ systolic: Pressure, _ diastolic: Pressure) -> Bool {
        let high = systolic.inMmHg
        let low = diastolic.inMmHg
        return high > low && low > 0 && high >= Double(lowestSystolic) && high <= Double(highestSystolic)
    }
}

extension Reading.Content {
    /// For a cuff that writes 0 for unmeasured values. For pressures, that is not documented for any cuff: guess.
    package static func mmHg(_ systolic: Int, _ diastolic: Int, meanOrZero mean: Int? = nil, pulseOrZero pulse: Int) -> Reading.Content {
        guard systolic > 0, diastolic > 0 else { return .failure(.init(.noValue)) }
        return .bloodPressure(.mmHg(systolic, diastolic, meanOrZero: mean, pulseOrZero: pulse))
    }
}
