/// A report of a running link.
public enum LinkNotice: Sendable {
    indirect case identified(DeviceIdentity)
    case diagnostic(Diagnostic)
    /// The cuff's clock, and how many seconds it is behind the host's.
    case clock(DeviceTime, behind: Int64)
    /// Minutes between the cuff's automatic measurements; 0: off.
    case cycle(minutes: Int)
    /// The state of a commanded measurement (`started`, `notStarted`, `live` or `ended`) and the time since its start.
    indirect case measurement(MeasurementState.Effect, elapsed: Duration)
    /// The session of this command ended; the link continues with the next, if any.
    case finished(SessionCommand, Outcome)
    /// The last notice: the link is over.
    case ended(Outcome)
}
