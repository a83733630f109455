import CuffCore

/// A place where readings end up.
///
/// A sink contains no concurrency: the pipeline hands it one batch at a time, in order, from a queue of its own.
/// - `isDurable` says what `write` returning means. Durable: every reading of the batch is on disk here, or safe where it
///   was sent; the cuff may be told so, and may forget. Pass-through (the default): the readings were handed on, and nobody
///   knows what became of them; a cuff is never told that they were stored.
/// - `write` throwing means that it is not, and the same readings come again, perhaps in a larger batch. A sink must
///   therefore be idempotent by `Reading.id` and `revision`, also across runs of the program.
/// - A reading may come pending first and completed later, under the same id with a higher `revision`.
/// - Live events need no durability, and come only where `takesLiveEvents` says so. Alerts are live events that are
///   never left out; each has an id of its own, and comes also where `takesAlerts` says so.
///
/// CONTRIBUTING.md, "Add a sink in one file", walks through an example. A program that embeds this library hands its own over
/// as a `SinkKind` of its own, or already open in `IngestOptions.moreSinks`.
public protocol Sink: AnyObject, Sendable {
    /// How the sink is named in reports, e.g. `sqlite:bp.db`.
    var label: String { get }
    var takesLiveEvents: Bool { get }
    /// Of live events it is handed the alerts, even where it takes no others.
    var takesAlerts: Bool { get }
    /// It is part of the run itself, such as the page of a watch, and is not shown among the sinks that a user chose.
    var isInternal: Bool { get }
    /// Asked once, when the sink is open.
    var isDurable: Bool { get }
    /// Answers how many readings of the batch it already had.
    func write(_ batch: Batch) throws(IngestError) -> Int
    /// Writes the whole batch if that needs no waiting, and answers whether it did; otherwise it writes nothing, and `write` gets the
    /// same batch. Never called beside `write`, but on the thread of the source, and there perhaps beside `close`.
    func writeIfReady(_ batch: Batch) -> Bool
    /// Somebody rotated the sink's files (SIGHUP): a file that its path no longer names is let go of, and opened anew.
    /// Called in turn with `write`.
    func reopen() throws(IngestError)
    /// Called once, after the last write.
    func close() throws(IngestError)
    /// What the sink has taken and still has to pass on; `nil` where `write` returning is the end of it. Asked from any
    /// thread.
    var backlog: SinkBacklog? { get }
    /// Where it prints for another program, whose leaving ends the run; `nil` for any other sink.
    var outputDescriptor: Int32? { get }
}

/// What waits in a sink of its own outbox.
public struct SinkBacklog: Sendable, Equatable {
    /// Lines that are queued for the other side.
    public var waiting: Int
    /// Of this run: readings that the other side will never take, and that were set aside.
    public var refused: Int
    /// What a person must know at the end of the run: readings of it that are refused, now or by an earlier run.
    public var refusals: SinkRefusals
    /// Of this run: readings that were handed over, and nobody knows whether they arrived.
    public var lost: Int
    /// Why the last attempt failed; `nil` where it did not.
    public var fault: IngestError?
    /// When the other side is tried again.
    public var nextTry: Timestamp?

    /// Sets each property as given.
    public init(
        waiting: Int, refused: Int = 0, refusals: SinkRefusals = SinkRefusals(), lost: Int = 0, fault: IngestError? = nil,
        nextTry: Timestamp? = nil
    ) {
        self.waiting = waiting
        self.refused = refused
        self.refusals = refusals
        self.lost = lost
        self.fault = fault
        self.nextTry = nextTry
    }
}

/// A sink whose readings another sink of the run writes with its own, in one transaction: what it keeps stands in the same file.
/// It is handed no batch itself.
protocol FollowingSink: Sink {
    /// The sink that writes for it; `nil` where it writes for itself.
    var leader: ObjectIdentifier? { get }
    /// What became of the leader's last batch here: readings that it had before, and those that it had no room for.
    func takeWritten() -> (known: Int, missed: Int)
}

extension Sink {
    /// Readings only.
    public var takesLiveEvents: Bool { false }
    /// As other live events.
    public var takesAlerts: Bool { takesLiveEvents }
    /// A user chose it.
    public var isInternal: Bool { false }
    /// Every write may wait.
    public func writeIfReady(_ batch: Batch) -> Bool { false }
    /// Nothing to reopen.
    public func reopen() throws(IngestError) {}
    /// Pass-through.
    public var isDurable: Bool { false }
    /// Nothing to close.
    public func close() throws(IngestError) {}
    /// Nothing is queued behind `write`.
    public var backlog: SinkBacklog? { nil }
    /// It prints for no other program.
    public var outputDescriptor: Int32? { nil }
}
