import CuffCore
import Glibc

/// A reading, and the cuff that it came from.
public struct ReceivedReading: Sendable {
    /// The reading. One whose time is still to be corrected is `isPending`, and comes again under the same id with a higher revision.
    public var reading: Reading
    /// The id of the driver.
    public var driver: DriverID
    /// The key under which the cuff's readings are kept; empty when unknown.
    public var device: String
    /// What the cuff told about itself.
    public var identity: DeviceIdentity?

    /// Sets each property as given.
    public init(_ reading: Reading, driver: DriverID, device: String = "", identity: DeviceIdentity? = nil) {
        self.reading = reading
        self.driver = driver
        self.device = device
        self.identity = identity
    }
}

/// The readings of one run, for `for try await`.
///
/// Nothing is opened before the first reading is asked for, and each loop over the sequence is a run of its own. A loop that is
/// slow pauses its source: no more waits for it than one batch and what the pipeline holds. A loop that is left, or whose task
/// is cancelled, ends the run in order: links are closed, a cuff that measures is told to stop. After a cancellation the loop ends
/// when that is done; no reading comes meanwhile.
///
/// The loop throws an `IngestError` where the run cannot begin or did not do what was asked.
public struct ReadingSequence: AsyncSequence, Sendable {
    /// A reading, with its cuff.
    public typealias Element = ReceivedReading
    /// Why the run could not begin, or did not do what was asked.
    public typealias Failure = IngestError
    /// A run that blocks its thread until it is over, e.g. a call of `Ingest`, with the options that it is to have.
    public typealias Run = @Sendable (IngestOptions) throws(IngestError) -> IngestReport

    private let options: IngestOptions
    private let isKeeping: Bool
    private let run: Run

    /// The readings that `run` gives. With `isKeeping` the loop says that a reading is stored by asking for the next one: only then
    /// the cuff is told, and may forget it. Without, the loop is pass-through, as printing is; cuffs that forget then need a durable
    /// sink among those of `options`.
    public init(_ options: IngestOptions = IngestOptions(), isKeeping: Bool = false, run: @escaping Run) {
        self.options = options
        self.isKeeping = isKeeping
        self.run = run
    }

    /// A run of its own, which begins with the first `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(Lease(ReadingHandover(isDurable: isKeeping), options, run)) }

    /// One loop over the readings; for one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let lease: Lease

        fileprivate init(_ lease: Lease) { self.lease = lease }

        /// The next reading; `nil` when the run is over or the task was cancelled.
        public mutating func next() async throws(IngestError) -> ReceivedReading? { try await lease.next() }

        /// The next reading; `nil` when the run is over or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(IngestError) -> ReceivedReading? {
            try await lease.next()
        }
    }

    /// Ends the run when nobody holds the iterator any more.
    fileprivate final class Lease: Sendable {
        private let handover: ReadingHandover
        private let options: IngestOptions
        private let run: Run

        init(_ handover: ReadingHandover, _ options: IngestOptions, _ run: @escaping Run) {
            self.handover = handover
            self.options = options
            self.run = run
        }

        deinit { handover.end() }

        func next() async throws(IngestError) -> ReceivedReading? {
            let step = await withTaskCancellationHandler {
                handover.begin(options, run)
                return await handover.next()
            } onCancel: {
                handover.end()
            }
            return try step.get()
        }
    }
}

extension IngestReport {
    /// Why the run did not do what was asked of it; `nil` where it did, or was stopped.
    public var failure: IngestError? {
        status == .done ? nil : fault ?? IngestError(RunFault.ended(status, endings))
    }
}

extension Ingest {
    /// The readings of one live cuff, as `read` gives them: those that it has stored, and with `read.follows` those that it sends
    /// afterwards, until the loop is left.
    public static func readings(
        from address: DeviceAddress, driver id: String, _ read: ReadOptions = ReadOptions(), isKeeping: Bool = false,
        options: IngestOptions = IngestOptions()
    ) -> ReadingSequence {
        ReadingSequence(options, isKeeping: isKeeping) { (options) throws(IngestError) in
            try Ingest.read(address, driver: id, read, options: options)
        }
    }

    /// The readings of captures, as `replay` gives them.
    public static func readings(
        replaying paths: [String], driver id: String? = nil, options: IngestOptions = IngestOptions()
    ) -> ReadingSequence {
        ReadingSequence(options) { (options) throws(IngestError) in try Ingest.replay(paths: paths, driver: id, options: options) }
    }
}
