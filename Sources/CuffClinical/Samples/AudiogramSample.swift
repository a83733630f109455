import CuffCore

/// A hearing test with its time, as HealthKit's `HKAudiogramSample`.
public struct AudiogramSample: Sendable, Hashable {
    /// The thresholds.
    public let audiogram: Audiogram
    /// When the test begins.
    public let start: Timestamp
    /// When the test ends, at `start` or later.
    public let end: Timestamp
    /// The metadata.
    public let metadata: HealthMetadata

    /// - Throws: A `HealthError`: `invalidArgument` for an end before the start, a test of a day or more, and an empty or negative sync
    ///   key.
    public init(
        _ audiogram: Audiogram, start: Timestamp, end: Timestamp, metadata: HealthMetadata = HealthMetadata()
    ) throws(HealthError) {
        try SampleType.audiogram.checkExtent(start, end)
        try metadata.check()
        (self.audiogram, self.start, self.end, self.metadata) = (audiogram, start, end, metadata)
    }
}

extension Audiogram.Point {
    /// A frequency in a unit of Hz, and the level of each ear in dBHL; `nil` for an ear that was not tested.
    /// - Throws: A `HealthError`: `invalidArgument` for another unit.
    public init(frequency: HealthQuantity, left: HealthQuantity?, right: HealthQuantity?) throws(HealthError) {
        func level(_ quantity: HealthQuantity?) throws(HealthError) -> Digits? {
            guard let quantity else { return nil }
            guard quantity.unit == .decibelHearingLevel else { throw .invalid("\(quantity.unit) is not a unit of hearing levels") }
            return quantity.digits
        }
        guard let hertz = frequency.converted(to: .hertz) else { throw .invalid("\(frequency.unit) is not a unit of frequency") }
        self.init(frequency: hertz.digits, left: try level(left), right: try level(right))
    }
}

extension Audiogram {
    /// - Throws: A `HealthError`: `invalidArgument` for no or too many points, a frequency that is repeated or outside 20 to 20,000 Hz,
    ///   a level outside -20 to 130 dB, more than one decimal, and a point without a level.
    public init(_ points: [Point]) throws(HealthError) {
        let text = Audiogram(points: points.sorted { $0.frequency.value < $1.frequency.value }).text
        guard !points.isEmpty, let checked = Audiogram(text) else { throw .invalid("`\(text)` is not an audiogram") }
        self = checked
    }
}

extension AudiogramSample: HealthSample {
    /// The reading that keeps the test.
    /// - Throws: A `HealthError`: `invalidArgument` for a test in the future, `dataSizeExceeded` for one, or metadata, too long for a
    ///   reading.
    public func reading(user: Int32?, received: Timestamp, zone: ZoneTable) throws(HealthError) -> Reading {
        try checkTime(received)
        guard var reading = audiogram.reading(at: start, user: user, remarks: Remarks(), received: received, zone: zone) else {
            throw HealthError(.dataSizeExceeded, "the audiogram is too long for a reading")
        }
        reading.duration = duration
        return try metadata.kept(in: reading)
    }
}
