import CuffCore
import Glibc
import Testing

@testable import CuffIngest

/// A peer that asks and never listens.
@Suite(.timeLimit(.minutes(1))) struct PortTests {
    /// A port on one end of a pair of sockets; every byte that comes is answered with 256.
    private final class Answering: @unchecked Sendable {
        let queue = CuffQueue(label: "test.port")
        let peer: Int32
        let ends = Mailbox<TransportFault?>()
        // On the queue.
        private var port: Port?
        private var most = 0
        private var received = 0

        init(patience: Duration) throws {
            var pair: [Int32] = [0, 0]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            for descriptor in pair { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
            peer = pair[1]
            let own = pair[0]
            try queue.sync {
                port = try Port(
                    own, on: queue, patience: patience, writer: { send($0, $1.baseAddress, $1.count, Int32(MSG_NOSIGNAL)) }
                ) { [weak self] in self?.take($0) }
            }
        }
        deinit { close(peer) }

        private func take(_ event: Port.Event) {
            switch event {
            case .received(let bytes):
                received += bytes.count
                for _ in bytes { port?.write([UInt8](repeating: 7, count: 256)) }
                most = max(most, port?.unsent.bytes ?? 0)
            case .sent: break
            case .ended(let fault):
                port?.close()
                ends.post(fault)
            }
        }

        var figures: (most: Int, received: Int) { queue.sync { (most, received) } }

        /// Writes as much as the kernel takes, and answers how much that was.
        func flood(_ limit: Int) -> Int {
            let bytes = [UInt8](repeating: 1, count: 4096)
            var sent = 0
            while sent < limit {
                let count = bytes.withUnsafeBytes { send(peer, $0.baseAddress, min(limit - sent, $0.count), Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { break }
                sent += count
            }
            return sent
        }

        /// Reads until the kernel has no more.
        func drain() -> Int {
            var bytes = [UInt8](repeating: 0, count: 65536)
            var taken = 0
            while true {
                let count = recv(peer, &bytes, bytes.count, 0)
                guard count > 0 else { return taken }
                taken += count
            }
        }
    }

    /// One read of 4096 bytes is answered with 1 MiB here; behind that nothing more is read, and then the line ends.
    @Test func peerThatNeverReads_IsNotRead_AndItsLineEnds() async throws {
        let answering = try Answering(patience: .milliseconds(200))
        var sent = 0
        while answering.ends.values.isEmpty, sent < 64 << 20 {
            sent += answering.flood(1 << 20)
            await Task.yield()
        }
        let ends = await answering.ends.wait(count: 1)
        #expect(ends == [.failed(call: "write", errno: ETIMEDOUT)])
        let (most, received) = answering.figures
        #expect(most < UnsentOutput.ceiling + 4096 * 256)
        // What it said beyond that waits with the kernel.
        #expect(received <= 2 * 4096)
    }

    /// A peer that is only slow gets every answer.
    @Test func peerThatReadsLate_LosesNothing() async throws {
        let answering = try Answering(patience: .seconds(30))
        let sent = answering.flood(16384)
        var taken = 0
        while taken < sent * 256, answering.ends.values.isEmpty {
            taken += answering.drain()
            await Task.yield()
        }
        #expect(sent > 0 && taken == sent * 256)
        #expect(answering.figures.received == sent)
        #expect(answering.ends.values.isEmpty)
    }

    @Test func unsentOutput_CountsWhatWaits() {
        var unsent = UnsentOutput()
        unsent.add(UnsentOutput.ceiling - 1)
        #expect(!unsent.isFull)
        unsent.add(1)
        #expect(unsent.isFull)
        unsent.take(1)
        #expect(!unsent.isFull && unsent.taken == 1)
        unsent.forget()
        #expect(unsent.bytes == 0)
    }

    @Test func aTimeToSet_HasTheOffsetOfThisZone() throws {
        let time = try HostTime.local("2026-07-01T12:00:00")
        let wall = time.wallSeconds
        let offset = try #require(time.utcOffset)
        #expect(LocalZone.offset(at: wall - Int64(offset) * 60) == Int(offset) * 60)
        #expect(try HostTime.local("now").utcOffset != nil)
    }
}
