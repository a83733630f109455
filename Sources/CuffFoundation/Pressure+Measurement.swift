import CuffClinical
import CuffCore
import Foundation

extension Pressure {
    /// The pressure in the unit in which the cuff sent it.
    public var measurement: Foundation.Measurement<UnitPressure> {
        Foundation.Measurement(value: digits.value, unit: unit == .mmHg ? .millimetersOfMercury : .kilopascals)
    }

    /// A pressure in kPa if it is given in kPa, else in mmHg, rounded to nine significant digits; `nil` unless it is finite.
    public init?(_ measurement: Foundation.Measurement<UnitPressure>) {
        guard let quantity = HealthQuantity(measurement) else { return nil }
        if quantity.unit == .kPa {
            self.init(quantity.digits, .kPa)
        } else {
            guard let converted = quantity.converted(to: .mmHg) else { return nil }
            self.init(converted.digits, .mmHg)
        }
    }
}

extension HealthQuantity {
    /// The value in a unit of Foundation; `nil` if the dimension differs. The conversion is this program's, so that it agrees with
    /// statistics and exports.
    public func measurement<Unit: Dimension>(in unit: Unit) -> Foundation.Measurement<Unit>? {
        guard let own = HealthUnit(unit), let value = value(in: own) else { return nil }
        return Foundation.Measurement(value: value, unit: unit)
    }

    /// A value in a unit of Foundation; `nil` for a unit that `HealthUnit.init` does not know, or a value that is not finite.
    public init?<Unit: Dimension>(_ measurement: Foundation.Measurement<Unit>) {
        guard let unit = HealthUnit(measurement.unit) else { return nil }
        let value: Double = measurement.value
        self.init(value, unit)
    }
}

extension HealthUnit {
    /// The same unit as Foundation's; `nil` for one that is not listed.
    public init?(_ unit: Dimension) {
        guard let own = Self.ofFoundation.first(where: { $0.unit == unit })?.own else { return nil }
        self = own
    }

    private static var ofFoundation: [(unit: Dimension, own: HealthUnit)] {
        [
            (UnitPressure.millimetersOfMercury, .mmHg), (UnitPressure.kilopascals, .kPa), (UnitFrequency.hertz, .hertz),
            (UnitDuration.milliseconds, .millisecond), (UnitDuration.seconds, .second), (UnitDuration.minutes, .minute),
            (UnitDuration.hours, .hour), (UnitMass.kilograms, .kilogram), (UnitMass.grams, .gram), (UnitMass.pounds, .pound),
            (UnitLength.meters, .metre), (UnitLength.centimeters, .centimetre), (UnitLength.feet, .foot), (UnitLength.inches, .inch),
            (UnitVolume.liters, .litre), (UnitTemperature.celsius, .celsius), (UnitTemperature.fahrenheit, .fahrenheit),
            (UnitConcentrationMass.milligramsPerDeciliter, .milligramPerDecilitre),
        ]
    }
}
