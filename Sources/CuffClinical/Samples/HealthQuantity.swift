import CuffCore

/// A number with its unit and the digits as sent.
public struct HealthQuantity: Sendable, Hashable {
    /// The number with the digits as sent.
    public var digits: Digits
    /// The unit of `digits`.
    public var unit: HealthUnit

    /// Sets each property as given.
    public init(_ digits: Digits, _ unit: HealthUnit) {
        self.digits = digits
        self.unit = unit
    }

    /// A number of the program's own, with its shortest digits; `nil` unless it is finite. A literal needs no unwrapping:
    /// `HealthQuantity(120.5, .mmHg)`.
    @_disfavoredOverload
    public init?(_ value: Double, _ unit: HealthUnit) {
        guard let digits = Digits(value) else { return nil }
        self.init(digits, unit)
    }

    /// A whole number.
    public init(_ value: Int, _ unit: HealthUnit) { self.init(Digits(value), unit) }

    /// A pressure in the unit in which the cuff sent it.
    public init(_ pressure: Pressure) { self.init(pressure.digits, pressure.unit == .mmHg ? .mmHg : .kPa) }
    /// A pulse rate in beats per minute.
    public init(_ pulse: PulseRate) { self.init(pulse.digits, .countPerMinute) }

    /// The value in another unit; `nil` if the dimension differs.
    public func value(in other: HealthUnit) -> Double? {
        guard unit.isConvertible(to: other) else { return nil }
        guard unit != other else { return digits.value }
        return unit.zero == other.zero
            ? digits.value * unit.scale / other.scale : (digits.value * unit.scale + unit.zero - other.zero) / other.scale
    }

    /// The quantity in another unit, rounded to nine significant digits; `nil` if the dimension differs. In its own unit it keeps its
    /// digits.
    public func converted(to other: HealthUnit) -> HealthQuantity? {
        guard unit != other else { return self }
        guard let value = value(in: other), let digits = Digits(value, significant: 9) else { return nil }
        return HealthQuantity(digits, other)
    }
}
