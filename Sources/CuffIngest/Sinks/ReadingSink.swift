import CuffCore

/// A destination of readings.
///
/// A sink needs no concurrency: the pipeline passes it one batch at a time, in order, from a queue of its own.
/// - `isDurable` defines what the return of `write` means. Durable: every reading of the batch is on disk or acknowledged by a
///   server, so the cuff may be told and may forget it. Pass-through (the default): the readings were forwarded, and a cuff is
///   never told that they were stored.
/// - If `write` throws, the same readings come again, possibly in a larger batch. So a sink must be idempotent by `Reading.id`
///   and `revision`, also across runs of the program.
/// - A reading may first come pending and later completed, with the same id and a higher `revision`.
/// - Live events need no durability and come only if `takesLiveEvents`. Alerts are live events that are never dropped; each has
///   its own id, and they also come if `takesAlerts`.
///
/// CONTRIBUTING.md, "Add a sink in one file", has an example. A program that embeds this library passes its sink as a `SinkKind`,
/// or opened in `IngestOptions.moreSinks`.
public protocol ReadingSink: AnyObject, Sendable {
    /// The name in reports, such as `sqlite:bp.db`.
    var label: String { get }
    var takesLiveEvents: Bool { get }
    /// Whether it receives alerts, even without other live events.
    var takesAlerts: Bool { get }
    /// Whether it is part of the run itself, such as the page of a watch, and not listed among the user's sinks.
    var isInternal: Bool { get }
    /// Read once, after opening.
    var isDurable: Bool { get }
    /// Returns how many readings of the batch it already had.
    /// - Throws: Why the readings are not stored: they come again.
    func write(_ batch: ReadingBatch) throws(IngestError) -> Int
    /// Writes the whole batch if that does not block, and returns whether it did; if not, nothing was written, and `write` gets
    /// the batch. Never called during `write`, but on the source's thread, possibly during `close`.
    func writeIfReady(_ batch: ReadingBatch) -> Bool
    /// On SIGHUP: reopens a file that its path no longer names. Never called during `write`.
    /// - Throws: Why the file cannot be opened again.
    func reopen() throws(IngestError)
    /// Called once, after the last write.
    /// - Throws: Why what was written may not be stored.
    func close() throws(IngestError)
    /// What the sink has accepted and not yet passed on; `nil` without a queue of its own. Called from any thread.
    var backlog: SinkBacklog? { get }
    /// The descriptor of output to another program, whose exit ends the run.
    var outputDescriptor: Int32? { get }
    /// Readings of this run that it may not have (`SinkConsent`). Called from any thread.
    var withheld: Int { get }
}

/// The state of a sink's outbox.
public struct SinkBacklog: Sendable, Equatable {
    /// Queued lines.
    public var waiting: Int
    /// Readings refused and set aside in this run.
    public var refused: Int
    /// Readings of this run that are refused, now or by an earlier run, reported at its end.
    public var refusals: SinkRefusals
    /// Readings of this run that were delivered without knowing whether they arrived.
    public var lost: Int
    /// Why the last attempt failed.
    public var fault: IngestError?
    /// When the next attempt is made.
    public var nextTry: Timestamp?

    /// Sets each property.
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

/// A sink that stores the batches of several cuffs in one transaction, with one fsync. All of them or none.
protocol GroupingSink: ReadingSink {
    /// Returns how many of the readings it already had. The batches are in the order of their arrival.
    func write(_ batches: [ReadingBatch]) throws(IngestError) -> Int
    /// Whether the readings of the last write lay so far apart that a larger write would cost less for each.
    var isScattered: Bool { get }
}

extension GroupingSink {
    var isScattered: Bool { false }
    func write(_ batch: ReadingBatch) throws(IngestError) -> Int { try write([batch]) }
}

/// A sink whose readings another sink of the run writes in its own transaction, because both use the same file. Receives no
/// batches.
protocol FollowingSink: ReadingSink {
    /// The sink that writes for it; `nil` if it writes on its own.
    var leader: ObjectIdentifier? { get }
    /// The result of the leader's last batch here: known readings, and those without room.
    func takeWritten() -> (known: Int, missed: Int)
}

extension ReadingSink {
    /// Readings only.
    public var takesLiveEvents: Bool { false }
    /// Same as `takesLiveEvents`.
    public var takesAlerts: Bool { takesLiveEvents }
    /// The user chose it.
    public var isInternal: Bool { false }
    /// Every write may block.
    public func writeIfReady(_ batch: ReadingBatch) -> Bool { false }
    /// Does nothing.
    /// - Throws: Nothing.
    public func reopen() throws(IngestError) {}
    /// Pass-through.
    public var isDurable: Bool { false }
    /// Does nothing.
    /// - Throws: Nothing.
    public func close() throws(IngestError) {}
    /// No queue.
    public var backlog: SinkBacklog? { nil }
    /// No output to another program.
    public var outputDescriptor: Int32? { nil }
    /// 0.
    public var withheld: Int { 0 }
}
