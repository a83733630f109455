import Testing

@testable import CuffCore

/// The Veroval duo control: text without a check, and a port that its only reader opens for each command.
@Suite struct VerovalDuoTests {
    private static let record = "1903040715113108406800001"

    /// Other software's conversation; the pieces are sent and received as given.
    private static func replay(_ lines: [(isHost: Bool, bytes: [UInt8])]) -> [Reading] {
        var session = CuffDriver.verovalDuo.makeSession(SessionContext())
        var readings: [Reading] = []
        for (isHost, bytes) in lines {
            for case .emit(let reading) in session.handle(isHost ? .sent(bytes) : .received(bytes)) { readings.append(reading) }
        }
        for case .emit(let reading) in session.handle(.closed) { readings.append(reading) }
        return readings
    }

    private static func exchange(_ command: String, _ answer: String) -> [(isHost: Bool, bytes: [UInt8])] {
        [(true, [2] + Array(command.utf8) + [3]), (false, [6]), (true, [5]), (false, Array(answer.utf8))]
    }

    private static func readings(_ records: String, number: String? = nil) -> [Reading] {
        replay((number.map { exchange("?MRN1", "xxxxx\($0)") } ?? []) + exchange("?MDR1A", "xxxxx\(records)"))
    }

    @Test func record_IsReadColumnByColumn() throws {
        let reading = try #require(Self.readings(Self.record, number: "001").first)
        #expect(reading.bloodPressure == .mmHg(131, 84, pulse: 68))
        #expect(reading.clock == .time(DeviceTime(year: 2019, month: 3, day: 4, hour: 7, minute: 15)))
        #expect(reading.user == 1 && reading.flags == .noMeasurementCheck && reading.origin == .memory)
    }

    private static let marks: [(Int, Character, MeasurementFlags)] = [
        (10, "0", .irregularPulse), (20, "1", .bodyMovement), (21, "1", .cuffLoose), (22, "1", .qualityNoted), (23, "1", []),
        (24, "0", .questionable), (20, "7", .qualityNoted), (10, " ", .qualityNoted),
    ]

    @Test(arguments: marks.indices)
    func flags_StandInTheirPlaces(_ index: Int) {
        let (place, digit, flag) = Self.marks[index]
        var text = Array(Self.record)
        text[place] = digit
        #expect(Self.readings(String(text)).map(\.flags) == [flag.union(.noMeasurementCheck)])
    }

    /// A character that is not a digit, or an impossible date, invalidates the whole answer.
    @Test func recordThatCannotBe_SpoilsTheAnswer() {
        for place in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19] {
            for character in ["x", " ", "-", "\u{0}"] as [Character] {
                var text = Array(Self.record)
                text[place] = character
                #expect(Self.readings(Self.record + String(text)).isEmpty, "`\(character)` at \(place)")
            }
        }
        for stamp in ["1913040715", "1902300715", "1903042415", "1903040760", "1903000715"] {
            #expect(Self.readings(Self.record + stamp + Self.record.dropFirst(10)).isEmpty, "\(stamp)")
        }
        #expect(Self.readings("1900000000" + Self.record.dropFirst(10)).map(\.clock) == [.unset])
    }

    @Test func lengthAndNumberMustFit() {
        #expect(Self.readings(Self.record, number: "002").isEmpty)
        #expect(Self.readings(Self.record + Self.record, number: "001").isEmpty)
        #expect(Self.readings(String(Self.record.dropLast()), number: "001").isEmpty)
        #expect(Self.readings(Self.record + "0", number: "001").isEmpty)
        #expect(Self.readings(String(Self.record.dropFirst())).isEmpty)
        // An invalid number differs from one that was not requested.
        #expect(Self.readings(Self.record, number: "0x1").isEmpty)
        #expect(Self.readings(Self.record, number: "01").isEmpty)
        #expect(Self.readings(Self.record).count == 1)
        // Equal records stay two.
        #expect(Self.readings(Self.record + Self.record, number: "002").map(\.occurrence) == [0, 1])
    }

    @Test func readersWritesOneByOne_AreUnderstood() {
        let pieces = Self.exchange("?MRN2", "xxxxx001") + Self.exchange("?MDR2A", "xxxxx\(Self.record)")
        let single = pieces.flatMap { line in line.bytes.map { (isHost: line.isHost, bytes: [$0]) } }
        #expect(Self.replay(single).map(\.user) == [2])
    }

    @Test func withoutAcceptance_NothingIsRead() {
        var lines = Self.exchange("?MDR1A", "xxxxx\(Self.record)")
        lines[1].bytes = [0x15]
        #expect(Self.replay(lines).isEmpty)
        lines[1].bytes = [0x07]
        #expect(Self.replay(lines).isEmpty)
        #expect(Self.replay(Self.exchange("?MDX1A", "xxxxx\(Self.record)")).isEmpty)
    }

    @Test func memory_IsThatOfTheCuff() {
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 21, seed: 4))
        for user in [nil, 1, 2] {
            let talk = Conversation(.verovalDuo, .readMemory(user: user), script: script)
            let held = (1...2).flatMap { owner in script.records.filter { $0.user == owner && (user ?? owner) == owner } }
            #expect(talk.outcome == .complete)
            #expect(talk.readings.map(HIDConversation.summary) == held.map(HIDConversation.summary))
            #expect(talk.readings.map { Int($0.user ?? 0) } == held.map(\.user))
        }
    }

    @Test func deviceThatWantsItsPortReopened_IsNamed_AndReadUserByUser() {
        let script = SimulatorScript(options: ["reopen": "yes"])
        let talk = Conversation(.verovalDuo, .readMemory(user: 1), script: script)
        #expect(talk.readings.isEmpty)
        #expect(talk.outcome?.sentence?.contains("--option count=no") == true, "\(talk.outcome as Any)")
        let alone = Conversation(
            .verovalDuo, .readMemory(user: 1), script: script, context: SessionContext(options: ["count": "no"]))
        #expect(alone.outcome == .complete)
        #expect(alone.readings.count == script.records.count { $0.user == 1 })
    }

    @Test func refusalAndSilence_AreSaid() {
        let refused = Conversation(.verovalDuo, .readMemory(user: 2), script: SimulatorScript(options: ["refuse": "yes"]))
        #expect(refused.outcome == .failed("the cuff refused ?MRN2"))
        let silent = Conversation(.verovalDuo, .readMemory(user: nil), faultRate: 0, script: nil)
        #expect(silent.outcome == .noAnswer("the cuff does not answer"))
        #expect(silent.writes.count == 3)
    }

    @Test func endlessBytes_AreNotKept() {
        var session = CuffDriver.verovalDuo.makeSession(SessionContext())
        _ = session.handle(.sent(VerovalDuoCommand.records(user: 1).bytes))
        _ = session.handle(.received([6]))
        _ = session.handle(.sent([5]))
        for _ in 0..<2000 { _ = session.handle(.received(Array(Self.record.utf8))) }
        let actions = session.handle(.closed)
        #expect(!actions.contains { if case .emit = $0 { true } else { false } })
        #expect(actions.contains { if case .report(.skipped(VerovalDuoAnswer.maximumLength + 1, _)) = $0 { true } else { false } })
    }
}
