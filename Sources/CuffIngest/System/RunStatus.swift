/// How a run ended, or the kind of a failure.
public enum RunStatus: Sendable, Hashable {
    case done
    /// The tested condition is false.
    case no
    case usage
    /// Invalid input.
    case badData
    /// The input is missing or unreadable.
    case noInput
    /// A device, program or server is missing or does not answer.
    case unavailable
    case software
    /// An unexpected refusal of the operating system.
    case osError
    /// A file cannot be created or changed.
    case cannotCreate
    /// Reading or writing failed.
    case inputOutput
    /// Temporary: something is busy, or not everything is stored yet.
    case tryAgain
    /// The other side violates the protocol.
    case protocolFault
    case noPermission
    case badConfiguration
    case timedOut
    /// Ended in order after SIGINT.
    case interrupted
    /// Ended in order after SIGTERM.
    case terminated
}
