import Glibc

/// Performs the effects of `OutboxState` on the courier's thread. It waits at once for answers of the helper, room in its input,
/// new lines and time-outs.
struct AnsweredCourier {
    private let courier: Courier
    private var outbox: Outbox { courier.outbox }
    private var peer: any LinePeer { courier.peer }
    private var stop: StopSignal { courier.stop }
    private let statusInterval: Duration?
    private var state: OutboxState
    private var lock: CourierLock
    /// Bytes not yet accepted by the helper: at most the unanswered lines.
    private var unsent: [UInt8] = []
    private let began = HostClock.monotonic()

    /// How often an idle courier looks for lines queued by another process.
    private static let look: Int64 = 5_000_000_000

    init(_ courier: Courier) {
        self.courier = courier
        let outbox = courier.outbox
        statusInterval = StatusReport.interval(outbox.spec)
        var limits = OutboxState.Limits()
        limits.spread = Double.random(in: 0.5...1.5)
        state = OutboxState(
            name: outbox.spec, hasAccepted: (try? outbox.store.hasAcknowledged(outbox.spec)) ?? false, statusEvery: statusInterval,
            limits: limits)
        lock = CourierLock(outbox)
    }

    private var now: Duration { .nanoseconds(HostClock.monotonic() - began) }

    /// Returns when the signal is raised, or everything is sent and the run is ending.
    mutating func run() {
        while !stop.isRaised {
            do throws(IngestError) {
                let waiting = outbox.waiting
                let count = waiting > 0 ? waiting : try outbox.refresh()
                if count == 0 && courier.isEnding { break }
                try handle(.waiting(count))
            } catch {
                // The database failed, not the helper: answers that could not be stored cause a resend.
                courier.fail(error, .seconds(1))
                guard stop.sleep(nanoseconds: 1_000_000_000) else { break }
            }
            do throws(IngestError) { try wait() } catch { courier.fail(error, .seconds(1)) }
        }
        peer.close()
    }

    // MARK: Effects

    private mutating func handle(_ event: OutboxState.Event) throws(IngestError) {
        var events = [event]
        while !events.isEmpty {
            let effects = state.handle(events.removeFirst(), at: now)
            var done: [Outbox.Line] = []
            for effect in effects {
                switch effect {
                case .open: events.append(opened())
                case .load(let most): events.append(.loaded(try outbox.next(most)))
                case .send(let bytes): unsent += bytes
                // A helper that does not read gets no more of them.
                case .sendStatus where !unsent.isEmpty: break
                case .sendStatus:
                    unsent += try statusInterval.map { (every) throws(IngestError) in try StatusReport.line(outbox, every: every) } ?? []
                case .acknowledge(let line): done.append(line)
                case .setAside(let line, let reason):
                    try outbox.setAside(line, reason: reason)
                    courier.progressed()
                case .close:
                    unsent.removeAll()
                    peer.close()
                case .tell(let error, let pause): courier.fail(error, pause)
                }
            }
            guard !done.isEmpty else { continue }
            try outbox.acknowledge(done[...], mayRepeat: true)
            courier.progressed()
        }
    }

    private mutating func opened() -> OutboxState.Event {
        do throws(IngestError) {
            try lock.acquire()
            try peer.open(stop)
            return .opened
        } catch { return .notOpened(error) }
    }

    // MARK: Waiting

    private mutating func wait() throws(IngestError) {
        var limit = Self.look
        if let wake = state.wakeAt { limit = min(limit, max(0, (wake - now).nanoseconds)) }
        let ends = peer.ends
        var entries = [
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: courier.wakeUp, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ends?.input ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: unsent.isEmpty ? -1 : ends?.output ?? -1, events: Int16(POLLOUT), revents: 0),
        ]
        guard poll(&entries, 4, Int32(clamping: limit / 1_000_000 + 1)) > 0 else { return try handle(.time) }
        if entries[1].revents != 0 {
            var count: UInt64 = 0
            _ = read(courier.wakeUp, &count, 8)
        }
        var isGone = false
        if entries[3].revents != 0, let output = ends?.output { isGone = !sendSome(output) }
        if let input = ends?.input, entries[2].revents != 0 || isGone { try receive(input, untilTheEnd: isGone) }
    }

    /// Returns whether the helper still accepts bytes.
    private mutating func sendSome(_ output: Int32) -> Bool {
        let count = unsent.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
        if count > 0 { unsent.removeFirst(count) }
        return count >= 0 || errno == EAGAIN || errno == EINTR
    }

    /// Answers that the helper sends before it ends still count.
    private mutating func receive(_ input: Int32, untilTheEnd: Bool) throws(IngestError) {
        var room = [UInt8](repeating: 0, count: 1 << 16)
        repeat {
            let count = read(input, &room, room.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN {
                if untilTheEnd { try handle(.ended) }
                return
            }
            guard count > 0 else { return try handle(.ended) }
            try handle(.received(Array(room[..<count])))
        } while untilTheEnd && state.isOpen
    }
}
