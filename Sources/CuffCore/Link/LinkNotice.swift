/// What a link reports while it works.
public enum LinkNotice: Sendable {
    indirect case identified(DeviceIdentity)
    case diagnostic(Diagnostic)
    /// What the cuff's clock showed, and how far it is behind the host's, in seconds.
    case clock(DeviceTime, behind: Int64)
    /// The minutes between the cuff's automatic measurements; 0: they are off.
    case cycle(minutes: Int)
    /// The life of a measurement that was commanded: `started` or `notStarted`, `live`, `ended`, and no other effect; the
    /// time is that since its start.
    indirect case measurement(Measurement.Effect, elapsed: Duration)
    /// The session under this command ended. The link goes on to the next command, if there is one.
    case finished(SessionCommand, Outcome)
    /// The link is over; nothing follows.
    case ended(Outcome)
}
