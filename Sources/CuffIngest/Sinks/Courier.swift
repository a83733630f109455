import CLinux
import CuffCore
import Glibc

/// Sends the lines of an outbox to its peer, on a thread of its own. An unreachable peer is retried after growing pauses, and a
/// line leaves the outbox only when the peer has it.
///
/// If the peer answers each line, `OutboxState` decides. If not, a line counts as delivered when the kernel reports that the peer
/// read its last byte, which does not show that the peer handled it: lines of a conversation that did not end cleanly count as
/// lost. A crash between delivery and its record here sends those lines again.
final class Courier: @unchecked Sendable {
    let outbox: Outbox
    let peer: any LinePeer
    private let isAnswering: Bool
    private let onFault: @Sendable (IngestError) -> Void
    let stop = StopSignal()
    let wakeUp = clinux_eventfd()
    private let ended = Gate(isOpen: false)
    private let state = Locked(State())

    private struct State {
        var fault: IngestError?
        var nextTry: Timestamp?
        /// When a line was last acknowledged or delivered, or the courier started; monotonic clock.
        var progress = HostClock.monotonic()
        var isEnding = false
    }

    /// Lines per turn: about 60 KB, the capacity of a pipe.
    private static let linesAtOnce = 256
    private static let firstPause = Duration.milliseconds(200)
    private static let longestPause = Duration.seconds(30)
    /// How often an idle courier looks for lines queued by another process.
    private static let look: Int32 = 5000

    init(_ outbox: Outbox, _ peer: any LinePeer, isAnswering: Bool, onFault: @escaping @Sendable (IngestError) -> Void) {
        self.outbox = outbox
        self.peer = peer
        self.isAnswering = isAnswering
        self.onFault = onFault
    }

    deinit { Glibc.close(wakeUp) }

    func start() { DetachedThread.start { self.run() } }

    func wake() {
        var one: UInt64 = 1
        _ = Glibc.write(wakeUp, &one, 8)
    }

    var fault: (error: IngestError, nextTry: Timestamp?)? { state.withLock { state in state.fault.map { ($0, state.nextTry) } } }

    /// Blocks until nothing is queued, or nothing was accepted for this long; then stops the courier. The rest stays in the outbox.
    func finish(patience: Duration, whenAway: Duration) {
        state.withLock { state in
            state.isEnding = true
            state.progress = HostClock.monotonic()
        }
        wake()
        while !ended.pass(within: .milliseconds(20)) {
            let idle = HostClock.monotonic() - state.withLock { $0.progress }
            // An answering courier stops on its own when nothing is queued, so that it receives the last answers.
            let limit = fault == nil ? patience : min(patience, whenAway)
            if outbox.waiting == 0 && !isAnswering || idle > limit.nanoseconds { stop.raise() }
        }
    }

    // MARK: The thread

    private func run() {
        if isAnswering {
            var courier = AnsweredCourier(self)
            courier.run()
            return ended.set(open: true)
        }
        carryOn()
    }

    /// Lines delivered in the present conversation, without an answer.
    nonisolated(unsafe) private var handedOver = 0

    private func closePeer() {
        let count = handedOver
        handedOver = 0
        if !peer.close(), count > 0 { outbox.noteLost(count) }
    }

    private func carryOn() {
        var pause = Self.firstPause
        let lock = CourierLock(outbox)
        while !stop.isRaised {
            do throws(IngestError) {
                let waiting = outbox.waiting
                let count = waiting > 0 ? waiting : try outbox.refresh()
                guard count > 0 else {
                    if isEnding { break }
                    waitForWork()
                    continue
                }
                try lock.acquire()
                try carry()
                pause = Self.firstPause
            } catch {
                closePeer()
                fail(error, pause)
                _ = stop.sleep(nanoseconds: pause.nanoseconds)
                pause = min(pause * 2, Self.longestPause)
            }
        }
        closePeer()
        ended.set(open: true)
    }

    private func waitForWork() {
        if LineStream.wait(wakeUp, POLLIN, stop, milliseconds: Self.look) {
            var count: UInt64 = 0
            _ = read(wakeUp, &count, 8)
        }
    }

    private func carry() throws(IngestError) {
        let lines = try outbox.next(Self.linesAtOnce)
        guard !lines.isEmpty else {
            _ = try outbox.refresh()
            return
        }
        if peer.isOpen && peer.isGone { closePeer() }
        if !peer.isOpen { try peer.open(stop) }
        try carryTaken(lines)
    }

    private func carryTaken(_ lines: [Outbox.Line]) throws(IngestError) {
        var ends: [Int] = []
        var bytes: [UInt8] = []
        for line in lines {
            bytes += line.bytes
            ends.append(bytes.count)
        }
        var acknowledged = 0
        func note() throws(IngestError) {
            let taken = peer.taken
            let count = ends.prefix { $0 <= taken }.count
            guard count > acknowledged else { return }
            try outbox.acknowledge(lines[acknowledged..<count])
            handedOver += count - acknowledged
            acknowledged = count
            progressed()
        }
        var fault: IngestError?
        do throws(IngestError) { try peer.send(bytes, stop) } catch { fault = error }
        var wait: Int64 = 200_000
        while true {
            let isGone = peer.isGone
            try note()
            if acknowledged == lines.count { return }
            if let fault { throw fault }
            if isGone { throw IngestError(SinkFault.wentAway(outbox.spec, errno: nil)) }
            guard stop.sleep(nanoseconds: wait) else { return }
            wait = min(wait * 2, 50_000_000)
        }
    }

    /// The run ends when everything is sent.
    var isEnding: Bool { state.withLock { $0.isEnding } }

    /// A line was acknowledged, delivered or set aside.
    func progressed() {
        state.withLock { state in
            state.progress = HostClock.monotonic()
            state.fault = nil
            state.nextTry = nil
        }
    }

    func fail(_ error: IngestError, _ pause: Duration) {
        guard !stop.isRaised else { return }
        let next = Timestamp(milliseconds: HostClock.now().milliseconds + pause.nanoseconds / 1_000_000)
        let isNews = state.withLock { state -> Bool in
            defer {
                state.fault = error
                state.nextTry = next
            }
            return state.fault != error
        }
        outbox.note(error, nextTry: next)
        if isNews { onFault(error) }
    }
}

/// Only one process at a time sends an outbox's lines.
final class CourierLock {
    private let path: String
    private var descriptor: Int32 = -1

    init(_ outbox: Outbox) { path = "\(outbox.store.path)-sink\(outbox.number)" }

    deinit { if descriptor >= 0 { Descriptor.closeLocked(descriptor) } }

    func acquire() throws(IngestError) {
        guard descriptor < 0 else { return }
        let opened = try OwnFile.open(path, O_RDWR, owner: .userOrFolder)
        do throws(SystemFault) {
            guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
                let number = errno
                close(opened)
                throw SystemFault("flock", number)
            }
            descriptor = opened
        } catch {
            guard error.number == EWOULDBLOCK else { throw .writing(path, error.number) }
            throw IngestError(SinkFault.outboxHeld(path))
        }
    }
}
