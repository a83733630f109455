import CLinux
import CuffCore
import Glibc
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(5))) struct EventLoopTests {
    private let loop = EventLoop.shared

    @Test func work_IsDoneInTheOrderOfItsComing_OnOneThread() async {
        let done = Mailbox<Int>()
        for number in 0..<100 { loop.async { if EventLoop.shared.isCurrent { done.post(number) } } }
        #expect(await done.wait(count: 100) == Array(0..<100))
        #expect(!loop.isCurrent)
    }

    @Test func timer_ThatIsMovedOrCancelled_FiresOnceAtItsLastTime() async {
        let fired = Mailbox<Int64>()
        let start = HostClock.monotonic()
        let timers = loop.sync { [loop] () -> LoopBound<[LoopTimer]> in
            let moved = LoopTimer(loop) { fired.post(HostClock.monotonic() - start) }
            moved.set(start + 1_000_000)
            moved.set(start + 40_000_000)
            let earlier = LoopTimer(loop) { fired.post(HostClock.monotonic() - start) }
            earlier.set(start + 3_600_000_000_000)
            earlier.set(start + 10_000_000)
            let cancelled = LoopTimer(loop) { fired.post(-1) }
            cancelled.set(start + 5_000_000)
            cancelled.set(nil)
            return LoopBound([moved, earlier, cancelled])
        }
        let times = await fired.wait(count: 2)
        #expect(times[0] >= 10_000_000 && times[1] >= 40_000_000, "\(times)")
        #expect(!times.contains(-1))
        #expect(timers.value.count == 3)
    }

    @Test func endlessWork_LetsTimersThrough() async {
        let fired = Mailbox<Int>()
        let hasFired = Locked(false)
        let loop = loop
        let timer = loop.sync { () -> LoopBound<LoopTimer> in
            let timer = LoopTimer(loop) {
                hasFired.withLock { $0 = true }
                fired.post(1)
            }
            timer.set(HostClock.monotonic() + 5_000_000)
            return LoopBound(timer)
        }
        @Sendable func again() {
            if !hasFired.withLock({ $0 }) { loop.async(again) }
        }
        loop.async(again)
        #expect(await fired.wait(count: 1) == [1])
        loop.sync { timer.value.set(nil) }
    }

    @Test func manyTimers_FireInTheirOrder() async {
        let fired = Mailbox<Int>()
        let start = HostClock.monotonic()
        var random = SplitMix64(seed: 4)
        let order = (0..<200).shuffled(using: &random)
        let timers = loop.sync { [loop] () -> LoopBound<[LoopTimer]> in
            LoopBound(
                order.map { place in
                    let timer = LoopTimer(loop) { fired.post(place) }
                    timer.set(start + 20_000_000 + Int64(place) * 1000)
                    return timer
                })
        }
        #expect(await fired.wait(count: 200) == Array(0..<200))
        #expect(timers.value.count == 200)
    }

    /// 140 event counters, 3,000 increments at distances of 50 us: not by sleeping, which takes longer on a busy machine.
    @Test func manyBusyDescriptors_ShareTurns() async throws {
        struct Counts: Sendable { var events: UInt64 = 0, turns = 0, isCounted = false }
        let (counts, loop, done) = (Locked(Counts()), loop, Mailbox<Bool>())
        let descriptors = (0..<140).map { _ in clinux_eventfd() }
        let tokens = loop.sync {
            descriptors.map { descriptor -> UInt64? in
                let token = try? loop.add(descriptor) { _ in
                    var count: UInt64 = 0
                    _ = read(descriptor, &count, 8)
                    let sum = counts.withLock { counts -> UInt64 in
                        counts.events += count
                        return counts.events
                    }
                    if sum == 3_000 { done.post(true) }
                    guard counts.withLock({ !$0.isCounted }) else { return }
                    counts.withLock { ($0.isCounted, $0.turns) = (true, $0.turns + 1) }
                    loop.atTurnEnd { counts.withLock { $0.isCounted = false } }
                }
                if let token { loop.register(token, descriptor, .input) }
                return token
            }
        }
        #expect(tokens.allSatisfy { $0 != nil })
        var one: UInt64 = 1
        for step in 0..<3_000 {
            _ = write(descriptors[step % descriptors.count], &one, 8)
            let due = HostClock.monotonic() + 50_000
            while HostClock.monotonic() < due {}
        }
        await done.wait(count: 1)
        let found = counts.withLock { $0 }
        #expect(found.events == 3_000)
        #expect(found.turns < 1_500, "\(found.turns) turns")
        loop.sync {
            for (token, descriptor) in zip(tokens, descriptors) {
                if let token { loop.remove(token, descriptor) }
                close(descriptor)
            }
        }
    }

    @Test func deviceThatBlocksInOpen_DelaysNoNeighbour() async throws {
        let gate = Gate(isOpen: false)
        let (sink, opening, ended) = (MemorySink(), Mailbox<Bool>(), Mailbox<Int>())
        let pipeline = Pipeline([Pipeline.Member(sink)], policy: .retry)
        let blocked = TestLink(driver: .byte, transport: SlowToOpen(opening, gate), pipeline: pipeline) {
            if case .ended = $0 { ended.post(0) }
        }
        blocked.start([.follow])
        _ = await opening.wait(count: 1)
        let transport = LoopTransport()
        let link = TestLink(driver: .byte, transport: transport, pipeline: pipeline) { if case .ended = $0 { ended.post(1) } }
        link.start([.follow])
        _ = await transport.started.wait(count: 1)
        for byte in UInt8(2)...20 { transport.inject([byte]) }
        _ = await transport.writes.wait { $0.last == [0x06, 19] }
        #expect(ended.values.isEmpty && sink.readings.count == 19)
        link.stop()
        #expect(await ended.wait(count: 1) == [1])
        blocked.stop()
        gate.set(open: true)
        #expect(await ended.wait(count: 2) == [1, 0])
    }
}

/// Its `open` blocks until the gate opens.
private final class SlowToOpen: Transport {
    let address = "slow"
    private let opening: Mailbox<Bool>
    private let gate: Gate
    private var deliver: ((TransportEvent) -> Void)?

    init(_ opening: Mailbox<Bool>, _ gate: Gate) {
        self.opening = opening
        self.gate = gate
    }

    func open() throws(IngestError) {
        opening.post(true)
        gate.pass()
    }
    func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError) {
        self.deliver = deliver
        deliver(.opened)
    }
    func write(_ bytes: [UInt8]) {}
    func writeFeature(_ bytes: [UInt8]) {}
    func pause() {}
    func resume() {}
    func close() {
        let deliver = deliver
        self.deliver = nil
        deliver?(.closed(nil))
    }
}
