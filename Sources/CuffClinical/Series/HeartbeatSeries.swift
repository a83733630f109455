import CuffCore

/// The times of heart beats, as HealthKit's `HKHeartbeatSeriesSample`.
public struct HeartbeatSeries: Sendable, Hashable {
    /// One heart beat.
    public struct Beat: Sendable, Hashable {
        /// Microseconds since the start of the series.
        public var time: Int64
        /// Beats may be missing before this one, so the time since the previous one is not an interval.
        public var precededByGap: Bool
        /// Seconds since the start of the series.
        public var seconds: Double { Double(time) / 1_000_000 }
    }

    /// The instant from which the beats count.
    public let start: Timestamp
    /// The program that made the series.
    public let source: HealthSource
    /// The cuff; `nil` if it is unknown.
    public let device: DeviceIdentity?
    /// The reading of the measurement, or `nil`.
    public let reading: Reading.ID?
    /// Ascending; never empty.
    public let beats: [Beat]
    /// Facts of the program that made the series, under keys of its own.
    public internal(set) var metadata: [String: String] = [:]

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

extension HeartbeatSeries {
    /// A stored series; `nil` if there are no beats or they are out of order.
    package init?(
        restored beats: [Beat], start: Timestamp, source: HealthSource, device: DeviceIdentity?, reading: Reading.ID?,
        metadata: [String: String] = [:]
    ) {
        guard !beats.isEmpty, zip(beats, beats.dropFirst()).allSatisfy({ $0.time < $1.time }) else { return nil }
        self.init(start: start, source: source, device: device, reading: reading, beats: beats, metadata: metadata)
    }
}
