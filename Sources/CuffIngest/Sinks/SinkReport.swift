import CuffCore

/// The statistics of one sink.
public struct SinkReport: Sendable, Equatable {
    /// The sink as the user wrote it.
    public var label: String
    /// Not optional.
    public var isRequired: Bool
    /// `Sink.isInternal`.
    public var isInternal = false
    /// Durable rather than pass-through.
    public var isDurable = true
    /// Readings stored, including known ones.
    public var stored = 0
    /// Readings it already had.
    public var known = 0
    /// Readings skipped by an optional sink that was too slow.
    public var missed = 0
    /// Its last error.
    public var fault: IngestError?
    /// Accepted and not yet passed on.
    public var backlog: SinkBacklog?
    /// Readings queued for it.
    public var waiting = 0
    /// When a failed write is repeated.
    public var nextTry: Timestamp?
    /// The duration of its writes, including durability.
    public var writes = LatencyHistogram()
}

extension SinkReport {
    mutating func noteStored(_ readings: Int, known: Int, _ nanoseconds: Int64) {
        writes.add(nanoseconds: nanoseconds)
        nextTry = nil
        stored += readings
        self.known += known
        fault = nil
    }
}
