import Testing

@testable import CuffCore

/// Setting the clock of an agent, with the action for its kind of clock.
@Suite struct PHDClockTests {
    private static let summer = DeviceTime(year: 2026, month: 7, day: 1, hour: 12, minute: 0, second: 0, utcOffset: 120)

    private func set(_ options: [String: String], _ time: DeviceTime) -> PHDConversation {
        var talk = PHDConversation(SimulatorScript(records: [], options: options))
        talk.start(.setClock(time))
        talk.run()
        return talk
    }

    private func actions(_ talk: PHDConversation) -> [UInt16] {
        talk.managerWrites.compactMap { $0.span.bigEndian16(8) == PHDMessage.confirmedAction ? $0.span.bigEndian16(14) : nil }
    }

    /// 2026-07-01T12:00+02:00 is 10:00 UTC: 1782900000 + 2208988800 = 3991888800 = EDEF63A0 seconds since 1900, +120 minutes.
    @Test func baseOffsetClock_IsSetWithItsOwnAction() {
        let talk = set(["time": "base-offset"], Self.summer)
        #expect(talk.outcome == .complete, "\(talk.notes)")
        #expect(actions(talk) == [PHDAction.setBaseOffsetTime])
        let written = talk.managerWrites.first { $0.span.bigEndian16(14) == PHDAction.setBaseOffsetTime }
        #expect(written.map { Array($0.dropFirst(18)) } == [0xED, 0xEF, 0x63, 0xA0, 0, 0, 0, 120])
    }

    @Test func absoluteClock_IsSetWithSetTime() {
        let talk = set([:], Self.summer)
        #expect(talk.outcome == .complete, "\(talk.notes)")
        #expect(actions(talk) == [PHDAction.setTime])
    }

    /// The last reported time is the one after setting.
    @Test(arguments: ["absolute", "base-offset"]) func theNewTime_IsReadBack(_ time: String) {
        let talk = set(["time": time], Self.summer)
        #expect(talk.clocks.count == 2)
        // 2026-05-05T07:31:10 is the simulated agent's own time.
        #expect(talk.clocks.first?.month == 5)
        #expect(talk.clocks.last.map { ($0.month, $0.day, $0.hour, $0.minute) }.map { "\($0)" } == "(7, 1, 12, 0)")
        // The agent's wish is no longer remembered.
        #expect(talk.remembered.allSatisfy { $0.value != [1] || !$0.key.hasPrefix("wants-clock") })
    }

    /// The answer to the second request is lost, but the clock was set.
    @Test func whatIsNotReadBack_IsSetAllTheSame() {
        var talk = PHDConversation(SimulatorScript(records: []))
        var descriptions = 0
        talk.fault = { fromAgent, _, bytes in
            guard fromAgent, bytes.span.bigEndian16(8) == PHDMessage.getResult else { return [bytes] }
            descriptions += 1
            return descriptions == 2 ? [] : [bytes]
        }
        talk.start(.setClock(Self.summer))
        talk.run()
        #expect(talk.outcome == .complete)
    }

    /// The month of the request is damaged on its way: the agent agrees to set another time, and shows it.
    @Test func anotherTimeThanWasSent_IsNotSaidToBeSet() {
        var talk = PHDConversation(SimulatorScript(records: []))
        talk.fault = { fromAgent, _, bytes in
            guard !fromAgent, bytes.span.bigEndian16(14) == PHDAction.setTime else { return [bytes] }
            var damaged = bytes
            damaged[20] = 0x08  // 20 26 07: the year is in bytes 18 and 19
            return [damaged]
        }
        talk.start(.setClock(Self.summer))
        talk.run()
        #expect(talk.clocks.last?.month == 8)
        #expect(talk.outcome == .failed("the agent's clock does not show the time that was sent"))
    }

    @Test func baseOffsetClock_NeedsAZone() {
        var bare = Self.summer
        bare.utcOffset = nil
        let talk = set(["time": "base-offset"], bare)
        guard case .unsupported = talk.outcome else {
            Issue.record("\(String(describing: talk.outcome))")
            return
        }
        #expect(actions(talk).isEmpty)
    }

    /// The simulated agent refuses the action of the other kind of clock: ROER 9, no such action.
    @Test(arguments: [("base-offset", PHDAction.setTime), ("absolute", PHDAction.setBaseOffsetTime)])
    func simulatedAgent_RefusesTheOtherAction(_ time: String, _ action: UInt16) {
        var agent = PHDSimulator(SimulatorScript(records: [], options: ["time": time]))
        _ = agent.handle(.opened)
        _ = agent.handle(.received(PHDManagerAPDU.associationResponse(result: 0, manager: [1, 2, 3, 4, 5, 6, 7, 8])))
        let request = PHDManagerAPDU.action(invoke: 5, handle: 0, action) { $0.append([0xED, 0xEF, 0x63, 0xA0, 0, 0, 0, 120, 0, 0, 0, 0]) }
        let answers = agent.handle(.received(request)).compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
        #expect(answers == [PHDManagerAPDU.error(invoke: 5, 9)])
    }

    /// Right invoke-id and message, but another action: no confirmation that the clock was set.
    @Test func answerOfAnotherAction_IsNotSet() {
        let cuff = PHDSimulatedCuff([:])
        var manager = PHDVectorTests.Manager(.setClock(Self.summer))
        manager.play(.received(cuff.associationRequest))
        manager.play(.received(cuff.description(invoke: 1, clock: Self.summer)))
        #expect(manager.writes.last?.contains("01070012") == true)
        manager.play(.received(cuff.actionResult(invoke: 2, 0, PHDAction.clearSegments)))
        manager.take("e50000020000")
        #expect(manager.outcome == .failed("the agent did not say that it set its clock"))
    }

    @Test func clearingAnsweredByAnotherAction_IsNotCleared() {
        var talk = PHDConversation(SimulatorScript(records: SimulatedRecord.sample(count: 2, seed: 3), options: ["store": "yes"]))
        talk.fault = { fromAgent, _, bytes in
            // The answer to SEG_CLR with the action of SEG_GET_INFO.
            guard fromAgent, bytes.count == 18, bytes.span.bigEndian16(14) == PHDAction.clearSegments else { return [bytes] }
            var other = bytes
            other[15] = 0x0D
            return [other]
        }
        talk.start(.clear(user: nil))
        talk.run()
        #expect(talk.outcome == .failed("the agent did not say that it cleared its store"))
    }
}
