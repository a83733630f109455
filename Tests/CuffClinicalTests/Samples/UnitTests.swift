import CuffCore
import Testing

@testable import CuffClinical

/// Conversions against published equivalents, and the digits of numbers.
@Suite struct UnitTests {
    struct Case: Sendable {
        var from: HealthQuantity, to: HealthUnit, value: Double
        init(_ value: Double, _ unit: HealthUnit, is expected: Double, _ other: HealthUnit) {
            (from, to, self.value) = (HealthQuantity(Digits(value) ?? Digits(0), unit), other, expected)
        }
    }
    /// The pound, foot and inch are exact by the agreement of 1959; 133.322387415 Pa is ISO 80000-4's; the glucose factor is the molar
    /// mass in HealthKit.
    static let cases = [
        Case(1, .pound, is: 0.45359237, .kilogram), Case(1, .foot, is: 30.48, .centimetre), Case(12, .inch, is: 1, .foot),
        Case(212, .fahrenheit, is: 100, .celsius), Case(-40, .fahrenheit, is: -40, .celsius), Case(37, .celsius, is: 98.6, .fahrenheit),
        Case(120, .mmHg, is: 15.9986864898, .kPa), Case(1, .hertz, is: 60, .countPerMinute), Case(1, .hour, is: 3600, .second),
        Case(5.5, .millimolePerLitreOfGlucose, is: 99.085734, .milligramPerDecilitre), Case(72, .gram, is: 0.072, .kilogram),
    ]

    @Test(arguments: cases) func values_AreConverted(_ expected: Case) throws {
        let value = try #require(expected.from.value(in: expected.to))
        #expect(abs(value - expected.value) < 1e-9 * max(1, abs(expected.value)), "\(value)")
        let back = try #require(expected.from.converted(to: expected.to)?.converted(to: expected.from.unit))
        #expect(abs(back.digits.value - expected.from.digits.value) < 1e-7 * max(1, abs(expected.from.digits.value)))
    }

    @Test func otherDimensions_AreRefused() {
        let pairs: [(HealthUnit, HealthUnit)] = [
            (.mmHg, .kilogram), (.count, .percent), (.second, .hertz), (.decibelSoundPressure, .decibelHearingLevel), (.celsius, .count),
            (.countPerMinute, .minute),
        ]
        for (a, b) in pairs {
            #expect(!a.isConvertible(to: b) && HealthQuantity(1, a).converted(to: b) == nil, "\(a) \(b)")
        }
    }

    @Test func units_AreComposed() throws {
        #expect((HealthUnit.count / .minute).isConvertible(to: .countPerMinute))
        #expect((HealthUnit.count / .minute).description == "count/min")
        #expect(HealthQuantity(72, .count / .minute).value(in: .hertz).map { abs($0 - 1.2) < 1e-12 } == true)
        #expect(HealthQuantity(1, .gram / .litre).value(in: .milligramPerDecilitre).map { abs($0 - 100) < 1e-9 } == true)
        #expect(!(HealthUnit.count / .minute).isConvertible(to: .minute))
        #expect((HealthUnit.mmHg * .minute / .minute).isConvertible(to: .kPa))
    }

    @Test func symbols_AreDistinct_AndRead() {
        #expect(Set(HealthUnit.all.map(\.symbol)).count == HealthUnit.all.count)
        for unit in HealthUnit.all { #expect(HealthUnit.named(unit.symbol) == unit) }
    }

    @Test func numbers_KeepTheirShortestDigits() {
        #expect(HealthQuantity(120.5, .mmHg).digits == Digits(mantissa: 1205, exponent: -1))
        #expect(HealthQuantity(120, .mmHg).digits == Digits(120))
        #expect(Digits(0.1) == Digits(mantissa: 1, exponent: -1))
        #expect(Digits(-2.75) == Digits(mantissa: -275, exponent: -2))
        let big = 1.5e20
        #expect(Digits(big) == Digits(mantissa: 15, exponent: 19))
        #expect(Digits(Double.nan) == nil && Digits(Double.infinity) == nil && Digits(Double.greatestFiniteMagnitude) == nil)
        #expect(HealthQuantity(Double.nan, .mmHg) == nil)
    }

    @Test func rounding_LeavesNoZeros() {
        #expect(Digits(37.000000000000004, significant: 9) == Digits(37))
        #expect(Digits(1200, significant: 3) == Digits(1200))
        #expect(Digits(0.0123456, significant: 3) == Digits(mantissa: 123, exponent: -4))
        #expect(Digits(99.9999, significant: 3) == Digits(100))
        #expect(Digits(0, significant: 9) == Digits(0))
    }
}
