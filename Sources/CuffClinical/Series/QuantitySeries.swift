import CuffCore

/// Many values of one type that belong together, kept as one sample: the cuff's pressure during one measurement.
/// It is made by a `QuantitySeriesBuilder` and does not change afterwards.
public struct QuantitySeries: Sendable, Hashable {
    /// One value of the series.
    public struct Element: Sendable, Hashable {
        /// Microseconds since the start of the series.
        public var start: Int64
        /// Microseconds since the start of the series; equal to `start` for a value of one instant.
        public var end: Int64
        /// The value with the digits as sent, in the unit of the series.
        public var value: Digits

        /// Sets each property as given.
        public init(start: Int64, end: Int64, value: Digits) {
            self.start = start
            self.end = end
            self.value = value
        }
    }

    /// The type of the values; always a quantity type.
    public let type: SampleType
    /// The one unit of all values.
    public let unit: HealthUnit
    /// The instant that the elements count from.
    public let start: Timestamp
    /// The end of the last value, or later.
    public let end: Timestamp
    /// The program that made the series.
    public let source: HealthSource
    /// The cuff; `nil` where it is unknown.
    public let device: DeviceIdentity?
    /// What is said beside the values.
    public let metadata: HealthMetadata
    /// The reading it led to; `nil` for a measurement without result, kept on request.
    public let reading: Reading.ID?
    /// Ascending by their start; never empty.
    public let elements: [Element]

    /// One that was stored; `nil` where the elements are none or out of order.
    public init?(
        restored type: SampleType, unit: HealthUnit, start: Timestamp, end: Timestamp, source: HealthSource, device: DeviceIdentity?,
        reading: Reading.ID?, elements: [Element]
    ) {
        guard !elements.isEmpty, type.allows(unit), start <= end, zip(elements, elements.dropFirst()).allSatisfy({ $0.start <= $1.start })
        else { return nil }
        self.init(
            type: type, unit: unit, start: start, end: end, source: source, device: device, metadata: HealthMetadata(), reading: reading,
            elements: elements)
    }

    init(
        type: SampleType, unit: HealthUnit, start: Timestamp, end: Timestamp, source: HealthSource, device: DeviceIdentity?,
        metadata: HealthMetadata, reading: Reading.ID?, elements: [Element]
    ) {
        self.type = type
        self.unit = unit
        self.start = start
        self.end = end
        self.source = source
        self.device = device
        self.metadata = metadata
        self.reading = reading
        self.elements = elements
    }

    /// The number of values.
    public var count: Int { elements.count }
    /// The smallest value, the earliest of equal ones.
    public var minimum: Element? { elements.min { Digits.precedes($0.value, $1.value) } }
    /// A largest value.
    public var maximum: Element? { elements.max { Digits.precedes($0.value, $1.value) } }
    /// The value that starts last.
    public var mostRecent: Element? { elements.last }
    /// Only for cumulative types.
    public var sum: Double? {
        type.aggregation == .cumulative ? elements.reduce(0) { $0 + $1.value.value } : nil
    }

    /// In the style of the type; `nil` for cumulative types.
    public var average: Double? {
        guard type.aggregation != .cumulative, let first = elements.first, let last = elements.last else { return nil }
        let plain = elements.reduce(0) { $0 + $1.value.value } / Double(elements.count)
        guard type.aggregation == .discreteTemporallyWeighted, last.start > first.start else { return plain }
        var area = 0.0
        for (a, b) in zip(elements, elements.dropFirst()) {
            area += (a.value.value + b.value.value) / 2 * Double(b.start - a.start)
        }
        return area / Double(last.start - first.start)
    }
}

/// Collects the values of a series while they come, as HealthKit's `HKQuantitySeriesSampleBuilder` does: `insert` any
/// number of times, then `finish` or `discard` once.
public struct QuantitySeriesBuilder: Sendable {
    /// A builder takes values until it is finished or discarded; then it takes no more.
    public enum State: Sendable, Hashable { case building, finished, discarded }

    /// A measurement of four minutes at 4 kHz; more is an error of the caller.
    public static let maximumCount = 1_000_000

    /// The type of the values.
    public let type: SampleType
    /// The instant that the values count from.
    public let start: Timestamp
    /// The program that makes the series.
    public let source: HealthSource
    /// The cuff; `nil` where it is unknown.
    public let device: DeviceIdentity?
    /// Where the builder stands.
    public private(set) var state = State.building
    private var elements: [QuantitySeries.Element] = []
    private var unit: HealthUnit?

    /// Throws `errorInvalidArgument` where the type is not a quantity type.
    public init(_ type: SampleType, start: Timestamp, source: HealthSource, device: DeviceIdentity? = nil) throws(HealthError) {
        guard type.kind == .quantity else { throw .invalid("\(type.identifier) is not a quantity type") }
        self.type = type
        self.start = start
        self.source = source
        self.device = device
    }

    /// The number of values so far.
    public var count: Int { elements.count }

    /// `elapsed` since the start of the series; `lasting` zero for a value of one instant. Any order.
    public mutating func insert(
        _ quantity: HealthQuantity, at elapsed: Duration, lasting: Duration = .zero
    ) throws(HealthError) {
        try checkOpen()
        try QuantitySample.check(quantity, of: type)
        guard unit == nil || unit == quantity.unit else { throw .invalid("the values of a series have one unit") }
        guard elapsed >= .zero else { throw .invalid("the value lies before the start of the series") }
        guard lasting >= .zero else { throw .invalid("the value ends before it starts") }
        guard elapsed + lasting < type.longest else { throw .invalid("the series is longer than its type allows") }
        guard elements.count < Self.maximumCount else {
            throw HealthError(.dataSizeExceeded, "a series holds at most \(Self.maximumCount) values")
        }
        unit = quantity.unit
        let begin = elapsed.microseconds
        elements.append(.init(start: begin, end: begin + lasting.microseconds, value: quantity.digits))
    }

    /// Ends the series. `end` is that of its last value unless it is told, and not before it.
    public mutating func finish(
        end: Timestamp? = nil, reading: Reading.ID? = nil, metadata: HealthMetadata = HealthMetadata()
    ) throws(HealthError) -> QuantitySeries {
        try checkOpen()
        try metadata.check()
        guard let unit else {
            state = .finished
            throw HealthError(.noData, "the series has no values")
        }
        let latest = elements.reduce(0) { max($0, $1.end) }
        let least = Timestamp(milliseconds: start.milliseconds + (latest + 999) / 1000)
        if let end, end < least { throw .invalid("the series ends before its last value") }
        state = .finished
        let sorted = elements.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        elements = []
        return QuantitySeries(
            type: type, unit: unit, start: start, end: end ?? least, source: source, device: device, metadata: metadata,
            reading: reading, elements: sorted.map(\.element))
    }

    /// Throws the values away. Doing it twice is harmless.
    public mutating func discard() {
        guard state == .building else { return }
        state = .discarded
        elements = []
    }

    private func checkOpen() throws(HealthError) {
        switch state {
        case .building: break
        case .finished: throw .invalid("the series is finished")
        case .discarded: throw .invalid("the series was discarded")
        }
    }
}

extension Duration {
    /// Whole microseconds, rounded down.
    public var microseconds: Int64 {
        let parts = components
        return parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000
    }
}

/// The values of several series one by one, as HealthKit's `HKQuantitySeriesSampleQuery` hands them out: by time over all
/// series or, where each comes with the series that owns it, series by series.
public struct QuantitySeriesQuery: Sequence {
    /// One value with its place in time.
    public struct Element: Sendable, Hashable {
        /// The value in the unit of its series.
        public var value: HealthQuantity
        /// When the value begins, to the millisecond.
        public var start: Timestamp
        /// When the value ends; equal to `start` for a value of one instant.
        public var end: Timestamp
        /// The owner's place in the queried list; `nil` unless it was asked for.
        public var owner: Int?
        /// No value follows.
        public var isLast: Bool
    }

    private let series: [QuantitySeries]
    private let includesOwner: Bool

    /// The values of these series; with `includesOwner` series by series.
    public init(_ series: [QuantitySeries], includesOwner: Bool = false) {
        self.series = series
        self.includesOwner = includesOwner
    }

    /// Begins at the first value.
    public func makeIterator() -> Iterator { Iterator(series: series, includesOwner: includesOwner) }

    /// Gives the values in the order of the query.
    public struct Iterator: IteratorProtocol {
        let series: [QuantitySeries]
        let includesOwner: Bool
        private var places: [Int]

        init(series: [QuantitySeries], includesOwner: Bool) {
            self.series = series
            self.includesOwner = includesOwner
            places = [Int](repeating: 0, count: series.count)
        }

        /// The next value; `nil` at the end.
        public mutating func next() -> Element? {
            var chosen: (owner: Int, time: Int64)?
            for owner in series.indices where places[owner] < series[owner].elements.count {
                let time = series[owner].start.milliseconds * 1000 + series[owner].elements[places[owner]].start
                if includesOwner {
                    chosen = (owner, time)
                    break
                }
                if chosen.map({ time < $0.time }) ?? true { chosen = (owner, time) }
            }
            guard let owner = chosen?.owner else { return nil }
            let one = series[owner]
            let element = one.elements[places[owner]]
            places[owner] += 1
            func instant(_ microseconds: Int64) -> Timestamp {
                Timestamp(milliseconds: one.start.milliseconds + microseconds / 1000)
            }
            return Element(
                value: HealthQuantity(element.value, one.unit), start: instant(element.start), end: instant(element.end),
                owner: includesOwner ? owner : nil,
                isLast: series.indices.allSatisfy { places[$0] == series[$0].elements.count })
        }
    }
}
