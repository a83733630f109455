import CuffCore

/// An error of one layer (`FileFault`, `TransportFault` …). A fault contains facts, without advice or exit codes, which belong to
/// the program. Sinks and transports of an embedding program throw their own faults.
public protocol Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure and one line for logs, in lower case and without a full stop.
    var statement: (status: RunStatus, text: String) { get }
}

extension Fault {
    /// The kind of failure.
    public var status: RunStatus { statement.status }
    /// What happened, in one line.
    public var description: String { statement.text }
}
