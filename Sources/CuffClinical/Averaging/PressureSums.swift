/// Sums of blood pressures as whole numbers, so that a mean is exact and does not depend on the order of the readings.
package struct PressureSums: Sendable, Hashable {
    package private(set) var count = 0
    private var systolicSum: Int128 = 0
    private var diastolicSum: Int128 = 0
    private var pulseCount = 0
    private var pulseSum: Int128 = 0

    /// Parts of a mmHg or of a beat per minute. Three decimals of kPa, times eight decimals of mmHg per kPa, are exact.
    static let parts: Int64 = 100_000_000_000

    /// Adds one blood pressure in mmHg, with its pulse where it has one.
    package mutating func add(systolic: Double, diastolic: Double, pulse: Double?) {
        count += 1
        systolicSum += Self.units(systolic)
        diastolicSum += Self.units(diastolic)
        if let pulse {
            pulseCount += 1
            pulseSum += Self.units(pulse)
        }
    }

    package mutating func add(_ other: PressureSums) {
        count += other.count
        systolicSum += other.systolicSum
        diastolicSum += other.diastolicSum
        pulseCount += other.pulseCount
        pulseSum += other.pulseSum
    }

    /// The exact mean of the systolic pressures in mmHg; `nil` for none.
    package var systolic: Fraction? { Self.mean(systolicSum, count) }
    /// The exact mean of the diastolic pressures in mmHg; `nil` for none.
    package var diastolic: Fraction? { Self.mean(diastolicSum, count) }
    /// The exact mean of the pulses that were sent, per minute; `nil` for none.
    package var pulse: Fraction? { Self.mean(pulseSum, pulseCount) }

    /// The decimal number that was sent or stored, without the error of its `Double`.
    static func units(_ value: Double) -> Int128 {
        let scaled = (value * Double(parts)).rounded()
        return scaled.magnitude < 1e18 ? Int128(Int64(scaled)) : 0
    }

    private static func mean(_ sum: Int128, _ count: Int) -> Fraction? { Fraction(sum, over: Int128(count) * Int128(parts)) }
}
