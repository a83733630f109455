import Testing

@testable import CuffCore

/// Segments selected and cleared by a time range: only of agents with that capability, and never more than was fetched.
@Suite struct PHDTimeRangeTests {
    private static let options = ["from": "2026-05-01", "to": "2026-05-05T07:31"]
    /// SegmSelection: choice 3, 16 bytes: 2026-05-01 00:00:00.00 and 2026-05-05 07:31:59.00.
    private static let selection = "00030010" + "2026050100000000" + "2026050507315900"

    /// A manager whose agent has described itself and its store with this PM-Store-Capab.
    private func manager(_ command: SessionCommand, capability: UInt16, _ options: [String: String] = options) -> PHDVectorTests.Manager {
        var manager = PHDVectorTests.Manager(command, options: options)
        manager.play(.received(PHDSimulatedCuff(["configuration": "extended"]).associationRequest))
        let store = PHDStandardConfiguration.object(PHDClass.store, 8, count: 1) {
            $0.attribute(PHDAttribute.storeCapability) { $0.append16(capability) }
        }
        manager.play(.received(PHDBytes.configuration([PHDBytes.pulseObject(), store])))
        answer(&manager, PHDMessage.getResult, PHDBytes.words(0, 0, 0))
        answer(&manager, PHDMessage.getResult, PHDBytes.words(8, 0, 0))
        return manager
    }

    private func answer(_ manager: inout PHDVectorTests.Manager, _ message: UInt16, _ body: [UInt8]) {
        guard let last = manager.writes.last.flatMap({ Hex.bytes($0) }), let invoke = last.span.bigEndian16(6) else { return }
        manager.play(.received(PHDWriter.presentation(invoke: invoke, message) { $0.append(body) }))
    }

    /// One segment with one entry: a pulse of 66 at 2026-05-04 07:00:00.
    private func describeSegment(_ manager: inout PHDVectorTests.Manager) {
        let map = PHDBytes.words(0x8000, 1, 16, 6, 2, 18474, 2, 1, 4, 0x0A4C, 2)
        let attributes = PHDBytes.words(2, UInt16(12 + map.count), 0x0A4E, UInt16(map.count)) + map + PHDBytes.words(0x097B, 4, 0, 1)
        let list = PHDBytes.words(1, UInt16(2 + attributes.count), 1) + attributes
        answer(&manager, PHDMessage.actionResult, PHDBytes.words(8, 0x0C0D, UInt16(list.count)) + list)
    }

    private func transfer(_ manager: inout PHDVectorTests.Manager) {
        answer(&manager, PHDMessage.actionResult, PHDBytes.words(8, 0x0C1C, 4, 1, 0))
        let entry: [UInt8] = [0x20, 0x26, 0x05, 0x04, 0x07, 0x00, 0x00, 0x00, 0x00, 0x42]
        manager.play(
            .received(PHDBytes.event(PHDEvent.segmentData, handle: 8) { $0.append(PHDBytes.words(1, 0, 0, 0, 1, 0xC000, 10) + entry) }))
    }

    @Test func range_IsAskedForWhereItCanBe() {
        let able = manager(.readMemory(user: nil), capability: 0x0A00)
        #expect(able.writes.last?.hasSuffix("00080c0d0014" + Self.selection) == true, "\(able.writes.last ?? "")")
        // Otherwise everything is fetched, with a warning.
        let unable = manager(.readMemory(user: nil), capability: 0x0800)
        #expect(unable.writes.last?.hasSuffix("00080c0d0006" + "000100020000") == true)
        #expect(unable.notes.contains { $0.contains("range of time") })
        let plain = manager(.readMemory(user: nil), capability: 0x0A00, [:])
        #expect(plain.writes.last?.hasSuffix("00080c0d0006" + "000100020000") == true)
    }

    /// Capability 0280 and 0300: selects by time, and clears by time or by list.
    @Test(arguments: [(0x0A80, "00080c0c0014" + selection), (0x0B00, "00080c0c000a00020006000100020001")] as [(UInt16, String)])
    func clearing_NamesNoMoreThanTheRange(_ capability: UInt16, _ expected: String) {
        var manager = manager(.clear(user: nil), capability: capability)
        describeSegment(&manager)
        transfer(&manager)
        #expect(manager.readings.count == 1)
        // It looks again right before: the same range, the same segment.
        #expect(manager.writes.last?.hasSuffix(Self.selection) == true)
        describeSegment(&manager)
        #expect(manager.writes.last?.hasSuffix(expected) == true, "\(manager.writes.last ?? "")")
        answer(&manager, PHDMessage.actionResult, PHDBytes.words(8, 0x0C0C, 0))
        manager.take("e50000020000")
        #expect(manager.outcome == .complete)
    }

    /// It cannot select by time, or cannot clear what it selects: nothing is cleared.
    @Test(arguments: [UInt16(0x0980), 0x0A00])
    func clearing_IsRefusedWhereItWouldTakeMore(_ capability: UInt16) {
        var manager = manager(.clear(user: nil), capability: capability)
        describeSegment(&manager)
        transfer(&manager)
        describeSegment(&manager)
        #expect(!manager.writes.contains { $0.contains("0c0c") })
        manager.take("e50000020000")
        guard case .unsupported = manager.outcome else {
            Issue.record("\(String(describing: manager.outcome))")
            return
        }
    }

    @Test func texts_AreTimesOfTheAgent() {
        func bounds(_ from: String?, _ to: String?) -> [String]? {
            var options: [String: String] = [:]
            if let from { options["from"] = from }
            if let to { options["to"] = to }
            guard case .range(let range) = PHDTimeRange.wish(options) else { return nil }
            return [range.from, range.to].map { Hex.text(PHDStamp.bytes(absolute: $0), separator: "") }
        }
        #expect(bounds("2026-05-01", "2026-05-05T07:31:10") == ["2026050100000000", "2026050507311000"])
        #expect(bounds("2026-05-01T08:15", nil) == ["2026050108150000", "2099123123595900"])
        #expect(bounds(nil, "2026-05-05") == ["1900010100000000", "2026050523595900"])
        #expect(PHDTimeRange.wish([:]) == .none)
        #expect(PHDTimeRange.wish(["from": "2026-05-05T24:00"]) == .malformed("2026-05-05T24:00"))
    }
}
