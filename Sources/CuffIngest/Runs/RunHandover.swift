import CuffCore

/// Carries the elements of one run to one loop. The run blocks a thread of its own; the loop suspends a task.
final class RunHandover<Element: Sendable>: Sendable {
    /// Blocks until the run is over, and passes its elements to the handover.
    typealias Run = @Sendable (IngestOptions, RunHandover<Element>) throws(IngestError) -> Void

    private struct State {
        var isBegun = false
        /// Not handed over yet, last first.
        var waiting: [Element] = []
        /// The batch that its source waits for; `nil` if none waits.
        var held: Int?
        var batches = 0
        /// The loop is over: only what `outlives` allows is handed over.
        var isEnded = false
        var result: Result<Element?, IngestError>?
        var consumer: CheckedContinuation<Void, Never>?

        mutating func takeConsumer() -> CheckedContinuation<Void, Never>? {
            defer { consumer = nil }
            return consumer
        }
    }

    /// The most elements that `post` keeps: seconds of pressures at the rate of the fastest cuff.
    static var limit: Int { 1024 }

    private let state = Locked(State())
    /// Open while no source waits.
    private let gate = Gate(isOpen: true)
    private let stop = StopSignal()
    private let options: IngestOptions
    private let outlives: @Sendable (Element) -> Bool
    private let run: Run

    /// `outlives`: the element is handed over even after the loop was cancelled, and is never dropped.
    init(_ options: IngestOptions, outlives: @escaping @Sendable (Element) -> Bool = { _ in false }, run: @escaping Run) {
        (self.options, self.outlives, self.run) = (options, outlives, run)
    }

    // MARK: The loop

    /// Starts the run on a thread of its own; further calls do nothing.
    func begin() {
        let isFirst = state.withLock { state in
            defer { state.isBegun = true }
            return !state.isBegun
        }
        guard isFirst else { return }
        guard !stop.isRaised else { return finish(.success(nil)) }
        var own = options
        own.stop = stop
        let (number, chosen) = (options.stop.whenRaised { [stop] in stop.raise() }, own)
        DetachedThread.start { [self] in
            var result: Result<Element?, IngestError> = .success(nil)
            do throws(IngestError) { try run(chosen, self) } catch { result = .failure(error) }
            options.stop.forget(number)
            finish(result)
        }
    }

    /// The loop is over; the run is stopped. A second call changes nothing.
    func end() {
        state.withLock { state in
            state.isEnded = true
            state.waiting.removeAll { !outlives($0) }
        }
        // The run sees the stop before its blocked `handOver` returns.
        stop.raise()
        gate.set(open: true)
    }

    /// The next element; `nil` when the run is over. Asking for it says that the loop is done with the one before.
    func next() async -> Result<Element?, IngestError> {
        while true {
            let (step, isDone) = state.withLock { state -> (Result<Element?, IngestError>?, Bool) in
                if let element = state.waiting.popLast() { return (.success(element), false) }
                // A cancelled loop asks without having meant it.
                let isDone = state.held != nil && !state.isEnded
                if isDone { state.held = nil }
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

    /// The loop is done with this batch before it asks for more. Without effect while an element of the batch was not handed over.
    func release(_ batch: Int) {
        let isDone = state.withLock { state in
            guard state.held == batch, state.waiting.isEmpty, !state.isEnded else { return false }
            state.held = nil
            return true
        }
        if isDone { gate.set(open: true) }
    }

    // MARK: The run

    /// Hands over what `elements` makes of the batch's number, and blocks until the loop is done with it. Answers `false` if the loop
    /// ended before. One call at a time.
    func handOver(_ elements: (_ batch: Int) -> [Element]) -> Bool {
        let (isEnded, consumer) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.isEnded else { return (true, nil) }
            state.batches += 1
            state.waiting = elements(state.batches).reversed()
            state.held = state.batches
            gate.set(open: false)
            return (false, state.takeConsumer())
        }
        guard !isEnded else { return false }
        consumer?.resume()
        gate.pass()
        return state.withLock { state in
            defer { state.held = nil }
            return state.held == nil
        }
    }

    /// Hands over one element without waiting for the loop. The oldest one that may be dropped makes room.
    func post(_ element: Element) {
        let consumer = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isEnded || outlives(element) else { return nil }
            if state.waiting.count >= Self.limit, let oldest = state.waiting.lastIndex(where: { !outlives($0) }) {
                state.waiting.remove(at: oldest)
            }
            state.waiting.insert(element, at: 0)
            return state.takeConsumer()
        }
        consumer?.resume()
    }

    private func finish(_ result: Result<Element?, IngestError>) {
        let consumer = state.withLock { state in
            // A stopped run that did not do what was asked did what the loop wanted.
            state.result = state.isEnded ? .success(nil) : result
            return state.takeConsumer()
        }
        consumer?.resume()
    }
}
