import CuffCore

/// Many values of one type, kept as one sample: the cuff's pressure during one measurement.
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
    /// The instant from which the elements count.
    public let start: Timestamp
    /// The end of the last value, or later.
    public let end: Timestamp
    /// The program that made the series.
    public let source: HealthSource
    /// The cuff; `nil` if it is unknown.
    public let device: DeviceIdentity?
    /// The reading of the measurement; `nil` for a measurement without result, kept on request.
    public let reading: Reading.ID?
    /// Ascending by their start; never empty.
    public let elements: [Element]
    /// Facts of the program that made the series, under keys of its own.
    public internal(set) var metadata: [String: String] = [:]

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

extension QuantitySeries {
    /// A stored series; `nil` if there are no elements or they are out of order.
    package init?(
        restored type: SampleType, unit: HealthUnit, start: Timestamp, end: Timestamp, source: HealthSource, device: DeviceIdentity?,
        reading: Reading.ID?, elements: [Element], metadata: [String: String] = [:]
    ) {
        guard !elements.isEmpty, type.allows(unit), start <= end, zip(elements, elements.dropFirst()).allSatisfy({ $0.start <= $1.start })
        else { return nil }
        self.init(
            type: type, unit: unit, start: start, end: end, source: source, device: device, reading: reading, elements: elements,
            metadata: metadata)
    }

    /// Each value in this unit with its time, and how long it lasted; `nil` for a value that cannot be converted.
    package func forEachValue(in unit: HealthUnit?, _ body: (DatedValue?, Duration?) -> Void) {
        for element in elements {
            guard let value = unit.flatMap({ HealthQuantity(element.value, self.unit).value(in: $0) }) else {
                body(nil, nil)
                continue
            }
            let time = Timestamp(milliseconds: start.milliseconds + element.start / 1000)
            let lasting = Duration.microseconds(max(0, element.end - element.start))
            body(DatedValue(value, at: time, from: reading ?? .none), lasting > .zero ? lasting : nil)
        }
    }

    /// The values of several series in the order of time, or one series after the other. `series` is an index of `all`.
    package static func values(
        of all: [QuantitySeries], bySeries: Bool
    ) -> [(start: Timestamp, value: Digits, series: Int)] {
        let values = all.enumerated().flatMap { index, series in
            series.elements.map { (time: series.start.milliseconds * 1000 + $0.start, value: $0.value, series: index) }
        }
        let sorted =
            bySeries ? values : values.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
        return sorted.map { (Timestamp(milliseconds: WallTime.floor($0.time, 1000)), $0.value, $0.series) }
    }
}
