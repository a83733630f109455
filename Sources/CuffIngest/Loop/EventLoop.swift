import CLinux
import Glibc

/// The only thread that waits for descriptors and timers; every link of the process runs on it. Nothing here may block: blocking
/// calls go through `offload` and come back as an event.
///
/// Not a Dispatch queue with a source for the epoll set: that wakes two threads for each event, and a source for each descriptor
/// crashes libdispatch when several hang up at once (swiftlang/swift-corelibs-libdispatch#949).
///
/// One turn: wait, then work from other threads, descriptors, timers, and last the work for the end of the turn.
package final class EventLoop: @unchecked Sendable {
    package static let shared = EventLoop()

    /// Something to run on the loop. It must not block.
    package typealias Work = @Sendable () -> Void

    struct Readiness: OptionSet, Sendable {
        let rawValue: UInt32
        static let input = Readiness(rawValue: clinux_epoll_in)
        static let output = Readiness(rawValue: clinux_epoll_out)
        /// Reported even if not requested.
        static let hangup = Readiness(rawValue: clinux_epoll_hup)
        static let error = Readiness(rawValue: clinux_epoll_err)
    }

    private struct Inbox {
        var works: [Work] = []
        var isSignalled = false
    }

    private static let batch = 64
    private let epoll = clinux_epoll_create()
    private let wakeup = clinux_eventfd()
    private let inbox = Locked(Inbox())
    private let workers = Workers()
    private let thread = Locked<pthread_t?>(nil)

    // From here on: used on the loop's thread only.
    private var handlers: [UInt64: (Readiness) -> Void] = [:]
    private var nextToken: UInt64 = 0
    private var timers = TimerHeap()
    private var recentEvents = 0
    private var recentStart: Int64 = 0
    private var isBusy = false
    private var turnEnd: [() -> Void] = []
    /// The work of `turnEnd` that is running. A second buffer, so that no turn allocates one.
    private var ending: [() -> Void] = []
    private let events = UnsafeMutablePointer<UInt32>.allocate(capacity: EventLoop.batch)
    private let tokens = UnsafeMutablePointer<UInt64>.allocate(capacity: EventLoop.batch)

    private init() {
        _ = clinux_epoll_add(epoll, wakeup, clinux_epoll_in, 0)
        let started = Gate(isOpen: false)
        DetachedThread.start { [unowned self] in
            // Other threads handle signals.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            thread.withLock { $0 = pthread_self() }
            started.set(open: true)
            while true { turn() }
        }
        started.pass()
    }

    var isCurrent: Bool { thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false } }

    // MARK: From any thread

    /// Runs the work on the loop, after what was queued before.
    package func async(_ work: @escaping Work) {
        let isFirst = inbox.withLock { inbox in
            inbox.works.append(work)
            defer { inbox.isSignalled = true }
            return !inbox.isSignalled
        }
        guard isFirst else { return }
        var one: UInt64 = 1
        _ = write(wakeup, &one, 8)
    }

    /// Runs the work on the loop and waits for its result. Must not be called by anything that the loop waits for.
    package func sync<Result: Sendable>(_ work: @escaping @Sendable () -> Result) -> Result {
        if isCurrent { return work() }
        let done = Gate(isOpen: false)
        let result = Locked<Result?>(nil)
        while true {
            async {
                let value = work()
                result.withLock { $0 = value }
                done.set(open: true)
            }
            done.pass()
            if let value = result.withLock({ $0 }) { return value }
        }
    }

    // MARK: On the loop

    /// Runs the first closure, which may block, on a worker, and the second on the loop.
    package func offload<Result: Sendable>(
        _ blocking: @escaping @Sendable () -> Result, then: @escaping @Sendable (Result) -> Void
    ) {
        workers.run {
            let result = blocking()
            self.async { then(result) }
        }
    }

    /// Runs the work after everything that is ready in this turn.
    func atTurnEnd(_ work: @escaping () -> Void) { turnEnd.append(work) }

    /// Adds a descriptor, not armed yet.
    func add(_ descriptor: Int32, handler: @escaping (Readiness) -> Void) throws(SystemFault) -> UInt64 {
        nextToken += 1
        let result = clinux_epoll_add(epoll, descriptor, clinux_epoll_oneshot, nextToken)
        guard result >= 0 else { throw SystemFault("epoll_ctl", -result) }
        handlers[nextToken] = handler
        return nextToken
    }

    /// Reports the next readiness once; with empty `interest`, the hang-up.
    func arm(_ token: UInt64, _ descriptor: Int32, _ interest: Readiness) {
        _ = clinux_epoll_rearm(epoll, descriptor, interest.rawValue | clinux_epoll_oneshot, token)
    }

    /// Reports every change of readiness, edge-triggered, starting with the present one. The handler must read or write until
    /// EAGAIN, or register again.
    func register(_ token: UInt64, _ descriptor: Int32, _ interest: Readiness) {
        _ = clinux_epoll_rearm(epoll, descriptor, interest.rawValue | clinux_epoll_edge, token)
    }

    /// Must be called before the descriptor is closed. No event is reported afterwards.
    func remove(_ token: UInt64, _ descriptor: Int32) {
        handlers[token] = nil
        _ = clinux_epoll_remove(epoll, descriptor)
    }

    fileprivate func schedule(_ timer: LoopTimer, at due: Int64) { timers.push(timer, due) }

    // MARK: Turns

    private func turn() {
        moderate()
        let count = clinux_epoll_take(epoll, events, tokens, Int32(EventLoop.batch), timeout)
        if count > 0 {
            recentEvents += Int(count)
            for index in 0..<Int(count) {
                if tokens[index] == 0 { receive() } else { handlers[tokens[index]]?(Readiness(rawValue: events[index])) }
            }
        }
        fireTimers()
        while !turnEnd.isEmpty {
            swap(&ending, &turnEnd)
            for work in ending { work() }
            ending.removeAll(keepingCapacity: true)
        }
    }

    /// Lets many busy devices share a wake-up, as network cards moderate their interrupts: with more than 128 descriptors and more
    /// than 2,000 events a second, each turn begins a millisecond late. With fewer, nothing waits.
    private func moderate() {
        if recentEvents >= EventLoop.batch {
            let now = HostClock.monotonic()
            isBusy = now - recentStart < 32_000_000
            (recentEvents, recentStart) = (0, now)
        }
        if isBusy, handlers.count > 128 { usleep(1_000) }
    }

    private func receive() {
        var count: UInt64 = 0
        _ = read(wakeup, &count, 8)
        let works = inbox.withLock { inbox in
            defer { inbox.works = [] }
            inbox.isSignalled = false
            return inbox.works
        }
        for work in works { work() }
    }

    private func fireTimers() {
        guard timers.next != nil else { return }
        let now = HostClock.monotonic()
        while let timer = timers.removeDue(at: now) { timer.entryReached(at: now) }
    }

    /// In milliseconds, rounded up; -1: no timer.
    private var timeout: Int32 {
        guard let next = timers.next else { return -1 }
        let left = next - HostClock.monotonic()
        return left <= 0 ? 0 : Int32(clamping: (left + 999_999) / 1_000_000)
    }
}

/// A timer on the loop; set, moved and cancelled on the loop only. Moving it later costs nothing: the old entry is requeued when
/// it is reached.
final class LoopTimer {
    private let loop: EventLoop
    private let fire: () -> Void
    private var due: Int64?
    private var entry: Int64?

    init(_ loop: EventLoop, _ fire: @escaping () -> Void) {
        self.loop = loop
        self.fire = fire
    }

    /// In nanoseconds of `HostClock.monotonic`; `nil` cancels.
    func set(_ due: Int64?) {
        self.due = due
        guard let due, entry.map({ due < $0 }) ?? true else { return }
        entry = due
        loop.schedule(self, at: due)
    }

    func set(after wait: Duration) { set(HostClock.monotonic() + max(0, wait.nanoseconds)) }

    fileprivate func entryReached(at now: Int64) {
        entry = nil
        guard let due else { return }
        if due <= now {
            self.due = nil
            fire()
        } else {
            set(due)
        }
    }
}

/// Timers by due time. A cancelled or moved timer keeps its entry until that is reached.
private struct TimerHeap {
    private var entries: [(due: Int64, timer: LoopTimer)] = []

    var next: Int64? { entries.first?.due }

    mutating func push(_ timer: LoopTimer, _ due: Int64) {
        entries.append((due, timer))
        var index = entries.count - 1
        while index > 0, entries[(index - 1) / 2].due > entries[index].due {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeDue(at now: Int64) -> LoopTimer? {
        guard let first = entries.first, first.due <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < entries.count && entries[child].due < entries[least].due {
                least = child
            }
            if least == index { return first.timer }
            entries.swapAt(index, least)
            index = least
        }
    }
}
