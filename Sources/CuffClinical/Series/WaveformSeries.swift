import CuffCore

/// One array of samples of a signal (a pleth, an ECG). It belongs to no reading.
public struct WaveformSeries: Sendable, Hashable {
    /// When its first sample was taken: the array's arrival, minus its length.
    public let start: Timestamp
    /// The program that made the series.
    public let source: HealthSource
    /// The agent; `nil` if it is unknown.
    public let device: DeviceIdentity?
    /// Nomenclature partition of the metric, and the term within it.
    public let partition: UInt16
    /// The term within `partition`.
    public let term: UInt16
    /// Unit term of the nomenclature's dimension partition; 0 without a unit.
    public let unit: UInt16
    /// From one sample to the next, in microseconds; 0 if unknown.
    public let period: Int64
    /// How samples map to values; `nil`: they are the values.
    public let scale: Waveform.Scale?
    /// The device's own integers; never empty, at most `maximumCount`.
    public let samples: [Int32]

    /// The most samples in one array.
    public static let maximumCount = 8000

    /// Sets each property as given; `nil` without samples, or with too many.
    public init?(
        start: Timestamp, source: HealthSource, device: DeviceIdentity?, partition: UInt16, term: UInt16, unit: UInt16, period: Int64,
        scale: Waveform.Scale?, samples: [Int32]
    ) {
        guard !samples.isEmpty, samples.count <= Self.maximumCount, period >= 0 else { return nil }
        (self.start, self.source, self.device) = (start, source, device)
        (self.partition, self.term, self.unit) = (partition, term, unit)
        (self.period, self.scale, self.samples) = (period, scale, samples)
    }

    /// The end of the last sample.
    public var end: Timestamp { Timestamp(milliseconds: start.milliseconds + Self.milliseconds(samples.count, period)) }

    /// The nomenclature's name of the metric, or its context-free code as text.
    public var code: String {
        Nomenclature.name(partition: partition, term: term)?.description ?? "MDC \(UInt32(partition) << 16 | UInt32(term))"
    }

    /// The unit's name; `nil` without a unit or a name.
    public var unitName: String? { Nomenclature.unit(unit)?.description }

    static func milliseconds(_ count: Int, _ period: Int64) -> Int64 {
        let (product, overflow) = period.multipliedReportingOverflow(by: Int64(count))
        return overflow ? 0 : product / 1000
    }
}
