import Testing

@testable import CuffCore

/// Which stamp of several gives the time, and what has no time.
@Suite struct PHDStampTests {
    private static let compound: PHDBytes.Attribute = (0x0A75, PHDBytes.words(3, 6, 118, 76, 90))
    /// 2026-11-20 07:10:12.00
    private static let absolute: PHDBytes.Attribute = (0x0990, PHDBytes.stamp)
    private static let unset: PHDBytes.Attribute = (0x0990, [0, 0, 0, 0, 0, 0, 0, 0])
    private static let impossible: PHDBytes.Attribute = (0x0990, [UInt8](repeating: 0xFF, count: 8))
    /// 5000 ticks, and as many microseconds.
    private static let relative: PHDBytes.Attribute = (0x0991, [0, 0, 0x13, 0x88])
    private static let highResolution: PHDBytes.Attribute = (0x09E9, [0, 0, 0, 0, 0, 0, 0x13, 0x88])
    /// 23:30 at +60 minutes, see `PHDPeriodicSegmentTests`.
    private static let baseOffset: PHDBytes.Attribute = (0x0A82, [0xEE, 0xAB, 0x48, 0x68, 0, 0, 0, 60])
    private static let time = DeviceTime(year: 2026, month: 11, day: 20, hour: 7, minute: 10, second: 12)

    private func pushed(_ attributes: [PHDBytes.Attribute]) -> Reading? {
        var manager = PHDBytes.manager([PHDBytes.pressureObject()])
        manager.play(.received(PHDBytes.variable([(1, [Self.compound] + attributes)])))
        return manager.readings.last
    }

    @Test(arguments: [relative, highResolution]) func calendarStamp_IsPreferredToACount(_ count: PHDBytes.Attribute) {
        for attributes in [[Self.absolute, count], [count, Self.absolute]] {
            let reading = pushed(attributes)
            #expect(reading?.clock.time?.wallSeconds == Self.time.wallSeconds)
            #expect(reading?.sequence == nil)
        }
    }

    @Test(arguments: [unset, impossible]) func stampWithoutTime_GivesWayToAnother(_ empty: PHDBytes.Attribute) {
        for attributes in [[empty, Self.baseOffset], [Self.baseOffset, empty]] {
            #expect(pushed(attributes)?.clock.time?.hour == 23 && pushed(attributes)?.clock.time?.utcOffset == 60)
        }
        for attributes in [[empty, Self.relative], [Self.relative, empty]] { #expect(pushed(attributes)?.sequence == 5000) }
    }

    /// The same in the header of a stored entry: absolute, relative, high resolution, base offset.
    @Test func stampWithoutTime_GivesWayToAnother_InAStore() throws {
        func stamp(_ header: UInt16, _ entry: [UInt8]) throws -> PHDStamp? {
            var writer = PHDWriter()
            writer.list(1) {
                $0.append16(1)
                $0.list(1) {
                    $0.attribute(PHDAttribute.entryMap) {
                        $0.append16(header)
                        $0.list(1) {
                            for word in [UInt16(6), 2, 18474, 2] { $0.append16(word) }
                            PHDStandardConfiguration.map([(0x0A4C, 2)], into: &$0)
                        }
                    }
                }
            }
            let segment = try #require(PHDSegment.list(writer.bytes.span, 0, writer.bytes.count, PHDConfiguration())?.first)
            var observations: [PHDObservation] = []
            var offset = 0
            let bytes = entry + [0, 0x42]
            #expect(segment.read(bytes.span, &offset, bytes.count, into: &observations))
            return observations.first?.stamp
        }
        for empty in [Self.unset.bytes, Self.impossible.bytes] {
            #expect(try stamp(0x9000, empty + Self.baseOffset.bytes)?.kind == .baseOffset)
            #expect(try stamp(0xC000, empty + Self.relative.bytes)?.ticks == 5000)
            #expect(try stamp(0xD000, empty + Self.relative.bytes + Self.baseOffset.bytes)?.kind == .baseOffset)
            // No clock at all: the calendar's, which is not set.
            #expect(try stamp(0xC000, empty + [0xFF, 0xFF, 0xFF, 0xFF])?.kind == .absolute)
        }
        #expect(try stamp(0x9000, Self.absolute.bytes + Self.baseOffset.bytes)?.kind == .absolute)
    }

    /// A count that no clock of the agent explains is not the time of arrival.
    @Test(arguments: [[relative], [highResolution], [unset, relative], []])
    func countWithoutAClock_IsNotTheArrival(_ stamps: [PHDBytes.Attribute]) throws {
        var reading = try #require(pushed(stamps))
        reading.received = Timestamp(milliseconds: 1_795_000_000_000)
        ClockCorrection(zone: .utc).apply(to: &reading)
        // Without any stamp it was sent when measured.
        #expect((reading.measured == nil) == !stamps.isEmpty)
        #expect(reading.rule == (stamps.isEmpty ? .receiveTime : .unset))
    }

    /// RFC 3339 writes offsets below 24 hours: ±23:59.
    @Test func baseOffset_IsBelowADay() {
        func clock(_ minutes: Int16) -> DeviceClock {
            PHDStamp.baseOffset(0xEEAB_4868_0000_0000 | UInt64(UInt16(bitPattern: minutes)))
        }
        #expect(clock(1439).time?.utcOffset == 1439 && clock(-1439).time?.utcOffset == -1439)
        for minutes in [1440, -1440, .max, .min] as [Int16] { #expect(clock(minutes) == .impossible(nil)) }
    }
}
