import CuffCore

/// Collects the values of a series, as HealthKit's `HKQuantitySeriesSampleBuilder` does: `insert` any number of times, then
/// `finish` or `discard` once.
public struct QuantitySeriesBuilder: Sendable {
    /// Whether values may be added.
    public enum State: Sendable, Hashable {
        case building, finished, discarded

        func check() throws(HealthError) {
            switch self {
            case .building: break
            case .finished: throw .invalid("the series is finished")
            case .discarded: throw .invalid("the series was discarded")
            }
        }
    }

    /// A measurement of four minutes at 4 kHz.
    public static let maximumCount = 1_000_000

    /// The type of the values.
    public let type: SampleType
    /// The instant from which the values count.
    public let start: Timestamp
    /// The program that makes the series.
    public let source: HealthSource
    /// The cuff; `nil` if it is unknown.
    public let device: DeviceIdentity?
    /// Facts of the program, under keys of its own; they are kept with the series. May be set until the series is finished.
    public var metadata: [String: String] = [:]
    /// The state of the builder.
    public private(set) var state = State.building
    private var elements: [QuantitySeries.Element] = []
    private var unit: HealthUnit?

    /// - Throws: A `HealthError`: `invalidArgument` if the type is not a quantity type.
    public init(_ type: SampleType, start: Timestamp, source: HealthSource, device: DeviceIdentity? = nil) throws(HealthError) {
        guard type.kind == .quantity else { throw .invalid("\(type.identifier) is not a quantity type") }
        (self.type, self.start, self.source, self.device) = (type, start, source, device)
    }

    /// The number of values so far.
    public var count: Int { elements.count }

    /// `elapsed` since the start of the series; `lasting` is zero for a value of one instant. The order does not matter.
    /// - Throws: A `HealthError`: `invalidArgument` for a unit that the type or the values before do not have, a negative value or
    ///   time, a time beyond the longest duration of the type, and in a finished series; `dataSizeExceeded` beyond `maximumCount`.
    public mutating func insert(
        _ quantity: HealthQuantity, at elapsed: Duration, lasting: Duration = .zero
    ) throws(HealthError) {
        try state.check()
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

    /// Ends the series. `end` defaults to the end of its last value.
    /// - Throws: A `HealthError`: `noData` without values, `invalidArgument` for an earlier `end` or if it is finished or discarded
    ///   already, and `dataSizeExceeded` for metadata of more than 4,000 bytes.
    public mutating func finish(end: Timestamp? = nil, reading: Reading.ID? = nil) throws(HealthError) -> QuantitySeries {
        try state.check()
        guard let unit else {
            state = .finished
            throw HealthError(.noData, "the series has no values")
        }
        let latest = elements.reduce(0) { max($0, $1.end) }
        let least = Timestamp(milliseconds: start.milliseconds + (latest + 999) / 1000)
        if let end, end < least { throw .invalid("the series ends before its last value") }
        try HealthMetadata.checkSize(metadata)
        state = .finished
        let sorted = elements.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        elements = []
        return QuantitySeries(
            type: type, unit: unit, start: start, end: end ?? least, source: source, device: device, reading: reading,
            elements: sorted.map(\.element), metadata: metadata)
    }

    /// Discards the values; repeated calls are harmless.
    public mutating func discard() {
        guard state == .building else { return }
        state = .discarded
        elements = []
    }
}

extension Duration {
    /// Whole microseconds, rounded down.
    package var microseconds: Int64 {
        let parts = components
        return parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000
    }
}
