import Dispatch

/// The serial queue of one cuff: what its port, its session and its timers do is done here, one piece of work at a time, in
/// the order of its coming.
///
/// Every thread that must be woken costs a reading some 30 µs. So the reactor does a port's work in place, on its own
/// thread, while nothing else is under way on the queue; it never waits for a queue that is busy. Work in place holds up
/// all other cuffs, so whatever may block goes through `patiently`, and a queue whose work may block anywhere says
/// `neverInPlace`.
public final class CuffQueue: @unchecked Sendable {
    public typealias Work = @Sendable () -> Void

    private struct State {
        var isHeld = false
        var isNeverInPlace = false
        var waiting: [(work: Work, mayRunInPlace: Bool)] = []
    }

    private enum Next {
        case work(Work)
        /// What comes next may block.
        case needsThread
        /// Nothing waits, and the queue is no longer held.
        case none
    }

    private let threads: DispatchQueue
    private let state = Locked(State())
    // Touched only by who holds the queue.
    private(set) var isInPlace = false
    private var rest: [Work] = []
    /// Pieces of work that are done at a stretch.
    private static let stay = 16

    public init(label: String) { threads = DispatchQueue(label: label) }

    /// Does the work behind everything that waits, on a thread where it may block.
    public func async(_ work: @escaping Work) { add(work, mayRunInPlace: false) }

    public func asyncAfter(deadline: DispatchTime, _ work: @escaping Work) {
        threads.asyncAfter(deadline: deadline) { @Sendable in self.run(work) }
    }

    /// Does the work on the calling thread once its turn has come. Never to be called on the queue itself.
    public func sync<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        if hold() {
            defer { letGo() }
            return try work()
        }
        let turn = Gate(isOpen: false)
        let done = Gate(isOpen: false)
        async {
            turn.set(open: true)
            done.pass()
        }
        turn.pass()
        defer { done.set(open: true) }
        return try work()
    }

    /// On the queue: does at once what may block, or, in place, directly after the work under way and on another thread.
    public func patiently(_ work: @escaping Work) {
        if isInPlace { rest.append(work) } else { work() }
    }

    /// From now on all work is done where it may block.
    public func neverInPlace() { state.withLock { $0.isNeverInPlace = true } }

    /// Work that never blocks: behind what waits, or in place where that is being done anyway.
    func asyncPromptly(_ work: @escaping Work) { add(work, mayRunInPlace: true) }

    /// Work that never blocks: here and now if nothing is under way, else as `asyncPromptly`.
    func enter(_ work: @escaping Work) {
        let isFree = state.withLock { state in
            guard !state.isHeld, !state.isNeverInPlace else { return false }
            state.isHeld = true
            return true
        }
        guard isFree else { return add(work, mayRunInPlace: true) }
        stay(work)
    }

    /// Something is left to do before the queue's next work.
    var hasRest: Bool { !rest.isEmpty }

    /// A timer that fires on the queue. It is to be activated, and not to be released before that.
    func timer(_ fire: @escaping Work) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: threads)
        timer.setEventHandler { @Sendable [weak self] in self?.run(fire) }
        return timer
    }

    // MARK: Turns

    private func add(_ work: @escaping Work, mayRunInPlace: Bool) {
        let wasHeld = state.withLock { state in
            defer { state.isHeld = true }
            state.waiting.append((work, mayRunInPlace && !state.isNeverInPlace))
            return state.isHeld
        }
        if !wasHeld { wake() }
    }

    /// On a thread of the queue's own.
    private func run(_ work: @escaping Work) {
        let isFree = state.withLock { state in
            defer { state.isHeld = true }
            if state.isHeld { state.waiting.append((work, false)) }
            return !state.isHeld
        }
        guard isFree else { return }
        work()
        drain()
    }

    private func hold() -> Bool {
        state.withLock { state in
            defer { state.isHeld = true }
            return !state.isHeld
        }
    }

    private func letGo() {
        let isMore = state.withLock { state in
            state.isHeld = !state.waiting.isEmpty
            return state.isHeld
        }
        if isMore { wake() }
    }

    private func stay(_ work: Work) {
        inPlace(work)
        for _ in 0..<Self.stay {
            guard rest.isEmpty else { return wake() }
            switch next(inPlace: true) {
            case .work(let work): inPlace(work)
            case .needsThread: return wake()
            case .none: return
            }
        }
        wake()
    }

    private func inPlace(_ work: Work) {
        isInPlace = true
        work()
        isInPlace = false
    }

    /// Hands the held queue over to a thread of its own.
    private func wake() { threads.async { @Sendable in self.drain() } }

    private func drain() {
        for _ in 0..<Self.stay {
            while !rest.isEmpty {
                let due = rest
                rest.removeAll()
                for work in due { work() }
            }
            guard case .work(let work) = next(inPlace: false) else { return }
            work()
        }
        // Timers wait for the thread, and their time may have come.
        wake()
    }

    private func next(inPlace: Bool) -> Next {
        state.withLock { state in
            guard let first = state.waiting.first else {
                state.isHeld = false
                return .none
            }
            if inPlace && !first.mayRunInPlace { return .needsThread }
            state.waiting.removeFirst()
            return .work(first.work)
        }
    }
}
