import CuffCore

/// A reading with its cuff.
public struct ReceivedReading: Sendable {
    /// If `isPending`, its time is still to be corrected: it comes again with the same id and a higher revision.
    public var reading: Reading
    /// The id of the driver.
    public var driver: DriverID
    /// The cuff's identity; empty if unknown.
    public var device: String
    /// What the cuff reported about itself.
    public var identity: DeviceIdentity?
    /// `nil` if nothing waits for this reading alone.
    private var acknowledge: (@Sendable () -> Void)?

    /// Sets each property.
    public init(_ reading: Reading, driver: DriverID, device: String = "", identity: DeviceIdentity? = nil) {
        self.reading = reading
        self.driver = driver
        self.device = device
        self.identity = identity
    }

    fileprivate init(_ reading: Reading, _ batch: ReadingBatch, acknowledge: (@Sendable () -> Void)?) {
        self.init(reading, driver: batch.driver, device: batch.device, identity: batch.identity)
        self.acknowledge = acknowledge
    }

    /// Says that the reading is stored: the cuff may be told at once and forget it, before the loop's body returns. Readings that came
    /// together are acknowledged together, with the last of them.
    public func commit() { acknowledge?() }
}

/// The readings of one run, for `for try await`. A loop that is slow pauses its source: no more waits for it than one batch and what
/// the pipeline holds.
public typealias ReadingSequence = RunSequence<ReceivedReading>

extension RunSequence where Element == ReceivedReading {
    /// A run that blocks its thread, such as a call of `Ingest`, with the given options.
    package typealias Run = @Sendable (IngestOptions) throws(IngestError) -> IngestReport

    /// The readings of `run`. With `isKeeping` the loop confirms that a reading is stored by requesting the next one, or by `commit`;
    /// only then is it acknowledged to the cuff. Without, the loop is pass-through, like printing, and cuffs that delete acknowledged
    /// readings need a durable sink in `options`.
    package init(_ options: IngestOptions = IngestOptions(), isKeeping: Bool, run: @escaping Run) {
        self.init {
            RunHandover(options) { (options, handover) throws(IngestError) in
                var options = options
                options.moreSinks.append(LoopSink(handover, isDurable: isKeeping))
                if let failure = try run(options).failure { throw failure }
            }
        }
    }
}

/// The sink of a loop: `write` returns when the loop is done with the last reading of the batch.
private final class LoopSink: ReadingSink {
    let label = "loop"
    let isDurable: Bool
    private let handover: RunHandover<ReceivedReading>

    init(_ handover: RunHandover<ReceivedReading>, isDurable: Bool) {
        self.handover = handover
        self.isDurable = isDurable
    }

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        let readings = Array(batch.entries.readings)
        guard !readings.isEmpty else { return 0 }
        let isDone = handover.handOver { [handover] (number) -> [ReceivedReading] in
            var received = readings.dropLast().map { ReceivedReading($0, batch, acknowledge: nil) }
            received.append(ReceivedReading(readings[readings.count - 1], batch) { handover.release(number) })
            return received
        }
        // What the loop was not done with when it ended is not stored.
        guard isDone else { throw .outputClosed }
        return 0
    }
}

extension IngestReport {
    /// Why the run failed; `nil` if it succeeded or was stopped.
    public var failure: IngestError? {
        status == .done ? nil : fault ?? IngestError(RunFault.ended(status, endings))
    }
}

extension Ingest {
    /// The readings of captures, as by `replay`.
    public static func readings(
        replaying paths: [String], driver id: String? = nil, options: IngestOptions = IngestOptions()
    ) -> ReadingSequence {
        ReadingSequence(options, isKeeping: false) { (options) throws(IngestError) in
            try Ingest.replay(paths: paths, driver: id, options: options)
        }
    }
}
