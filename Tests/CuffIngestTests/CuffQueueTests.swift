import CuffCore
import Dispatch
import Foundation
import Glibc
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(1))) struct CuffQueueTests {
    private static func thread() -> UInt { UInt(bitPattern: Int(pthread_self())) }

    @Test func idleQueue_IsEnteredInPlace_AndABusyOneIsNotWaitedFor() async throws {
        let queue = CuffQueue(label: "test")
        let order = Mailbox<String>()
        let gate = Gate(isOpen: false)
        let here = try await onThread {
            let caller = Self.thread()
            queue.enter { order.post(Self.thread() == caller ? "in place" : "elsewhere") }
            queue.async {
                order.post("busy")
                _ = gate.pass(within: .seconds(30))
            }
            // Returns although the queue is held: what comes is done later, in order.
            queue.enter { order.post(Self.thread() == caller ? "waited" : "behind") }
            queue.async { order.post("last") }
            let before = order.values
            gate.set(open: true)
            return before
        }
        #expect(here.first == "in place")
        #expect(!here.contains("behind") && !here.contains("waited"))
        #expect(await order.wait(count: 4) == ["in place", "busy", "behind", "last"])
    }

    @Test func whatMayBlock_GoesOnElsewhere_BeforeAnythingElse() async throws {
        let queue = CuffQueue(label: "test")
        let order = Mailbox<String>()
        try await onThread {
            let (caller, done) = (Self.thread(), Gate(isOpen: false))
            queue.enter {
                queue.async {
                    order.post("queued")
                    done.set(open: true)
                }
                queue.patiently {
                    order.post(Self.thread() == caller ? "blocks its caller" : "first")
                    queue.patiently { order.post("nested") }
                }
                queue.patiently { order.post("second") }
                order.post("in place")
            }
            _ = done.pass(within: .seconds(30))
        }
        #expect(await order.wait(count: 5) == ["in place", "first", "nested", "second", "queued"])
    }

    @Test func queueThatMayBlockAnywhere_IsNeverEntered() async throws {
        let queue = CuffQueue(label: "test")
        queue.neverInPlace()
        let order = Mailbox<Bool>()
        try await onThread {
            let (caller, done) = (Self.thread(), Gate(isOpen: false))
            queue.enter {
                order.post(Self.thread() == caller)
                done.set(open: true)
            }
            // A thread that ends leaves its name to the next.
            _ = done.pass(within: .seconds(30))
        }
        #expect(await order.wait(count: 1) == [false])
    }

    @Test func promptWork_IsDoneByWhoIsThere() async throws {
        let queue = CuffQueue(label: "test")
        let order = Mailbox<String>()
        try await onThread {
            let caller = Self.thread()
            queue.enter {
                queue.asyncPromptly { order.post(Self.thread() == caller ? "same thread" : "another thread") }
                order.post("in place")
            }
        }
        #expect(await order.wait(count: 2) == ["in place", "same thread"])
    }

    @Test func endlessWork_LetsTimersThrough() async {
        let queue = CuffQueue(label: "test")
        let isOver = Locked(false)
        let fired = Mailbox<Bool>()
        @Sendable func again() { queue.async { if !isOver.withLock({ $0 }) { again() } } }
        again()
        queue.asyncAfter(deadline: .now() + .milliseconds(20)) { fired.post(true) }
        let timer = queue.timer { fired.post(false) }
        timer.schedule(deadline: .now() + .milliseconds(20))
        timer.activate()
        #expect(Set(await fired.wait(count: 2)) == [true, false])
        isOver.withLock { $0 = true }
        timer.cancel()
    }

    /// Every way in at once, from many threads: nothing is lost, done twice, or done beside anything else.
    @Test func allWaysIn_ExcludeOneAnother() async throws {
        final class Count: @unchecked Sendable {
            var value = 0
            var inside = 0
            var most = 0
            func add() {
                inside += 1
                most = max(most, inside)
                value += 1
                inside -= 1
            }
        }
        let queue = CuffQueue(label: "test")
        let count = Count()
        let threads = 6
        let rounds = 2000
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    try await onThread {
                        for round in 0..<rounds {
                            switch (thread + round) % 5 {
                            case 0: queue.enter { count.add() }
                            case 1: queue.async { count.add() }
                            case 2: queue.asyncPromptly { count.add() }
                            case 3: queue.sync { count.add() }
                            default: queue.enter { queue.patiently { count.add() } }
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let (value, most) = try await onThread { queue.sync { (count.value, count.most) } }
        #expect(value == threads * rounds)
        #expect(most == 1)
    }

    /// Two cuffs on real terminals, both read by the reactor's one thread.
    @Test(arguments: ["tells", "closes"]) func cuffThatBlocks_DelaysNoNeighbour(_ place: String) async throws {
        let gate = Gate(isOpen: false)
        let ptys = [Pty(), Pty()]
        let sink = MemorySink()
        let pipeline = Pipeline([Pipeline.Member(sink)], policy: .retry)
        let started = Mailbox<Bool>()
        let blocked = Mailbox<Bool>()
        let ended = Mailbox<Int>()
        let block: @Sendable () -> Void = {
            blocked.post(true)
            // Far longer than the neighbour may take; opened at the end.
            _ = gate.pass(within: .seconds(50))
        }
        let lines = ptys.enumerated().map { index, pty in
            Watched(
                TTYTransport(path: pty.path, line: LineSettings()), started, onClose: { if index == 0 && place == "closes" { block() } })
        }
        let links = lines.enumerated().map { index, line in
            CuffLink(driver: .byte, device: "\(index)", transport: line, pipeline: pipeline) { event in
                switch event {
                case .readings: if index == 0 && place == "tells" { block() }
                case .ended: ended.post(index)
                default: break
                }
            }
        }
        for link in links { link.start([.follow]) }
        _ = await started.wait(count: 2)
        // 0xFF ends the conversation, and the link closes its line.
        ptys[0].write([1, 0xFF])
        _ = await blocked.wait(count: 1)
        for byte in UInt8(2)...40 {
            ptys[1].write([byte])
            #expect(
                await eventually { sink.readings.contains { $0.raw.array == [byte] } }, "reading \(byte) came while the neighbour blocked")
        }
        #expect(ended.values.isEmpty)
        gate.set(open: true)
        links[1].stop()
        #expect(Set(await ended.wait(count: 2)) == [0, 1])
    }

    private func eventually(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<1500 {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return false
    }
}

/// A line that tells of its opening, and whose close may wait, as a tty's does for what is still to be sent.
private final class Watched: Transport, @unchecked Sendable {
    private let inner: any Transport
    private let started: Mailbox<Bool>
    private let onClose: @Sendable () -> Void

    init(_ inner: any Transport, _ started: Mailbox<Bool>, onClose: @escaping @Sendable () -> Void) {
        self.inner = inner
        self.started = started
        self.onClose = onClose
    }
    var address: String { inner.address }
    func start(on queue: CuffQueue, deliver: @escaping @Sendable (TransportEvent) -> Void) throws(IngestError) {
        try inner.start(on: queue, deliver: deliver)
        started.post(true)
    }
    func write(_ bytes: [UInt8]) { inner.write(bytes) }
    func pause() { inner.pause() }
    func resume() { inner.resume() }
    func close() {
        onClose()
        inner.close()
    }
}
