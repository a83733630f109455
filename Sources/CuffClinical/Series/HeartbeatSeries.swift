import CuffCore

/// When a heart beat, beat by beat: no values, only times, as HealthKit's `HKHeartbeatSeriesSample`.
public struct HeartbeatSeries: Sendable, Hashable {
    /// One heart beat.
    public struct Beat: Sendable, Hashable {
        /// Microseconds since the start of the series.
        public var time: Int64
        /// Something is missing between this beat and the one before, so the time between them is no interval.
        public var precededByGap: Bool

        /// Sets each property as given.
        public init(time: Int64, precededByGap: Bool) {
            self.time = time
            self.precededByGap = precededByGap
        }
        /// Seconds since the start of the series.
        public var seconds: Double { Double(time) / 1_000_000 }
    }

    /// The instant that the beats count from.
    public let start: Timestamp
    /// The program that made the series.
    public let source: HealthSource
    /// The cuff; `nil` where it is unknown.
    public let device: DeviceIdentity?
    /// What is said beside the beats.
    public let metadata: HealthMetadata
    /// The reading it led to; `nil` where there is none.
    public let reading: Reading.ID?
    /// Ascending; never empty.
    public let beats: [Beat]

    /// One that was stored; `nil` where the beats are none or out of order.
    public init?(restored beats: [Beat], start: Timestamp, source: HealthSource, device: DeviceIdentity?, reading: Reading.ID?) {
        guard !beats.isEmpty, zip(beats, beats.dropFirst()).allSatisfy({ $0.time < $1.time }) else { return nil }
        self.init(start: start, source: source, device: device, metadata: HealthMetadata(), reading: reading, beats: beats)
    }

    init(start: Timestamp, source: HealthSource, device: DeviceIdentity?, metadata: HealthMetadata, reading: Reading.ID?, beats: [Beat]) {
        self.start = start
        self.source = source
        self.device = device
        self.metadata = metadata
        self.reading = reading
        self.beats = beats
    }

    /// The time of the last beat, rounded up to the millisecond.
    public var end: Timestamp {
        Timestamp(milliseconds: start.milliseconds + ((beats.last?.time ?? 0) + 999) / 1000)
    }

    /// Seconds between beats that follow each other without a gap.
    public var intervals: [Double] {
        zip(beats, beats.dropFirst()).filter { !$1.precededByGap }.map { Double($1.time - $0.time) / 1_000_000 }
    }

    /// The standard deviation of the intervals in seconds: of the whole population, not of a sample, as the example
    /// Apple shows is computed (beats at 0.50, 1.49, 2.49, 3.48, 4.45 s give 0.0109 s; WWDC 2019, session 218).
    /// `nil` for fewer than two intervals.
    public var sdnn: Double? {
        let intervals = intervals
        guard intervals.count >= 2 else { return nil }
        let mean = intervals.reduce(0, +) / Double(intervals.count)
        let squares = intervals.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(intervals.count)).squareRoot()
    }
}

/// Collects the beats of a series while they come: `add` any number of times, then `finish` or `discard` once.
public struct HeartbeatSeriesBuilder: Sendable {
    /// A day of 200 beats a minute is 288,000.
    public static let maximumCount = 300_000

    /// The instant that the beats count from.
    public let start: Timestamp
    /// The program that makes the series.
    public let source: HealthSource
    /// The cuff; `nil` where it is unknown.
    public let device: DeviceIdentity?
    /// Where the builder stands.
    public private(set) var state = QuantitySeriesBuilder.State.building
    private var beats: [HeartbeatSeries.Beat] = []

    /// A series without beats.
    public init(start: Timestamp, source: HealthSource, device: DeviceIdentity? = nil) {
        self.start = start
        self.source = source
        self.device = device
    }

    /// The number of beats so far.
    public var count: Int { beats.count }

    /// A beat at its time since the start of the series. Times must grow.
    public mutating func add(at elapsed: Duration, precededByGap: Bool = false) throws(HealthError) {
        try checkOpen()
        let time = elapsed.microseconds
        guard time >= 0 else { throw .invalid("the beat lies before the start of the series") }
        guard beats.last.map({ $0.time < time }) ?? true else { throw .invalid("the beat does not follow the last one") }
        guard elapsed < SampleType.heartbeatSeries.longest else { throw .invalid("the series is longer than a day") }
        guard beats.count < Self.maximumCount else {
            throw HealthError(.dataSizeExceeded, "a series holds at most \(Self.maximumCount) beats")
        }
        beats.append(.init(time: time, precededByGap: precededByGap))
    }

    /// A beat as cuffs send it: with the interval to the one before. The first stands at the start of the series.
    public mutating func add(interval milliseconds: Int, precededByGap: Bool = false) throws(HealthError) {
        let last = beats.last?.time
        try add(
            at: .microseconds(last.map { $0 + Int64(milliseconds) * 1000 } ?? 0),
            precededByGap: precededByGap && last != nil)
    }

    /// Ends the series. Throws `errorNoData` for a series without beats, `errorInvalidArgument` when it is finished or
    /// discarded already.
    public mutating func finish(
        reading: Reading.ID? = nil, metadata: HealthMetadata = HealthMetadata()
    ) throws(HealthError) -> HeartbeatSeries {
        try checkOpen()
        try metadata.check()
        state = .finished
        guard !beats.isEmpty else { throw HealthError(.noData, "the series has no beats") }
        return HeartbeatSeries(
            start: start, source: source, device: device, metadata: metadata, reading: reading, beats: beats)
    }

    /// Throws the beats away. Doing it twice is harmless.
    public mutating func discard() {
        guard state == .building else { return }
        state = .discarded
        beats = []
    }

    private func checkOpen() throws(HealthError) {
        switch state {
        case .building: break
        case .finished: throw .invalid("the series is finished")
        case .discarded: throw .invalid("the series was discarded")
        }
    }
}
