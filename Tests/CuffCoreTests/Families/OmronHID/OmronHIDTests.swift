import CuffCore
import Testing

@Suite struct OmronHIDTests {
    @Test func refusals_AreAskedAgainUntilTheRecordComes() {
        let script = SimulatorScript(
            records: SimulatedRecord.sample(count: 4, seed: 2), options: ["refusals": "4", "not-ready": "3"])
        let talk = HIDConversation(.omronHID, .readMemory(user: nil), script)
        #expect(talk.outcome == .complete)
        #expect(talk.readings.count == 4)
    }

    @Test func refusedFiveTimes_IsARecordNotRead() {
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 4, seed: 2), options: ["refusals": "9"])
        let talk = HIDConversation(.omronHID, .readMemory(user: nil), script)
        #expect(talk.outcome == .failed("4 records could not be read"))
        #expect(talk.readings.isEmpty)
    }

    @Test func mesVariant_ReadsClockMemoryAndErasesLast() {
        var script = SimulatorScript(records: SimulatedRecord.sample(count: 3, seed: 2), options: ["variant": "mes"])
        script.clock = DeviceTime(year: 2026, month: 5, day: 6, hour: 8, minute: 0, second: 1)
        let clock = HIDConversation(.omronHID, .readClock, script)
        #expect(clock.clocks == [script.clock])
        let memory = HIDConversation(.omronHID, .readMemory(user: nil), script)
        #expect(memory.readings.count == 3)
        #expect(memory.readings.allSatisfy { $0.user == nil })
        #expect(!memory.notes.contains("erased"))
        let erasure = HIDConversation(.omronHID, .clear(user: nil), script)
        #expect(erasure.outcome == .complete)
        #expect(erasure.readings.count == 3)
        #expect(erasure.notes == ["erased", "switched off"])
    }

    @Test func erasing_WaitsForTheCommit() {
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 3, seed: 2), options: ["variant": "mes"])
        let talk = HIDConversation(.omronHID, .clear(user: nil), script, commits: false)
        #expect(talk.readings.count == 3)
        #expect(talk.notes == ["switched off"])
        #expect(talk.outcome == .aborted("nothing was erased: the readings were not stored in time"))
    }

    @Test func commandsOfTheOtherVariant_AreUnsupported() {
        for command in [
            SessionCommand.readClock, .clear(user: nil), .setClock(DeviceTime(year: 2026, month: 1, day: 1)),
            .readMemory(user: 3),
        ] {
            let talk = HIDConversation(.omronHID, command)
            guard case .unsupported? = talk.outcome else {
                Issue.record("\(command): \(String(describing: talk.outcome))")
                continue
            }
            #expect(talk.writes.isEmpty)
        }
    }

    @Test func information_NamesTheModel() {
        let talk = HIDConversation(.omronHID, .information)
        #expect(talk.identities == [DeviceIdentity(manufacturer: "Omron", model: "M7080IT 207")])
        #expect(talk.readings.isEmpty)
    }

    /// The same answer belongs to nothing when nobody asked, and to the record only when the record was asked for.
    @Test func answer_CountsOnlyForItsQuestion() {
        let answer: [[UInt8]] = [
            [7, 0x4F, 0x4B, 0, 7, 1, 1, 0], [7, 6, 0x26, 0, 0, 0x7B, 0x4E, 0x57], [3, 0, 0, 0x45, 0, 0x7B, 0x4E, 0x57],
        ]
        let record: [[UInt8]] = [[7, 0x47, 0x4D, 0x45, 0, 0, 0, 0], [1, 0, 0x4D, 0x45, 0, 0, 0, 0]]
        let version: [[UInt8]] = [[5, 0x56, 0x45, 0x52, 0x30, 0x30, 0, 0]]
        #expect(
            Self.readings(sent: record, received: answer).map(HIDConversation.summary) == ["123.0/78.0 87 2007-1-1 0:6"])
        #expect(Self.readings(sent: version, received: answer).isEmpty)
        #expect(Self.readings(sent: [], received: answer).isEmpty)
        #expect(Self.readings(sent: [record[0]], received: answer).isEmpty)
        // Unpadded, as one reader writes.
        #expect(Self.readings(sent: [record[0], [1, 0]], received: answer).count == 1)
    }

    @Test func versionAnswer_IsNeverARecord() {
        let answer: [[UInt8]] = [
            [7, 0x4F, 0x4B, 0, 0x4D, 0x37, 0x30, 0x38], [7, 0x30, 0x49, 0x54, 0x20, 0x32, 0x30, 0x37],
            [1, 0x4A, 0, 0, 0, 0, 0, 0],
        ]
        let version: [[UInt8]] = [[5, 0x56, 0x45, 0x52, 0x30, 0x30, 0, 0]]
        #expect(Self.readings(sent: version, received: answer).isEmpty)
        #expect(Self.readings(sent: [], received: answer).isEmpty)
    }

    private static func readings(sent: [[UInt8]], received: [[UInt8]]) -> [Reading] {
        var session = CuffDriver.omronHID.makeSession(SessionContext())
        var actions = session.handle(.opened) + session.handle(.command(.follow))
        for report in sent { actions += session.handle(.sent(report)) }
        for report in received { actions += session.handle(.received(report)) }
        return actions.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }
}
