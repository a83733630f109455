import CuffCore

/// Sums of blood pressures as whole numbers, so that a mean is exact and does not depend on the order of the readings.
public struct PressureSums: Sendable, Hashable {
    /// How many blood pressures were added.
    public private(set) var count = 0
    private var systolicSum: Int128 = 0
    private var diastolicSum: Int128 = 0
    private var pulseCount = 0
    private var pulseSum: Int128 = 0

    /// Parts of a mmHg, or of a beat per minute, in which sums count: kPa with three places, times mmHg in a kPa with eight, are exact.
    static let parts: Int64 = 100_000_000_000

    /// Nothing.
    public init() {}

    /// Adds one blood pressure in mmHg, with its pulse where it has one.
    public mutating func add(systolic: Double, diastolic: Double, pulse: Double?) {
        count += 1
        systolicSum += Self.units(systolic)
        diastolicSum += Self.units(diastolic)
        if let pulse {
            pulseCount += 1
            pulseSum += Self.units(pulse)
        }
    }

    /// Adds all readings of other sums.
    public mutating func add(_ other: PressureSums) {
        count += other.count
        systolicSum += other.systolicSum
        diastolicSum += other.diastolicSum
        pulseCount += other.pulseCount
        pulseSum += other.pulseSum
    }

    /// The exact mean of the systolic pressures in mmHg; `nil` for none.
    public var systolic: Fraction? { Self.mean(systolicSum, count) }
    /// The exact mean of the diastolic pressures in mmHg; `nil` for none.
    public var diastolic: Fraction? { Self.mean(diastolicSum, count) }
    /// The exact mean of the pulses that were sent, per minute; `nil` for none.
    public var pulse: Fraction? { Self.mean(pulseSum, pulseCount) }

    /// The decimal number that a value was sent or stored as, without the error of its `Double`.
    static func units(_ value: Double) -> Int128 {
        let scaled = (value * Double(parts)).rounded()
        return scaled.magnitude < 1e18 ? Int128(Int64(scaled)) : 0
    }

    private static func mean(_ sum: Int128, _ count: Int) -> Fraction? { Fraction(sum, over: Int128(count) * Int128(parts)) }
}
