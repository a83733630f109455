/// A unit as HealthKit writes it, e.g. `mmHg` or `count/min`. Units of one dimension can be converted into each other. Further ones are
/// composed: `HealthUnit.count / .minute`.
public struct HealthUnit: Sendable, Hashable, CustomStringConvertible {
    /// What a unit measures, as exponents of base units. Only units of one dimension can be converted.
    struct Dimension: Sendable, Hashable {
        var mass = 0, length = 0, time = 0, temperature = 0
        /// A number of things. Ignored beside other dimensions: beats a second and hertz are the same.
        var count = 0
        var share = 0
        /// Decibels of sound pressure, and of hearing level: the two differ at each frequency.
        var soundLevel = 0, hearingLevel = 0

        static let pressure = Dimension(mass: 1, length: -1, time: -2)

        /// The dimension of a product, with `sign` 1, or of a quotient, with -1.
        func joined(_ other: Dimension, _ sign: Int) -> Dimension {
            var result = Dimension(
                mass: mass + sign * other.mass, length: length + sign * other.length, time: time + sign * other.time,
                temperature: temperature + sign * other.temperature, count: count + sign * other.count, share: share + sign * other.share,
                soundLevel: soundLevel + sign * other.soundLevel, hearingLevel: hearingLevel + sign * other.hearingLevel)
            var rest = result
            rest.count = 0
            if rest != Dimension() { result.count = 0 }
            return result
        }
    }

    /// The unit as HealthKit writes it.
    public let symbol: String
    /// What the unit measures.
    let dimension: Dimension
    /// This unit in SI units (Pa, 1/s, s, kg, m, K, kg/m³), and where its zero is on that scale.
    let scale: Double, zero: Double

    private init(_ symbol: String, _ dimension: Dimension, _ scale: Double, zero: Double = 0) {
        (self.symbol, self.dimension, self.scale, self.zero) = (symbol, dimension, scale, zero)
    }

    /// The symbol.
    public var description: String { symbol }

    /// Whether values of the two can be converted into each other.
    public func isConvertible(to other: HealthUnit) -> Bool { dimension == other.dimension }

    /// A unit divided by another, e.g. `count / minute`.
    public static func / (a: HealthUnit, b: HealthUnit) -> HealthUnit {
        HealthUnit("\(a)/\(b)", a.dimension.joined(b.dimension, -1), a.scale / b.scale)
    }

    /// A unit multiplied by another, e.g. `kilopascal * second`.
    public static func * (a: HealthUnit, b: HealthUnit) -> HealthUnit {
        HealthUnit("\(a)·\(b)", a.dimension.joined(b.dimension, 1), a.scale * b.scale)
    }

    /// Millimetres of mercury, 133.322387415 Pa (ISO 80000-4).
    public static let mmHg = HealthUnit("mmHg", .pressure, 133.322387415)
    /// Kilopascals.
    public static let kPa = HealthUnit("kPa", .pressure, 1000)
    /// Events a minute, e.g. heart beats.
    public static let countPerMinute = HealthUnit("count/min", Dimension(time: -1), 1 / 60.0)
    /// Events a second.
    public static let countPerSecond = HealthUnit("count/s", Dimension(time: -1), 1)
    /// Hertz.
    public static let hertz = HealthUnit("Hz", Dimension(time: -1), 1)
    /// Seconds.
    public static let second = HealthUnit("s", Dimension(time: 1), 1)
    /// Milliseconds.
    public static let millisecond = HealthUnit("ms", Dimension(time: 1), 0.001)
    /// Minutes.
    public static let minute = HealthUnit("min", Dimension(time: 1), 60)
    /// Hours.
    public static let hour = HealthUnit("hr", Dimension(time: 1), 3600)
    /// A number of things.
    public static let count = HealthUnit("count", Dimension(count: 1), 1)

    /// Kilograms.
    public static let kilogram = HealthUnit("kg", Dimension(mass: 1), 1)
    /// Grams.
    public static let gram = HealthUnit("g", Dimension(mass: 1), 0.001)
    /// Pounds, 0.45359237 kg (international yard and pound agreement, 1959).
    public static let pound = HealthUnit("lb", Dimension(mass: 1), 0.45359237)
    /// Metres.
    public static let metre = HealthUnit("m", Dimension(length: 1), 1)
    /// Centimetres.
    public static let centimetre = HealthUnit("cm", Dimension(length: 1), 0.01)
    /// Feet, 0.3048 m (1959).
    public static let foot = HealthUnit("ft", Dimension(length: 1), 0.3048)
    /// Inches, 0.0254 m (1959).
    public static let inch = HealthUnit("in", Dimension(length: 1), 0.0254)
    /// Litres.
    public static let litre = HealthUnit("L", Dimension(length: 3), 0.001)
    /// A share of a hundred.
    public static let percent = HealthUnit("%", Dimension(share: 1), 0.01)
    /// Degrees Celsius.
    public static let celsius = HealthUnit("degC", Dimension(temperature: 1), 1, zero: 273.15)
    /// Degrees Fahrenheit: 32 °F is 0 °C.
    public static let fahrenheit = HealthUnit("degF", Dimension(temperature: 1), 5 / 9.0, zero: 273.15 - 32 * 5 / 9.0)
    /// Milligrams in a decilitre.
    public static let milligramPerDecilitre = HealthUnit("mg/dL", Dimension(mass: 1, length: -3), 0.01)
    /// Millimoles of glucose in a litre; the molar mass is 180.15588 g/mol, as in HealthKit (`HKUnitMolarMassBloodGlucose`).
    public static let millimolePerLitreOfGlucose = HealthUnit("mmol/L", Dimension(mass: 1, length: -3), 0.18015588)
    /// Decibels of A-weighted sound pressure.
    public static let decibelSoundPressure = HealthUnit("dBASPL", Dimension(soundLevel: 1), 1)
    /// Decibels of hearing level.
    public static let decibelHearingLevel = HealthUnit("dBHL", Dimension(hearingLevel: 1), 1)

    /// Every unit of this program.
    public static let all: [HealthUnit] = [
        mmHg, kPa, countPerMinute, countPerSecond, hertz, second, millisecond, minute, hour, count, kilogram, gram, pound, metre,
        centimetre,
        foot, inch, litre, percent, celsius, fahrenheit, milligramPerDecilitre, millimolePerLitreOfGlucose, decibelSoundPressure,
        decibelHearingLevel,
    ]

    /// The unit of this symbol; `nil` for one that is not listed.
    public static func named(_ symbol: String) -> HealthUnit? { all.first { $0.symbol == symbol } }
}
