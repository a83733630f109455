import Testing

@testable import CuffCore

/// A report that is refused or not confirmed gives no reading, and nothing is confirmed that was not read.
@Suite struct PHDUndecodableTests {
    typealias Manager = PHDVectorTests.Manager

    private static let pair: [(handle: UInt16, bytes: [UInt8])] = [(1, PHDBytes.pressures), (2, PHDBytes.pulse)]
    /// 180/110 with pulse 88, at 07:10:12 and at 07:11:12.
    private static func others(_ minute: UInt8) -> [(handle: UInt16, bytes: [UInt8])] {
        var stamp = PHDBytes.stamp
        stamp[5] = minute
        return [(1, PHDBytes.words(3, 6, 180, 110, 130) + stamp), (2, PHDBytes.words(88) + stamp)]
    }

    /// One PRST with the data APDUs of two.
    private static func together(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
        let data = Array(first[4...]) + Array(second[4...])
        return [0xE7, 0, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
    }

    private func standard() -> Manager {
        var manager = Manager()
        manager.take(PHDVectorTests.request)
        _ = manager.answers()
        return manager
    }

    @Test func dataTwiceInOneAPDU_IsOneReport() {
        var manager = standard()
        manager.play(.received(Self.together(PHDBytes.fixed(Self.pair), PHDBytes.fixed(Self.pair))))
        #expect(manager.answers() == ["rors"])
        #expect(manager.readings.map(\.bloodPressure) == [.mmHg(118, 76, mean: 90, pulse: 64)])
    }

    /// docs/PHD.md §2.4: an octet string that does not fill its PRST. A single confirmation would lose the second report.
    @Test func otherDataInOneAPDU_IsRefused() {
        var manager = standard()
        manager.play(.received(Self.together(PHDBytes.fixed(Self.pair), PHDBytes.fixed(Self.others(0x11)))))
        #expect(manager.answers() == ["rorj:2"])
        #expect(manager.readings.isEmpty)
        // A stamp on the whole minute may be that of two measurements.
        let two = [120, 150].map { PHDBytes.fixed([(1, PHDBytes.words(3, 6, $0, 80, 90) + [0x20, 0x26, 0x11, 0x20, 0x07, 0x10, 0, 0])]) }
        manager.play(.received(Self.together(two[0], two[1])))
        #expect(manager.answers() == ["rorj:2"] && manager.readings.isEmpty)
        // Fewer measurements, another event, and values that no stamp identifies.
        for other in [PHDBytes.fixed([Self.pair[0]]), PHDBytes.fixed(Self.pair, person: 1)] {
            manager.play(.received(Self.together(PHDBytes.fixed(Self.pair), other)))
            #expect(manager.answers() == ["rorj:2"] && manager.readings.isEmpty)
        }
        func unstamped(_ pulse: UInt16) -> [UInt8] { PHDBytes.variable([(2, [(0x0A4C, PHDBytes.words(pulse))])]) }
        manager.play(.received(Self.together(unstamped(60), unstamped(61))))
        #expect(manager.answers() == ["rorj:2"] && manager.readings.isEmpty)
        manager.play(.received(Self.together(unstamped(60), unstamped(60))))
        #expect(manager.answers() == ["rors"] && manager.readings.count == 1)
    }

    /// A fixed report of an object without a map, and a grouped one of a scanner without a map: the agent is asked for its configuration
    /// again and keeps the report; what it then repeats is believed.
    @Test func reportsWithoutAMap_AreNotConfirmed() {
        let mapless = PHDStandardConfiguration.object(PHDClass.numeric, 5, count: 1) {
            $0.attribute(PHDAttribute.type) { $0.append(PHDBytes.words(2, 18474)) }
        }
        let scanner = PHDStandardConfiguration.object(18, 0x37, count: 1) {
            $0.attribute(PHDAttribute.type) { $0.append(PHDBytes.words(1, 18)) }
        }
        let grouped = PHDBytes.event(0x0D24, handle: 0x37) {
            $0.append(PHDBytes.words(0xF000, 1))
            $0.list(1) { $0.counted { $0.append(PHDBytes.pressures + PHDBytes.pulse) } }
        }
        for report in [PHDBytes.fixed([(5, [0, 0x42])]), grouped] {
            var manager = PHDBytes.manager([PHDBytes.pressureObject(), PHDBytes.pulseObject(), mapless, scanner])
            manager.play(.received(report))
            #expect(manager.readings.isEmpty && manager.answers().isEmpty)
            #expect(manager.notes.contains { $0.contains("does not describe") })
            manager.play(.timerFired(.retry))
            #expect(manager.answers() == ["abort"])
        }
    }

    /// A pulse beside pressures that are cut short: the agent keeps both.
    @Test func reportThatIsNotConfirmed_GivesNoReading() {
        let short: (handle: UInt16, bytes: [UInt8]) = (1, PHDBytes.words(3, 6, 118, 76, 90))
        let reports: [[(handle: UInt16, bytes: [UInt8])]] = [
            [short, Self.pair[1]], [Self.pair[1], short], [Self.pair[0], (2, PHDBytes.words(64))],
        ]
        for report in reports {
            var manager = PHDBytes.manager([PHDBytes.pressureObject(), PHDBytes.pulseObject()])
            manager.play(.received(PHDBytes.fixed(report)))
            #expect(manager.answers().isEmpty)
            manager.play(.timerFired(.retry))
            #expect(manager.answers() == ["abort"])
            manager.play(.closed)
            #expect(manager.readings.isEmpty)
        }
    }
}
