import Testing

@testable import CuffCore

@Suite struct BeurerSerialTests {
    private func read(_ bytes: [UInt8]) -> Reading? { BeurerSerialSession.reading(bytes.span) }

    @Test func record_IsDecodedAsTheReadersDo() throws {
        // The worked example of four readers: 129/82, 66, 2013-11-03 07:42.
        let bytes: [UInt8] = [0xAC, 0x68, 0x39, 0x42, 0x0B, 0x03, 0x07, 0x2A, 0x0D]
        let reading = try #require(read(bytes))
        #expect(reading.bloodPressure == .mmHg(129, 82, pulse: 66))
        #expect(reading.clock == .time(DeviceTime(year: 2013, month: 11, day: 3, hour: 7, minute: 42)))
        #expect(reading.flags == .noMeasurementCheck)
        for length in 0..<9 { #expect(read(Array(bytes.prefix(length))) == nil) }
    }

    @Test func topBits_DoNotReachTheDate() throws {
        let bytes: [UInt8] = [0xAC, 0x68, 0x39, 0x42, 0x8B, 0x83, 0x07, 0x2A, 0x8D]
        let reading = try #require(read(bytes))
        #expect(reading.clock == .time(DeviceTime(year: 2013, month: 11, day: 3, hour: 7, minute: 42)))
    }

    @Test func sleepingCuff_IsWokenAFewTimes_ThenLeft() {
        let woken = Conversation(.beurerSerial, .readMemory(user: nil), script: SimulatorScript(options: ["asleep": "5"]))
        #expect(woken.outcome == .complete && woken.readings.count == 3)
        let left = Conversation(.beurerSerial, .readMemory(user: nil), script: SimulatorScript(options: ["asleep": "99"]))
        #expect(left.writes == Array(repeating: [0xAA], count: 15))
        guard case .noAnswer = left.outcome else {
            Issue.record("\(String(describing: left.outcome))")
            return
        }
    }

    /// A9 twice for the second of three records: it is left out, and the third is read.
    @Test func recordThatIsNotGiven_IsPassedOver_AndSaid() {
        var session = CuffDriver.beurerSerial.makeSession(SessionContext())
        var waiting = session.handle(.command(.readMemory(user: nil)))
        var (asked, readings, outcome) = ([UInt8](), [Reading](), Outcome?.none)
        while !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .write(let question):
                var answer: [UInt8] = []
                switch question[0] {
                case 0xAA: answer = [0x55]
                case 0xA4: answer = [UInt8](repeating: 0x41, count: 32)
                case 0xA2: answer = [3]
                default:
                    asked.append(question[1])
                    answer = question[1] == 2 ? [0xA9] : [0xAC, 0x68, 0x39, 0x42, 0x0B, question[1], 0x07, 0x2A, 0x0D]
                }
                waiting += session.handle(.sent(question)) + session.handle(.received(answer))
            case .emit(let reading): readings.append(reading)
            case .arm(.silence, _): waiting += session.handle(.timerFired(.silence))
            case .finish(let end): outcome = end
            default: break
            }
        }
        #expect(asked == [1, 2, 2, 3])
        #expect(readings.map(\.clock.time?.day) == [1, 3])
        #expect(outcome == .failed("1 record could not be read"))
    }

    @Test func verify_AsksForEachRecordTwice() {
        let context = SessionContext(options: ["verify": "yes"])
        let talk = Conversation(.beurerSerial, .readMemory(user: nil), context: context)
        #expect(talk.readings.count == 3)
        #expect(talk.writes.filter { $0.first == 0xA3 }.map { $0[1] } == [1, 1, 2, 2, 3, 3])
    }

    /// There is no check, but a record read twice is wrong only if the same damage occurs twice.
    @Test func verify_OnABadLine_GivesNoWrongNumber() {
        let context = SessionContext(options: ["verify": "yes"])
        for seed in FaultyLineTests.seeds {
            let talk = Conversation(.beurerSerial, .readMemory(user: nil), context: context, faultRate: 0.01, seed: seed)
            #expect(talk.outcome != nil)
            FaultyLineTests.expectTrue(talk.readings, .beurerSerial, "seed \(seed)")
        }
    }

    /// A doubled byte shifts the others: the numbers would be possible, and wrong. In a recording nobody asks again.
    @Test(arguments: 0..<9) func recordWithAByteTooMany_IsNoReading(_ place: Int) throws {
        let record: [UInt8] = [0xAC, 0x68, 0x39, 0x42, 0x0B, 0x03, 0x07, 0x0A, 0x0D]
        let next: [UInt8] = [0xAC, 0x5A, 0x32, 0x41, 0x0B, 0x04, 0x07, 0x0A, 0x0D]
        let shifted = Array(record[...place] + record[place...])
        for isLate in [false, true] {
            var session = CuffDriver.beurerSerial.makeSession(SessionContext())
            var events: [SessionEvent] = [.sent([0xA3, 1]), .received(Array(shifted.prefix(isLate ? 9 : 10))), .sent([0xA3, 2])]
            events += [.received((isLate ? [0x0D] : next)), .sent([0xA3, 2]), .received(next), .closed]
            let emitted = events.flatMap { session.handle($0) }.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
            #expect(emitted.map(\.raw.array) == [next])
        }
    }

    @Test func oneUserOfMany_CannotBeAskedFor() {
        let talk = Conversation(.beurerSerial, .readMemory(user: 2))
        #expect(talk.writes.isEmpty && talk.outcome?.isUnsupported == true)
    }

    @Test func emptyMemory_IsComplete() {
        let talk = Conversation(.beurerSerial, .readMemory(user: nil), script: SimulatorScript(records: []))
        #expect(talk.outcome == .complete && talk.readings.isEmpty)
    }

    @Test func equalRecords_StayTwo() {
        let record = SimulatedRecord(128, 82, mean: 97, pulse: 71, time: DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31))
        let talk = Conversation(.beurerSerial, .readMemory(user: nil), script: SimulatorScript(records: [record, record]))
        #expect(talk.readings.count == 2)
        #expect(Set(talk.readings.map(\.id)).count == 2)
    }
}
