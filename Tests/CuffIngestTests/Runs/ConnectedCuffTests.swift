import CuffCore
import Glibc
import Testing

@testable import CuffIngest

/// `Cuff(connected:name:driver:)`: the bytes come from the embedding program.
@Suite struct ConnectedCuffTests {
    private let ends: [Int32]

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        self.ends = ends
    }

    private func status(_ cuff: Cuff) async -> RunStatus? {
        do { _ = try await cuff.information() } catch { return (error as? IngestError)?.status }
        return nil
    }

    /// Two at once would share the bytes. The socket stays the program's.
    @Test func oneCallAtATime_UsesTheSocket() async throws {
        var cuff = Cuff(connected: ends[0], name: "stack", driver: .beurerSerial, options: IngestOptions())
        cuff.timeout = .milliseconds(500)
        let chosen = cuff
        async let first = status(chosen)
        async let second = status(chosen)
        #expect(await Set([first, second]) == [.tryAgain, .timedOut])
        #expect(await status(cuff) == .timedOut)
        #expect(fcntl(ends[0], F_GETFD) >= 0 && fcntl(ends[1], F_GETFD) >= 0)
        for end in ends { close(end) }
    }

    /// More calls at once than the pool has threads: each sends its first message, and none of them has ended by then.
    @Test func callsThatWait_BlockNoThreadOfThePool() async throws {
        for end in ends { close(end) }
        let pairs = try (0..<32).map { _ in try ConnectedCuffTests().ends }
        let ended = Locked(0)
        let calls = pairs.map { pair in
            Task {
                _ = await status(Cuff(connected: pair[0], name: "stack \(pair[0])", driver: .beurerSerial, options: IngestOptions()))
                ended.withLock { $0 += 1 }
            }
        }
        for pair in pairs {
            var byte: UInt8 = 0
            while recv(pair[1], &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 1, ended.withLock({ $0 }) == 0 {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        #expect(ended.withLock { $0 } == 0)
        for pair in pairs { close(pair[1]) }
        for call in calls { await call.value }
        for pair in pairs { close(pair[0]) }
    }

    @Test func closedOtherEnd_IsALostCuff() async throws {
        close(ends[1])
        #expect(await status(Cuff(connected: ends[0], name: "stack", driver: .beurerSerial, options: IngestOptions())) == .inputOutput)
        close(ends[0])
    }

    /// A stream does not keep HID reports apart.
    @Test func familiesOfHIDDevices_AreRefused() async throws {
        let cuff = Cuff(connected: ends[0], name: "stack", driver: .omronHID, options: IngestOptions())
        let error = await #expect(throws: IngestError.self) { for try await _ in cuff.readings(keeping: false) {} }
        #expect(error?.status == .usage, "\(error.map { "\($0)" } ?? "")")
        for end in ends { close(end) }
    }
}
