import Testing

@testable import CuffCore

/// A few bytes cannot become many observations, and requests are bounded.
@Suite struct PHDLimitTests {
    private static func map(_ items: [(UInt16, UInt16)], _ writer: inout PHDWriter) { PHDStandardConfiguration.map(items, into: &writer) }

    /// A scanner of this many parts, each an attribute of length zero.
    private static func scanner(parts: Int) -> [UInt8] {
        PHDStandardConfiguration.object(16, 0x37, count: 1) {
            $0.attribute(PHDAttribute.scanMap) {
                $0.list(parts) {
                    for _ in 0..<parts {
                        $0.append16(2)
                        Self.map([(0xF001, 0)], &$0)
                    }
                }
            }
        }
    }

    /// This many empty octet strings.
    private static func grouped(_ count: Int) -> [UInt8] {
        PHDBytes.event(0x0D24, handle: 0x37) {
            $0.append16(0xF000)
            $0.append16(0)
            $0.list(count) { for _ in 0..<count { $0.append16(0) } }
        }
    }

    @Test func scannerMapLongerThanTheObjects_IsNoConfiguration() {
        // 54 KB: 6700 parts of eight bytes and more.
        let long = PHDStandardConfiguration.list([PHDBytes.pulseObject(), Self.scanner(parts: 4000)])
        #expect(PHDConfiguration(long) == nil)
        #expect(PHDConfiguration(PHDStandardConfiguration.list([Self.scanner(parts: PHDConfiguration.ceiling)])) != nil)
        #expect(PHDConfiguration(PHDStandardConfiguration.list([Self.scanner(parts: PHDConfiguration.ceiling + 1)])) == nil)
    }

    @Test func groupedReport_IsBounded() {
        var manager = PHDBytes.manager([PHDBytes.pulseObject(), Self.scanner(parts: PHDConfiguration.ceiling)])
        manager.play(.received(Self.grouped(12000)))
        #expect(manager.session.reports.observations.count <= PHDReport.ceiling)
        #expect(manager.answers() == ["rorj:2"] && manager.readings.isEmpty)
        // A smaller report of the same scanner.
        manager.play(.received(Self.grouped(3)))
        #expect(manager.answers() == ["rors"])
    }

    /// Parts behind the end are not invented: one part is cut, and the others are missing.
    @Test func partsBehindTheEnd_AreNotRead() {
        var manager = PHDBytes.manager([
            PHDBytes.pulseObject(),
            PHDStandardConfiguration.object(16, 0x37, count: 1) {
                $0.attribute(PHDAttribute.scanMap) {
                    $0.list(200) {
                        for _ in 0..<200 {
                            $0.append16(2)
                            Self.map([(0x0A4C, 2)], &$0)
                        }
                    }
                }
            },
        ])
        manager.play(.received(Self.grouped(3)))
        #expect(manager.session.reports.observations.count == 3)
    }

    @Test func longMap_IsNoConfiguration() {
        func object(_ items: Int) -> [UInt8] {
            PHDStandardConfiguration.list([
                PHDStandardConfiguration.numeric(
                    1, 57664, spec: 0, unit: 1731, map: [(UInt16, UInt16)](repeating: (0xF001, 0), count: items))
            ])
        }
        #expect(PHDConfiguration(object(PHDConfiguration.mapCeiling)) != nil)
        #expect(PHDConfiguration(object(PHDConfiguration.mapCeiling + 1)) == nil)
    }

    private static let cuff = PHDSimulatedCuff(["store": "yes"])

    /// SEG_GET_INFO's answer: segments of these numbers, with an entry map of a relative stamp and this many elements.
    private static func segments(_ instances: [UInt16], elements: Int, attributes: [(UInt16, UInt16)]) -> [UInt8] {
        PHDWriter.presentation(invoke: 3, PHDMessage.actionResult, capacity: 4096) {
            $0.append16(PHDSimulatedCuff.storeHandle)
            $0.append16(PHDAction.segmentInfo)
            $0.counted {
                $0.list(instances.count) {
                    for instance in instances {
                        $0.append16(instance)
                        $0.list(2) {
                            $0.attribute(PHDAttribute.entryMap) {
                                $0.append16(0x4000)
                                $0.list(elements) {
                                    for _ in 0..<elements {
                                        $0.append(PHDBytes.words(6, 2, 18474, 2))
                                        Self.map(attributes, &$0)
                                    }
                                }
                            }
                            $0.attribute(PHDAttribute.segmentUsageCount) { $0.append32(4000) }
                        }
                    }
                }
            }
        }
    }

    private func reading(_ info: [UInt8]) -> PHDVectorTests.Manager {
        var manager = PHDVectorTests.Manager(.readMemory(user: nil))
        manager.play(.received(Self.cuff.associationRequest))
        manager.play(.received(Self.cuff.configurationReport(invoke: 1, id: Self.cuff.configurationID)))
        manager.play(.received(Self.cuff.description(invoke: 1, clock: DeviceTime(year: 2026, month: 5, day: 5))))
        manager.play(.received(Self.cuff.storeDescription(invoke: 2, segments: [[]])))
        manager.writes = []
        manager.play(.received(info))
        return manager
    }

    private func triggers(_ manager: PHDVectorTests.Manager) -> Int { manager.writes.filter { $0.contains("0c1c0002") }.count }

    /// 16 KB of stamps, each with 256 empty elements.
    @Test func segmentEvent_IsBounded() {
        var manager = reading(Self.segments([1], elements: 256, attributes: [(0xF001, 0)]))
        #expect(triggers(manager) == 1)
        manager.play(.received(Self.cuff.triggerResult(invoke: 4, instance: 1, 0)))
        _ = manager.answers()
        manager.play(
            .received(
                PHDBytes.event(PHDEvent.segmentData, handle: PHDSimulatedCuff.storeHandle) {
                    $0.append16(1)
                    $0.append32(0)
                    $0.append32(4000)
                    $0.append16(0xC000)
                    $0.counted { $0.append([UInt8](repeating: 1, count: 16000)) }
                }))
        #expect(manager.session.reports.observations.count <= PHDReport.ceiling)
        #expect(manager.readings.isEmpty)
        #expect(manager.answers().first == "rorj:2")
    }

    @Test func longEntryMap_IsNotFetched() {
        let attributes = [(UInt16, UInt16)](repeating: (0xF001, 0), count: PHDConfiguration.mapCeiling + 1)
        #expect(triggers(reading(Self.segments([1], elements: 1, attributes: attributes))) == 0)
    }

    @Test func moreSegmentsThanAnyStore_AreNotListed() {
        let count = UInt16(PHDSegment.ceiling)
        #expect(triggers(reading(Self.segments(Array(1...count), elements: 1, attributes: [(0x0A4C, 2)]))) == 1)
        let manager = reading(Self.segments(Array(1...count + 1), elements: 1, attributes: [(0x0A4C, 2)]))
        #expect(triggers(manager) == 0 && manager.notes.contains { $0.contains("did not describe its segments") })
    }

    @Test func twoSegmentsOfOneNumber_AreNotAskedFor_AndTheOthersAre() {
        var manager = reading(Self.segments([1, 1, 2], elements: 1, attributes: [(0x0A4C, 2)]))
        #expect(manager.notes.contains { $0.contains("two segments have the number 1") })
        #expect(manager.writes.filter { $0.contains("0c1c0002") }.allSatisfy { $0.hasSuffix("0002") } && triggers(manager) == 1)
        manager.play(.received(Self.cuff.triggerResult(invoke: 4, instance: 2, 3)))
        #expect(triggers(manager) == 1 && manager.writes.last == "e40000020000")
        manager.take("e50000020000")
        guard case .failed = manager.outcome else {
            Issue.record("\(String(describing: manager.outcome))")
            return
        }
    }

    /// Endless answers stop counting as progress.
    @Test func stepsOfOneAssociation_AreCountedToAnEnd() {
        var steps = PHDProgress()
        var progress = 0
        for _ in 0..<(3 * PHDProgress.stepLimit) where steps.step() { progress += 1 }
        #expect(progress == PHDProgress.stepLimit)
    }

    /// 2000 measurements of one moment in one report: the search for each is bounded, and none is lost.
    @Test func manyMeasurementsOfOneReport_AreAllRead() {
        var manager = PHDBytes.manager([PHDBytes.pressureObject()])
        var observations: [(handle: UInt16, bytes: [UInt8])] = []
        for number: UInt16 in 0..<2000 {
            let values = PHDBytes.words(3, 6, 100 + number % 100, 60 + number / 100, 80)
            observations.append((1, values + PHDBytes.stamp))
        }
        manager.play(.received(PHDBytes.fixed(observations)))
        #expect(Set(manager.readings.map(\.raw)).count == 2000)
        #expect(manager.answers() == ["rors"])
    }
}
