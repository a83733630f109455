import CuffCore

/// The result of a run.
public struct IngestReport: Sendable {
    package var counters = LinkCounters()
    package var sinks: [SinkReport] = []
    /// What the cuff reported about itself.
    public var identity: DeviceIdentity?
    /// The cuff's clock, if it was read.
    public var clock: DeviceClockReport?
    /// Minutes between the cuff's automatic measurements, if reported; 0: off.
    public var cycle: Int?
    /// How the conversation ended; `nil` if stopped from outside.
    public var outcome: Outcome?
    /// The reader of standard output exited, which ended the run without a message.
    public var isOutputClosed = false
    /// The outcome of stopping a measurement that another process left running.
    var recovery: Outcome?
    /// The capture of the conversation is incomplete; reported when it happened.
    var isCaptureIncomplete = false
    /// Why the connection ended, unless the host closed it.
    public var fault: IngestError?
    /// How the run ended.
    public var status = RunStatus.done
    /// Messages for the end, in order.
    public var endings: [RunEnding] = []

    mutating func judge(_ captures: CaptureFaults) {
        isCaptureIncomplete = captures.isAny
        judgeCapture()
    }

    /// A run is not a success with part of its capture missing.
    mutating func judgeCapture() {
        if isCaptureIncomplete, status == .done { status = .inputOutput }
    }
}
