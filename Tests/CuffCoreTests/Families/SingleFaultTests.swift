import CuffCore
import TestSupport
import Testing

/// One byte of a whole conversation is lost, doubled or changed, at each place of both directions. 11073 is not among them: it leaves the
/// check of the bytes to the transport.
@Suite struct SingleFaultTests {
    private static let records = SimulatedRecord.sample(count: 3, seed: 5)

    private static func text(_ readings: [Reading]) -> Set<String> { Set(readings.map { HIDConversation.summary($0) }) }
    private static let held = Set(records.map { HIDConversation.summary($0) })

    /// Cleared, or read into a database and deleted one by one: everything was emitted, and so committed, before it was erased.
    @Test(
        arguments: [
            ("taidoc", [:], SessionCommand.clear(user: nil), "cleared"), ("omron-hid", ["variant": "mes"], .clear(user: nil), "erased"),
        ] as [(String, [String: String], SessionCommand, String)])
    func nothingIsErased_ThatWasNotRead(_ id: String, _ options: [String: String], _ command: SessionCommand, _ note: String) throws {
        let driver = try #require(CuffFamilies.named(id))
        var erased = 0
        driver.withEachFault(command, SimulatorScript(records: Self.records, options: options)) { talk, _, fault in
            #expect(talk.outcome != nil, "\(fault)")
            let isErased = talk.cuffNotes.contains(note)
            if isErased { erased += 1 }
            if isErased { #expect(Self.text(talk.readings).isSuperset(of: Self.held), "\(fault): \(talk.readings.count)") }
            if !isErased { #expect(talk.outcome != .complete, "\(fault)") }
        }
        #expect(erased > 0)
    }

    /// R1 deletes each result that is acknowledged: what was not read is still there.
    @Test(arguments: [SessionCommand.readMemory(user: nil), .follow])
    func acknowledgedResults_WereRead(_ command: SessionCommand) {
        let script = SimulatorScript(records: Self.records, pushes: command == .follow)
        CuffDriver.r1.withEachFault(command, script, closesAfter: .seconds(60)) { talk, cuff, fault in
            let deleted = talk.cuffNotes.count { $0 == "the stored result is deleted" }
            #expect(Set(talk.readings.map(\.id)).count >= deleted, "\(fault)")
            #expect(Self.text(talk.readings).isSubset(of: Self.held), "\(fault)")
        }
    }

    @Test(
        arguments: CuffFamilies.all.filter { $0.check != nil && $0.capabilities.isSuperset(of: [.setClock, .readClock]) }.map(
            \.id.description))
    func aClockThatWasNotSet_IsNotSaidToBeSet(_ id: String) throws {
        let driver = try #require(CuffFamilies.named(id))
        let time = DeviceTime(year: 2026, month: 11, day: 21, hour: 9, minute: 42, second: 10)
        var (set, unset) = (0, 0)
        driver.withEachFault(.setClock(time), SimulatorScript(records: Self.records)) { talk, cuff, fault in
            #expect(talk.outcome != nil, "\(fault)")
            // Read over a good line, as `cuff clock` does.
            let shown = Conversation(driver, .readClock, with: cuff).clocks.last
            let isSet = shown.map { abs($0.wallSeconds - time.wallSeconds) <= 120 } ?? false
            if isSet { set += 1 } else { unset += 1 }
            if talk.outcome == .complete { #expect(isSet, "\(fault): \(shown.map { "\($0)" } ?? "no clock")") }
        }
        #expect(set > 0, "\(unset)")
    }

    /// Without a check, a lost or doubled byte must not make other numbers of the rest.
    @Test func aShiftedRecord_IsNoReading_OfBeurerSerial() {
        let script = SimulatorScript(records: Self.records)
        CuffDriver.beurerSerial.withEachFault(.readMemory(user: nil), script, [.lost, .doubled]) { talk, _, fault in
            #expect(Self.text(talk.readings).isSubset(of: Self.held), "\(fault)")
            #expect(talk.outcome != .complete || talk.readings.count == 3, "\(fault): \(talk.readings.count)")
        }
    }
}
