import CuffCore
import Testing

@Suite struct TaiDocTests {
    @Test func clock_IsReadAndSet() {
        let time = DeviceTime(year: 2026, month: 12, day: 31, hour: 23, minute: 59)
        var script = SimulatorScript(records: [])
        script.clock = time
        #expect(HIDConversation(.taiDoc, .readClock, script).clocks == [time])
        let set = HIDConversation(.taiDoc, .setClock(time))
        #expect(set.outcome == .complete)
        // 26 << 9 | 12 << 5 | 31 = 359F; sum 51+33+9F+35+3B+17+A3 = 24D.
        // Then it is asked what it shows now.
        #expect(set.writes.count >= 2 && set.writes.last?[1] == 0x23)
        #expect(set.clocks == [time])
        #expect(set.writes.dropLast().last == [0x51, 0x33, 0x9F, 0x35, 0x3B, 0x17, 0xA3, 0x4D])
        guard case .unsupported? = HIDConversation(.taiDoc, .setClock(DeviceTime(year: 2026, month: 2, day: 30))).outcome
        else {
            Issue.record("a date that no calendar has was set")
            return
        }
    }

    @Test func clearing_ComesAfterEveryRecordWasCommitted() {
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 5, seed: 4))
        let talk = HIDConversation(.taiDoc, .clear(user: nil), script)
        #expect(talk.outcome == .complete)
        #expect(talk.readings.count == 5)
        #expect(talk.notes == ["cleared"])
        let held = HIDConversation(.taiDoc, .clear(user: nil), script, commits: false)
        #expect(held.notes.isEmpty)
        #expect(held.outcome == .aborted("nothing was cleared: the readings were not stored in time"))
        let one = HIDConversation(.taiDoc, .clear(user: 1), script)
        #expect(one.writes.isEmpty)
    }

    /// 52 clears all users. Where user 0 is the first user, the records of the second were not read.
    @Test func clearing_NeedsTheProofThatAllUsersWereRead() {
        func clear(_ records: [SimulatedRecord], _ users: String?) -> HIDConversation {
            var script = SimulatorScript(records: records)
            script.options["users"] = users
            return HIDConversation(.taiDoc, .clear(user: nil), script)
        }
        let records = SimulatedRecord.sample(count: 5, seed: 4)
        #expect(Set(records.map(\.user)) == [1, 2])
        let refusal = Outcome.failed("nothing was cleared: the records of users 1 to 4 may not be those that were read")
        for users in [nil, "ignored"] {
            #expect(clear(records, users).outcome == .complete)
            #expect(clear(records, users).notes == ["cleared"])
            #expect(clear([], users).notes == ["cleared"])
        }
        #expect(clear(records, "first").outcome == refusal)
        #expect(clear(records, "first").notes.isEmpty)
        // As many records of user 2 as of user 1, and none of user 1.
        #expect(clear(Array(records.prefix(2)), "first").outcome == refusal)
        #expect(clear([records[1]], "first").outcome == refusal)
        #expect(clear(records.filter { $0.user == 1 }, "first").notes == ["cleared"])
        // A memory of nobody's: user 0 gives it, no user does.
        var nobodys = records
        nobodys[0].user = 0
        #expect(clear(nobodys, nil).outcome == refusal)
    }

    /// The readings of a cleared cuff, from the recording of the command: those that the command gave, and none twice.
    @Test func recordingOfAClear_GivesEachReadingOnce() {
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 3, seed: 4))
        let live = HIDConversation(.taiDoc, .clear(user: nil), script)
        var (session, cuff, readings) = (
            CuffDriver.taiDoc.makeSession(SessionContext()), CuffDriver.taiDoc.makeSimulator(script), [Reading]()
        )
        for question in live.writes {
            _ = session.handle(.sent(question))
            for case .write(let answer) in cuff.handle(.received(question)) {
                for case .emit(let reading) in session.handle(.received(answer)) { readings.append(reading) }
            }
        }
        #expect(readings.map(\.raw) == live.readings.map(\.raw) && readings.count == 3)
    }

    @Test func glucoseMeter_IsNamedAndLeftAlone() {
        let script = SimulatorScript(options: ["model": "4277"])
        let talk = HIDConversation(.taiDoc, .readMemory(user: nil), script)
        #expect(talk.identities.map(\.model) == ["TD-4277"])
        #expect(talk.outcome == .failed("this is a glucose meter"))
        #expect(talk.readings.isEmpty)
        let cleared = HIDConversation(.taiDoc, .clear(user: nil), script)
        #expect(cleared.notes.isEmpty)
    }

    @Test func failedMeasurement_IsNoReading() {
        let record = SimulatedRecord(
            0, 0, mean: 0, pulse: 0, time: DeviceTime(year: 2026, month: 5, day: 5), failure: .movement)
        let talk = HIDConversation(.taiDoc, .readMemory(user: nil), SimulatorScript(records: [record]))
        #expect(talk.readings.map(\.content) == [.failure(.init(.noValue))])
    }

    /// Answers every question, for every user alike; `records` are their two answers, time and values, newest first.
    private static func talk(_ command: SessionCommand, model: [UInt8], _ records: [[UInt8]]) -> (outcome: Outcome?, asked: [UInt8]) {
        var session = CuffDriver.taiDoc.makeSession(SessionContext())
        var waiting = session.handle(.command(command))
        var (emitted, asked) = (0, [UInt8]())
        while !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .write(let question):
                asked.append(question[1])
                var data: [UInt8] = [0, 0, 0, 0]
                switch question[1] {
                case 0x23: data = [0x21, 0x26, 0, 0]  // 19 << 9 | 1 << 5 | 1 = 2621: 2019-01-01 00:00
                case 0x24: data = model + [0, 0]
                case 0x2B: data[0] = UInt8(records.count)
                case 0x25: data = Array(records[Int(question[2])][..<4])
                case 0x26: data = Array(records[Int(question[2])][4...])
                default: break
                }
                let answer = [0x51, question[1]] + data + [0xA5]
                waiting += session.handle(.sent(question)) + session.handle(.received(answer + [answer.sum8]))
            case .emit:
                emitted += 1
                waiting += session.handle(.committed(through: emitted))
            case .finish(let outcome): return (outcome, asked)
            default: break
            }
        }
        return (nil, asked)
    }

    /// 2026-05-05 is 26 << 9 | 5 << 5 | 5 = 34A5. The 9F is minute 31 with bit 7, a blood pressure; 28 is minute 40 without it.
    private static let pressure: [UInt8] = [0xA5, 0x34, 0x9F, 0x07, 0x80, 0x00, 0x52, 0x47]
    private static let glucose: [UInt8] = [0xA5, 0x34, 0x28, 0x07, 0x68, 0x00, 0x06, 0x40]
    /// A D40's 260 is 0104, its low byte first: 260/120, pulse 72.
    private static let contradictory: [UInt8] = [0xA5, 0x34, 0x9F, 0x07, 0x04, 0x01, 0x78, 0x48]

    @Test func clockThatStays_IsNotSaidToBeSet() {
        let talk = Self.talk(.setClock(DeviceTime(year: 2026, month: 5, day: 5)), model: [0x61, 0x32], [])
        #expect(talk.asked == [0x22, 0x33, 0x23] && talk.outcome == .failed("the cuff's clock does not show the time that was sent"))
    }

    @Test func recordThatCannotBeRead_IsNotCleared() {
        let read = Self.talk(.readMemory(user: nil), model: [0x61, 0x32], [Self.pressure, Self.contradictory])
        #expect(read.outcome == .failed("1 record could not be read"))
        let clear = Self.talk(.clear(user: nil), model: [0x61, 0x32], [Self.pressure, Self.contradictory])
        #expect(clear.outcome == .failed("nothing was cleared: 1 of the records could not be read"))
        #expect(!clear.asked.contains(0x52))
    }

    @Test func recordOfAnotherKind_IsPassedOverByARead_AndNotCleared() {
        let read = Self.talk(.readMemory(user: nil), model: [0x61, 0x32], [Self.pressure, Self.glucose])
        #expect(read.outcome == .complete)
        let clear = Self.talk(.clear(user: nil), model: [0x61, 0x32], [Self.pressure, Self.glucose])
        #expect(clear.outcome == .failed("nothing was cleared: the cuff also holds records other than blood pressures"))
        #expect(!clear.asked.contains(0x52))
        let pressures = Self.talk(.clear(user: nil), model: [0x61, 0x32], [Self.pressure])
        #expect(pressures.outcome == .complete && pressures.asked.last == 0x52)
    }

    @Test func meanOfOne_IsRefused() {
        let record = SimulatedRecord(120, 80, mean: 1, pulse: 60, time: DeviceTime(year: 2026, month: 5, day: 5))
        #expect(HIDConversation(.taiDoc, .readMemory(user: nil), SimulatorScript(records: [record])).readings.isEmpty)
    }

    /// A report of the CP2110 is a count and so many bytes; the frames are those of `taidoc_record_derived`: 134/84, mean 101, pulse 71.
    @Test func recordedReportsOfACP2110_AreRead() {
        var session = CuffDriver.taiDoc.makeSession(SessionContext())
        var readings: [Reading] = []
        for (question, answer) in [
            ("2b01000000a320", "2b01000000a522"), ("2500000001a31a", "256e34a509a56b"), ("2600000001a31b", "2686655447a5a2"),
        ] {
            _ = session.handle(.sent(Hex.bytes("0851" + question) ?? []))
            for case .emit(let reading) in session.handle(.received((Hex.bytes("0851" + answer) ?? []) + [UInt8](repeating: 0, count: 55)))
            {
                readings.append(reading)
            }
        }
        #expect(readings.map(\.bloodPressure) == [.mmHg(134, 84, mean: 101, pulse: 71)])
    }
}
