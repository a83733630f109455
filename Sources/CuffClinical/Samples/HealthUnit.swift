import CuffCore

/// A unit as HealthKit writes it, e.g. `mmHg` or `count/min`. Units of one dimension can be converted into each other.
public struct HealthUnit: Sendable, Hashable, CustomStringConvertible {
    /// What a unit measures. Only units of one dimension can be converted.
    public enum Dimension: Sendable, Hashable {
        case pressure, frequency, time, count, mass, length, share, temperature, concentration, level
    }

    /// The unit as HealthKit writes it.
    public let symbol: StaticName
    /// What the unit measures.
    public let dimension: Dimension
    /// How many of the dimension's own unit (Pa, 1/s, s, 1) one of these is.
    let scale: Double

    /// The symbol.
    public var description: String { symbol.description }

    /// Millimetres of mercury, 133.322387415 Pa (ISO 80000-4).
    public static let mmHg = HealthUnit(symbol: "mmHg", dimension: .pressure, scale: 133.322387415)
    /// Kilopascals.
    public static let kPa = HealthUnit(symbol: "kPa", dimension: .pressure, scale: 1000)
    /// Events a minute, e.g. heart beats.
    public static let countPerMinute = HealthUnit(symbol: "count/min", dimension: .frequency, scale: 1 / 60.0)
    /// Events a second.
    public static let countPerSecond = HealthUnit(symbol: "count/s", dimension: .frequency, scale: 1)
    /// Seconds.
    public static let second = HealthUnit(symbol: "s", dimension: .time, scale: 1)
    /// Milliseconds.
    public static let millisecond = HealthUnit(symbol: "ms", dimension: .time, scale: 0.001)
    /// A number of things.
    public static let count = HealthUnit(symbol: "count", dimension: .count, scale: 1)

    /// Kilograms.
    public static let kilogram = HealthUnit(symbol: "kg", dimension: .mass, scale: 1)
    /// Centimetres.
    public static let centimetre = HealthUnit(symbol: "cm", dimension: .length, scale: 0.01)
    /// A share of a hundred.
    public static let percent = HealthUnit(symbol: "%", dimension: .share, scale: 0.01)
    /// Degrees Celsius.
    public static let celsius = HealthUnit(symbol: "degC", dimension: .temperature, scale: 1)
    /// Milligrams in a decilitre.
    public static let milligramPerDecilitre = HealthUnit(symbol: "mg/dL", dimension: .concentration, scale: 1)
    /// Decibels of A-weighted sound pressure.
    public static let decibelSoundPressure = HealthUnit(symbol: "dBASPL", dimension: .level, scale: 1)

    /// Every unit of this program.
    public static let all: [HealthUnit] = [
        mmHg, kPa, countPerMinute, countPerSecond, second, millisecond, count, kilogram, centimetre, percent, celsius,
        milligramPerDecilitre, decibelSoundPressure,
    ]

    /// The unit of this symbol; `nil` for one that is not listed.
    public static func named(_ symbol: String) -> HealthUnit? { all.first { $0.description == symbol } }
}

/// A number with its unit and the digits it was sent with.
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

    /// The value in another unit of the same dimension; `nil` for one of another.
    public func value(in other: HealthUnit) -> Double? {
        guard unit.dimension == other.dimension else { return nil }
        return unit == other ? digits.value : digits.value * unit.scale / other.scale
    }
}
