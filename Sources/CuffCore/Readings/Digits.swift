/// A decimal number as sent: `mantissa` × 10^`exponent`. Distinguishes 60.0 and 60 (IEEE 11073 SFLOAT `F258` and `003C`).
public struct Digits: Sendable, Hashable {
    /// The digits as an integer, sign included.
    public var mantissa: Int64
    /// -128…127, the range of an IEEE 11073 FLOAT exponent.
    public var exponent: Int8

    /// Equal values with other digits are different (`60` and `60.0`).
    @inlinable
    public init(mantissa: Int64, exponent: Int8 = 0) {
        self.mantissa = mantissa
        self.exponent = exponent
    }

    /// A whole number.
    @inlinable
    public init(_ integer: Int) { self.init(mantissa: Int64(integer)) }

    /// The nearest `Double`, for arithmetic and comparison only.
    public var value: Double {
        var scale = 1.0
        for _ in 0..<exponent.magnitude { scale *= 10 }
        return exponent < 0 ? Double(mantissa) / scale : Double(mantissa) * scale
    }

    /// Numerical order, ignoring the number of digits.
    public static func precedes(_ a: Digits, _ b: Digits) -> Bool {
        a.exponent == b.exponent ? a.mantissa < b.mantissa : a.value < b.value
    }
}
