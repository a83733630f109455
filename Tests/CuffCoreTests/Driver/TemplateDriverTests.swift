import Testing

@testable import CuffCore

/// The template is a complete, tested driver.
@Suite struct TemplateDriverTests {
    /// User 1: 128/82, pulse 66, 2026-05-05 07:31. A5+0E+02+00+01+80+52+42+1A+05+05+07+1F = 214.
    static let record: [UInt8] = [0xA5, 0x0E, 0x02, 0x00, 0x01, 128, 82, 66, 26, 5, 5, 7, 31, 0x14]

    @Test func theMemory_IsReadRecordByRecord() throws {
        let talk = Conversation(.template, .readMemory(user: nil))
        #expect(talk.outcome == .complete)
        #expect(talk.writes.map { Hex.text($0) } == ["a5 04 01 aa", "a5 05 02 00 ac", "a5 05 02 01 ad", "a5 05 02 02 ae"])
        #expect(talk.readings.map(\.user) == [1, 2, 1])
        let script = SimulatorScript()
        #expect(talk.readings.map(\.bloodPressure) == script.records.map { .mmHg($0.systolic, $0.diastolic, pulse: $0.pulse) })
        #expect(Conversation(.template, .readMemory(user: 2)).readings.count == 1)
    }

    @Test func aRecord_IsDecodedByItsMap() throws {
        let decoded = TemplateFrame.reading(Self.record.span)
        let reading = try #require(decoded)
        #expect(reading.bloodPressure == .mmHg(128, 82, pulse: 66))
        #expect(reading.clock == .time(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)))
        var unset = Self.record
        unset.replaceSubrange(9...13, with: [0, 5, 7, 31, 0x0F])
        let withoutClock = TemplateFrame.reading(unset.span)
        #expect(withoutClock?.clock == .unset)
    }

    @Test func inARecordingOfOtherSoftware_TheSentQuestionSaysWhatIsAnswered() {
        var session = CuffDriver.template.makeSession(SessionContext())
        #expect(session.handle(.received(Self.record)).compactMap(\.reading).isEmpty)
        _ = session.handle(.sent([0xA5, 0x05, 0x02, 0x00, 0xAC]))
        var readings: [Reading] = []
        for byte in Self.record { readings += session.handle(.received([byte])).compactMap(\.reading) }
        #expect(readings.count == 1)
    }

    @Test func eachFlippedBit_IsRefused() {
        for index in Self.record.indices {
            for bit in 0..<8 {
                var damaged = Self.record
                damaged[index] ^= 1 << UInt8(bit)
                var reader = FrameReader(TemplateFrame())
                #expect(reader.wholeFrames(of: damaged).isEmpty, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func aCuffThatIsSilent_IsAskedThreeTimes() {
        var driver = CuffDriver.template
        driver.makeSimulator = { _ in Silent() }
        let talk = Conversation(driver, .readMemory(user: nil))
        #expect(talk.writes == Array(repeating: [0xA5, 0x04, 0x01, 0xAA], count: 3))
        #expect(talk.elapsed == 3_000_000)
        #expect(talk.outcome == .noAnswer("the cuff does not answer"))
    }

    private struct Silent: CuffSimulator {
        mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] { [] }
    }

    @Test(arguments: [SessionCommand.measure, .stop, .readClock, .clear(user: nil), .readMemory(user: 3)])
    func whatItDoesNotOffer_IsRefusedUnwritten(_ command: SessionCommand) {
        let talk = Conversation(.template, command)
        #expect(talk.outcome?.isUnsupported == true)
        #expect(talk.writes.isEmpty)
    }

    @Test func theDateIsShifted_InARecordingThatIsGivenAway() throws {
        var frames = FrameReader(TemplateFrame())
        var work = Redaction.Work(days: -365)
        var items = [Self.record]
        CuffDriver.template.redaction?.rewrite(&items, .fromCuff, &work)
        let rewritten = try #require(frames.wholeFrames(of: items[0]).first)
        #expect(rewritten[8...10].elementsEqual([25, 5, 5]))
    }
}

extension SessionAction {
    fileprivate var reading: Reading? { if case .emit(let reading) = self { reading } else { nil } }
}
