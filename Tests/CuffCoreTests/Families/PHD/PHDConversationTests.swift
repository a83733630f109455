import CuffCore
import Testing

@Suite struct PHDConversationTests {
    private static let records: [SimulatedRecord] = {
        var records = SimulatedRecord.sample(count: 7, seed: 3)
        records[1].flags = [.irregularPulse]
        records[4].failure = .noValue
        return records
    }()

    private static func script(_ options: [String: String], _ records: [SimulatedRecord] = records) -> SimulatorScript {
        SimulatorScript(records: records, options: options)
    }

    private static func expected(persons: Bool, _ records: [SimulatedRecord] = records) -> [String] {
        records.filter { $0.failure == nil }.map {
            "\($0.time.wallSeconds) \(persons ? $0.user : 0) \($0.systolic)/\($0.diastolic) \($0.pulse)"
        }.sorted()
    }

    private static let variants: [[String: String]] = [
        [:], ["configuration": "extended"], ["persons": "yes"], ["report": "variable"], ["report": "apart", "batch": "3"],
        ["status": "yes", "batch": "7"], ["report": "apart", "persons": "yes", "batch": "4"], ["confirm": "no"],
        ["store": "yes"], ["store": "yes", "persons": "yes", "status": "yes"], ["store": "yes", "entries": "100"],
    ]

    @Test(arguments: variants)
    func reading_FetchesEveryRecord(_ options: [String: String]) {
        var talk = PHDConversation(Self.script(options))
        talk.start(.readMemory(user: nil))
        talk.run()
        #expect(talk.outcome == .complete, "\(talk.notes)")
        #expect(talk.pressures == Self.expected(persons: options["persons"] == "yes"), "\(talk.notes)")
        #expect(talk.stored.values.contains { if case .failure = $0.content { true } else { false } })
        #expect(talk.stored.values.allSatisfy { !$0.isPending })
        if options["status"] == "yes" {
            #expect(
                talk.stored.values.contains {
                    $0.flags.contains(.irregularPulse) && $0.bloodPressure?.systolic.digits.mantissa == Int64(Self.records[1].systolic)
                })
        }
        // The largest APDU every agent can accept, and an association is ended in order.
        #expect(talk.managerWrites.allSatisfy { $0.count <= 224 })
        #expect(!talk.managerWrites.contains { $0.first == 0xE6 } && !talk.agentWrites.contains { $0.first == 0xE6 })
    }

    /// With lost, doubled or cut writes, every record arrives once, and only what is on disk is acknowledged.
    @Test(arguments: [["report": "apart", "batch": "2"], ["persons": "yes"], ["store": "yes"], ["configuration": "extended"]], 1...24)
    func faults_LoseNothingAndDoubleNothing(_ options: [String: String], _ seed: Int) {
        var talk = PHDConversation(Self.script(options))
        var random = SplitMix64(seed: UInt64(seed))
        let target = Int(random.next() % 24)
        let kind = seed % 4
        let isAgent = seed % 3 != 0
        talk.fault = { fromAgent, number, bytes in
            guard fromAgent == isAgent, number == target else { return [bytes] }
            switch kind {
            case 0: return []
            case 1: return [bytes, bytes]
            case 2: return [Array(bytes.prefix(bytes.count / 2))]
            default: return [Array(bytes.prefix(bytes.count / 3)), Array(bytes.dropFirst(bytes.count / 3))]
            }
        }
        talk.start(seed > 12 ? .readMemory(user: nil) : .follow)
        talk.run(until: .seconds(300))
        talk.tell(.closed)
        #expect(
            talk.pressures == Self.expected(persons: options["persons"] == "yes"),
            "seed \(seed) kind \(kind) target \(target): \(talk.notes)")
        #expect(!talk.stored.values.contains { if case .pulseRate = $0.content, !$0.isPending { true } else { false } })
    }

    /// A line that loses, doubles and cuts one write in twelve for ten minutes, and then recovers.
    @Test(
        arguments: [
            ["report": "apart", "batch": "3"], ["status": "yes"], ["store": "yes", "entries": "3"],
            ["persons": "yes", "report": "variable"],
        ], 1...10)
    func badLine_LosesNothingAndDoublesNothing(_ options: [String: String], _ seed: Int) {
        var talk = PHDConversation(Self.script(options))
        let random = Seeded(SplitMix64(seed: UInt64(seed) &* 77))
        talk.fault = { _, _, bytes in
            // ABRT is never answered: a side that misses it may wait for the other for ever.
            guard random.isBad, bytes.first != 0xE6, random.next() % 12 == 0 else { return [bytes] }
            switch random.next() % 4 {
            case 0: return []
            case 1: return [bytes, bytes]
            case 2: return [Array(bytes.prefix(Int(random.next() % UInt64(bytes.count))))]
            default: return [[UInt8(truncatingIfNeeded: random.next())], bytes]
            }
        }
        talk.commitDelay = .milliseconds(Int64(seed) * 350)  // the slowest exceed the agent's time-out
        talk.start(.follow)
        talk.run(until: .seconds(600))
        random.isBad = false
        talk.commitDelay = .milliseconds(5)
        talk.run(until: .seconds(3600))
        talk.tell(.closed)
        #expect(talk.pressures == Self.expected(persons: options["persons"] == "yes"), "seed \(seed): \(talk.notes.suffix(12))")
    }

    private final class Seeded: @unchecked Sendable {
        private var generator: SplitMix64
        var isBad = true
        init(_ generator: SplitMix64) { self.generator = generator }
        func next() -> UInt64 { generator.next() }
    }

    @Test func slowSinks_AreNotThankedFor_AndNothingIsLost() {
        var talk = PHDConversation(Self.script(["report": "apart"]))
        // Slower than the agent's time-out (3 s): it gives up, returns and sends the same bytes once more.
        talk.commitDelay = .seconds(4)
        talk.start(.follow)
        talk.run(until: .seconds(30))
        #expect(talk.agentWrites.contains([0xE6, 0, 0, 2, 0, 2]))
        talk.commitDelay = .milliseconds(10)
        talk.run(until: .seconds(400))
        talk.tell(.closed)
        #expect(talk.pressures == Self.expected(persons: false))
    }

    @Test func confirmation_LeavesOnlyAfterCommit() {
        var talk = PHDConversation(Self.script([:]))
        talk.commitDelay = .seconds(2)
        talk.start(.follow)
        talk.run(until: .milliseconds(1100))
        #expect(talk.readings.count == 1)
        #expect(!talk.managerWrites.contains { $0.count == 22 && $0[9] == 1 })
        talk.run(until: .milliseconds(3200))
        #expect(talk.managerWrites.contains { $0.count == 22 && $0[9] == 1 })
    }

    @Test func clear_HappensOnlyWhenAskedAndCommitted() throws {
        var reading = PHDConversation(Self.script(["store": "yes"]))
        reading.start(.readMemory(user: nil))
        reading.run()
        #expect(!reading.managerWrites.contains { $0.count > 16 && $0[14] == 0x0C && $0[15] == 0x0C })

        var clearing = PHDConversation(Self.script(["store": "yes"]))
        clearing.commitDelay = .seconds(1)
        clearing.start(.clear(user: nil))
        clearing.run()
        #expect(clearing.outcome == .complete)
        #expect(clearing.pressures == Self.expected(persons: false))
        let place = try #require(clearing.managerWrites.firstIndex { $0.count > 16 && $0[14] == 0x0C && $0[15] == 0x0C })
        // The segments are listed again right before: nothing may have been added.
        #expect(clearing.managerWrites[place - 1][14] == 0x0C && clearing.managerWrites[place - 1][15] == 0x0D)
        #expect(clearing.managerWrites[place] == Hex.bytes("e700 0018 0016 0006 0107 0010 0008 0c0c 000a 0002 0006 0001 0002 0001") ?? [])
    }

    @Test func clear_WithoutAStore_SaysSo() {
        var talk = PHDConversation(Self.script([:]))
        talk.start(.clear(user: nil))
        talk.run()
        guard case .unsupported = talk.outcome else { return #expect(Bool(false), "\(String(describing: talk.outcome))") }
    }

    @Test func oneUsersMemory_IsFetchedAlone() {
        var talk = PHDConversation(Self.script(["store": "yes", "persons": "yes"]))
        talk.start(.readMemory(user: 2))
        talk.run()
        #expect(talk.outcome == .complete)
        #expect(!talk.readings.isEmpty && talk.readings.allSatisfy { $0.user == 2 })
    }

    @Test func setClock_AddsTheWaitingTime() throws {
        var talk = PHDConversation(Self.script(["release": "no"], []))
        talk.tell(.opened)
        talk.tell(.command(.setClock(DeviceTime(year: 2026, month: 11, day: 21, hour: 9, minute: 0, second: 0))))
        for _ in 0..<90 { talk.tell(.timerFired(.poll)) }
        talk.start(.setClock(DeviceTime(year: 2026, month: 11, day: 21, hour: 9, minute: 0, second: 0)))
        for _ in 0..<7 { talk.tell(.timerFired(.poll)) }
        talk.run()
        #expect(talk.outcome == .complete)
        let set = try #require(talk.managerWrites.first { $0.count == 30 && $0[14] == 0x0C && $0[15] == 0x17 })
        #expect(Array(set[18..<26]) == [0x20, 0x26, 0x11, 0x21, 0x09, 0x00, 0x07, 0x00])
        // The clock's own time was read before, so that old stamps can be interpreted, and again afterwards.
        let now = DeviceTime(year: 2026, month: 11, day: 21, hour: 9, minute: 0, second: 7, hundredths: 0)
        #expect(talk.clocks == [DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 32, second: 0, hundredths: 0), now])
    }

    @Test func information_NamesTheAgent() {
        var talk = PHDConversation(Self.script([:]))
        talk.start(.information)
        talk.run()
        #expect(talk.outcome == .complete)
        var expected = DeviceIdentity(id: "00091ffffe000101", manufacturer: "cuff", model: "simulated agent", serial: "SN000042")
        expected.details = [
            DeviceIdentity.Detail(name: "specialization", value: "blood pressure monitor, IEEE 11073-10407"),
            DeviceIdentity.Detail(name: "specialization version", value: "1"),
            DeviceIdentity.Detail(name: "production serial number", value: "SN000042"),
        ]
        #expect(talk.identities.last == expected)
    }

    @Test func configuration_IsRememberedAndNotAskedForAgain() throws {
        var first = PHDConversation(Self.script(["configuration": "extended"]))
        first.start(.readMemory(user: nil))
        first.run()
        let key = "config/00091ffffe000101/4000"
        let bytes = try #require(first.remembered[key])
        var second = PHDConversation(Self.script(["configuration": "extended"]), memory: [key: bytes])
        second.start(.readMemory(user: nil))
        second.run()
        #expect(second.managerWrites.first?[5] == 0)
        #expect(second.pressures == Self.expected(persons: false))
        #expect(second.remembered.isEmpty)
    }

    @Test func rememberedConfiguration_ThatDoesNotFit_IsAskedForAgain() {
        // Remembered: a scale. The agent is a cuff, and its reports must not be confirmed before they can be decoded.
        let key = "config/00091ffffe000101/4000"
        let scale = Hex.bytes("0001002c0006000100060024092f00040002e1400a460002f0400996000206c30a55000c000200080a560004099000080000") ?? []
        var talk = PHDConversation(Self.script(["configuration": "extended"]), memory: [key: Array(scale.prefix(48))])
        talk.start(.follow)
        talk.run(until: .seconds(120))
        talk.tell(.closed)
        #expect(talk.pressures == Self.expected(persons: false), "\(talk.notes)")
    }

    /// The user changed the unit, and the configuration kept its number: entries of a store are not taken in the remembered unit.
    @Test(arguments: ["mmHg", "kPa"]) func rememberedUnit_ThatDoesNotFitTheStore_IsAskedForAgain(_ remembered: String) throws {
        let other = remembered == "kPa" ? "mmHg" : "kPa"
        func options(_ unit: String) -> [String: String] { ["configuration": "extended", "store": "yes", "unit": unit] }
        var first = PHDConversation(Self.script(options(remembered)))
        first.start(.readMemory(user: nil))
        first.run()
        #expect(!first.remembered.isEmpty && first.pressures.count == 6)
        var second = PHDConversation(Self.script(options(other)), memory: first.remembered)
        second.start(.readMemory(user: nil))
        second.run(until: .seconds(120))
        let units = Set(second.readings.compactMap { $0.bloodPressure.map { "\($0.systolic.unit)" } })
        #expect(second.pressures.count == 6 && units == [other], "\(second.notes)")
    }

    @Test func clocks_AreWhatTheAgentSays() {
        let records = [Self.records[0]]
        func clock(_ time: String) -> DeviceClock? {
            var talk = PHDConversation(Self.script(["time": time], records))
            talk.start(.readMemory(user: nil))
            talk.run()
            return talk.readings.first { $0.bloodPressure != nil }?.clock
        }
        #expect(clock("unset") == .unset)
        #expect(
            clock("impossible") == .impossible(DeviceTime(year: 2026, month: 13, day: 32, hour: 25, minute: 61, second: 61, hundredths: 0)))
        #expect(clock("relative") == .unset)
        #expect(clock("base-offset")?.time?.utcOffset == 120)
        #expect(clock("base-offset")?.time?.wallSeconds == records[0].time.wallSeconds)
    }

    @Test func kilopascals_KeepUnitAndDigits() {
        var talk = PHDConversation(
            Self.script(["unit": "kPa"], [SimulatedRecord(120, 80, mean: 93, pulse: 66, time: Self.records[0].time)]))
        talk.start(.readMemory(user: nil))
        talk.run()
        let pressure = talk.readings.first?.bloodPressure
        #expect(pressure?.systolic == Pressure(Digits(mantissa: 160, exponent: -1), .kPa))
        #expect(pressure?.diastolic == Pressure(Digits(mantissa: 107, exponent: -1), .kPa))
    }

    @Test func silence_EndsAReadInTime() {
        var session = CuffDriver.phd.makeSession(SessionContext())
        _ = session.handle(.opened)
        let asked = session.handle(.command(.readMemory(user: nil)))
        #expect(asked.contains { if case .arm(.overall, _) = $0 { true } else { false } })
        let end = session.handle(.timerFired(.overall))
        #expect(end.contains { if case .finish(.noAnswer) = $0 { true } else { false } })
    }

    @Test func nothingIsWritten_BeforeACommand() {
        var session = CuffDriver.phd.makeSession(SessionContext())
        _ = session.handle(.opened)
        var agent = CuffDriver.phd.makeSimulator(Self.script([:]))
        for action in agent.handle(.opened) {
            guard case .write(let bytes) = action else { continue }
            #expect(!session.handle(.received(bytes)).contains { if case .write = $0 { true } else { false } })
        }
    }

    @Test func measuring_IsUnsupported() {
        var session = CuffDriver.phd.makeSession(SessionContext())
        #expect(session.handle(.command(.measure)).contains { if case .finish(.unsupported) = $0 { true } else { false } })
    }
}
