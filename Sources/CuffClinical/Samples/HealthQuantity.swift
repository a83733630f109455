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

    /// A pressure in the unit in which the cuff sent it.
    public init(_ pressure: Pressure) { self.init(pressure.digits, pressure.unit == .mmHg ? .mmHg : .kPa) }
    /// A pulse rate in beats per minute.
    public init(_ pulse: PulseRate) { self.init(pulse.digits, .countPerMinute) }

    /// The value in another unit; `nil` if the dimension differs.
    public func value(in other: HealthUnit) -> Double? {
        guard unit.dimension == other.dimension else { return nil }
        return unit == other ? digits.value : digits.value * unit.scale / other.scale
    }
}
