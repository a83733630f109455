/// An exact rational number: averages are compared with thresholds before anything is rounded.
///
/// Arithmetic returns `nil` if a number does not fit into 128 bits; sums of readings are far smaller.
public struct Fraction: Sendable, Hashable {
    /// It has the sign of the number.
    public let numerator: Int128
    /// Above zero, without a common factor with the numerator.
    public let denominator: Int128

    /// A whole number.
    public init(_ value: Int64) { (numerator, denominator) = (Int128(value), 1) }

    /// `numerator / denominator` in lowest terms; `nil` if the denominator is not above zero.
    public init?(_ numerator: Int128, over denominator: Int128) {
        guard denominator > 0, numerator > .min else { return nil }
        let common = Self.commonFactor(numerator.magnitude, denominator.magnitude)
        self.numerator = numerator / common
        self.denominator = denominator / common
    }

    /// Euclid's algorithm; a division of 64 bits is many times as fast as one of 128, and nearly all numbers fit.
    private static func commonFactor(_ first: UInt128, _ second: UInt128) -> Int128 {
        if var a = UInt64(exactly: first), var b = UInt64(exactly: second) {
            while b != 0 { (a, b) = (b, a % b) }
            return Int128(a)
        }
        var (a, b) = (first, second)
        while b != 0 { (a, b) = (b, a % b) }
        return Int128(a)
    }

    /// The nearest `Double`, for roots and for programs that read decimals.
    public var value: Double { Double(numerator) / Double(denominator) }

    /// The sum of both.
    public func adding(_ other: Fraction) -> Fraction? {
        let (left, first) = numerator.multipliedReportingOverflow(by: other.denominator)
        let (right, second) = other.numerator.multipliedReportingOverflow(by: denominator)
        let (sum, third) = left.addingReportingOverflow(right)
        let (bottom, fourth) = denominator.multipliedReportingOverflow(by: other.denominator)
        return first || second || third || fourth ? nil : Fraction(sum, over: bottom)
    }

    /// This number minus the other.
    public func subtracting(_ other: Fraction) -> Fraction? { adding(other.negated) }

    /// The product of both.
    public func multiplied(by other: Fraction) -> Fraction? {
        let (top, first) = numerator.multipliedReportingOverflow(by: other.numerator)
        let (bottom, second) = denominator.multipliedReportingOverflow(by: other.denominator)
        return first || second ? nil : Fraction(top, over: bottom)
    }

    /// The quotient; `nil` if the divisor is zero.
    public func divided(by other: Fraction) -> Fraction? {
        guard other.numerator != 0 else { return nil }
        let inverse =
            other.numerator > 0
            ? Fraction(other.denominator, over: other.numerator) : Fraction(-other.denominator, over: -other.numerator)
        return inverse.flatMap(multiplied)
    }

    /// The same number with the other sign.
    public var negated: Fraction { Fraction(-numerator, over: denominator) ?? self }
    /// Its distance from zero.
    public var magnitude: Fraction { numerator < 0 ? negated : self }

    /// Exact; if a product does not fit, compared as `Double`.
    public static func < (a: Fraction, b: Fraction) -> Bool {
        let (left, first) = a.numerator.multipliedReportingOverflow(by: b.denominator)
        let (right, second) = b.numerator.multipliedReportingOverflow(by: a.denominator)
        return first || second ? a.value < b.value : left < right
    }

    /// Half up: 134.5 becomes 135, and -0.5 becomes 0. `places` are 0…6 decimals.
    package func rounded(places: Int) -> Decimals {
        var scale: Int128 = 1
        for _ in 0..<max(0, min(6, places)) { scale *= 10 }
        let (scaled, overflow) = numerator.multipliedReportingOverflow(by: 2 * scale)
        guard !overflow else { return Decimals(units: 0, places: 0) }
        let (top, bottom) = (scaled + denominator, 2 * denominator)
        let quotient = top / bottom - (top % bottom < 0 ? 1 : 0)
        return Decimals(units: Int64(clamping: quotient), places: max(0, min(6, places)))
    }

    /// `1479/11`, or `133` where it is whole.
    public var text: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}

extension Fraction: Comparable {}
