import CLinux
import CuffCore
import Glibc

/// Runs one source helper on a thread of its own until it is stopped, and performs the effects of `SourceState`.
final class SourceRun: Sendable {
    private let plan: SourcePlan
    private let pipeline: Pipeline
    private let notify: @Sendable (String) -> Void
    private let stopSignal = StopSignal()
    private let done = Gate(isOpen: false)
    private let shared = Locked(Shared())
    /// Written by the pipeline.
    private let wakeUp = clinux_eventfd()

    private struct Shared {
        var stored = 0
        var isPaused = false
    }

    /// `notify` receives one sentence for each new fault.
    init(_ plan: SourcePlan, _ pipeline: Pipeline, notify: @escaping @Sendable (String) -> Void) {
        (self.plan, self.pipeline, self.notify) = (plan, pipeline, notify)
    }

    deinit { close(wakeUp) }

    func start() {
        DetachedThread.start { [self] in
            var thread = Thread(self)
            thread.run()
            done.set(open: true)
        }
    }

    /// Ends the helper; what it submitted is still stored.
    func stop() { stopSignal.raise() }
    /// Returns when the helper has ended.
    func wait() { done.pass() }

    private func wake(_ change: (inout Shared) -> Void) {
        shared.withLock(change)
        var one: UInt64 = 1
        _ = write(wakeUp, &one, 8)
    }

    private struct Thread {
        private let owner: SourceRun
        private var state: SourceState
        private let peer: CommandPeer
        private var source = 0
        private var submitted = 0
        private var buffer: [UInt8] = []
        /// Answers that the helper has not read yet; of more bytes than this it never will.
        private static let mostUnsent = 1 << 20
        private var unsent: [UInt8] = []
        private let began = HostClock.monotonic()

        init(_ owner: SourceRun) {
            self.owner = owner
            state = SourceState(owner.plan.name)
            peer = CommandPeer(owner.plan.words, name: owner.plan.description, isAnswering: true, setting: nil)
        }

        private var now: Duration { .nanoseconds(HostClock.monotonic() - began) }

        mutating func run() {
            let owner = owner
            source = owner.pipeline.attach(
                Pipeline.Source(
                    mayThin: false, committed: { [weak owner] count in owner?.wake { $0.stored = count } },
                    paused: { [weak owner] isPaused in owner?.wake { $0.isPaused = isPaused } }))
            while !owner.stopSignal.isRaised {
                handle(.time)
                wait()
            }
            peer.close()
            owner.pipeline.detach(source)
        }

        private mutating func wait() {
            let (ends, isPaused) = (peer.ends, owner.shared.withLock { $0.isPaused })
            var entries = [
                pollfd(fd: owner.stopSignal.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: owner.wakeUp, events: Int16(POLLIN), revents: 0),
                pollfd(fd: state.wantsInput && !isPaused ? ends?.input ?? -1 : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: unsent.isEmpty ? -1 : ends?.output ?? -1, events: Int16(POLLOUT), revents: 0),
            ]
            let limit = state.wakeAt.map { Int32(clamping: max(0, ($0 - now).nanoseconds) / 1_000_000 + 1) } ?? -1
            guard poll(&entries, 4, limit) > 0, entries[0].revents == 0 else { return }
            if entries[1].revents != 0 {
                var count: UInt64 = 0
                _ = read(owner.wakeUp, &count, 8)
                handle(.stored(owner.shared.withLock { $0.stored }))
            }
            if entries[3].revents != 0, let output = peer.ends?.output { flush(output) }
            if entries[2].revents != 0, let input = peer.ends?.input { receive(input) }
        }

        private mutating func receive(_ input: Int32) {
            var chunk = [UInt8](repeating: 0, count: 1 << 14)
            let count = chunk.withUnsafeMutableBytes { read(input, $0.baseAddress, $0.count) }
            if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
            guard count > 0 else { return handle(.ended(isClean: peer.close())) }
            buffer += chunk[..<count]
            while let end = buffer.firstIndex(of: 0x0A) {
                let line = Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                handle(line.count > SourceLine.longest ? .endless : .line(line))
            }
            if buffer.count > SourceLine.longest { handle(.endless) }
        }

        /// A helper that does not read its answers is not waited for.
        private mutating func flush(_ output: Int32) {
            let count = unsent.withUnsafeBytes { clinux_write(output, $0.baseAddress, $0.count) }
            if count > 0 { unsent.removeFirst(count) } else if count < 0 && errno != EAGAIN && errno != EINTR { unsent.removeAll() }
        }

        private mutating func handle(_ event: SourceState.Event) {
            var events = [event]
            while !events.isEmpty {
                for effect in state.handle(events.removeFirst(), at: now, received: HostClock.now()) {
                    switch effect {
                    case .start:
                        buffer = []
                        unsent = []
                        do throws(IngestError) { try peer.open(owner.stopSignal) } catch {
                            events.append(.notStarted("\(error)"))
                        }
                    case .submit(let line):
                        submitted += 1
                        owner.pipeline.submit(
                            ReadingBatch(
                                source: source, driver: Reading.reportedDriver, device: line.device ?? owner.plan.name,
                                entries: [.reading(line.reading)], through: submitted))
                    case .answer(let text):
                        unsent += Array("\(text)\n".utf8)
                        if unsent.count > Self.mostUnsent { events.append(.answersUnread) }
                    case .close:
                        buffer = []
                        unsent = []
                        peer.close()
                    case .notify(let text): owner.notify("source \(owner.plan.name): \(text)")
                    }
                }
            }
        }
    }
}
