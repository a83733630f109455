import CuffCore

/// A unit as HealthKit writes it, e.g. `mmHg` or `count/min`. Units of one dimension can be converted into each other.
public struct HealthUnit: Sendable, Hashable, CustomStringConvertible {
    /// What a unit measures. Only units of one dimension can be converted.
    package enum Dimension: Sendable, Hashable {
        case pressure, frequency, time, count, mass, length, share, temperature, concentration, level
    }

    /// The unit as HealthKit writes it.
    public let symbol: StaticName
    let dimension: Dimension
    /// This unit in the base unit of its dimension (Pa, 1/s, s, 1).
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
