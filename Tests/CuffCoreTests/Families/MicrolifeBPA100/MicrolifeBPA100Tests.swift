import Testing

@testable import CuffCore

@Suite struct MicrolifeBPA100Tests {
    private func verdict(_ format: MicrolifeAnswer, _ bytes: [UInt8]) -> FrameVerdict { format.verdict(on: bytes.span) }
    private func patient(_ frame: [UInt8]) -> String { MicrolifeBPA100Session.patient(frame.span) }
    private func clock(_ frame: [UInt8]) -> DeviceTime? { MicrolifeBPA100Session.clock(frame.span) }
    private func read(_ record: [UInt8]) -> Reading? { MicrolifeBPA100Session.reading(record.span) }

    private func closed(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [0x06] + bytes + Hex.upper(bytes.sum8)
    }

    @Test func sum_HoldsOnTheRecordedAnswers() {
        // 06 12 16 18 28 32 31, then "CB"; and the id answer of the same document.
        #expect(Hex.upper(([0x12, 0x16, 0x18, 0x28, 0x32, 0x31] as [UInt8]).sum8) == Array("CB".utf8))
        let answer = Hex.bytes("06 34 41 34 37 34 35 34 46 35 32 34 37 39 39 39 39 39 39 39 39 39 39 2c 30 35 2e 30 30 0d 0a 30 35") ?? []
        var format = MicrolifeAnswer()
        format.question = .patientID
        #expect(verdict(format, answer) == .frame(length: 33))
        #expect(patient(answer) == "JGEORG")
        #expect(verdict(format, Array(answer.dropLast())) == .needMore)
    }

    @Test func words_AreSplitIntoTenBits() throws {
        // 71 pulse, 82 diastolic, 128 systolic: 0000 0100 0111 00 0101 0010 00 1000 0000.
        let record = Array("260505073102000004714880".utf8) + Array("04714880".utf8)
        let reading = try #require(read(record))
        #expect(reading.bloodPressure == .mmHg(128, 82, pulse: 71))
        #expect(reading.clock == .time(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)))
    }

    @Test func lengths_FollowFromTheQuestion() {
        var format = MicrolifeAnswer()
        let empty = closed("00000001" + String(repeating: "9", count: 24))
        #expect(empty.count == 35 && verdict(format, empty) == .frame(length: 35))
        let huge = closed("0FFF0001" + String(repeating: "9", count: 24))
        #expect(verdict(format, huge) == .reject(.badLength))
        let odd = closed("00000002" + String(repeating: "9", count: 24))
        #expect(verdict(format, odd) == .reject(.badCharacter))
        format.question = .setClock
        #expect(verdict(format, ([0x06, 0x31] as [UInt8])) == .frame(length: 1))
    }

    @Test func unsetClock_IsUnset_AndEqualRecordsStayTwo() {
        let record = SimulatedRecord(128, 82, mean: 97, pulse: 71, time: DeviceTime(year: 2026, month: 5, day: 5))
        let script = SimulatorScript(records: [record, record], options: ["clock": "unset"])
        let talk = Conversation(.microlifeBPA100, .readMemory(user: nil), script: script)
        #expect(talk.readings.map(\.clock) == [.unset, .unset])
        #expect(Set(talk.readings.map(\.id)).count == 2)
    }

    @Test func memory_IsReadWithTheClock() {
        let talk = Conversation(.microlifeBPA100, .readMemory(user: nil))
        #expect(talk.writes == [[0x12, 0x16, 0x18, 0x26], [0x12, 0x16, 0x18, 0x28], [0x12, 0x16, 0x18, 0x22]])
        #expect(talk.readings.allSatisfy { $0.user == nil }, "one slot is no user")
        #expect(talk.clocks == [DeviceTime(year: 2026, month: 5, day: 5, hour: 11, minute: 18, second: 18)])
        #expect(talk.readings.count == 3)
    }

    /// The recorded answer `06 12 16 18 28 32 31 43 42`: two slots, the first is present. A cuff that refuses, or is silent, has none.
    @Test(arguments: [
        ("06 12 16 18 28 32 31 43 42", 1), ("06 12 16 18 28 32 32 43 43", 2), ("06 12 16 18 28 31 31 43 41", nil), ("15", nil), ("", nil),
        ("06 12 16 18 28 32 33 43 44", nil),
    ])
    func presentSlot_IsTheUser(_ answer: String, _ user: Int32?) {
        #expect(Self.memory(behind: answer).map(\.user) == [user])
    }

    /// Without the slot the same record would be stored as another reading.
    @Test(arguments: ["06 12 16 18 28 32 30 43 42", "07 12 16 18 28 32 31 43 42", "06 12 16 18 28 32 31 43"])
    func damagedSlot_GivesNoReading(_ answer: String) {
        #expect(Self.memory(behind: answer).isEmpty)
    }

    private static func memory(behind answer: String) -> [Reading] {
        var session = CuffDriver.microlifeBPA100.makeSession(SessionContext())
        let record = "2605050731000000" + "04714880" + "04714880"
        let text = Array(("00010001" + String(repeating: "9", count: 24) + record).utf8)
        var actions = session.handle(.sent(MicrolifeCommand.slots.bytes))
        actions += session.handle(.received(Hex.bytes(answer) ?? []))
        actions += session.handle(.sent(MicrolifeCommand.cycles.bytes))
        actions += session.handle(.received([0x06] + text + Hex.upper(text.sum8)))
        return actions.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }

    /// The second record's copy has other bits, in so many answers to 22; then it is whole.
    @Test(arguments: [(1, 2, Outcome.complete), (3, 2, .complete), (9, 1, .failed("1 record could not be read"))])
    func copiesThatDiffer_AreAskedForAgain(_ damaged: Int, _ count: Int, _ expected: Outcome) {
        // 131/84, 66: 66 << 20 | 84 << 10 | 131 = 04215083.
        let first = "2605050731000000" + "04714880" + "04714880"
        let head = "00020001" + String(repeating: "9", count: 24) + first + "2605051802000000" + "04215083"
        let clock = closed("05052026070000" + String(repeating: "0", count: 62) + ",05.00\r\n")
        var session = CuffDriver.microlifeBPA100.makeSession(SessionContext())
        var waiting = session.handle(.command(.readMemory(user: nil)))
        var ledger = ReadingLedger(device: "", driver: "microlife-bpa100")
        var (asked, readings, outcome) = (0, [Reading](), Outcome?.none)
        while !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .write(let question):
                var answer = clock
                if question == MicrolifeCommand.slots.bytes { answer = Hex.bytes("06 12 16 18 28 31 31 43 41") ?? [] }
                if question == MicrolifeCommand.cycles.bytes {
                    asked += 1
                    answer = closed(head + (asked <= damaged ? "04D1708D" : "04215083"))
                }
                waiting += session.handle(.sent(question)) + session.handle(.received(answer))
            case .emit(var reading): if ledger.admit(&reading, received: nil) { readings.append(reading) }
            case .finish(let end): outcome = end
            default: break
            }
        }
        #expect(readings.map(\.bloodPressure) == Array([.mmHg(128, 82, pulse: 71), .mmHg(131, 84, pulse: 66)].prefix(count)))
        #expect(outcome == expected && asked == min(damaged + 1, 4))
    }

    @Test func silentAboutSlots_IsReadAllTheSame() {
        let talk = Conversation(.microlifeBPA100, .readMemory(user: nil), script: SimulatorScript(options: ["slots": "23"]))
        #expect(talk.readings.count == 3 && talk.outcome == .complete)
        let second = Conversation(.microlifeBPA100, .readMemory(user: nil), script: SimulatorScript(options: ["slots": "22"]))
        #expect(second.readings.map(\.user) == [2, 2, 2])
    }

    @Test func largeMemory_IsReadWhole() {
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 200, seed: 4))
        let talk = Conversation(.microlifeBPA100, .readMemory(user: nil), script: script)
        #expect(talk.readings.count == 200 && talk.outcome == .complete)
        FaultyLineTests.expectTrue(talk.readings, .microlifeBPA100, of: script)
    }

    @Test func clock_IsSetInPieces_AndReadBack() {
        let time = DeviceTime(year: 2026, month: 11, day: 21, hour: 13, minute: 5, second: 9)
        let talk = Conversation(.microlifeBPA100, .setClock(time), script: SimulatorScript(clock: DeviceTime(year: 2015, month: 1, day: 1)))
        #expect(talk.outcome == .complete)
        #expect(talk.clocks == [time])
        #expect(talk.writes.first == [0x12, 0x16, 0x18, 0x27])
        let pieces = talk.writes.dropFirst().dropLast()
        #expect(pieces.allSatisfy { $0.count <= 7 })
        #expect(Array(pieces.joined()) == MicrolifeBPA100Session.settingText(time))
        #expect(String(decoding: MicrolifeBPA100Session.settingText(time).prefix(16), as: UTF8.self) == "1121202613050900")
        #expect(MicrolifeBPA100Session.settingText(time).count == 82)
    }

    /// Only its own verb sets the clock.
    /// A year that does not begin with 20 is not read as one.
    @Test(arguments: [1999, 2100]) func aYearThatTheClockHasNot_IsRefused(_ year: Int) {
        let talk = Conversation(.microlifeBPA100, .setClock(DeviceTime(year: year, month: 5, day: 5)), script: SimulatorScript())
        #expect(talk.outcome == .unsupported("the cuff's clock goes from 2000 to 2099") && talk.writes.isEmpty)
    }

    @Test func clock_IsNotSetOtherwise() {
        for command in SessionCommand.all {
            if case .setClock = command { continue }
            let talk = Conversation(.microlifeBPA100, command, faultRate: 0.05, seed: 3, closesAfter: .seconds(60))
            #expect(!talk.writes.contains(MicrolifeCommand.setClock.bytes), "\(command)")
        }
    }

    @Test func patientID_IsToldByInformationOnly() {
        #expect(Conversation(.microlifeBPA100, .information).notes.contains("patient id: A1"))
        #expect(!Conversation(.microlifeBPA100, .readMemory(user: nil)).notes.contains { $0.contains("A1") })
        #expect(Conversation(.microlifeBPA100, .information).identity?.firmware == "05.00")
    }

    @Test(arguments: ["05052026070000", "13052026070000", "05051926070000", "05052026240000", "0505202607000X"])
    func clockAnswers_AreBelievedWhenPossible(_ text: String) {
        let frame = closed(text + String(repeating: "0", count: 62) + ",05.00\r\n")
        #expect(frame.count == 87)
        #expect((clock(frame) != nil) == (text == "05052026070000"))
    }

    /// Readers without the serial driver speak HID: count in the low four bits, short reports within an answer, stale bytes behind.
    private func reports(of answer: [UInt8]) -> [[UInt8]] {
        var reports: [[UInt8]] = []
        var rest = answer[...]
        for count in [3, 6] + Array(repeating: 7, count: 20) where !rest.isEmpty {
            let part = rest.prefix(count)
            reports.append([0xF0 | UInt8(part.count)] + part + [UInt8](repeating: 0x39, count: 7 - part.count))
            rest = rest.dropFirst(count)
        }
        return reports
    }

    private func readings(_ bytes: [UInt8], by size: Int) -> [Reading] {
        var session = MicrolifeBPA100Session()
        _ = session.handle(.sent([0x04, 0x12, 0x16, 0x18, 0x22, 0, 0, 0]))
        return stride(from: 0, to: bytes.count, by: size).flatMap {
            session.handle(.received(Array(bytes[$0..<min($0 + size, bytes.count)])))
        }.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }

    @Test func recordedReports_AreReadAsTheSerialLine_AndAnonymised() {
        let answer = closed("00010001" + "4A47" + String(repeating: "9", count: 20) + "2605050731020000" + "0471488004714880")
        var items = reports(of: answer)
        for size in [1, 5, 8, 400] {
            #expect(readings(Array(items.joined()), by: size).map(\.bloodPressure) == [.mmHg(128, 82, pulse: 71)], "\(size)")
        }
        var work = Redaction.Work(days: -365)
        CuffDriver.microlifeBPA100.redaction?.rewrite(&items, .fromCuff, &work)
        let after = readings(Array(items.joined()), by: 8)
        #expect(after.map(\.bloodPressure) == [.mmHg(128, 82, pulse: 71)])
        #expect(after.map(\.clock) == [.time(DeviceTime(year: 2025, month: 5, day: 5, hour: 7, minute: 31))])
        let text = items.flatMap { $0[1..<(1 + Int($0[0] & 15))] }
        #expect(text[9..<33].allSatisfy { $0 == 0x30 || $0 == 0x41 })
        #expect(items.allSatisfy { $0[(1 + Int($0[0] & 15))...].allSatisfy { $0 == 0 } })
    }
}
