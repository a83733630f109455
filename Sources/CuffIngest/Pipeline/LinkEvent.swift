import CuffCore

/// What a link tells while it works. Called on the link's queue, where it may block.
public enum LinkEvent: Sendable {
    case identified(DeviceIdentity)
    case diagnostic(Diagnostic)
    /// So many new readings went on to the sinks.
    case readings(Int)
    /// How far the cuff's clock is behind the host's, in seconds.
    case clock(DeviceTime, behind: Int64)
    /// The cuff measures by itself every so many minutes; 0: not.
    case cycle(minutes: Int)
    /// The life of a measurement that was commanded: `started` or `notStarted`, `live`, `ended`, and no other effect; the
    /// time is that since its start.
    case measurement(Measurement.Effect, elapsed: Duration)
    /// The session under `command` ended. The link goes on to the next command, if there is one.
    case finished(SessionCommand, Outcome)
    /// The link is over; nothing follows.
    case ended(Outcome, TransportFault?)
}
