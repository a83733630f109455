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

/// A cuff's clock compared with the host's.
public struct DeviceClockReport: Sendable, Equatable {
    /// What the cuff's clock showed.
    public var time: DeviceTime
    /// Seconds by which the cuff's clock is behind the host's; negative when it is ahead.
    public var behind: Int64
    /// The host's own clock is not synchronised with any other, so that it is unknown which of the two is right.
    public var isHostUnsynchronised = false

    /// The time and the difference, for a person.
    public var text: String {
        var text = TextBuffer(capacity: 32)
        text.append(time)
        let drift = Plural.span(Int64(clamping: behind.magnitude))
        let comparison = behind == 0 ? "same as this computer" : "\(drift) \(behind > 0 ? "behind" : "ahead of") this computer"
        return "\(text.string), \(comparison)\(isHostUnsynchronised ? " (itself not NTP-synchronised)" : "")"
    }
}
