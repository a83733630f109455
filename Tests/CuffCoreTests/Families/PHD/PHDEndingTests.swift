import CuffCore
import Testing

/// The host ends during an association: IEEE 11073-20601, release request and response.
@Suite struct PHDEndingTests {
    /// A follower with an associated agent, and its last write.
    private func associated() throws -> any CuffSession {
        var session = CuffDriver.phd.makeSession(SessionContext())
        var agent = CuffDriver.phd.makeSimulator(SimulatorScript(records: [], pushes: false))
        _ = session.handle(.opened)
        _ = session.handle(.command(.follow))
        var toManager = agent.handle(.opened)
        var answers = 0
        // The association and, if needed, the configuration take a few turns.
        for _ in 0..<8 {
            var toAgent: [[UInt8]] = []
            for case .write(let bytes) in toManager {
                for case .write(let answer) in session.handle(.received(bytes)) {
                    _ = session.handle(.sent(answer))
                    toAgent.append(answer)
                    if answer.first == 0xE3 { answers += 1 }
                }
            }
            toManager = toAgent.flatMap { agent.handle(.received($0)) }
        }
        try #require(answers == 1, "the agent was let in")
        return session
    }

    private func ending(_ session: inout any CuffSession) -> (began: Bool, actions: [SessionAction]) {
        var actions = SessionActions()
        let began = session.endInOrder(into: &actions)
        return (began, Array(actions))
    }

    private func writes(_ actions: [SessionAction]) -> [[UInt8]] {
        actions.compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
    }

    private func outcome(_ actions: [SessionAction]) -> Outcome? {
        actions.lazy.compactMap { if case .finish(let outcome) = $0 { outcome } else { nil } }.first
    }

    private static let request: [UInt8] = [0xE4, 0x00, 0x00, 0x02, 0x00, 0x00]
    private static let response: [UInt8] = [0xE5, 0x00, 0x00, 0x02, 0x00, 0x00]

    @Test func withoutAnAssociation_NothingIsSaid() {
        var session = CuffDriver.phd.makeSession(SessionContext())
        _ = session.handle(.opened)
        _ = session.handle(.command(.follow))
        let (began, actions) = ending(&session)
        #expect(!began && actions.isEmpty)
        var other = CuffDriver.andStd.makeSession(SessionContext())
        #expect(!ending(&other).began)
    }

    @Test func theRelease_IsRequested_AndItsAnswerIsTheEnd() throws {
        var session = try associated()
        let (began, actions) = ending(&session)
        #expect(began && writes(actions) == [Self.request] && outcome(actions) == nil)
        _ = session.handle(.sent(Self.request))
        let end = session.handle(.received(Self.response))
        #expect(outcome(end) == .complete, "who only listens has had everything: \(end)")
        #expect(writes(end).isEmpty)
    }

    @Test func anAgentThatDoesNotAnswer_IsWaitedForThreeSeconds() throws {
        var session = try associated()
        let (_, actions) = ending(&session)
        let timer = try #require(
            actions.lazy.compactMap { if case .arm(let timer, .seconds(3)) = $0 { timer } else { nil } }.first, "TOrelease is 3 s")
        _ = session.handle(.sent(Self.request))
        let end = session.handle(.timerFired(timer))
        #expect(outcome(end) == .complete, "who only listens has had everything: \(end)")
        #expect(writes(end).first?.first == 0xE6, "the association is aborted")
    }
}
