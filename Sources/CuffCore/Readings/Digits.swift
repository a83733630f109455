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

    /// The number as sent: `60.0`.
    package var text: String { TextBuffer.text { $0.append(self) } }

    /// Numerical order, ignoring the number of digits.
    public static func precedes(_ a: Digits, _ b: Digits) -> Bool {
        a.exponent == b.exponent ? a.mantissa < b.mantissa : a.value < b.value
    }
}

extension Digits: ExpressibleByFloatLiteral {
    /// The shortest digits of the number: `120.5` has four.
    public init(floatLiteral value: Double) { self = Digits(value) ?? Digits(0) }

    /// The shortest digits that give this number again; `nil` for one that is not finite, or has more than 18 digits.
    @_disfavoredOverload
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        // `-12.5`, `1e-05`, `1.5e+20`
        let parts = value.description.split(separator: "e")
        let fraction = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        var digits = String(fraction[0])
        var exponent = parts.count == 2 ? Int(parts[1]) ?? 0 : 0
        if fraction.count == 2, fraction[1] != "0" {
            digits += fraction[1]
            exponent -= fraction[1].utf8.count
        }
        guard let mantissa = Int64(digits), let small = Int8(exactly: exponent) else { return nil }
        self.init(mantissa: mantissa, exponent: small)
    }

    /// The number rounded to so many significant digits, without zeros at its end.
    public init?(_ value: Double, significant count: Int) {
        guard value.isFinite else { return nil }
        guard value != 0 else {
            self.init(0)
            return
        }
        var (scaled, exponent) = (value, 0)
        let limit = (0..<count).reduce(1.0) { limit, _ in limit * 10 }
        while scaled.magnitude >= limit { (scaled, exponent) = (scaled / 10, exponent + 1) }
        while scaled.magnitude < limit / 10 { (scaled, exponent) = (scaled * 10, exponent - 1) }
        var mantissa = Int64(scaled.rounded())
        while mantissa % 10 == 0 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
        // A whole number is printed as one.
        while exponent > 0, mantissa.magnitude < 1 << 53 { (mantissa, exponent) = (mantissa * 10, exponent - 1) }
        guard let small = Int8(exactly: exponent) else { return nil }
        self.init(mantissa: mantissa, exponent: small)
    }
}
