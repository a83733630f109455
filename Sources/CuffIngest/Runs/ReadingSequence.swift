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

/// The sink of a loop: a batch is handed over reading by reading, and `write` returns when the loop is done with the last one.
final class ReadingHandover: Sink {
    let label = "loop"
    let isDurable: Bool

    fileprivate struct State {
        var isBegun = false
        /// What of the present batch was not handed over yet, last first.
        var waiting: [ReceivedReading] = []
        var isWriting = false
        /// The loop is over: nothing is handed over any more.
        var isEnded = false
        var result: Result<ReceivedReading?, IngestError>?
        var consumer: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())
    /// Open when the loop is done with the present batch, or is over.
    private let gate = Gate(isOpen: true)
    private let stop = StopSignal()

    init(isDurable: Bool) { self.isDurable = isDurable }

    /// Starts the run on a thread of its own, with the first call.
    func begin(_ options: IngestOptions, _ run: @escaping ReadingSequence.Run) {
        let isFirst = state.withLock { state in
            defer { state.isBegun = true }
            return !state.isBegun
        }
        guard isFirst else { return }
        guard !stop.isRaised else { return finish(.success(nil)) }
        var own = options
        own.moreSinks.append(self)
        own.stop = stop
        let (number, chosen) = (options.stop.whenRaised { [stop] in stop.raise() }, own)
        pthread.detached { [self] in
            var result: Result<ReceivedReading?, IngestError>
            do throws(IngestError) {
                let report = try run(chosen)
                result = report.failure.map { .failure($0) } ?? .success(nil)
            } catch { result = .failure(error) }
            options.stop.forget(number)
            finish(result)
        }
    }

    /// The loop is over; the run is told to stop. A second call changes nothing.
    func end() {
        state.withLock { state in
            state.isEnded = true
            state.waiting = []
        }
        gate.set(open: true)
        stop.raise()
    }

    private func finish(_ result: Result<ReceivedReading?, IngestError>) {
        let consumer = state.withLock { state in
            // What a run that was told to stop did not do is what the loop wanted.
            state.result = state.isEnded ? .success(nil) : result
            return state.takeConsumer()
        }
        consumer?.resume()
    }

    func next() async -> Result<ReceivedReading?, IngestError> {
        while true {
            let (step, isDone) = state.withLock { state -> (Result<ReceivedReading?, IngestError>?, Bool) in
                if let reading = state.waiting.popLast() { return (.success(reading), false) }
                // Whoever asks for the next one is done with the one before; one who was cancelled asks without having meant it.
                let isDone = state.isWriting && !state.isEnded
                if isDone { state.isWriting = false }
                guard !isDone, let result = state.result else { return (nil, isDone) }
                state.result = .success(nil)
                return (result, false)
            }
            if isDone { gate.set(open: true) }
            if let step { return step }
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isDue = state.withLock { state in
                    guard state.waiting.isEmpty, state.result == nil else { return true }
                    state.consumer = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        }
    }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        let readings = batch.entries.readings.map {
            ReceivedReading($0, driver: batch.driver, device: batch.device, identity: batch.identity)
        }
        guard !readings.isEmpty else { return 0 }
        let (isEnded, consumer) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.isEnded else { return (true, nil) }
            state.waiting = readings.reversed()
            state.isWriting = true
            gate.set(open: false)
            return (false, state.takeConsumer())
        }
        if !isEnded {
            consumer?.resume()
            gate.pass()
        }
        // What the loop was not done with when it ended is not stored.
        let isCut = state.withLock { state in
            defer { state.isWriting = false }
            return isEnded || state.isWriting
        }
        if isCut { throw .outputClosed }
        return 0
    }
}

extension ReadingHandover.State {
    fileprivate mutating func takeConsumer() -> CheckedContinuation<Void, Never>? {
        defer { consumer = nil }
        return consumer
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
