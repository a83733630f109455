import CuffCore
import TestSupport
import Testing

/// Common properties of families that read their memory record by record over HID or TaiDoc's frames.
@Suite struct HIDFamilyTests {
    static let families: [CuffDriver] = [
        .omronHID, .beurerHID, .microlifeHID, .contec08A, .taiDoc, .omronEEPROM, .beurerBM96,
    ]
    /// Those whose protocol has a check.
    static let checked: [CuffDriver] = [.omronHID, .microlifeHID, .taiDoc, .omronEEPROM]

    @Test(arguments: families.indices)
    func memory_ArrivesWhole(_ index: Int) {
        let driver = Self.families[index]
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 17, seed: 5))
        let talk = HIDConversation(driver, .readMemory(user: nil), script)
        #expect(talk.outcome == .complete)
        #expect(talk.readings.map(HIDConversation.summary).sorted() == script.records.map(HIDConversation.summary).sorted())
        #expect(talk.readings.allSatisfy { $0.origin == .memory && $0.driver == driver.id && $0.raw.count > 0 })
    }

    @Test(arguments: families.indices)
    func emptyMemory_IsComplete(_ index: Int) {
        let talk = HIDConversation(Self.families[index], .readMemory(user: nil), SimulatorScript(records: []))
        #expect(talk.outcome == .complete)
        #expect(talk.readings.isEmpty)
    }

    @Test(arguments: [0, 1, 3, 4, 5, 6])
    func oneUser_GetsOnlyHerOwn(_ index: Int) {
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 9, seed: 3))
        let talk = HIDConversation(Self.families[index], .readMemory(user: 2), script)
        #expect(talk.outcome == .complete)
        #expect(!talk.readings.isEmpty)
        #expect(talk.readings.allSatisfy { $0.user == 2 })
        #expect(
            talk.readings.map(HIDConversation.summary).sorted()
                == script.records.filter { $0.user == 2 }.map(HIDConversation.summary).sorted())
    }

    @Test(arguments: families.indices)
    func silentCuff_EndsWithinAMinute(_ index: Int) {
        let talk = HIDConversation(
            Self.families[index], .readMemory(user: nil), faults: HIDConversation.Faults(seed: 1, lost: 100))
        guard case .noAnswer? = talk.outcome else {
            Issue.record("outcome \(String(describing: talk.outcome))")
            return
        }
        #expect(talk.elapsed <= .seconds(60))
        #expect(talk.readings.isEmpty)
    }

    @Test(arguments: families.indices)
    func follow_WritesNothing(_ index: Int) {
        var session = Self.families[index].makeSession(SessionContext())
        var actions = session.handle(.opened) + session.handle(.command(.follow))
        for byte in UInt8.min...UInt8.max {
            actions += session.handle(.received([byte, 0x4F, 0x4B, 0, 0x55, 0xA5, 0x01, byte]))
        }
        actions += session.handle(.timerFired(.response))
        for action in actions {
            switch action {
            case .write, .writeFeature, .emit, .arm, .finish: Issue.record("\(action)")
            default: break
            }
        }
    }

    @Test(arguments: families.indices)
    func measureAndSchedule_AreRefusedBeforeAnythingIsSent(_ index: Int) {
        for command in [SessionCommand.measure, .stop, .schedule(.get)] {
            let talk = HIDConversation(Self.families[index], command)
            guard case .unsupported? = talk.outcome else {
                Issue.record("\(command): \(String(describing: talk.outcome))")
                continue
            }
            #expect(talk.writes.isEmpty)
        }
    }

    /// Reports are lost and repeated; all readings are the cuff's, and `complete` means all of them.
    @Test(arguments: families.indices)
    func lostAndRepeatedReports_NeverInventAReading(_ index: Int) {
        let driver = Self.families[index]
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 8, seed: 11))
        let stored = Set(script.records.map(HIDConversation.summary))
        for seed in 0..<Effort.choose(60, exhaustive: 150) as Range<UInt64> {
            let talk = HIDConversation(
                driver, .readMemory(user: nil), script, faults: HIDConversation.Faults(seed: seed, lost: 4, repeated: 4))
            #expect(talk.outcome != nil, "seed \(seed): no end")
            #expect(talk.elapsed < .seconds(600), "seed \(seed): \(talk.elapsed)")
            let got = talk.readings.map(HIDConversation.summary)
            #expect(stored.isSuperset(of: got), "seed \(seed)")
            // Contec's records have no number and answer no request, so a copy counts as one.
            if talk.outcome == .complete && driver.id != "contec-08a" {
                #expect(Set(got) == stored, "seed \(seed)")
                #expect(got.count == stored.count, "seed \(seed)")
            }
        }
    }

    @Test(arguments: checked.indices)
    func damagedReports_NeverGiveAWrongReading(_ index: Int) {
        let driver = Self.checked[index]
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 6, seed: 13))
        let stored = Set(script.records.map(HIDConversation.summary))
        var read = 0
        for seed in 0..<Effort.choose(60, exhaustive: 200) as Range<UInt64> {
            let talk = HIDConversation(
                driver, .readMemory(user: nil), script,
                faults: HIDConversation.Faults(seed: seed, lost: 1, repeated: 1, flipped: 3))
            #expect(talk.outcome != nil, "seed \(seed): no end")
            #expect(stored.isSuperset(of: talk.readings.map(HIDConversation.summary)), "seed \(seed)")
            read += talk.readings.count
        }
        #expect(read > 200)
    }

    @Test func claims_AreExactOnlyWhereTheIdIsACuffs() {
        #expect(CuffDriver.omronHID.claims == [.usb(vendor: 0x0590, product: 0x0028)])
        #expect(CuffDriver.beurerHID.claims == [.release(vendor: 0x0C45, product: 0x7406, bcdDevice: 0x0170)])
        #expect(CuffDriver.microlifeHID.claims == [.shared(vendor: 0x04D9, product: 0xB554)])
        #expect(CuffDriver.contec08A.claims == [.shared(vendor: 0x0483, product: 0x5750)])
        #expect(CuffDriver.taiDoc.claims == [.shared(vendor: 0x10C4, product: 0xEA60), .shared(vendor: 0x10C4, product: 0xEA80)])
        #expect(Self.families.filter { $0.medium == .tty }.map(\.id) == ["taidoc"])
    }
}
