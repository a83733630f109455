import Testing

@testable import CuffCore

/// A segment whose entries were stored only in part is not cleared.
@Suite struct PHDUnstoredTests {
    private static let cuff = PHDSimulatedCuff(["store": "yes"])
    private static let store = PHDSimulatedCuff.storeHandle

    /// Pressures, pulse, and an element of handle 9 with this attribute of two bytes.
    private static func info(_ invoke: UInt16, _ attribute: UInt16) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.actionResult, capacity: 256) {
            $0.append16(store)
            $0.append16(PHDAction.segmentInfo)
            $0.counted {
                $0.list(1) {
                    $0.append16(1)
                    $0.list(2) {
                        $0.attribute(PHDAttribute.entryMap) {
                            $0.append16(0x8000)
                            $0.list(3) {
                                for word in [UInt16(6), 2, 18948, 1] { $0.append16(word) }
                                PHDStandardConfiguration.map([(0x0A75, 10)], into: &$0)
                                for word in [UInt16(6), 2, 18474, 2] { $0.append16(word) }
                                PHDStandardConfiguration.map([(0x0A4C, 2)], into: &$0)
                                for word in [UInt16(6), 2, 0xF077, 9] { $0.append16(word) }
                                PHDStandardConfiguration.map([(attribute, 2)], into: &$0)
                            }
                        }
                        $0.attribute(PHDAttribute.segmentUsageCount) { $0.append32(1) }
                    }
                }
            }
        }
    }

    /// A manager that has fetched the one entry, and looked at the store again.
    private func cleared(_ attribute: UInt16) -> PHDVectorTests.Manager {
        let cuff = Self.cuff
        var manager = PHDVectorTests.Manager(.clear(user: nil))
        manager.play(.received(cuff.associationRequest))
        manager.play(.received(cuff.configurationReport(invoke: 1, id: 0x4000)))
        manager.play(.received(cuff.description(invoke: 1, clock: DeviceTime(year: 2026, month: 5, day: 5))))
        manager.play(.received(cuff.storeDescription(invoke: 2, segments: [SimulatedRecord.sample(count: 1, seed: 5)])))
        manager.play(.received(Self.info(3, attribute)))
        manager.play(.received(cuff.triggerResult(invoke: 4, instance: 1, 0)))
        let entry = PHDBytes.stamp + PHDBytes.words(3, 6, 118, 76, 90) + PHDBytes.words(64, 0x0102)
        manager.play(
            .received(
                PHDBytes.event(PHDEvent.segmentData, handle: Self.store, invoke: 9) {
                    $0.append16(1)
                    $0.append32(0)
                    $0.append32(1)
                    $0.append16(0xC000)
                    $0.counted { $0.append(entry) }
                }))
        manager.play(.received(Self.info(5, attribute)))
        return manager
    }

    @Test func elementThatIsNoReading_KeepsTheSegment() {
        var manager = cleared(0xF00D)
        #expect(manager.readings.map(\.bloodPressure) == [.mmHg(118, 76, mean: 90, pulse: 64)])
        // The entry is confirmed, which erases nothing.
        #expect(manager.writes.contains { $0.hasPrefix("e700001e001c") && $0.hasSuffix("0080") })
        #expect(!manager.writes.contains { $0.contains("0c0c") })
        manager.take("e50000020000")
        #expect(manager.outcome == .failed("a part of the agent's store has values that cannot be stored here, so it was not cleared"))
    }

    /// The same entry with a number in its third element, which becomes a quantity.
    @Test func elementThatIsAReading_IsCleared() {
        let manager = cleared(0x0A4C)
        #expect(manager.readings.count == 2)
        #expect(manager.writes.last?.contains("0c0c000a00020006000100020001") == true)
    }
}
