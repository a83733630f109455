/// How a run ended, or what kind of failure a fault is: as much as a program needs to act on. `cuff` makes exit codes of it.
public enum RunStatus: Sendable, Hashable {
    /// All done.
    case done
    /// The asked-for condition is false.
    case no
    /// The request cannot be obeyed as it was made.
    case usage
    /// The input is not what it should be.
    case badData
    /// The input is not there, or may not be read.
    case noInput
    /// A device, program or server is not there, or does not answer.
    case unavailable
    /// A fault of this program.
    case software
    /// The operating system refuses what nobody would expect it to.
    case osError
    /// A file cannot be made or changed.
    case cannotCreate
    /// Reading or writing failed.
    case inputOutput
    /// It may succeed later: something is busy, or not everything is stored yet.
    case tryAgain
    /// The other side does not keep to the protocol.
    case protocolFault
    /// This user may not.
    case noPermission
    /// The configuration is wrong.
    case badConfiguration
    /// The time allowed ran out.
    case timedOut
    /// Ended in order, because somebody asked for it (SIGINT).
    case interrupted
    /// Ended in order, because the system asked for it (SIGTERM).
    case terminated
}
