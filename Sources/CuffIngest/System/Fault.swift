import CuffCore
import Glibc

/// What could not be done, as a value of the layer where it happened (`FileFault`, `TransportFault` …). A fault holds facts: it
/// gives no advice and knows no exit codes, which are the program's matter. Sinks and transports of an embedding program throw
/// faults of their own.
public protocol Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is, and what happened in one plain line for logs: in lower case and without a full stop.
    var statement: (status: RunStatus, text: String) { get }
}

extension Fault {
    /// What kind of failure it is.
    public var status: RunStatus { statement.status }
    /// What happened, in one plain line.
    public var description: String { statement.text }
}
