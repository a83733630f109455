import CuffCore
import Glibc

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

    /// Sets each property.
    public init(_ reading: Reading, driver: DriverID, device: String = "", identity: DeviceIdentity? = nil) {
        self.reading = reading
        self.driver = driver
        self.device = device
        self.identity = identity
    }
}

/// The readings of one run, for `for try await`.
///
/// Nothing is opened before the first reading is requested, and each loop over the sequence is a separate run. A slow loop pauses
/// its source; at most one batch and the pipeline's capacity are queued. Leaving the loop or cancelling its task ends the run:
/// links are closed, a measuring cuff is stopped. After a cancellation the loop ends when that is done, without further readings.
///
/// The loop throws an `IngestError` if the run cannot start or fails.
public struct ReadingSequence: AsyncSequence, Sendable {
    /// A reading with its cuff.
    public typealias Element = ReceivedReading
    /// Why the run could not start, or failed.
    public typealias Failure = IngestError
    /// A run that blocks its thread, such as a call of `Ingest`, with the given options.
    public typealias Run = @Sendable (IngestOptions) throws(IngestError) -> IngestReport

    private let options: IngestOptions
    private let isKeeping: Bool
    private let run: Run

    /// The readings of `run`. With `isKeeping` the loop confirms that a reading is stored by requesting the next one; only then
    /// is it acknowledged to the cuff. Without, the loop is pass-through, like printing, and cuffs that delete acknowledged
    /// readings need a durable sink in `options`.
    public init(_ options: IngestOptions = IngestOptions(), isKeeping: Bool = false, run: @escaping Run) {
        self.options = options
        self.isKeeping = isKeeping
        self.run = run
    }

    /// A separate run, which starts with the first `next`.
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

    /// Ends the run when the last reference to the iterator is released.
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
    /// Why the run failed; `nil` if it succeeded or was stopped.
    public var failure: IngestError? {
        status == .done ? nil : fault ?? IngestError(RunFault.ended(status, endings))
    }
}

extension Ingest {
    /// The readings of one live cuff, as stored by `read`, and with `read.follows` those that it sends afterwards, until the loop
    /// is left.
    public static func readings(
        from address: DeviceAddress, driver id: String, _ read: ReadOptions = ReadOptions(), isKeeping: Bool = false,
        options: IngestOptions = IngestOptions()
    ) -> ReadingSequence {
        ReadingSequence(options, isKeeping: isKeeping) { (options) throws(IngestError) in
            try Ingest.read(address, driver: id, read, options: options)
        }
    }

    /// The readings of captures, as by `replay`.
    public static func readings(
        replaying paths: [String], driver id: String? = nil, options: IngestOptions = IngestOptions()
    ) -> ReadingSequence {
        ReadingSequence(options) { (options) throws(IngestError) in try Ingest.replay(paths: paths, driver: id, options: options) }
    }
}
