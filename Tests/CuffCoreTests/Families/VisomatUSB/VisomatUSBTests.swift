import Testing

@testable import CuffCore

/// The memory of a Visomat Double Comfort: text without a check, whose counts must agree to the last character.
@Suite struct VisomatUSBTests {
    private static let record = "19030407150131084068"

    private static func readings(_ text: String, chunk: Int = 64) -> [Reading] {
        var session = CuffDriver.visomatUSB.makeSession(SessionContext())
        var actions = session.handle(.sent(VisomatFrame.question))
        let frame = VisomatFrame.encode(Array(text.utf8))
        for start in stride(from: 0, to: frame.count, by: chunk) {
            actions += session.handle(.received(Array(frame[start..<min(start + chunk, frame.count)])))
        }
        actions += session.handle(.closed)
        return actions.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }

    @Test func record_IsReadColumnByColumn() throws {
        let reading = try #require(Self.readings("M101\(Self.record)M2001").first)
        #expect(reading.bloodPressure == .mmHg(131, 84, pulse: 68))
        #expect(reading.clock == .time(DeviceTime(year: 2019, month: 3, day: 4, hour: 7, minute: 15)))
        #expect(reading.user == 1 && reading.flags == .noMeasurementCheck && reading.origin == .memory)
        #expect(reading.raw.array == Array(Self.record.utf8))
    }

    /// The two dates that the printed dump has where the clock was never set, a date of no calendar, and a pressure of 000.
    @Test func absences_AreNoNumbers() {
        let stamps = ["4406011320", "1001011203", "1902300715"].map { "\($0)0131084000" }
        let readings = Self.readings("M103\(stamps.joined())")
        #expect(
            readings.map(\.clock) == [
                .impossible(DeviceTime(year: 2044, month: 6, day: 1, hour: 13, minute: 20)),
                .time(DeviceTime(year: 2010, month: 1, day: 1, hour: 12, minute: 3)),
                .impossible(DeviceTime(year: 2019, month: 2, day: 30, hour: 7, minute: 15)),
            ])
        #expect(readings.allSatisfy { $0.bloodPressure?.systolic == .mmHg(131) && $0.bloodPressure?.pulse == nil })
        #expect(Self.readings("M10119030407150000084068").map(\.content) == [.failure(.init(.noValue))])
    }

    @Test func emptyBlock_MayHaveOneMoreCharacter() {
        for text in ["M1001M201\(Self.record)", "M100M201\(Self.record)", "M201\(Self.record)"] {
            #expect(Self.readings(text).map(\.user) == [2], "\(text)")
        }
        #expect(Self.readings("M1001M2001").isEmpty && Self.readings("M100M200").isEmpty)
    }

    /// Whatever is not blocks of digits to the last character gives nothing, also not the records before it.
    @Test(arguments: [
        "M102\(record)", "M101\(record)0", "M101\(record)\(record)", "M101\(record.dropLast())", "M101\(record.dropLast())x",
        "101\(record)",
        "M301\(record)", "M001\(record)", "M1x1\(record)", "M201\(record)M101\(record)", "M101\(record)M101\(record)", "M10011",
        "m101\(record)", "",
    ])
    func otherText_GivesNothing(_ text: String) {
        #expect(Self.readings(text).isEmpty)
    }

    @Test func equalRecords_StayTwo_InAnyChunking() {
        for chunk in [1, 7, 64, 1000] {
            #expect(Self.readings("M102\(Self.record)\(Self.record)M2001", chunk: chunk).map(\.occurrence) == [0, 1])
        }
    }

    @Test func answerToAnotherQuestion_IsNotRead() {
        var session = CuffDriver.visomatUSB.makeSession(SessionContext())
        var actions = session.handle(.sent(VisomatFrame.encode(Array("R02".utf8))))
        actions += session.handle(.received(VisomatFrame.encode(Array("M101\(Self.record)".utf8))))
        #expect(!actions.contains { if case .emit = $0 { true } else { false } })
        #expect(actions.contains { if case .report(.ignored("an answer to no question", _)) = $0 { true } else { false } })
    }

    @Test func memory_IsThatOfTheCuff() {
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 21, seed: 4))
        for user in [nil, 1, 2] {
            let talk = Conversation(.visomatUSB, .readMemory(user: user), script: script)
            let held = (1...2).flatMap { owner in script.records.filter { $0.user == owner && (user ?? owner) == owner } }
            #expect(talk.outcome == .complete)
            #expect(talk.readings.map(HIDConversation.summary) == held.map(HIDConversation.summary))
            #expect(talk.writes == [VisomatFrame.question])
        }
    }

    /// 99 records of each user: no longer answer is waited for.
    @Test func fullMemory_IsTheLongestFrame() {
        let full = (1...2).map { "M\($0)99" + String(repeating: Self.record, count: 99) }.joined()
        #expect(Self.readings(full).count == 198)
        #expect(VisomatFrame.encode(Array(full.utf8)).count == VisomatFrame.maximumLength)
    }

    @Test func silence_IsAskedThreeTimes() {
        let talk = Conversation(.visomatUSB, .readMemory(user: nil), faultRate: 0, script: nil)
        #expect(talk.outcome == .noAnswer("the cuff does not answer"))
        #expect(talk.writes == [VisomatFrame.question, VisomatFrame.question, VisomatFrame.question])
    }

    @Test func storedRecord_IsDecodedAnew_WithItsUser() throws {
        let stored = try #require(Self.readings("M201\(Self.record)").first)
        #expect(RecordDecoding.verdict(on: stored, by: .visomatUSB) == .same)
    }
}
