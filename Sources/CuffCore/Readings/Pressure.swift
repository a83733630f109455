/// Units of pressure in documented protocols.
public enum PressureUnit: UInt8, Sendable, Hashable {
    case mmHg, kPa
}

/// A pressure with the unit and digits sent; never rounded or converted.
public struct Pressure: Sendable, Hashable {
    /// The number as sent, in `unit`.
    public var digits: Digits
    /// The unit of `digits`.
    public var unit: PressureUnit

    /// Creates a pressure without checks (`BloodPressure.isPlausible`).
    @inlinable
    public init(_ digits: Digits, _ unit: PressureUnit) {
        self.digits = digits
        self.unit = unit
    }

    /// A whole number of mmHg.
    @inlinable
    public static func mmHg(_ value: Int) -> Pressure { Pressure(Digits(value), .mmHg) }
    /// Tenths of a mmHg, as used by the Human NIBP Nano.
    public static func tenthsOfMmHg(_ value: Int) -> Pressure {
        Pressure(Digits(mantissa: Int64(value), exponent: -1), .mmHg)
    }

    /// Millimetres of mercury per kilopascal: 1 mmHg = 133.322387415 Pa (ISO 80000-4), so 7.50061683.
    public static let mmHgPerKPa = 7.50061683

    /// The pressure in mmHg, for comparison, limits and derived fields.
    public var inMmHg: Double { unit == .mmHg ? digits.value : digits.value * Self.mmHgPerKPa }

    /// `128 mmHg`, with the digits as sent.
    package var text: String { digits.text + (unit == .mmHg ? " mmHg" : " kPa") }

    /// The value if sent as a whole number of mmHg, the usual case.
    @inline(__always)
    var wholeMmHg: Int64? { unit == .mmHg && digits.exponent == 0 ? digits.mantissa : nil }
}

/// Beats per minute with the digits sent.
public struct PulseRate: Sendable, Hashable {
    /// Beats per minute as sent.
    public var digits: Digits

    /// Creates a rate without checks.
    @inlinable
    public init(_ digits: Digits) { self.digits = digits }
    /// A whole number of beats per minute.
    @inlinable
    public init(_ perMinute: Int) { digits = Digits(perMinute) }

    /// Beats per minute; wide limits of this program.
    package static let plausible = 20.0...300

    @inline(__always)
    var isPlausible: Bool {
        if digits.exponent == 0 { return digits.mantissa >= 20 && digits.mantissa <= 300 }
        let rate = digits.value
        return rate >= 20 && rate <= 300
    }
}
