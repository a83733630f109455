import Testing

@testable import CuffCore

/// An agent's further facts: kept whole, and shown by `cuff info`.
@Suite struct PHDDetailTests {
    private func octets(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + Array(text.utf8) }

    private func answer(_ attributes: [PHDBytes.Attribute]) -> SessionEvent {
        .received(
            PHDWriter.presentation(invoke: 1, PHDMessage.getResult, capacity: 512) {
                $0.append16(0)
                $0.list(attributes.count) { for attribute in attributes { $0.attribute(attribute.id) { $0.append(attribute.bytes) } } }
            })
    }

    /// Supplemental type spot (2::19516) and a body site (7::0x0190), accuracy 3 mmHg: FLOAT 00000003.
    private static let object = PHDStandardConfiguration.object(PHDClass.numeric, 1, count: 5) {
        $0.attribute(PHDAttribute.type) { $0.append(PHDBytes.words(2, 18949)) }
        $0.attribute(PHDAttribute.unitCode) { $0.append16(3872) }
        $0.attribute(0x0A61) { $0.append(PHDBytes.words(2, 8, 2, 19516, 7, 0x0190)) }
        $0.attribute(0x094A) { $0.append(PHDBytes.words(0, 3)) }
        $0.attribute(PHDAttribute.valueMap) { PHDStandardConfiguration.map([(0x0A4C, 2), (0x0990, 8)], into: &$0) }
    }

    private func told(_ manager: PHDVectorTests.Manager) -> DeviceIdentity? {
        manager.actions.compactMap { if case .identify(let identity) = $0 { identity } else { nil } }.last
    }

    @Test func everythingIsKept() throws {
        var manager = PHDBytes.manager([Self.object], .information)
        let production =
            PHDBytes.words(3, 32) + PHDBytes.words(1, 0) + octets("SN0042") + PHDBytes.words(2, 0) + octets("PN-7")
            + PHDBytes.words(5, 1) + octets("1.07")
        manager.play(
            answer([
                (0x0A5A, PHDBytes.words(1, 4, 0x1007, 2)), (0x092D, production), (0x0955, PHDBytes.words(0x4020)),
                // 90 min: FLOAT 0000005A, unit 08A0.
                (0x0988, PHDBytes.words(0, 90, 0x08A0)), (0x099C, PHDBytes.words(71)),
                (0x0A4B, PHDBytes.words(1, 8, 0x0201, 4, 0x0102, 0x0304)),
            ]))
        let identity = try #require(told(manager))
        #expect((identity.serial, identity.firmware, identity.battery) == ("SN0042", "1.07", 71))
        let rows = identity.details.map { "\($0.name): \($0.value)" }
        #expect(
            rows == [
                "specialization: blood pressure monitor, IEEE 11073-10407", "specialization version: 2",
                "production serial number: SN0042", "production part number: PN-7", "production firmware revision: 1.07",
                "power: on battery, not charging", "battery lasts: 90 min", "certification: Continua, structure 1: 01020304",
                "type of MDC_PRESS_BLD_NONINV_SYS: MDC_MODALITY_SPOT", "body site of MDC_PRESS_BLD_NONINV_SYS: MDC 7::400",
                "accuracy of MDC_PRESS_BLD_NONINV_SYS: 3 mmHg",
            ], "\(rows)")
    }

    /// An agent of two specializations, with two certificates and two parts of the same kind.
    @Test func severalOfAKind_AreAllKept() throws {
        let sited = PHDStandardConfiguration.object(PHDClass.numeric, 1, count: 4) {
            $0.attribute(PHDAttribute.type) { $0.append(PHDBytes.words(2, 18949)) }
            $0.attribute(PHDAttribute.unitCode) { $0.append16(3872) }
            $0.attribute(0x0A61) { $0.append(PHDBytes.words(2, 8, 7, 0x0190, 7, 0x0194)) }
            $0.attribute(PHDAttribute.valueMap) { PHDStandardConfiguration.map([(0x0A4C, 2), (0x0990, 8)], into: &$0) }
        }
        var manager = PHDBytes.manager([sited], .information)
        let production = PHDBytes.words(2, 24) + PHDBytes.words(3, 1) + octets("HW-1") + PHDBytes.words(3, 2) + octets("HW-2-longer")
        let corrected = Array(production[..<2]) + PHDBytes.words(UInt16(production.count - 4)) + production[4...]
        manager.play(
            answer([
                (0x0A5A, PHDBytes.words(2, 8, 0x1007, 2, 0x1004, 1)), (0x092D, Array(corrected)),
                (0x0A4B, PHDBytes.words(2, 16, 0x0201, 4, 0x0102, 0x0304, 0x0101, 4, 0x0506, 0x0708)),
            ]))
        let rows = try #require(told(manager)).details.map { "\($0.name): \($0.value)" }
        #expect(
            rows == [
                "specialization: blood pressure monitor, IEEE 11073-10407", "specialization version: 2",
                "specialization: pulse oximeter, IEEE 11073-10404", "specialization version: 1",
                "production hardware revision: HW-1", "production hardware revision: HW-2-longer",
                "certification: Continua, structure 1: 01020304", "certification: IEEE 11073, structure 1: 05060708",
                "body site of MDC_PRESS_BLD_NONINV_SYS: MDC 7::400", "body site of MDC_PRESS_BLD_NONINV_SYS: MDC 7::404",
            ], "\(rows)")
    }

    /// An update of handle 0 replaces all rows of its names, and no others.
    @Test func anUpdate_ReplacesAllRowsOfItsNames() {
        var known = PHDDeviceFacts(device: "1")
        for (name, value) in [("power", "on mains"), ("certification", "a"), ("certification", "b"), ("battery lasts", "90 min")] {
            known.add(name, value)
        }
        var change = PHDDeviceFacts(device: "1")
        for value in ["c", "d", "e"] { change.add("certification", value) }
        known.update(change)
        #expect(known.details.map(\.value) == ["on mains", "c", "d", "e", "90 min"])
        known.update(PHDDeviceFacts(device: "1"))
        #expect(known.details.count == 5)
    }

    @Test func zerosAndDamage_SayNothing() throws {
        var manager = PHDBytes.manager([Self.object], .information)
        manager.play(
            answer([
                (0x0A5A, PHDBytes.words(0, 0)), (0x092D, PHDBytes.words(9, 4, 1, 0)), (0x0955, PHDBytes.words(0)),
                (0x0988, PHDBytes.words(0, 0, 0)), (0x0A4B, PHDBytes.words(5, 2, 0x0201)),
            ]))
        #expect(try #require(told(manager)).details.count == 3)  // those of the configuration
    }

    @Test func rows_AreBounded() throws {
        var manager = PHDBytes.manager([Self.object], .information)
        let entry: [UInt8] = PHDBytes.words(2, 0) + octets("PN")
        let production = PHDBytes.words(500, UInt16(500 * entry.count)) + [[UInt8]](repeating: entry, count: 500).flatMap { $0 }
        manager.play(answer([(0x092D, production)]))
        #expect(try #require(told(manager)).details.count == PHDDeviceFacts.detailCeiling + 3)
    }

    /// Mds-Time-Info's bit 0010: the manager should set the time.
    @Test func clockWish_IsToldAndRemembered() throws {
        var manager = PHDBytes.manager([Self.object], .information)
        let info = PHDBytes.words(0xC010, 0x1F00, 0xFFFF, 0xFFFF, 100, 0, 0, 0)
        manager.play(answer([(0x0987, PHDBytes.stamp), (0x0A45, info)]))
        #expect(try #require(told(manager)).wantsClock)
        let remembered = manager.actions.compactMap { if case .remember(let key, let value) = $0 { (key, value) } else { nil } }
        #expect(remembered.last?.0 == "wants-clock/00091ffffe000101" && remembered.last?.1 == [1])
        #expect(SessionContext.clockWishes(in: ["wants-clock/a": [1], "wants-clock/b": [0], "config/a/4000": [1]]) == ["a"])
        var content = PHDBytes.manager([Self.object], .information)
        content.play(answer([(0x0A45, PHDBytes.words(0xC000, 0x1F00, 0xFFFF, 0xFFFF, 100, 0, 0, 0))]))
        #expect(told(content)?.wantsClock == false)
    }

    /// AARE with the one version bit that the agent offers, and none for an unknown one.
    @Test(arguments: [
        (UInt8(0xE0), "80000000", "0003"), (0x40, "40000000", "0003"), (0x60, "40000000", "0003"), (0x20, "20000000", "0003"),
        (0x10, "10000000", "0003"), (0x08, "00000000", "0005"),
    ])
    func protocolVersion_IsTheLowestOffered(_ offered: UInt8, _ chosen: String, _ result: String) {
        var request = PHDSimulatedCuff(["configuration": "extended"]).associationRequest
        request[16] = offered
        var manager = PHDVectorTests.Manager()
        manager.play(.received(request))
        #expect(manager.writes.first?.hasPrefix("e300002c" + result + "50790026" + chosen) == true, "\(manager.writes)")
    }
}
