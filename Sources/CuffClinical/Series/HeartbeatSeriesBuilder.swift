import CuffCore

/// Collects the beats of a series: `add` any number of times, then `finish` or `discard` once.
public struct HeartbeatSeriesBuilder: Sendable {
    /// A day of 200 beats a minute is 288,000.
    public static let maximumCount = 300_000

    /// The instant from which the beats count.
    public let start: Timestamp
    /// The program that makes the series.
    public let source: HealthSource
    /// The cuff; `nil` if it is unknown.
    public let device: DeviceIdentity?
    /// Facts of the program, under keys of its own; they are kept with the series. May be set until the series is finished.
    public var metadata: [String: String] = [:]
    /// The state of the builder.
    public private(set) var state = QuantitySeriesBuilder.State.building
    private var beats: [HeartbeatSeries.Beat] = []

    /// A series without beats.
    public init(start: Timestamp, source: HealthSource, device: DeviceIdentity? = nil) {
        (self.start, self.source, self.device) = (start, source, device)
    }

    /// The number of beats so far.
    public var count: Int { beats.count }

    /// A beat at its time since the start of the series.
    /// - Throws: A `HealthError`: `invalidArgument` for a time that does not follow the last one or is a day or more, and in a finished
    ///   series; `dataSizeExceeded` beyond `maximumCount`.
    public mutating func add(at elapsed: Duration, precededByGap: Bool = false) throws(HealthError) {
        try state.check()
        let time = elapsed.microseconds
        guard time >= 0 else { throw .invalid("the beat lies before the start of the series") }
        guard beats.last.map({ $0.time < time }) ?? true else { throw .invalid("the beat does not follow the last one") }
        guard elapsed < SampleType.heartbeatSeries.longest else { throw .invalid("the series is longer than a day") }
        guard beats.count < Self.maximumCount else {
            throw HealthError(.dataSizeExceeded, "a series holds at most \(Self.maximumCount) beats")
        }
        beats.append(.init(time: time, precededByGap: precededByGap))
    }

    /// A beat with its interval to the previous one in milliseconds, as cuffs send it. The first is at the start of the series.
    /// - Throws: As ``add(at:precededByGap:)``.
    public mutating func add(interval milliseconds: Int, precededByGap: Bool = false) throws(HealthError) {
        let last = beats.last?.time
        try add(
            at: .microseconds(last.map { $0 + Int64(milliseconds) * 1000 } ?? 0),
            precededByGap: precededByGap && last != nil)
    }

    /// Ends the series.
    /// - Throws: A `HealthError`: `noData` without beats, `invalidArgument` if it is finished or discarded already, and
    ///   `dataSizeExceeded` for metadata of more than 4,000 bytes.
    public mutating func finish(reading: Reading.ID? = nil) throws(HealthError) -> HeartbeatSeries {
        try state.check()
        try HealthMetadata.checkSize(metadata)
        state = .finished
        guard !beats.isEmpty else { throw HealthError(.noData, "the series has no beats") }
        return HeartbeatSeries(start: start, source: source, device: device, reading: reading, beats: beats, metadata: metadata)
    }

    /// Discards the beats; repeated calls are harmless.
    public mutating func discard() {
        guard state == .building else { return }
        state = .discarded
        beats = []
    }
}
