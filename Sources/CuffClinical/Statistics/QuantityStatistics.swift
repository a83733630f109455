import CuffCore

/// How values over time become one number, as HealthKit names it.
public enum AggregationStyle: String, Sendable, Hashable, CaseIterable {
    /// Every value counts the same.
    case discreteArithmetic = "discrete-arithmetic"
    /// A value counts as long as it holds: the area under the straight lines between consecutive values, divided by the
    /// time they span. Values of one instant, or a single one, are averaged arithmetically.
    case discreteTemporallyWeighted = "discrete-temporally-weighted"
    /// Values add up. It makes sense for counts, not for pressures.
    case cumulative
    /// Sound levels: the level of a steady sound with the same energy, each value weighted by how long it lasted. Values that last a
    /// moment count the same as each other, and only where none has a duration.
    case equivalentContinuousLevel = "discrete-equivalent-continuous-level"
}

/// A value, when it was measured, and the reading it came from.
public struct DatedValue: Sendable, Hashable {
    /// The value, in the unit of its quantity: mmHg or beats per minute.
    public var value: Double
    /// When it was measured.
    public var time: Timestamp
    /// The reading it came from.
    public var reading: Reading.ID

    /// Sets each property as given.
    public init(_ value: Double, at time: Timestamp, from reading: Reading.ID) {
        self.value = value
        self.time = time
        self.reading = reading
    }

    /// Earlier in time; within one instant the order of ids, so that nothing depends on the order of arrival.
    static func isEarlier(_ a: DatedValue, _ b: DatedValue) -> Bool {
        a.time != b.time ? a.time < b.time : Reading.ID.precedes(a.reading, b.reading)
    }
}

extension Reading.ID {
    static func precedes(_ a: Reading.ID, _ b: Reading.ID) -> Bool {
        let (first, second) = (a.wallSeconds ?? .min, b.wallSeconds ?? .min)
        return first != second ? first < second : a.hash < b.hash
    }
}

/// Statistics of one quantity, in constant memory. Only the temporally weighted average needs its values in the order
/// of time; all else is the same for any order.
public struct QuantityStatistics: Sendable, Hashable {
    /// How many values were added.
    public private(set) var count = 0
    /// Of equal values the earliest.
    public private(set) var minimum: DatedValue?
    /// Of equal values the earliest.
    public private(set) var maximum: DatedValue?
    /// The latest in time.
    public private(set) var mostRecent: DatedValue?
    private var total = CompensatedSum()
    private var center = 0.0
    private var spread = 0.0
    private var area = CompensatedSum()
    private var first: Timestamp?
    private var previous: DatedValue?
    /// Sums of 10^(L/10), and of that times the seconds it lasted.
    private var energy = CompensatedSum(), lastingEnergy = CompensatedSum(), lasting = CompensatedSum()
    private var isInOrder = true
    private var levels = 0

    /// No values.
    public init() {}

    /// Adds one value. Only a sound level needs to say how long it lasted, zero for a moment.
    public mutating func add(_ point: DatedValue, lasting duration: Duration? = nil) {
        count += 1
        if let duration { addLevel(point.value, duration) }
        total.add(point.value)
        // Welford's update: no cancellation between large sums.
        let step = point.value - center
        center += step / Double(count)
        spread += step * (point.value - center)
        if let least = minimum {
            if point.value < least.value || point.value == least.value && DatedValue.isEarlier(point, least) {
                minimum = point
            }
        } else {
            minimum = point
        }
        if let most = maximum {
            if point.value > most.value || point.value == most.value && DatedValue.isEarlier(point, most) {
                maximum = point
            }
        } else {
            maximum = point
        }
        if mostRecent.map({ DatedValue.isEarlier($0, point) }) ?? true { mostRecent = point }
        if let previous {
            let elapsed = Double(point.time.milliseconds - previous.time.milliseconds)
            if elapsed < 0 { isInOrder = false }
            area.add((previous.value + point.value) / 2 * elapsed)
        } else {
            first = point.time
        }
        previous = point
    }

    /// Adds the values of other statistics. What was weighted by time has no order any more, and no such average.
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
        if let one = other.minimum, minimum.map({ one.value < $0.value || one.value == $0.value && DatedValue.isEarlier(one, $0) }) ?? true
        {
            minimum = one
        }
        if let one = other.maximum, maximum.map({ one.value > $0.value || one.value == $0.value && DatedValue.isEarlier(one, $0) }) ?? true
        {
            maximum = one
        }
        if let one = other.mostRecent, mostRecent.map({ DatedValue.isEarlier($0, one) }) ?? true { mostRecent = one }
        isInOrder = false
    }

    /// The energy of a level in dB, `10^(L/10)`, which is computed only where it is asked for.
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

    /// `nil` where there is nothing, or where values of a weighted average came out of order. A cumulative style has a
    /// sum and no average.
    public func average(_ style: AggregationStyle = .discreteArithmetic) -> Double? {
        guard count > 0 else { return nil }
        switch style {
        case .discreteArithmetic: return total.value / Double(count)
        case .cumulative: return nil
        case .equivalentContinuousLevel:
            guard levels == count else { return nil }
            return SoundLevel.level(lasting.value > 0 ? lastingEnergy.value / lasting.value : energy.value / Double(count))
        case .discreteTemporallyWeighted:
            guard isInOrder, let first, let previous else { return nil }
            let elapsed = Double(previous.time.milliseconds - first.milliseconds)
            return elapsed > 0 ? area.value / elapsed : total.value / Double(count)
        }
    }

    /// The sample standard deviation; `nil` for fewer than two values.
    public var standardDeviation: Double? { count > 1 ? (spread / Double(count - 1)).squareRoot() : nil }
}

/// A sum that keeps what rounding would lose (Neumaier 1974), so that it does not depend on how many values there are.
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
