/// The units in which documented cuffs send pressures.
public enum PressureUnit: UInt8, Sendable, Hashable {
    case mmHg, kPa
}

/// A pressure in the unit and with the digits its cuff sent. It is never rounded or converted in place.
public struct Pressure: Sendable, Hashable {
    /// The number as the cuff sent it, in `unit`.
    public var digits: Digits
    /// The unit of `digits`.
    public var unit: PressureUnit

    /// A pressure of any size; nothing is checked here (`BloodPressure.isPlausible`).
    @inlinable
    public init(_ digits: Digits, _ unit: PressureUnit) {
        self.digits = digits
        self.unit = unit
    }

    /// A whole number of millimetres of mercury.
    @inlinable
    public static func mmHg(_ value: Int) -> Pressure { Pressure(Digits(value), .mmHg) }
    /// Tenths of a millimetre of mercury, as the Human NIBP Nano counts.
    public static func tenthsOfMmHg(_ value: Int) -> Pressure {
        Pressure(Digits(mantissa: Int64(value), exponent: -1), .mmHg)
    }

    /// Millimetres of mercury in one kilopascal: 1 mmHg = 133.322387415 Pa (ISO 80000-4), so 7.50061683.
    public static let mmHgPerKPa = 7.50061683

    /// The pressure in mmHg, for comparison, limits and the derived field beside a kPa value.
    public var inMmHg: Double { unit == .mmHg ? digits.value : digits.value * Self.mmHgPerKPa }

    /// The pressure where it was sent as a whole number of mmHg, which most cuffs do.
    @inline(__always)
    var wholeMmHg: Int64? { unit == .mmHg && digits.exponent == 0 ? digits.mantissa : nil }
}

/// Beats per minute with the digits the cuff sent.
public struct PulseRate: Sendable, Hashable {
    /// Beats per minute as the cuff sent them.
    public var digits: Digits

    /// A rate of any size; nothing is checked here.
    @inlinable
    public init(_ digits: Digits) { self.digits = digits }
    /// A whole number of beats per minute.
    @inlinable
    public init(_ perMinute: Int) { digits = Digits(perMinute) }

    /// What a heart can do, per minute: wide limits of this program.
    package static let plausible = 20.0...300

    /// Within `plausible`.
    @inline(__always)
    var isPlausible: Bool {
        if digits.exponent == 0 { return digits.mantissa >= 20 && digits.mantissa <= 300 }
        let rate = digits.value
        return rate >= 20 && rate <= 300
    }
}
