import CuffCore

/// Statistics of one quantity, in constant memory. Only the temporally weighted average depends on the order of the values.
public struct QuantityStatistics: Sendable, Hashable {
    /// How many values were added.
    public private(set) var count = 0
    /// The earliest of equal values.
    public private(set) var minimum: DatedValue?
    /// The earliest of equal values.
    public private(set) var maximum: DatedValue?
    /// The latest in time.
    public private(set) var mostRecent: DatedValue?
    private var total = CompensatedSum()
    private var center = 0.0
    private var spread = 0.0
    private var area = CompensatedSum()
    /// The milliseconds that `area` spans.
    private var elapsed: Int64 = 0
    private var previous: DatedValue?
    /// Sums of 10^(L/10), of that times the duration in seconds, and of the durations.
    private var energy = CompensatedSum(), lastingEnergy = CompensatedSum(), lasting = CompensatedSum()
    private var isInOrder = true
    private var levels = 0

    /// No values.
    public init() {}

    /// Adds one value. Only a sound level needs a duration, which may be zero. `withinReading`: the time between values of different
    /// readings has no weight, because nothing was measured in it.
    public mutating func add(_ point: DatedValue, lasting duration: Duration? = nil, withinReading: Bool = false) {
        count += 1
        if let duration { addLevel(point.value, duration) }
        total.add(point.value)
        // Welford's update: no cancellation between large sums.
        let step = point.value - center
        center += step / Double(count)
        spread += step * (point.value - center)
        extend(to: point, point, latest: point)
        if let previous {
            let passed = point.time.milliseconds - previous.time.milliseconds
            if passed < 0 { isInOrder = false }
            if !withinReading || previous.reading == point.reading {
                area.add((previous.value + point.value) / 2 * Double(passed))
                elapsed += passed
            }
        }
        previous = point
    }

    /// Adds the values of other statistics. Afterwards there is no temporally weighted average.
    public mutating func merge(_ other: QuantityStatistics) {
        guard other.count > 0 else { return }
        guard count > 0 else {
            self = other
            return
        }
        // Chan's update of the mean and of the sum of squares.
        let (own, more) = (Double(count), Double(other.count))
        let step = other.center - center
        spread += other.spread + step * step * own * more / (own + more)
        center += step * more / (own + more)
        count += other.count
        levels += other.levels
        total.add(other.total)
        energy.add(other.energy)
        lastingEnergy.add(other.lastingEnergy)
        lasting.add(other.lasting)
        if let low = other.minimum, let high = other.maximum, let latest = other.mostRecent { extend(to: low, high, latest: latest) }
        isInOrder = false
    }

    private mutating func extend(to low: DatedValue, _ high: DatedValue, latest: DatedValue) {
        func isFirst(_ a: DatedValue, _ b: DatedValue) -> Bool { a.value == b.value && DatedValue.isEarlier(a, b) }
        if minimum.map({ low.value < $0.value || isFirst(low, $0) }) ?? true { minimum = low }
        if maximum.map({ high.value > $0.value || isFirst(high, $0) }) ?? true { maximum = high }
        if mostRecent.map({ DatedValue.isEarlier($0, latest) }) ?? true { mostRecent = latest }
    }

    /// Adds the energy of a level in dB, `10^(L/10)`.
    private mutating func addLevel(_ level: Double, _ duration: Duration) {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        let one = SoundLevel.energy(level)
        energy.add(one)
        lastingEnergy.add(one * seconds)
        lasting.add(seconds)
        levels += 1
    }

    /// The sum of all values, 0 for none.
    public var sum: Double { total.value }

    /// `nil` without values, if values of a weighted average were out of order, and for the cumulative style, which has only a sum.
    public func average(_ style: AggregationStyle = .discreteArithmetic) -> Double? {
        guard count > 0 else { return nil }
        switch style {
        case .discreteArithmetic: return total.value / Double(count)
        case .cumulative: return nil
        case .equivalentContinuousLevel:
            guard levels == count else { return nil }
            return SoundLevel.level(lasting.value > 0 ? lastingEnergy.value / lasting.value : energy.value / Double(count))
        case .discreteTemporallyWeighted:
            guard isInOrder else { return nil }
            return elapsed > 0 ? area.value / Double(elapsed) : total.value / Double(count)
        }
    }

    /// The sample standard deviation; `nil` for fewer than two values.
    public var standardDeviation: Double? { count > 1 ? (spread / Double(count - 1)).squareRoot() : nil }
}

/// A compensated sum (Neumaier 1974): its error does not grow with the number of values.
struct CompensatedSum: Sendable, Hashable {
    private var sum = 0.0
    private var rest = 0.0

    mutating func add(_ value: Double) {
        let next = sum + value
        rest += sum.magnitude >= value.magnitude ? (sum - next) + value : (value - next) + sum
        sum = next
    }

    mutating func add(_ other: CompensatedSum) {
        add(other.sum)
        add(other.rest)
    }

    var value: Double { sum + rest }
}
