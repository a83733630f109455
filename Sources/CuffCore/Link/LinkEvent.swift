/// An input to a `LinkState`, passed one at a time.
public enum LinkEvent: Sendable {
    case transport(TransportEvent)
    case timePassed
    /// The first `through` readings of this link are on disk in every required sink (`ReadingBatch.through`).
    case committed(through: Int)
    /// Every sink has written the first `through` readings, but none is durable: they must not be acknowledged to a cuff.
    case passedOn(through: Int)
    /// The sinks are full, or accept readings again.
    case sinksFull(Bool)
    /// Live samples dropped because a sink was slow.
    case thinned(samples: Int)
    /// An additional command within the present conversation, e.g. `.information`.
    case command(SessionCommand)
    /// Measure now if the link only listens (`LinkState.isListening`), then listen again. `mayStillRun`: nothing shows that an earlier
    /// measurement has stopped; if this one does not start, a stop is sent.
    case measureNow(Reading.Trigger, mayStillRun: Bool = false)
    /// Stop the measurement, if any, but keep the link open.
    case stopMeasurement
    /// End in order within this time: stop a measurement, write closing messages, close.
    case stop(within: Duration)
}
