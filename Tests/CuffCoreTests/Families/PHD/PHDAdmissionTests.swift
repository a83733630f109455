import Foundation
import Testing

@testable import CuffCore

/// Accepted and refused agents with their results, and what waits for the sinks.
@Suite struct PHDAdmissionTests {
    private typealias Manager = PHDVectorTests.Manager
    private static let request = PHDVectorTests.request
    private static let agent = "00091ffffe000101"

    private func result(_ manager: Manager) -> Int? {
        manager.writes.last { $0.hasPrefix("e300") }.flatMap { Hex.bytes($0) }.map { Int($0[4]) << 8 | Int($0[5]) }
    }

    @Test func namedAgents_AreRefusedForGood_OthersAreNot() {
        var manager = Manager(options: ["unwanted": "0102030405060708+00091FFFFE000101"])
        manager.take(Self.request)
        #expect(result(manager) == 1 && manager.session.state == .unassociated)
        #expect(manager.readings.isEmpty && !manager.actions.contains { if case .identify = $0 { true } else { false } })
        manager.take(Self.request.replacingOccurrences(of: Self.agent, with: "00091ffffe000102"))
        #expect(result(manager) == 0 && manager.session.state == .operating)
    }

    @Test func unwantedCountsMoreThanAllowed() {
        var manager = Manager(options: ["agents": Self.agent, "unwanted": Self.agent])
        manager.take(Self.request)
        #expect(result(manager) == 1)
        var other = Manager(options: ["agents": "0102030405060708"])
        other.take(Self.request)
        #expect(result(other) == 7)
    }

    /// A manager whose sinks have not stored the one reading of an association that the agent gave up.
    private func busy() -> Manager {
        var manager = Manager()
        manager.commits = false
        manager.take(Self.request)
        manager.take(PHDStateTableTests.report)
        manager.take("e60000020002")
        manager.writes = []
        return manager
    }

    @Test func request_WaitsForTheSinks_AndIsAccepted() {
        var manager = busy()
        #expect(manager.readings.count == 1)
        manager.take(Self.request)
        #expect(manager.writes.isEmpty && manager.session.state == .unassociated)
        manager.play(.committed(through: 1))
        #expect(manager.writes.first?.hasPrefix("e300002c0000") == true && manager.session.state == .operating)
        // The limit was cancelled; firing late it refuses no agent.
        manager.play(.timerFired(.admission))
        #expect(!manager.writes.contains { $0.hasPrefix("e300002c0002") })
    }

    @Test func request_IsTurnedAway_WhenTheSinksDoNotCatchUp() {
        var manager = busy()
        manager.take(Self.request)
        #expect(manager.actions.contains { if case .arm(.admission, .seconds(5)) = $0 { true } else { false } })
        manager.play(.timerFired(.admission))
        #expect(result(manager) == 2 && manager.session.state == .unassociated)
        // A later commit is not answered; the next request is.
        manager.writes = []
        manager.play(.committed(through: 1))
        #expect(manager.writes.isEmpty)
        manager.take(Self.request)
        #expect(result(manager) == 0)
    }

    @Test func request_ThatIsRepeatedOrTakenBack_IsNotAnsweredTwice() {
        var manager = busy()
        manager.take(Self.request)
        manager.take(Self.request.replacingOccurrences(of: "02bc", with: "4000"))
        manager.play(.committed(through: 1))
        // The last one counts, and is answered once.
        #expect(manager.writes.filter { $0.hasPrefix("e3") }.count == 1 && result(manager) == 3)
        var other = busy()
        other.take(Self.request)
        other.take("e60000020000")
        other.play(.committed(through: 1))
        #expect(other.writes.isEmpty && other.session.state == .unassociated)
    }

    /// Sinks that stop for two minutes: the agent keeps its data, and sends it when its button is pressed again.
    @Test(arguments: [[:], ["report": "apart"], ["store": "yes"]] as [[String: String]])
    func stalledSinks_LoseNothing_AndTheAgentIsToldToWait(_ options: [String: String]) {
        let records = SimulatedRecord.sample(count: 4, seed: 11)
        var talk = PHDConversation(SimulatorScript(records: records, options: options))
        talk.commitDelay = .seconds(120)
        talk.start(.follow)
        talk.run(until: .seconds(100))
        let answers = talk.managerWrites.filter { $0.first == 0xE3 }.map { $0[5] }
        #expect(answers.last == 2, "\(answers): \(talk.notes)")
        // Refused, it stays silent and is not asked repeatedly.
        #expect(answers.count <= 3, "\(answers)")
        talk.run(until: .seconds(250))
        talk.commitDelay = .milliseconds(5)
        talk.press()
        talk.run(until: .seconds(400))
        talk.tell(.closed)
        #expect(talk.pressures == PHDLineTests.text(records, options))
        #expect((talk.agent as? PHDSimulator)?.unsent.isEmpty == true)
    }

    private static let uselessOffer = "e700002800260001010100200000ffffffff0d1c00164100000100100009000100010008092f000400024a04"

    @Test func agentWithoutUsableConfiguration_IsRefused_AfterThreeAssociations() {
        var manager = Manager()
        for _ in 0..<3 {
            manager.take(Self.request.replacingOccurrences(of: "02bc", with: "4000"))
            #expect(result(manager) == 3)
            for _ in 0..<5 { manager.take(Self.uselessOffer) }
            #expect(manager.writes.last == "e40000020000")
            manager.take("e50000020000")
            #expect(manager.session.state == .unassociated)
        }
        manager.take(Self.request.replacingOccurrences(of: "02bc", with: "4000"))
        #expect(result(manager) == 6 && manager.session.state == .unassociated)
        // Another agent on the same line is not affected.
        manager.take(Self.request.replacingOccurrences(of: Self.agent, with: "00091ffffe000102"))
        #expect(result(manager) == 0 && manager.session.state == .operating)
    }

    @Test func usableConfiguration_ForgivesTheFormer() {
        var manager = Manager()
        for round in 0..<4 {
            manager.take(Self.request.replacingOccurrences(of: "02bc", with: "4001"))
            #expect(result(manager) == 3, "round \(round)")
            manager.take(Self.uselessOffer)
            if round == 1 {
                manager.take(PHDStateTableTests.configuration)
                #expect(manager.session.state == .operating)
            }
            manager.take("e40000020001")
        }
    }

    @Test func description_CanBeAskedBeforeTheConfiguration() {
        let cuff = PHDSimulatedCuff(["configuration": "extended"])
        var manager = Manager(options: ["attributes": "early"])
        manager.play(.received(cuff.associationRequest))
        #expect(manager.writes.map { String($0.prefix(12)) } == ["e300002c0003", "e700000e000c"])
        manager.play(.received(cuff.description(invoke: 1, clock: DeviceTime(year: 2026, month: 5, day: 5))))
        #expect(manager.actions.contains { if case .clock = $0 { true } else { false } })
        #expect(manager.session.state == .waitingForConfiguration)
        manager.play(.received(cuff.configurationReport(invoke: 7, id: 0x4000)))
        #expect(manager.session.state == .operating)
        // Requested once; the configuration is answered as usual.
        #expect(manager.writes.filter { $0.contains("01030006") }.count == 1)
        #expect(manager.writes.last?.hasPrefix("e700001600140007") == true)
    }

    @Test(arguments: [["configuration": "extended"], ["configuration": "extended", "store": "yes"]] as [[String: String]])
    func anAgentAskedEarly_TellsEverything(_ options: [String: String]) {
        let records = SimulatedRecord.sample(count: 3, seed: 4)
        var talk = PHDConversation(SimulatorScript(records: records, options: options), options: ["attributes": "early"])
        talk.start(.follow)
        talk.run(until: .seconds(60))
        talk.tell(.closed)
        #expect(talk.pressures == PHDLineTests.text(records, options))
        #expect(talk.clocks.count == 1)
    }
}
