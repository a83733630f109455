import Testing

@testable import CuffCore

/// Equal records of a cuff without a clock: one reading or two.
@Suite struct RepetitionTests {
    private static let now = Timestamp(milliseconds: 1_770_000_000_000)

    private static func record(
        _ clock: DeviceClock = .unset, _ origin: Reading.Origin = .memory, _ repetition: Reading.Repetition = .untilAcknowledged
    ) -> Reading {
        var reading = Reading(.bloodPressure(.mmHg(120, 80)), driver: "r1", clock: clock, origin: origin, raw: RawBytes([1, 2, 3]))
        reading.repetition = repetition
        return reading
    }

    private static func named(_ ledger: inout ReadingLedger, _ reading: Reading, _ time: Timestamp? = now) -> Reading.ID {
        var reading = reading
        _ = ledger.admit(&reading, received: time)
        return reading.id
    }

    /// Also in the same millisecond, and when the host's clock is set back between them.
    @Test(arguments: [Reading.Origin.push, .memory, .measurement], [DeviceClock.absent, .unset, .impossible(nil)])
    func equalRecords_ThatNothingRepeats_AreAllKept(_ origin: Reading.Origin, _ clock: DeviceClock) {
        var ledger = ReadingLedger(device: "1", driver: "r1")
        var ids: Set<Reading.ID> = []
        for step in [0, 0, 0, 1, -3_600_000, -3_600_000, 86_400_000, 0, nil, nil] {
            let time = step.map { Timestamp(milliseconds: Self.now.milliseconds + Int64($0)) }
            ids.insert(Self.named(&ledger, Self.record(clock, origin, .none), time))
        }
        #expect(ids.count == 10)
        #expect(ledger.duplicates == 0)
    }

    @Test func aDumpReadTwice_GivesTheSameIDs() {
        var ids: [[Reading.ID]] = []
        for hour in [0, 1] {
            var ledger = ReadingLedger(device: "1", driver: "beurer-hid")
            var dump = DumpOccurrences()
            ids.append(
                (0..<3).map { _ in
                    var reading = Self.record(.unset, .memory, .none)
                    dump.mark(&reading)
                    return Self.named(&ledger, reading, Timestamp(milliseconds: Self.now.milliseconds + Int64(hour) * 3_600_000))
                })
        }
        #expect(ids[0] == ids[1] && Set(ids[0]).count == 3)
    }

    @Test func anAcknowledgedRecord_IsAnother_EachTime() {
        var ids: Set<Reading.ID> = []
        var left = OutstandingRecords()
        for run in 0..<3 {
            var ledger = ReadingLedger(device: "1", driver: "r1", outstanding: left)
            ids.insert(Self.named(&ledger, Self.record(), Timestamp(milliseconds: Self.now.milliseconds + Int64(run))))
            ledger.acknowledge(through: 1)
            left = OutstandingRecords(ledger.outstanding.bytes)
            #expect(left.isEmpty)
        }
        #expect(ids.count == 3)
    }

    /// A process died between the commit and the acknowledgement, twice.
    @Test func anUnacknowledgedRecord_IsTheSameInTheNextProcess() {
        var ids: [Reading.ID] = []
        var left = OutstandingRecords()
        for run in 0..<4 {
            var ledger = ReadingLedger(device: "1", driver: "r1", outstanding: left)
            ids.append(Self.named(&ledger, Self.record(), Timestamp(milliseconds: Self.now.milliseconds + Int64(run) * 60_000)))
            if run == 2 { ledger.acknowledge(through: 1) }
            left = OutstandingRecords(ledger.outstanding.bytes)
        }
        #expect(Set(ids[0...2]).count == 1)
        #expect(ids[3] != ids[0])
    }

    @Test func aLostAcknowledgement_LeavesTheRecordOutstanding_UntilTheCuffGoesOn() {
        var ledger = ReadingLedger(device: "1", driver: "r1")
        let first = Self.named(&ledger, Self.record())
        ledger.acknowledge(through: 1)
        ledger.expectRepetitions(isLost: true)
        #expect(Self.named(&ledger, Self.record()) == first)
        ledger.acknowledge(through: 2)
        #expect(Self.named(&ledger, Self.record()) != first)
        // The first acknowledgement is certain by now.
        ledger.expectRepetitions(isLost: true)
        var other = Self.record()
        other.raw = RawBytes([9])
        _ = Self.named(&ledger, other)
        #expect(Self.named(&ledger, Self.record()) != first)
    }

    @Test func anotherCuff_RepeatsNothingOfThisOne() {
        var one = ReadingLedger(device: "1", driver: "r1")
        _ = Self.named(&one, Self.record())
        var two = ReadingLedger(device: "2", driver: "r1", outstanding: OutstandingRecords(one.outstanding.bytes))
        let id = Self.named(&two, Self.record(), Timestamp(milliseconds: Self.now.milliseconds + 5000))
        #expect(id.wallSeconds == Self.now.seconds + 5)
    }

    private static func stamped(second: Int, _ raw: UInt8 = 1) -> Reading {
        let time = DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: second)
        var reading = record(.time(time))
        reading.raw = RawBytes([raw, UInt8(second)])
        return reading
    }

    /// In one process, in the next ones, and after a reboot.
    @Test(arguments: [0, 1, 2])
    func equalStamps_EachAcknowledged_AreAsManyReadings(_ between: Int) {
        var ids: Set<Reading.ID> = []
        var ledger = ReadingLedger(device: "1", driver: "r1")
        for run in 0..<4 {
            ids.insert(Self.named(&ledger, Self.stamped(second: 10), Timestamp(milliseconds: Self.now.milliseconds + Int64(run))))
            ledger.acknowledge(through: between == 0 ? run + 1 : 1)
            guard between > 0 else { continue }
            let left = OutstandingRecords(ledger.outstanding.bytes)
            ledger = ReadingLedger(device: "1", driver: "r1", outstanding: between == 1 ? left : left.afterAnotherBoot)
        }
        #expect(ids.count == 4)
    }

    /// A running clock identifies its records: live and in a recording, whatever was acknowledged in between.
    @Test func aStampThatMoves_NamesItsRecord() {
        var live = ReadingLedger(device: "1", driver: "r1")
        var recorded = ReadingLedger(device: "1", driver: "r1")
        for second in [10, 20, 59] {
            let (a, b) = (Self.named(&live, Self.stamped(second: second)), Self.named(&recorded, Self.stamped(second: second), nil))
            #expect(a == b)
            live.acknowledge(through: 3)
        }
    }

    /// Two results in turn, with a stamp that stops or restarts: A, B, A.
    @Test(arguments: [10, 5])
    func aStampThatDoesNotMoveOn_NamesNothing(_ second: Int) {
        var ledger = ReadingLedger(device: "1", driver: "r1")
        var ids: Set<Reading.ID> = []
        for (count, reading) in [Self.stamped(second: second), Self.stamped(second: 10, 2), Self.stamped(second: second)].enumerated() {
            ids.insert(Self.named(&ledger, reading))
            ledger.acknowledge(through: count + 1)
        }
        #expect(ids.count == 3)
    }

    @Test func anUnacknowledgedRecord_WithAStampThatStandsStill_IsTheSameInTheNextProcess() {
        var first = ReadingLedger(device: "1", driver: "r1")
        let one = Self.named(&first, Self.stamped(second: 10))
        var again = ReadingLedger(device: "1", driver: "r1", outstanding: OutstandingRecords(first.outstanding.bytes))
        #expect(Self.named(&again, Self.stamped(second: 10), Timestamp(milliseconds: Self.now.milliseconds + 9)) == one)
        again.acknowledge(through: 1)
        let two = Self.named(&again, Self.stamped(second: 10), Timestamp(milliseconds: Self.now.milliseconds + 10))
        var last = ReadingLedger(device: "1", driver: "r1", outstanding: OutstandingRecords(again.outstanding.bytes))
        #expect(two != one)
        #expect(Self.named(&last, Self.stamped(second: 10), Timestamp(milliseconds: Self.now.milliseconds + 99)) == two)
    }

    @Test func aLostAcknowledgement_OfAStampedRecord_LeavesItTheSame() {
        var ledger = ReadingLedger(device: "1", driver: "r1")
        let one = Self.named(&ledger, Self.stamped(second: 10))
        ledger.acknowledge(through: 1)
        ledger.expectRepetitions(isLost: true)
        let left = OutstandingRecords(ledger.outstanding.bytes)
        #expect(Self.named(&ledger, Self.stamped(second: 10)) == one)
        var next = ReadingLedger(device: "1", driver: "r1", outstanding: left)
        #expect(Self.named(&next, Self.stamped(second: 10)) == one)
    }

    @Test func outstandingBytes_AreReadAsFarAsTheyGo() {
        for count in 0..<40 { #expect(OutstandingRecords([UInt8](repeating: 7, count: count)).bytes.count == count / 16 * 16) }
        #expect(OutstandingRecords([UInt8](repeating: 7, count: 1 << 16)).bytes.count == 16 * OutstandingRecords.limit)
    }

    private static let result = R1Frame.encode(Array("R1,000000000,000000,000000,128,097,082,071,0000,0000,00000,000".utf8))
    private static let enquiry = R1Frame.encode([R1Frame.enq])
    private static let acknowledgement = R1Frame.encode([R1Frame.ack])

    /// Other software's conversation: three results, of which the second was requested twice before it was acknowledged. The clock was
    /// never set, never started, or stopped.
    @Test(arguments: ["000000,000000", "000101,000000", "260505,073110", "0000,00/01/01,00/00", "0000,26/05/05,07/31"])
    func r1_CountsByTheACK(_ clock: String) {
        let isSlashForm = clock.contains("/")
        let text = isSlashForm ? "\(clock),128,097,082,071,0,0,0,0,0,0\u{4}" : "R1,000000000,\(clock),128,097,082,071,0000,0000,00000,000"
        let result = R1Frame.encode(Array(text.utf8))
        var player = Replay(LinkState.Setup(.r1), start: Self.now)
        let lines: [(Bool, [UInt8])] = [
            (true, Self.enquiry), (false, result), (true, Self.acknowledgement), (true, Self.enquiry), (false, result),
            (true, Self.enquiry), (false, result), (true, Self.acknowledgement), (true, Self.enquiry), (false, result),
            (true, Self.acknowledgement),
        ]
        for (isHost, bytes) in lines { player.play(CaptureItem(time: nil, isHost ? .toCuff(bytes) : .fromCuff(bytes))) }
        player.end()
        let readings = player.collect().entries.readings
        #expect(readings.count == 3)
        #expect(Set(readings.map(\.id)).count == 3)
    }

    /// Polling: the cuff repeats its result while the sinks are slow, and keeps it with `keep`.
    @Test func r1_PollsASlowSinkAndAKeptResult_AsOne() {
        for options in [["poll": "yes"], ["poll": "yes", "keep": "yes"]] {
            var session = R1Session(SessionContext(options: options))
            _ = session.handle(.command(.follow))
            var emitted = 0
            for _ in 0..<5 {
                for action in session.handle(.sent(Self.enquiry)) + session.handle(.received(Self.result)) {
                    if case .emit = action { emitted += 1 }
                }
                if options["keep"] != nil { _ = session.handle(.committed(through: emitted)) }
            }
            #expect(emitted == 1, "\(options)")
        }
    }

    @Test func r1_TellsOfItsACK_BeforeItIsWritten() {
        var session = R1Session(SessionContext(options: ["poll": "yes"]))
        _ = session.handle(.command(.follow))
        _ = session.handle(.sent(Self.enquiry))
        _ = session.handle(.received(Self.result))
        let order = session.handle(.committed(through: 1)).compactMap { action -> String? in
            switch action {
            case .acknowledge(through: 1): "acknowledge"
            case .write(Self.acknowledgement): "write"
            default: nil
            }
        }
        #expect(order == ["acknowledge", "write"])
    }

    /// Families with one stored result, no clock and no acknowledgement: each answer to our requests may be another.
    @Test(arguments: ["suntech-advantage", "par-nibp", "dinamap-ascii", "evgmolt-oem"])
    func storedResults_ReadThreeTimes_AreThree(_ id: String) throws {
        let driver = try #require(CuffFamilies.named(id))
        var ids: Set<Reading.ID> = []
        var count = 0
        for run in 0..<3 {
            let talk = Conversation(driver, .readMemory(user: nil))
            var ledger = ReadingLedger(device: "1", driver: driver.id)
            for reading in talk.readings {
                count += 1
                ids.insert(Self.named(&ledger, reading, Timestamp(milliseconds: Self.now.milliseconds + Int64(run) * 60_000)))
            }
        }
        #expect(count == 3 && ids.count == 3)
    }

    private static func agent(_ count: Int, _ options: [String: String] = [:]) -> PHDConversation {
        let one = SimulatedRecord.sample(count: 1, seed: 3)
        return PHDConversation(
            SimulatorScript(records: Array(repeating: one[0], count: count), options: ["time": "unset"].merging(options) { $1 }))
    }

    @Test func phd_EqualUnstampedReports_AreAsManyReadings() {
        var talk = Self.agent(40)
        talk.start(.follow)
        talk.run(until: .seconds(300))
        #expect(talk.readings.count == 40)
        #expect(Set(talk.readings.map(\.id)).count == 40)
    }

    /// Each confirmation of a report is lost twice: the agent gives up, returns, and sends it again.
    @Test func phd_UnstampedReports_ResentAfterALostConfirmation_AreOne() {
        var talk = Self.agent(1)
        var lost = 0
        talk.fault = { fromAgent, _, bytes in
            // The answer to a confirmed event report: E7 00 … 02 01.
            guard !fromAgent, lost < 2, bytes.count > 9, bytes[0] == 0xE7, bytes[8] == 0x02, bytes[9] == 0x01, bytes.count < 40,
                bytes[18] == 0x0D, bytes[19] != 0x1C
            else { return [bytes] }
            lost += 1
            return [[]]
        }
        talk.start(.follow)
        talk.run(until: .seconds(300))
        #expect(lost == 2)
        #expect(talk.stored.count == 1)
    }

    @Test func phd_TwoInOneReport_WithEqualStampAndPressures_AreTwo() {
        var joiner = PHDJoiner()
        let stamp = PHDStamp(kind: .absolute, bits: 0x2026_0505_0731_1000)
        func pressure() -> Reading {
            Reading(.bloodPressure(.mmHg(120, 80)), driver: "phd", clock: stamp.clock, origin: .push, raw: RawBytes([1, 2]))
        }
        var actions = SessionActions()
        for isSplit in [false, true] {
            var pulses = [66, 72]
            joiner.begin()
            for _ in 0..<2 {
                joiner.add(pressure: pressure(), stamp: stamp)
                if !isSplit {
                    joiner.add(pulse: PHDNumber(sfloat: UInt16(pulses.removeFirst())), flags: [], user: nil, stamp: stamp) { pressure() }
                }
            }
            var expected = PHDJoiner.Expectation()
            (expected.pressure, expected.pulse) = (true, true)
            _ = joiner.finishReport(expected, into: &actions)
        }
        var ledger = ReadingLedger(device: "1", driver: "phd")
        var kept: [Reading.ID: Int?] = [:]
        for reading in actions.readings where !reading.isPending {
            kept[Self.named(&ledger, reading)] = reading.bloodPressure?.pulse.map { Int($0.digits.mantissa) }
        }
        #expect(kept.values.compactMap { $0 }.sorted() == [66, 72])
    }
}
