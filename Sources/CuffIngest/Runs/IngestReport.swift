import CuffCore

/// How a run ended.
public struct IngestReport: Sendable {
    /// What went through the link or links.
    public var counters = LinkCounters()
    /// How each sink ended.
    public var sinks: [SinkReport] = []
    /// What the cuff reported of itself; `nil` where it did not.
    public var identity: DeviceIdentity?
    /// What the cuff's clock showed, where it told.
    public var clock: DeviceClockReport?
    /// Minutes between the cuff's automatic measurements, where it told; 0: off.
    public var cycle: Int?
    /// How the conversation with the cuff ended; `nil` when it was stopped from outside.
    public var outcome: Outcome?
    /// The reader of standard output went away: the run ended early, and quietly.
    public var isOutputClosed = false
    /// How the stop ended that put right what another process had left; `nil` where there was none.
    var recovery: Outcome?
    /// Why the line ended, where it was not the host that closed it.
    public var fault: IngestError?
    /// How the run ended.
    public var status = RunStatus.done
    /// What has to be said at the end, in its order.
    public var endings: [RunEnding] = []
}
