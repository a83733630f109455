import CuffCore
import Foundation

extension Digits {
    /// The digits that the device sent, with the decimal separator and the numerals of a locale: `128,5`.
    public func formatted(_ locale: Locale = .current) -> String {
        let places = max(0, -Int(exponent))
        let decimal = Decimal(sign: mantissa < 0 ? .minus : .plus, exponent: Int(exponent), significand: Decimal(mantissa.magnitude))
        return decimal.formatted(.number.locale(locale).grouping(.never).precision(.fractionLength(places)))
    }
}

extension Pressure {
    /// `128 mmHg`, `17,1 kPa`.
    public func formatted(_ locale: Locale = .current) -> String {
        "\(digits.formatted(locale)) \(unit == .mmHg ? "mmHg" : "kPa")"
    }
}

extension BloodPressure {
    /// `128/82 mmHg`; each pressure with its unit if the two differ.
    public func formatted(_ locale: Locale = .current) -> String {
        systolic.unit == diastolic.unit
            ? "\(systolic.digits.formatted(locale))/\(diastolic.formatted(locale))"
            : "\(systolic.formatted(locale))/\(diastolic.formatted(locale))"
    }
}
