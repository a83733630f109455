/// Why a component that a cuff could have sent is not there. `none` means the cuff does not send it at all.
public enum Absence: UInt8, Sendable, Hashable {
    case none
    /// IEEE 11073 NaN: no valid result.
    case notANumber
    /// IEEE 11073 NRes: not representable at this resolution.
    case notAtThisResolution
    case positiveInfinity, negativeInfinity
    /// A reserved special value.
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

/// One inflation of the cuff. Systolic and diastolic are not optional: half a blood pressure cannot be built.
public struct BloodPressure: Sendable, Hashable {
    /// The higher pressure, as sent.
    public var systolic: Pressure
    /// The lower pressure, as sent.
    public var diastolic: Pressure
    /// Only as the cuff sent it; never computed here.
    public var mean: Pressure?
    /// The pulse rate, only as the cuff sent it beside the pressures.
    public var pulse: PulseRate?
    /// Why there is no mean; `none` where there is one or the cuff never sends one.
    public var meanAbsence: Absence
    /// Why there is no pulse; `none` where there is one or the cuff never sends one.
    public var pulseAbsence: Absence

    /// Sets each property as given. The values are not checked here (`isPlausible`).
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

    /// A reading in whole mmHg and beats per minute, the common case of serial cuffs.
    /// A mean or pulse of `nil` is one the cuff did not send.
    @inlinable
    public static func mmHg(_ systolic: Int, _ diastolic: Int, mean: Int? = nil, pulse: Int? = nil) -> BloodPressure {
        BloodPressure(
            systolic: .mmHg(systolic), diastolic: .mmHg(diastolic),
            mean: mean.map(Pressure.mmHg), pulse: pulse.map { PulseRate($0) })
    }

    /// The same where the cuff writes 0 for what it did not measure. `meanOrZero` is `nil` for a cuff that never sends a mean.
    @inlinable
    public static func mmHg(_ systolic: Int, _ diastolic: Int, meanOrZero mean: Int? = nil, pulseOrZero pulse: Int) -> BloodPressure {
        BloodPressure(
            systolic: .mmHg(systolic), diastolic: .mmHg(diastolic), mean: mean.flatMap { $0 > 0 ? .mmHg($0) : nil },
            pulse: pulse > 0 ? PulseRate(pulse) : nil, meanAbsence: mean.map { $0 > 0 ? .none : .notMeasured } ?? .none,
            pulseAbsence: pulse > 0 ? .none : .notMeasured)
    }

    /// The lowest systolic pressure of a living arm, in mmHg: below the neonatal range of every documented cuff. It is also
    /// the highest pressure in kPa that a cuff reaches (300 mmHg are 40 kPa), so that kilopascals taken for mmHg, or mmHg
    /// for kilopascals, always lie outside the limits.
    static let lowestSystolic = 40
    static let highestSystolic = 300

    /// Whether number and unit of the systolic pressure can belong together.
    @inline(__always)
    var fitsItsUnit: Bool {
        if let whole = systolic.wholeMmHg { return whole >= Self.lowestSystolic && whole <= Self.highestSystolic }
        return (Double(Self.lowestSystolic)...Double(Self.highestSystolic)).contains(systolic.inMmHg)
    }

    /// Whether the values could come from a living arm: systolic above diastolic and within 40…300 mmHg, diastolic above 0, a mean, where
    /// there is one, not below the diastolic and not above the systolic pressure, and a pulse, where there is one, within 20…300 per
    /// minute. The upper limit is that of IEEE 11073 practice (PHD profile policy); the pulse limits are wider than the range of every
    /// documented cuff. A mean of pressures cannot lie outside of them, so one that does shows that a value is wrong, and not which. A
    /// reading outside is flagged `implausible`; it is neither dropped nor repaired.
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

    /// The limits themselves are allowed.
    @inline(never)
    private static func isMean(_ mean: Pressure, of systolic: Pressure, _ diastolic: Pressure) -> Bool {
        mean.inMmHg >= diastolic.inMmHg && mean.inMmHg <= systolic.inMmHg
    }

    /// The same for pressures in kPa or with decimals. Small values in, so that the usual case need not lay them out.
    @inline(never)
    private static func arePlausible(_ systolic: Pressure, _ diastolic: Pressure) -> Bool {
        let high = systolic.inMmHg
        let low = diastolic.inMmHg
        return high > low && low > 0 && high >= Double(lowestSystolic) && high <= Double(highestSystolic)
    }
}

extension Reading.Content {
    /// Whole mmHg and beats per minute of a cuff that writes 0 for what it did not measure. That a pressure of 0 stands for a
    /// measurement without a value is documented of no cuff: guess.
    package static func mmHg(_ systolic: Int, _ diastolic: Int, meanOrZero mean: Int? = nil, pulseOrZero pulse: Int) -> Reading.Content {
        guard systolic > 0, diastolic > 0 else { return .failure(Failure(.noValue)) }
        return .bloodPressure(.mmHg(systolic, diastolic, meanOrZero: mean, pulseOrZero: pulse))
    }
}
