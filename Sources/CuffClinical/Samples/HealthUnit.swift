import CuffCore

/// A unit as HealthKit writes it, e.g. `mmHg` or `count/min`. Units of one dimension can be converted into each other.
public struct HealthUnit: Sendable, Hashable, CustomStringConvertible {
    public enum Dimension: Sendable, Hashable { case pressure, frequency, time, count }

    public let symbol: StaticName
    public let dimension: Dimension
    /// How many of the dimension's own unit (Pa, 1/s, s, 1) one of these is.
    let scale: Double

    public var description: String { symbol.description }

    public static let mmHg = HealthUnit(symbol: "mmHg", dimension: .pressure, scale: 133.322387415)
    public static let kPa = HealthUnit(symbol: "kPa", dimension: .pressure, scale: 1000)
    public static let countPerMinute = HealthUnit(symbol: "count/min", dimension: .frequency, scale: 1 / 60.0)
    public static let countPerSecond = HealthUnit(symbol: "count/s", dimension: .frequency, scale: 1)
    public static let second = HealthUnit(symbol: "s", dimension: .time, scale: 1)
    public static let millisecond = HealthUnit(symbol: "ms", dimension: .time, scale: 0.001)
    public static let count = HealthUnit(symbol: "count", dimension: .count, scale: 1)

    public static let all: [HealthUnit] = [mmHg, kPa, countPerMinute, countPerSecond, second, millisecond, count]

    public static func named(_ symbol: String) -> HealthUnit? { all.first { $0.description == symbol } }
}

/// A number with its unit and the digits it was sent with.
public struct HealthQuantity: Sendable, Hashable {
    public var digits: Digits
    public var unit: HealthUnit

    public init(_ digits: Digits, _ unit: HealthUnit) {
        self.digits = digits
        self.unit = unit
    }

    public init(_ pressure: Pressure) { self.init(pressure.digits, pressure.unit == .mmHg ? .mmHg : .kPa) }
    public init(_ pulse: PulseRate) { self.init(pulse.digits, .countPerMinute) }

    /// The value in another unit of the same dimension; `nil` for one of another.
    public func value(in other: HealthUnit) -> Double? {
        guard unit.dimension == other.dimension else { return nil }
        return unit == other ? digits.value : digits.value * unit.scale / other.scale
    }
}
