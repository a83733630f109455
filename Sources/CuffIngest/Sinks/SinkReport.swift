import CuffCore

package struct SinkReport: Sendable, Equatable {
    /// The sink as the user wrote it.
    package var label: String
    package var isRequired: Bool
    package var isInternal = false
    /// Durable rather than pass-through.
    package var isDurable = true
    /// Readings stored, including known ones.
    package var stored = 0
    /// Readings it already had.
    package var known = 0
    /// Readings skipped by an optional sink that was too slow.
    package var missed = 0
    package var fault: IngestError?
    /// Accepted and not yet passed on.
    package var backlog: SinkBacklog?
    package var waiting = 0
    /// When a failed write is repeated.
    package var nextTry: Timestamp?
    /// The duration of its writes, including durability.
    package var writes = LatencyHistogram()

    mutating func noteStored(_ readings: Int, known: Int, _ nanoseconds: Int64) {
        writes.add(nanoseconds: nanoseconds)
        nextTry = nil
        stored += readings
        self.known += known
        fault = nil
    }
}
