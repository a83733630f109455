import CuffCore
import Glibc

/// The sink of a loop: passes on a batch reading by reading; `write` returns when the loop is done with the last one.
final class ReadingHandover: Sink {
    let label = "loop"
    let isDurable: Bool

    fileprivate struct State {
        var isBegun = false
        /// The rest of the present batch, last first.
        var waiting: [ReceivedReading] = []
        var isWriting = false
        /// The loop is over: nothing is passed on any more.
        var isEnded = false
        var result: Result<ReceivedReading?, IngestError>?
        var consumer: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())
    /// Open when the loop is done with the present batch, or is over.
    private let gate = Gate(isOpen: true)
    private let stop = StopSignal()

    init(isDurable: Bool) { self.isDurable = isDurable }

    /// Starts the run on its own thread, at the first call.
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

    /// The loop is over; stops the run.
    func end() {
        state.withLock { state in
            state.isEnded = true
            state.waiting = []
        }
        // In this order, so that the run sees the stop before its blocked `write` returns.
        stop.raise()
        gate.set(open: true)
    }

    private func finish(_ result: Result<ReceivedReading?, IngestError>) {
        let consumer = state.withLock { state in
            // The loop ended the run, so its status is a success.
            state.result = state.isEnded ? .success(nil) : result
            return state.takeConsumer()
        }
        consumer?.resume()
    }

    func next() async -> Result<ReceivedReading?, IngestError> {
        while true {
            let (step, isDone) = state.withLock { state -> (Result<ReceivedReading?, IngestError>?, Bool) in
                if let reading = state.waiting.popLast() { return (.success(reading), false) }
                // Asking for the next reading confirms the previous one, except after a cancellation.
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
        // Readings that the loop had not finished are not stored.
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
