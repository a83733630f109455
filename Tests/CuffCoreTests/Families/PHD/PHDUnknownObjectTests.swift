import Testing

@testable import CuffCore

/// Objects missing from the configuration, and changed configurations.
@Suite struct PHDUnknownObjectTests {
    typealias Manager = PHDVectorTests.Manager

    /// An agent under standard configuration 700, which describes handles 1 and 2.
    private func standard() -> Manager {
        var manager = Manager()
        manager.take(PHDVectorTests.request)
        _ = manager.answers()
        return manager
    }

    private func goesOn(_ manager: inout Manager) -> Bool {
        manager.play(.timerFired(.retry))
        manager.play(.received(PHDBytes.fixed([(1, PHDBytes.words(3, 6, 121, 79, 93) + PHDBytes.stamp), (2, PHDBytes.pulse)])))
        return manager.answers() == ["rors"] && manager.session.state == .operating
    }

    @Test func unknownHandle_BesideKnownOnes_HoldsNothingUp() {
        var manager = standard()
        manager.play(.received(PHDBytes.fixed([(1, PHDBytes.pressures), (99, [1, 2, 3]), (2, PHDBytes.pulse)])))
        #expect(manager.readings.map(\.bloodPressure) == [.mmHg(118, 76, mean: 90, pulse: 64)])
        #expect(manager.answers() == ["rors"])
        #expect(manager.notes.contains { $0.contains("does not describe") })
        #expect(goesOn(&manager))
    }

    @Test func unknownHandleAlone_IsToldAndConfirmed() {
        var manager = standard()
        manager.play(.received(PHDBytes.fixed([(7, [1, 2, 3, 4])])))
        #expect(manager.readings.isEmpty && manager.answers() == ["rors"])
        #expect(manager.notes.contains { $0.contains("does not describe") })
        #expect(goesOn(&manager))
        // The same under a configuration that was just sent.
        var fresh = PHDBytes.manager([PHDBytes.pressureObject(), PHDBytes.pulseObject()])
        fresh.play(.received(PHDBytes.fixed([(7, [1, 2, 3, 4])])))
        #expect(fresh.answers() == ["rors"])
        #expect(goesOn(&fresh))
    }

    /// A variable report names its values, so that nothing is lost: 70.5 kg of metric 57664, in no partition.
    @Test func unknownHandle_WithNamedValues_IsAQuantity() {
        var manager = standard()
        let attributes: [PHDBytes.Attribute] = [
            (0x092B, PHDBytes.words(57664)), (0x0A56, [0xFF, 0x00, 0x02, 0xC1]), (0x0996, PHDBytes.words(1731)), (0x0990, PHDBytes.stamp),
        ]
        manager.play(.received(PHDBytes.variable([(9, attributes)])))
        #expect(
            manager.quantities == [Quantity(partition: 0, term: 57664, value: Digits(mantissa: 705, exponent: -1), unit: 1731)])
        #expect(manager.answers() == ["rors"])
        #expect(goesOn(&manager))
    }

    /// Handle 0 is the agent itself: battery 55 %, and its clock.
    @Test func attributesOfTheAgent_AreTakenAndConfirmed() {
        var manager = standard()
        let attributes: [PHDBytes.Attribute] = [(0x099C, PHDBytes.words(55)), (0x0987, PHDBytes.stamp)]
        manager.play(.received(PHDBytes.variable([(0, attributes), (1, [(0x0A75, PHDBytes.words(3, 6, 118, 76, 90))])])))
        #expect(manager.answers() == ["rors"])
        #expect(manager.readings.count == 1)
        let batteries = manager.actions.compactMap { if case .identify(let identity) = $0 { identity.battery } else { nil } }
        #expect(batteries == [55])
        let clocks = manager.actions.compactMap { if case .clock(let time) = $0 { time } else { nil } }
        #expect(clocks.map(\.hour) == [7] && clocks.map(\.day) == [20])
        #expect(goesOn(&manager))
    }

    @Test func fixedBytesOfTheAgent_AreConfirmed() {
        var manager = standard()
        manager.play(.received(PHDBytes.fixed([(0, [0, 55])])))
        #expect(manager.readings.isEmpty && manager.answers() == ["rors"])
        #expect(goesOn(&manager))
    }

    private static let forms: [[String: String]] = [
        [:], ["configuration": "extended"], ["unit": "kPa"], ["status": "yes"], ["store": "yes"], ["store": "yes", "persons": "yes"],
        ["time": "base-offset"], ["time": "relative"], ["unit": "kPa", "status": "yes", "time": "base-offset"],
        ["unit": "kPa", "store": "yes", "persons": "yes", "status": "yes", "time": "relative"], ["persons": "yes", "unit": "kPa"],
        ["report": "variable", "configuration": "extended"],
    ]

    /// Each number always means the same configuration.
    @Test func simulatedForms_HaveNumbersOfTheirOwn() {
        var known: [UInt16: [UInt8]] = [:]
        for options in Self.forms {
            let cuff = PHDSimulatedCuff(options)
            let bytes = cuff.configurationReport(invoke: 1, id: 0)
            #expect(known[cuff.configurationID] ?? bytes == bytes, "\(options)")
            known[cuff.configurationID] = bytes
            #expect(cuff.configurationID == 0x02BC || (0x4000...0x7FFF).contains(cuff.configurationID))
        }
        #expect(known.count == 10)
    }

    private static let records = SimulatedRecord.sample(count: 3, seed: 11)

    /// A conversation with an agent of this form, whose number is remembered with the configuration of another form.
    private func remembering(_ wrong: [String: String], _ options: [String: String]) -> PHDConversation {
        let script = SimulatorScript(records: Self.records, options: options)
        var first = PHDConversation(script)
        first.start(.readMemory(user: nil))
        first.run()
        let bytes = Array(PHDSimulatedCuff(wrong).configurationReport(invoke: 1, id: 0).dropFirst(24))
        var second = PHDConversation(script, memory: first.remembered.mapValues { _ in bytes })
        second.start(.readMemory(user: nil))
        second.run()
        #expect(first.remembered.count == 1)
        #expect(
            second.stored.values.map(\.content).sorted { "\($0)" < "\($1)" }
                == first.stored.values.map(\.content).sorted { "\($0)" < "\($1)" })
        #expect(Set(second.stored.keys) == Set(first.stored.keys))
        #expect(second.outcome == .complete)
        return second
    }

    /// Kilopascals under a configuration in mmHg, and the reverse: nothing is used before the agent has been asked.
    @Test func rememberedUnit_IsNotUsedForAnother() {
        let kPa = remembering(["configuration": "extended"], ["unit": "kPa"])
        #expect(kPa.readings.compactMap(\.bloodPressure).allSatisfy { $0.systolic.unit == .kPa && $0.isPlausible })
        #expect(kPa.readings.compactMap(\.bloodPressure).count == 3)
        let mmHg = remembering(["unit": "kPa"], ["configuration": "extended"])
        #expect(mmHg.readings.compactMap(\.bloodPressure).allSatisfy { $0.systolic.unit == .mmHg && $0.isPlausible })
    }

    /// Eight bytes of one clock read as those of the other.
    @Test func rememberedStamp_IsNotUsedForAnother() {
        _ = remembering(["configuration": "extended"], ["time": "base-offset"])
        _ = remembering(["time": "base-offset"], ["configuration": "extended"])
        _ = remembering(["time": "relative"], ["configuration": "extended"])
    }

    /// The same cuff twice; the second time its configuration is remembered.
    private func again(_ records: [SimulatedRecord], _ options: [String: String] = [:]) -> (first: PHDConversation, second: PHDConversation)
    {
        let script = SimulatorScript(records: records, options: options.merging(["configuration": "extended"]) { $1 })
        var first = PHDConversation(script)
        first.start(.readMemory(user: nil))
        first.run()
        var second = PHDConversation(script, memory: first.remembered)
        second.start(.readMemory(user: nil))
        second.run()
        #expect(second.outcome == .complete && Set(second.stored.keys) == Set(first.stored.keys) && first.stored.count == 3)
        return (first, second)
    }

    private static func associations(_ talk: PHDConversation) -> [UInt8] {
        talk.managerWrites.filter { $0[0] == 0xE3 }.map { $0[5] }
    }

    /// 400 mmHg, which no arm has: the cuff repeats its configuration, which is then used.
    @Test func rememberedConfiguration_ThatIsAffirmed_IsUsed() {
        var records = Self.records
        for index in records.indices { records[index].systolic = 400 }
        let (_, second) = again(records)
        #expect(Self.associations(second) == [0, 3])
        #expect(second.stored.values.allSatisfy { $0.flags.contains(.implausible) })
    }

    /// docs/PHD.md §1.2: the value is kept, and the report confirmed, in the first association; the agent may never come back.
    @Test(arguments: ["impossible", "unset", "absolute", "base-offset"])
    func rememberedConfiguration_IsUsed_WhateverTheClockShows(_ time: String) {
        var records = Self.records
        for index in records.indices { records[index].time.year = 1970 }
        let (first, second) = again(records, ["time": time])
        #expect(Self.associations(first) == [3] && Self.associations(second) == [0])
        #expect(second.readings.map(\.content) == first.readings.map(\.content))
        #expect(second.readings.map(\.clock) == first.readings.map(\.clock))
    }

    /// Eight bytes of one clock contradict the other only if they are a time of it.
    @Test func stamp_ContradictsMemory_IfItIsATimeOfTheOtherClock() {
        func contradicts(_ kind: PHDStamp.Kind, _ bits: UInt64) -> Bool { PHDStamp(kind: kind, bits: bits).contradictsMemory }
        // 2026-11-20 07:10:12 in BCD is 1917 in seconds since 1900; 23:30 at +60 minutes is no BCD.
        #expect(!contradicts(.absolute, 0x2026_1120_0710_1200) && contradicts(.baseOffset, 0x2026_1120_0710_1200))
        #expect(!contradicts(.baseOffset, 0xEEAB_4868_0000_003C) && contradicts(.absolute, 0xEEAB_4868_0000_003C))
        // None, never set, 2026-13-32 25:61:61, 1970 in both forms, and no zone: 7 minutes.
        for bits in [0, .max, 0x2026_1332_2561_6100, 0x1970_0505_0731_0000, 0x83AA_7E80_0000_0000, 0xEEAB_4868_0000_0007] as [UInt64] {
            #expect(!contradicts(.absolute, bits) && !contradicts(.baseOffset, bits), "\(bits)")
        }
    }
}
