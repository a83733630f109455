import Testing

@testable import CuffCore

@Suite struct R1Tests {
    private let enquiry: [UInt8] = [0x02, 0x05, 0x03, 0x0A]
    private let acknowledgement: [UInt8] = [0x02, 0x06, 0x03, 0x0B]
    private let result = R1Frame.encode(Array("R1,000000000,260505,073110,128,097,082,071,0000,0000,00000,000".utf8))

    @Test func hostPackets_AreThePublishedOnes() {
        #expect(R1Frame.encode([R1Frame.enq]) == enquiry)
        #expect(R1Frame.encode([R1Frame.ack]) == acknowledgement)
        #expect(R1Frame.encode([R1Frame.version]) == [0x02, 0x56, 0x03, 0x5B])
    }

    private func message(_ body: String) -> R1Message {
        R1Session.message(R1Frame.encode(Array(body.utf8)).span, origin: .memory)
    }

    private func writes(_ actions: [SessionAction]) -> [[UInt8]] {
        actions.compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
    }

    @Test func acknowledgement_WaitsForTheCommit() {
        var session = R1Session(SessionContext())
        #expect(writes(session.handle(.command(.readMemory(user: nil)))) == [enquiry])
        _ = session.handle(.sent(enquiry))
        #expect(writes(session.handle(.received(result))).isEmpty)
        #expect(writes(session.handle(.committed(through: 0))).isEmpty)
        #expect(writes(session.handle(.committed(through: 1))) == [acknowledgement])
    }

    @Test func slashForm_IsAcknowledgedAfterCommitAndEOT_InEitherOrder() {
        let slashed = R1Frame.encode(Array("0000,26/05/05,07/31,131,098,084,066,0,0,0,0,0,0".utf8))
        let end = R1Frame.encode([R1Frame.eot])
        for isCommittedFirst in [true, false] {
            var session = R1Session(SessionContext())
            _ = session.handle(.command(.readMemory(user: nil)))
            _ = session.handle(.received(slashed))
            let first = session.handle(isCommittedFirst ? .committed(through: 1) : .received(end))
            #expect(writes(first).isEmpty)
            let second = session.handle(isCommittedFirst ? .received(end) : .committed(through: 1))
            #expect(writes(second) == [acknowledgement])
        }
    }

    @Test func slashForm_WithoutEOT_IsNotAcknowledged() {
        var session = R1Session(SessionContext())
        _ = session.handle(.command(.readMemory(user: nil)))
        _ = session.handle(.received(R1Frame.encode(Array("0000,26/05/05,07/31,131,098,084,066,0,0,0,0,0,0".utf8))))
        _ = session.handle(.committed(through: 1))
        let actions = session.handle(.timerFired(.silence))
        #expect(writes(actions).isEmpty)
        #expect(actions.contains { if case .finish(.complete) = $0 { true } else { false } })
    }

    @Test func keep_NeverAcknowledges() {
        let talk = Conversation(.r1, .readMemory(user: nil), context: SessionContext(options: ["keep": "yes"]))
        #expect(talk.outcome == .complete && talk.readings.count == 1)
        #expect(talk.writes == [enquiry])
    }

    @Test func following_WritesNothing_UnlessPolling() {
        let quiet = Conversation(.r1, .follow, closesAfter: .seconds(10))
        #expect(quiet.writes.isEmpty)
        let polling = Conversation(.r1, .follow, context: SessionContext(options: ["poll": "yes"]), closesAfter: .seconds(10))
        #expect(polling.readings.count == 1)
        #expect(polling.writes.contains(acknowledgement))
        #expect(polling.writes.count { $0 == enquiry } == 10)
    }

    @Test func terumo_IsFollowedAndNotAcknowledged() {
        let script = SimulatorScript(options: ["variant": "terumo"])
        let talk = Conversation(.r1, .follow, script: script, closesAfter: .seconds(10))
        #expect(talk.readings.count == 3 && talk.writes.isEmpty)
        FaultyLineTests.expectTrue(talk.readings, .r1)
    }

    @Test func variants_OnABadLine_GiveNoWrongNumber() {
        for variant in ["bp250", "terumo"] {
            for seed in FaultyLineTests.seeds {
                let script = SimulatorScript(options: ["variant": variant])
                let command: SessionCommand = variant == "terumo" ? .follow : .readMemory(user: nil)
                let talk = Conversation(.r1, command, script: script, faultRate: 0.01, seed: seed, closesAfter: .seconds(90))
                #expect(talk.outcome != nil)
                FaultyLineTests.expectTrue(talk.readings, .r1, "\(variant), seed \(seed)")
            }
        }
    }

    @Test(arguments: [
        "R1,000000000,260505,073110,128,097,082", "R1,000000000,260505,073110,1280,097,082,071,0000,0000,00000,000",
        "R1,00000000,260505,073110,128,097,082,071,0000,0000,00000,000", "R1,000000000,26050,073110,128,097,082,071,0000,0000,00000,000",
        "R2,000000000,260505,073110,128,097,082,071,0000,0000,00000,000", "R1,000000000,260505,073110,128,097,082,071,0000,0000,00000,abc",
        "0000,26-05-05,07/31,131,098,084,066,0", "000,26/05/05,07/31,131,098,084,066,0", "0000,26/05/05,07/31,131,098,84,066,0",
    ])
    func otherText_IsNoResult(_ body: String) {
        guard case .text = message(body) else {
            Issue.record("\(body) was read")
            return
        }
    }

    @Test func impossibleDate_IsNamed() throws {
        guard case .result(let reading, _) = message("R1,000000000,261305,073110,128,097,082,071,0000,0000,00000,000") else {
            Issue.record("not read")
            return
        }
        #expect(reading.clock.time == nil && reading.bloodPressure == .mmHg(128, 82, mean: 97, pulse: 71))
    }

    @Test func failedMeasurement_IsNoReading() {
        let record = SimulatedRecord(128, 82, mean: 97, pulse: 71, time: DeviceTime(year: 2026, month: 5, day: 5), failure: .movement)
        let talk = Conversation(.r1, .readMemory(user: nil), script: SimulatorScript(records: [record]))
        #expect(talk.readings.isEmpty && talk.outcome == .complete)
    }
}
