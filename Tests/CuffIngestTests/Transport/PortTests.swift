import CuffCore
import Glibc
import Testing

@testable import CuffIngest

/// A peer that asks and never reads.
@Suite(.timeLimit(.minutes(5))) struct PortTests {
    /// Answers every byte with 256 bytes.
    private struct AnsweringSession: CuffSession {
        mutating func handle(_ event: SessionEvent, into actions: inout SessionActions) {
            guard case .received(let bytes) = event else { return }
            for _ in bytes { actions.append(.write([UInt8](repeating: 7, count: 256))) }
        }
    }

    private static let driver = CuffDriver(
        id: "answering", models: ["Test"], summary: "bytes", grade: .c, testedOn: .derived, framing: "none", check: nil,
        capabilities: [.push], sources: [], makeSession: { _ in AnsweringSession() },
        makeSimulator: { CuffDriver.andStd.makeSimulator($0) })

    private static func isPause(_ effect: LinkEffect) -> Bool { if case .pauseReading = effect { true } else { false } }
    private static func isResume(_ effect: LinkEffect) -> Bool { if case .resumeReading = effect { true } else { false } }

    /// In virtual time: 64 KiB unsent stop reading; 30 s without progress end the link.
    @Test func peerThatTakesNothing_IsNotRead_AndItsLinkEnds() throws {
        var link = LinkState(LinkState.Setup(Self.driver))
        var effects: [LinkEffect] = []
        link.handle(.transport(.opened), at: LinkTime(elapsed: .zero), into: &effects)
        link.handle(.transport(.received([UInt8](repeating: 1, count: 256))), at: LinkTime(elapsed: .zero), into: &effects)
        #expect(!effects.contains(where: Self.isPause), "exactly full is not too much")
        link.handle(.transport(.received([1, 1])), at: LinkTime(elapsed: .seconds(1)), into: &effects)
        #expect(effects.filter(Self.isPause).count == 1)
        // Any progress restarts the time limit.
        link.handle(.transport(.sent([UInt8](repeating: 7, count: 256))), at: LinkTime(elapsed: .seconds(20)), into: &effects)
        #expect(link.deadline == .seconds(50))
        link.handle(.timePassed, at: LinkTime(elapsed: .seconds(50)), into: &effects)
        let finished = effects.contains { if case .notify(.finished(_, .aborted)) = $0 { true } else { false } }
        #expect(finished)
        // The last writes get two seconds, then the line is closed.
        link.handle(.timePassed, at: LinkTime(elapsed: .seconds(52)), into: &effects)
        #expect(link.isEnded)
    }

    @Test func peerThatTakesAll_IsReadAgain() {
        var link = LinkState(LinkState.Setup(Self.driver))
        var effects: [LinkEffect] = []
        link.handle(.transport(.opened), at: LinkTime(elapsed: .zero), into: &effects)
        link.handle(.transport(.received([UInt8](repeating: 1, count: 300))), at: LinkTime(elapsed: .zero), into: &effects)
        #expect(effects.contains(where: Self.isPause))
        for _ in 0..<300 {
            link.handle(.transport(.sent([UInt8](repeating: 7, count: 256))), at: LinkTime(elapsed: .seconds(1)), into: &effects)
        }
        #expect(effects.filter(Self.isResume).count == 1)
        #expect(link.deadline == nil)
    }

    /// A peer that floods and reads late gets every answer, and the output limit is never exceeded.
    @Test func peerThatReadsLate_LosesNothing() async throws {
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        for descriptor in pair { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        let peer = pair[1]
        defer { close(peer) }
        let ended = Mailbox<Bool>()
        let link = TestLink(
            driver: Self.driver, transport: TCPTransport(host: "test", port: 1, role: .accepted(descriptor: pair[0])),
            pipeline: Pipeline([Pipeline.Member(MemorySink())])
        ) { if case .ended = $0 { ended.post(true) } }
        link.start([.follow])
        let question = [UInt8](repeating: 1, count: 16384)
        var sent = 0
        var taken = 0
        var answer = [UInt8](repeating: 0, count: 1 << 16)
        while taken < question.count * 256, ended.values.isEmpty {
            if sent < question.count {
                let count = question[sent...].withUnsafeBytes { send(peer, $0.baseAddress, min(64, $0.count), Int32(MSG_NOSIGNAL)) }
                sent += max(0, count)
            }
            while case let count = recv(peer, &answer, answer.count, 0), count > 0 { taken += count }
            await Task.yield()
        }
        #expect(sent == question.count && taken == question.count * 256)
        #expect(link.counters.bytes == question.count)
        link.stop()
        _ = await ended.wait(count: 1)
    }

    @Test func aTimeToSet_HasTheOffsetOfThisZone() throws {
        let time = try HostTime.local("2026-07-01T12:00:00")
        let wall = time.wallSeconds
        let offset = try #require(time.utcOffset)
        #expect(HostZone.local().offset(at: wall - Int64(offset) * 60) == Int(offset) * 60)
        #expect(try HostTime.local("now").utcOffset != nil)
    }
}
