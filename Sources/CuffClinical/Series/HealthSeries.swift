import CuffCore

/// A series of any kind.
public enum HealthSeries: Sendable, Hashable {
    case quantity(QuantitySeries)
    case heartbeats(HeartbeatSeries)
    case waveform(WaveformSeries)

    /// The instant from which the series counts.
    public var start: Timestamp {
        switch self {
        case .quantity(let series): series.start
        case .heartbeats(let series): series.start
        case .waveform(let series): series.start
        }
    }

    /// The device that the values are from; `nil` if it is unknown.
    public var device: DeviceIdentity? {
        switch self {
        case .quantity(let series): series.device
        case .heartbeats(let series): series.device
        case .waveform(let series): series.device
        }
    }

    /// Facts of the program that made the series; empty for a waveform.
    public var metadata: [String: String] {
        switch self {
        case .quantity(let series): series.metadata
        case .heartbeats(let series): series.metadata
        case .waveform: [:]
        }
    }

    /// The reading that owns the series, or `nil`.
    public var reading: Reading.ID? {
        switch self {
        case .quantity(let series): series.reading
        case .heartbeats(let series): series.reading
        case .waveform: nil
        }
    }
}
