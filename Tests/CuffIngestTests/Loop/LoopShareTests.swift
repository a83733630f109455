import CuffCore
import Glibc
import Testing

@testable import CuffIngest

/// One busy line does not delay the others.
@Suite(.timeLimit(.minutes(5))) struct LoopShareTests {
    private struct Seen: Sendable {
        var flood = 0
        var floodBeforeQuiet: Int?
    }

    @Test func aFloodingLine_LeavesTheQuietOneItsTurn() async throws {
        let seen = Locked(Seen())
        let done = Mailbox<Int>()
        let loop = EventLoop.shared
        let (flooding, quiet) = (try Self.pair(), try Self.pair())
        // Both have input before the loop runs, the busy one as much as the kernel holds.
        var sent = 0
        let chunk = [UInt8](repeating: 0xC0, count: 1 << 16)
        while true {
            let count = write(flooding.far, chunk, chunk.count)
            guard count > 0 else { break }
            sent += count
        }
        #expect(sent > 4 * Port.turnLimit)
        let all = sent
        let ports = try loop.sync { () -> Result<LoopBound<[Port]>, SystemFault> in
            do throws(SystemFault) {
                let first = try Port(flooding.near, on: loop, readSize: Port.turnLimit) { event in
                    guard case .received(let bytes) = event else { return }
                    seen.withLock { $0.flood += bytes.count }
                    if seen.withLock({ $0.flood }) == all { done.post(1) }
                }
                let second = try Port(quiet.near, on: loop) { event in
                    guard case .received = event else { return }
                    seen.withLock { $0.floodBeforeQuiet = $0.flood }
                    done.post(2)
                }
                _ = write(quiet.far, [0x06], 1)
                return .success(LoopBound([first, second]))
            } catch { return .failure(error) }
        }.get()
        _ = await done.wait(count: 2, within: .seconds(20))
        let before = try #require(seen.withLock { $0.floodBeforeQuiet })
        #expect(before <= Port.turnLimit, "\(before) of \(sent) bytes went first")
        #expect(seen.withLock { $0.flood } == sent, "the rest comes in later turns")
        loop.sync { for port in ports.value { port.close() } }
        close(flooding.far)
        close(quiet.far)
    }

    private static func pair() throws -> (near: Int32, far: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }
}
