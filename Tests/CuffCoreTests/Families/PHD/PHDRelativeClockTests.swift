import Testing

@testable import CuffCore

/// Stamps of counting clocks: the agent's description has both of its clocks, so that a count has a calendar time.
@Suite struct PHDRelativeClockTests {
    /// 2026-11-21 08:00:00.00 in the description of every agent here.
    private static let eight: [UInt8] = [0x20, 0x26, 0x11, 0x21, 0x08, 0x00, 0x00, 0x00]

    /// The agent's description: its clock, its count (098F), its high-resolution count (09E8) and Mds-Time-Info.
    private static func facts(
        now: UInt32? = nil, high: UInt64? = nil, capability: UInt16 = 0xA000, step: UInt16 = 1, highStep: UInt32 = 1,
        wall: [UInt8] = eight
    ) -> [UInt8] {
        var attributes: [PHDBytes.Attribute] = [(0x0987, wall)]
        if let now { attributes.append((0x098F, PHDBytes.words(UInt16(now >> 16), UInt16(now & 0xFFFF)))) }
        if let high { attributes.append((0x09E8, (0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - 8 * UInt64($0))) })) }
        let info = PHDBytes.words(capability, 0x1F00, 0xFFFF, 0xFFFF, 100, step, UInt16(highStep >> 16), UInt16(highStep & 0xFFFF))
        attributes.append((0x0A45, info))
        return PHDWriter.presentation(invoke: 1, PHDMessage.getResult) {
            $0.append16(0)
            $0.list(attributes.count) { for attribute in attributes { $0.attribute(attribute.id) { $0.append(attribute.bytes) } } }
        }
    }

    private static func clock(_ description: [UInt8]) -> PHDRelativeClock? {
        PHDDeviceFacts(description.span, 14, description.count, device: "").flatMap { PHDRelativeClock($0) }
    }

    /// An empty event report with this event-time.
    private static func event(_ time: UInt32) -> [UInt8] {
        PHDWriter.presentation(invoke: 1, PHDMessage.confirmedEventReport) {
            $0.append16(0)
            $0.append32(time)
            $0.append16(0x0D1D)
            $0.append16(0)
        }
    }

    private static func time(_ hour: Int, _ minute: Int, _ second: Int, day: Int = 21) -> DeviceClock {
        .derived(DeviceTime(year: 2026, month: 11, day: day, hour: hour, minute: minute, second: second))
    }

    private func relative(
        _ description: [UInt8], _ ticks: UInt32, event: UInt32 = 0xFFFF_FFFF, isStored: Bool = true
    ) -> DeviceClock? {
        Self.clock(description)?.clock(PHDStamp(kind: .relative, bits: UInt64(ticks)), Self.event(event).span, isStored: isStored)
    }

    /// Ten minutes are 600 x 8000 = 4,800,000 ticks.
    @Test func storedStamps_CountBackFromTheDescription() {
        let facts = Self.facts(now: 80_000_000)
        #expect(relative(facts, 75_200_000) == Self.time(7, 50, 0))
        #expect(relative(facts, 80_000_000) == Self.time(8, 0, 0))
        #expect(relative(facts, 80_000_000 - 8000 * 3600 * 2 - 1) == Self.time(5, 59, 59))
        // Half a minute after the description: a measurement that ended in between.
        #expect(relative(facts, 80_000_000 + 8000 * 30) == Self.time(8, 0, 30))
    }

    @Test func counter_MayHaveWrapped() {
        #expect(relative(Self.facts(now: 1000), 0 &- 7000) == Self.time(7, 59, 59))
        // Nearly the whole of its 6.2 days: 2^32 - 8000 x 3600 ticks are 533,270.912 s, that is 6 d 4 h 7 min 50.912 s.
        #expect(relative(Self.facts(now: 80_000_000), 80_000_000 &+ 8000 * 3600) == Self.time(3, 52, 9, day: 15))
    }

    /// A push counts back from its own report's event-time, which requires a bit of Mds-Time-Info.
    @Test func pushedStamps_NeedAnEventTime() {
        let facts = Self.facts(now: 80_000_000)
        #expect(relative(facts, 80_008_000, event: 80_016_000, isStored: false) == Self.time(8, 0, 1))
        // Ten hours later, the report of a measurement five minutes before.
        let later: UInt32 = 80_000_000 + 8000 * 36000
        #expect(relative(facts, later - 8000 * 300, event: later, isStored: false) == Self.time(17, 55, 0))
        #expect(relative(facts, 75_200_000, isStored: false) == .absent)
        #expect(relative(facts, 75_200_000, event: 0, isStored: false) == .absent)
        #expect(relative(Self.facts(now: 80_000_000, capability: 0x8000), 75_200_000, event: 80_000_000, isStored: false) == .absent)
    }

    /// A NovoPen has 8000 (a second) and counts seconds: its counts are not multiples of 8000. A clock of coarse steps that counts ticks
    /// has only multiples.
    @Test func coarseClocks_AreReadAsTheyCount() {
        #expect(relative(Self.facts(now: 116_243, step: 8000), 116_177) == Self.time(7, 58, 54))
        #expect(relative(Self.facts(now: 80_000_000, step: 8000), 75_200_000) == Self.time(7, 50, 0))
    }

    @Test func highResolution_CountsMicroseconds() {
        let clock = Self.clock(Self.facts(high: 1_000_000_000))
        func at(_ microseconds: UInt64) -> DeviceClock? {
            clock?.clock(PHDStamp(kind: .highResolution, bits: microseconds), Self.event(0).span, isStored: false)
        }
        #expect(at(400_000_000) == Self.time(7, 50, 0))
        #expect(at(1_001_000_000) == Self.time(8, 0, 1))
        #expect(at(UInt64(Int64.max)) == .absent && at(UInt64(Int64.max) + 2_000_000_000) == .absent)
    }

    @Test func withoutBothClocks_NothingIsDerived() {
        #expect(Self.clock(Self.facts()) == nil)
        #expect(Self.clock(Self.facts(now: 80_000_000, wall: [0, 0, 0, 0, 0, 0, 0, 0])) == nil)
        #expect(Self.clock(Self.facts(now: 0)) == nil && Self.clock(Self.facts(now: 0xFFFF_FFFF)) == nil)
        #expect(relative(Self.facts(high: 1), 75_200_000) == .absent)
        #expect(relative(Self.facts(now: 80_000_000), 0xFFFF_FFFF) == .absent)
    }

    /// The same record read again, with clocks a second apart: another time, the same id.
    @Test func derivedTimes_AreNoPartOfAnID() {
        var ledger = ReadingLedger(device: "a", driver: "phd")
        func reading(_ clock: DeviceClock) -> Reading {
            Reading(
                .pulseRate(PulseRate(Digits(66))), driver: "phd", clock: clock, origin: .memory, sequence: 75_200_000,
                raw: RawBytes([1, 2]))
        }
        var first = reading(Self.time(7, 50, 0))
        var second = reading(Self.time(7, 50, 1))
        let isNew = (ledger.admit(&first, received: nil), ledger.admit(&second, received: nil))
        #expect(isNew == (true, false))
        #expect(first.id == second.id && first.id.wallSeconds == nil)
    }

    @Test func storedRecords_OfTheSimulatedAgent_GetTheirTimes() {
        let times = [(3, 21, 30), (4, 7, 0), (5, 6, 45)].map {
            DeviceTime(year: 2026, month: 5, day: $0.0, hour: $0.1, minute: $0.2, second: 7)
        }
        let records = times.map { SimulatedRecord(120, 80, mean: 93, pulse: 66, time: $0) }
        var script = SimulatorScript(records: records, options: ["time": "relative", "store": "yes"])
        script.clock = DeviceTime(year: 2026, month: 5, day: 5, hour: 8, minute: 0, second: 0)
        var talk = PHDConversation(script)
        talk.start(.readMemory(user: nil))
        talk.run()
        #expect(talk.outcome == .complete, "\(talk.notes)")
        let clocks = talk.readings.filter { $0.bloodPressure != nil }.map(\.clock)
        #expect(clocks == times.map { .derived($0) }, "\(clocks)")
    }
}
