import Testing

@testable import CuffCore

/// Entries without a stamp of their own: their place in the segment gives their time.
@Suite struct PHDPeriodicSegmentTests {
    /// 2026-11-20 23:30:00.00
    private static let start: [UInt8] = [0x20, 0x26, 0x11, 0x20, 0x23, 0x30, 0x00, 0x00]

    private static func entryMap(header: UInt16) -> [UInt8] {
        var writer = PHDWriter()
        writer.append16(header)
        writer.list(1) {
            for word in [UInt16(6), 2, 18474, 2] { $0.append16(word) }
            PHDStandardConfiguration.map([(0x0A4C, 2)], into: &$0)
        }
        return writer.bytes
    }

    private static func segment(
        header: UInt16 = 0, period: UInt32? = 7_200_000, start: PHDBytes.Attribute? = (0x0992, start), capability: UInt16 = 0x0400,
        storePeriod: UInt32? = nil
    ) -> PHDSegment? {
        var attributes: [PHDBytes.Attribute] = [(0x0A4E, entryMap(header: header))]
        if let period { attributes.append((0x098D, PHDBytes.words(UInt16(period >> 16), UInt16(period & 0xFFFF)))) }
        if let start { attributes.append(start) }
        var writer = PHDWriter()
        writer.list(1) {
            $0.append16(1)
            $0.list(attributes.count) { for attribute in attributes { $0.attribute(attribute.id) { $0.append(attribute.bytes) } } }
        }
        guard var segment = PHDSegment.list(writer.bytes.span, 0, writer.bytes.count, PHDConfiguration())?.first else { return nil }
        segment.complete(PHDStoreState(PHDConfiguration.Store(handle: 8, capability: capability, samplePeriod: storePeriod)))
        return segment
    }

    private static func clock(_ segment: PHDSegment?, _ number: UInt32) -> DeviceClock? {
        var observations: [PHDObservation] = []
        var offset = 0
        let entry: [UInt8] = [0, 0x42, 0, 0, 0, 0, 0, 0, 0, 0]
        guard let segment, segment.read(entry.span, &offset, entry.count, number: number, into: &observations) else { return nil }
        return observations.first?.stamp.clock
    }

    private static func time(_ day: Int, _ hour: Int, _ minute: Int, _ second: Int = 0, hundredths: Int = 0) -> DeviceClock {
        .time(DeviceTime(year: 2026, month: 11, day: day, hour: hour, minute: minute, second: second, hundredths: hundredths))
    }

    /// 7,200,000 ticks of 125 µs are 15 minutes.
    @Test func entries_LieOnePeriodApart() {
        let segment = Self.segment()
        #expect(segment?.isPeriodic == true)
        #expect(Self.clock(segment, 0) == Self.time(20, 23, 30))
        #expect(Self.clock(segment, 1) == Self.time(20, 23, 45))
        #expect(Self.clock(segment, 2) == Self.time(21, 0, 0))
        #expect(Self.clock(segment, 98) == Self.time(22, 0, 0))
    }

    @Test func partsOfASecond_AreKept() {
        // 100 ticks are 12.5 ms: the fourth entry is 37.5 ms after the first, that is 3 whole hundredths.
        #expect(Self.clock(Self.segment(period: 100), 3) == Self.time(20, 23, 30, 0, hundredths: 3))
        #expect(Self.clock(Self.segment(period: 100), 80) == Self.time(20, 23, 30, 1))
    }

    @Test func period_MayBeTheStores() {
        #expect(Self.clock(Self.segment(period: nil, storePeriod: 8000), 5) == Self.time(20, 23, 30, 5))
        #expect(Self.clock(Self.segment(period: 16000, storePeriod: 8000), 5) == Self.time(20, 23, 30, 10))
    }

    /// 2026-11-20 23:30 at +60 minutes: 22:30 UTC = 1795213800 + 2208988800 = 4004202600 s since 1900 = EEAB4868.
    @Test func baseOffsetStart_KeepsItsZone() {
        let start: [UInt8] = [0xEE, 0xAB, 0x48, 0x68, 0, 0, 0, 60]
        let clock = Self.clock(Self.segment(start: (0x0A83, start)), 2)
        #expect(clock?.time?.wallSeconds == DeviceTime(year: 2026, month: 11, day: 21, hour: 0, minute: 0, second: 0).wallSeconds)
        #expect(clock?.time?.utcOffset == 60)
    }

    /// Without the store's capability, a period, or a start, entries have no time.
    @Test func whatIsMissing_LeavesNoTime() {
        let bad: [UInt8] = [0x20, 0x26, 0x13, 0x32, 0x25, 0x61, 0x61, 0x00]
        let segments = [
            Self.segment(capability: 0x0800), Self.segment(period: nil), Self.segment(period: 0), Self.segment(period: .max),
            Self.segment(start: nil), Self.segment(start: (0x0992, [0, 0, 0, 0, 0, 0, 0, 0])), Self.segment(start: (0x0992, bad)),
        ]
        for segment in segments {
            #expect(segment?.isPeriodic == false)
            #expect(Self.clock(segment, 1) == .absent)
        }
        // Entries that have stamps keep them.
        #expect(Self.segment(header: 0x8000)?.isPeriodic == false)
    }

    @Test func numbersBeyondEveryCalendar_LeaveNoTime() {
        #expect(Self.clock(Self.segment(period: .max - 1), .max) == .absent)
    }

    /// Equal values of one night are separate readings, and have the same ids when the segment is read again from a later entry.
    @Test func equalEntries_AreReadingsOfTheirOwn() throws {
        let segment = try #require(Self.segment())
        func raws(from first: UInt32) -> [[UInt8]] {
            (first..<3).map { number in
                var observations: [PHDObservation] = []
                var offset = 0
                let entry: [UInt8] = [0, 0x42]
                #expect(segment.read(entry.span, &offset, entry.count, number: number, into: &observations))
                return observations[0].rawBytes(entry.span).array
            }
        }
        #expect(Set(raws(from: 0)).count == 3 && Array(raws(from: 0).suffix(2)) == raws(from: 1))
        // Handle 2, ten bytes: the value, and 2026-11-20 23:30:00.00.
        #expect(raws(from: 0)[0] == [0, 2, 0, 10, 0, 0x42] + Self.start)
    }
}
