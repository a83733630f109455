/// What happens to a link. The driver of a `LinkState` passes these to it, one at a time.
public enum LinkEvent: Sendable {
    /// The transport of the cuff reported something.
    case transport(TransportEvent)
    /// The time of `LinkState.deadline` has come.
    case timePassed
    /// The first `through` readings of this link are on disk in every required sink (`Batch.through`).
    case committed(through: Int)
    /// The first `through` readings were written by every sink, none of which is durable. They must not be acknowledged to a cuff.
    case passedOn(through: Int)
    /// The sinks are full, or accept readings again.
    case sinksFull(Bool)
    /// Live samples of this link that were left out because a sink was slow.
    case thinned(samples: Int)
    /// Something more to do at once, within the present conversation, e.g. `.information`.
    case command(SessionCommand)
    /// Measure now if the link only listens (`LinkState.isListening`), and listen again afterwards.
    case measureNow(Reading.Trigger)
    /// Stop the measurement that runs, and leave the link open. Without a measurement nothing happens.
    case stopMeasurement
    /// End in order: stop a measurement, let the session write its closing messages, then close. At most this long.
    case stop(within: Duration)
}
