import Testing

@testable import CuffCore

/// The ids of stored entries that no time tells apart: a place in a segment names each of them.
@Suite struct PHDUnstampedEntryTests {
    private static let cuff = PHDSimulatedCuff(["store": "yes"])
    /// 118/76, mean 90: three SFLOAT in six bytes, as in docs/PHD.md §4.3.
    private static let entry = PHDBytes.words(3, 6, 118, 76, 90)

    private static func action(_ invoke: UInt16, _ action: UInt16, _ body: (inout PHDWriter) -> Void) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.actionResult, capacity: 256) {
            $0.append16(PHDSimulatedCuff.storeHandle)
            $0.append16(action)
            $0.counted(body)
        }
    }

    private static func segments(header: UInt16, usage: UInt32) -> [UInt8] {
        action(3, PHDAction.segmentInfo) {
            $0.list(2) {
                for instance in [1, 2] as [UInt16] {
                    $0.append16(instance)
                    $0.list(2) {
                        $0.attribute(PHDAttribute.entryMap) {
                            $0.append16(header)
                            $0.list(1) {
                                for word in [UInt16(6), 2, 18948, 1] { $0.append16(word) }
                                PHDStandardConfiguration.map([(0x0A75, 10)], into: &$0)
                            }
                        }
                        $0.attribute(PHDAttribute.segmentUsageCount) { $0.append32(usage) }
                    }
                }
            }
        }
    }

    /// One dump of two segments with two equal entries each, received at `received`.
    private static func dump(header: UInt16 = 0, stamp: [UInt8] = [], received: Int64) -> [Reading] {
        var manager = PHDVectorTests.Manager(.readMemory(user: nil))
        manager.play(.received(cuff.associationRequest))
        manager.play(.received(cuff.configurationReport(invoke: 1, id: 0x4000)))
        manager.play(.received(cuff.description(invoke: 1, clock: DeviceTime(year: 2026, month: 5, day: 5))))
        manager.play(.received(cuff.storeDescription(invoke: 2, segments: [[], []])))
        manager.play(.received(segments(header: header, usage: 2)))
        for instance in [1, 2] as [UInt16] {
            manager.play(.received(cuff.triggerResult(invoke: 3 + instance, instance: instance, 0)))
            manager.play(
                .received(
                    PHDBytes.event(PHDEvent.segmentData, handle: PHDSimulatedCuff.storeHandle) {
                        $0.append16(instance)
                        $0.append32(0)
                        $0.append32(2)
                        $0.append16(0xC000)
                        $0.counted { $0.append(stamp + entry + stamp + entry) }
                    }))
        }
        var ledger = ReadingLedger(device: "cuff", driver: "phd")
        return manager.readings.map {
            var reading = $0
            _ = ledger.admit(&reading, received: Timestamp(milliseconds: received))
            return reading
        }
    }

    private static let zeros = [UInt8](repeating: 0, count: 8)
    private static let ones = [UInt8](repeating: 0xFF, count: 8)

    /// No stamp; a clock that was not set; a stamp that is no time; a counting clock that the agent does not have.
    @Test(arguments: [(0, []), (0x8000, zeros), (0x8000, ones), (0x4000, [0xFF, 0xFF, 0xFF, 0xFF])] as [(UInt16, [UInt8])])
    func equalEntries_OfTwoSegments_AreFourReadings_InEachDump(_ header: UInt16, _ stamp: [UInt8]) {
        let first = Self.dump(header: header, stamp: stamp, received: 1_795_000_000_000)
        #expect(first.map(\.bloodPressure) == [BloodPressure?](repeating: .mmHg(118, 76, mean: 90), count: 4))
        #expect(first.map(\.sequence) == [0, 1, 0, 1])
        #expect(Set(first.map(\.id)).count == 4)
        let second = Self.dump(header: header, stamp: stamp, received: 1_795_000_086_400)
        #expect(second.map(\.id) == first.map(\.id))
    }

    /// The time names a stamped entry: its record has handle, length, value and stamp, and no place.
    @Test func stampedEntry_IsNamedByItsStamp() {
        let readings = Self.dump(header: 0x8000, stamp: PHDBytes.stamp, received: 1_795_000_000_000)
        #expect(Set(readings.map { $0.raw.array }) == [[0, 1, 0, 18] + Self.entry + PHDBytes.stamp])
        #expect(readings.allSatisfy { $0.sequence == nil })
    }
}
