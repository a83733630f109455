import CuffCore

/// How one sink fared.
public struct SinkReport: Sendable, Equatable {
    /// The sink's name, as the user wrote it.
    public var label: String
    /// Not optional.
    public var isRequired: Bool
    /// `Sink.isInternal`.
    public var isInternal = false
    /// What it has is kept; else it is passed through.
    public var isDurable = true
    /// Readings it has kept, those it already had included.
    public var stored = 0
    /// Of these, readings it already had.
    public var known = 0
    /// Readings an optional sink could not take in time.
    public var missed = 0
    /// What it failed with; `nil` where it did not.
    public var fault: IngestError?
    /// What it has taken and not passed on yet.
    public var backlog: SinkBacklog?
    /// Readings that wait to be handed to it.
    public var waiting = 0
    /// When a failed write is tried again.
    public var nextTry: Timestamp?
    /// How long its writes took, durable as they are.
    public var writes = LatencyHistogram()
}

extension SinkReport {
    /// One write has succeeded.
    mutating func noteStored(_ readings: Int, known: Int, _ nanoseconds: Int64) {
        writes.add(nanoseconds: nanoseconds)
        nextTry = nil
        stored += readings
        self.known += known
        fault = nil
    }
}
