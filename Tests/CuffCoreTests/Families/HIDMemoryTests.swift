import CuffCore
import Testing

/// Properties of Beurer's, Microlife's and Contec's memories.
@Suite struct HIDMemoryTests {
    @Test func beurer_SaysWhenItIsNotInPCMode() {
        let talk = HIDConversation(.beurerHID, .readMemory(user: nil), SimulatorScript(options: ["pc-mode": "no"]))
        #expect(talk.outcome == .noAnswer("the cuff is not in PC mode: unplug it and plug it in again"))
        #expect(talk.writes.count == 3)
    }

    @Test func beurer_TellsItsName() {
        let talk = HIDConversation(.beurerHID, .information)
        #expect(talk.identities.map(\.model) == ["ANDON BPM USB 08"])
    }

    @Test func beurer_YearBitsThatTheSourcesDispute_MakeTheTimeImpossible() {
        #expect(Self.beurer([103, 57, 71, 5, 5, 7, 31, 0x3A]).map(\.clock) == [.impossible(nil)])
        #expect(Self.beurer([103, 57, 71, 0x70, 0x60, 7, 31, 0x1A]).map(\.clock) == [.unset])
    }

    @Test func beurer_AnswersToOtherQuestionsAreNoRecords() {
        for first: UInt8 in [0x55, 0x02, 0xA9] {
            #expect(Self.beurer([first] + Array(repeating: 0xF4, count: 7)).isEmpty)
        }
    }

    /// The answer for a missing record, followed by stale bytes of the previous report.
    @Test func beurer_StaleBytesBehindNoRecordAreNone() {
        var session = CuffDriver.beurerHID.makeSession(SessionContext())
        var count = 0
        for (index, report) in [[103, 57, 71, 5, 5, 7, 31, 26], [0xA9, 57, 71, 5, 5, 7, 31, 26]].enumerated()
            as EnumeratedSequence<[[UInt8]]>
        {
            _ = session.handle(.sent([0xA3, UInt8(index + 1), 0xF4, 0xF4, 0xF4, 0xF4, 0xF4, 0xF4]))
            for action in session.handle(.received(report)) { if case .emit = action { count += 1 } }
        }
        #expect(count == 1)
    }

    private static func beurer(_ report: [UInt8]) -> [Reading] {
        var session = CuffDriver.beurerHID.makeSession(SessionContext())
        _ = session.handle(.sent([0xA3, 0x01, 0xF4, 0xF4, 0xF4, 0xF4, 0xF4, 0xF4]))
        return session.handle(.received(report)).compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }

    @Test func microlife_SetsTheClockAsRecorded() {
        // 22-07-18 11:18:12, from the reader's notes.
        let talk = HIDConversation(
            .microlifeHID, .setClock(DeviceTime(year: 2022, month: 7, day: 18, hour: 11, minute: 18, second: 12)))
        #expect(talk.writes == [[0x0C, 0x4D, 0xFF, 0x00, 0x08, 0x0D, 0x16, 0x07, 0x12, 0x0B, 0x12, 0x0C, 0xB9]])
        #expect(talk.outcome == .complete)
        #expect(talk.notes == ["the clock was set to 16 07 12 0b 12 0c"])
    }

    @Test func microlife_ReadsNothingFromHalfAnAnswer() {
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 30, seed: 8))
        for seed in 0..<40 as Range<UInt64> {
            let talk = HIDConversation(
                .microlifeHID, .readMemory(user: nil), script, faults: HIDConversation.Faults(seed: seed, lost: 2))
            #expect(talk.readings.isEmpty || talk.readings.count == 30, "seed \(seed)")
        }
    }

    @Test func contec_SaysWhenItIsSwitchedOff() {
        let talk = HIDConversation(.contec08A, .readMemory(user: 1), SimulatorScript(options: ["power": "off"]))
        #expect(talk.outcome == .failed("the cuff is switched off: switch it on and try again"))
    }

    @Test func contec_FlagsWhatIsOnlyInferred() {
        let time = DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)
        let records = [
            SimulatedRecord(127, 80, mean: 95, pulse: 60, time: time),
            SimulatedRecord(128, 80, mean: 96, pulse: 61, time: time),
            SimulatedRecord(190, 128, mean: 127, pulse: 62, time: time),
            SimulatedRecord(190, 127, mean: 128, pulse: 63, time: time),
            SimulatedRecord(190, 127, mean: 127, pulse: 128, time: time),
            SimulatedRecord(255, 127, mean: 127, pulse: 127, time: time),
        ]
        let talk = HIDConversation(.contec08A, .readMemory(user: 1), SimulatorScript(records: records))
        #expect(talk.readings.map(HIDConversation.summary) == records.map(HIDConversation.summary))
        #expect(talk.readings.map { $0.flags.contains(.questionable) } == [true, false, true, true, true, false])
    }

    @Test func contec_RecordsWithoutTheirEighthBitAreNone() {
        var session = CuffDriver.contec08A.makeSession(SessionContext())
        let header: [UInt8] = [0x46, 0x41, 0x80, 0x80, 0x83, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x81]
        let record: [UInt8] = [0x82, 0x80, 0x94, 0xD5, 0xC8, 0xE9, 0x97, 0x85, 0x80, 0x81, 0x8D, 0x89, 0x80, 0x91]
        let rest = [UInt8](repeating: 0, count: 50)
        #expect(session.handle(.received(record + rest)).allSatisfy { if case .emit = $0 { false } else { true } })
        _ = session.handle(.received(header + rest))
        var damaged = record
        damaged[3] = 0x55
        var count = 0
        for report in [damaged + rest, record + [1] + rest.dropFirst(), record + rest, record + rest] {
            for action in session.handle(.received(report)) { if case .emit = action { count += 1 } }
        }
        // Two are damaged, one is good, the fourth exceeds the announced number.
        #expect(count == 1)
    }
}
