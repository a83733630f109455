import CuffClinical
import CuffCore
import Foundation
import SQLite
import TestSupport
import Testing

@testable import CuffIngest

/// A range of time is found by the days in the ids, and has what a walk over all rows finds.
@Suite struct StoreRangeTests {
    private static let day: Int64 = 86_400
    private static let start: Int64 = 1_778_000_000

    /// Readings of forty days, in any order: most with a right clock, some with one that is years behind, some later than their
    /// reception, some without a time or with one that their id does not have.
    private static func fill(_ path: String, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let received = Timestamp(seconds: start + 41 * day)
        let readings = (0..<400).map { number -> Reading in
            let wall = start + Int64(random.next() % UInt64(40 * day))
            let shift: Int64 = random.next() % 10 == 0 ? 9000 * day : random.next() % 20 == 0 ? -400 * day : 0
            let time = DeviceTime(wallSeconds: wall - shift)
            var reading = Reading(
                .bloodPressure(.mmHg(100 + number % 80, 70)), driver: "and-std",
                clock: number % 50 == 7 ? .absent : number % 25 == 9 ? .derived(time) : .time(time),
                origin: number % 100 == 7 ? .memory : .push, raw: RawBytes([UInt8(number & 0xFF), UInt8(number >> 8)]))
            var ledger = ReadingLedger(device: "one", driver: "and-std")
            // A recording has no time of reception.
            _ = ledger.admit(&reading, received: number.isMultiple(of: 2) ? received : nil)
            var correction = ClockCorrection(zone: .utc)
            if shift > 0 { correction.compare(DeviceTime(wallSeconds: received.seconds - shift), at: received) }
            correction.apply(to: &reading)
            return reading
        }
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(
            ReadingBatch(source: 1, driver: "and-std", device: "one", entries: BatchEntries(readings.map { BatchEntry.reading($0) })))
        try sink.close()
    }

    private func ids(_ path: String, _ selection: ReadingSelection) throws -> (ids: [Reading.ID], damage: Bool) {
        let store = try Store(path, access: .read)
        var ids: [Reading.ID] = []
        try store.forEach(selection) { reading, _ in
            ids.append(reading.id)
            return true
        }
        return (ids, store.damage != nil)
    }

    private func execute(_ path: String, _ sql: String) throws {
        let db = try SQLiteConnection(path, .write)
        try db.execute(sql)
        try db.checkpoint(truncate: true)
        try db.close()
    }

    /// An earlier version's database has no index, so that every row is looked at.
    private static let withoutIndex = """
        DROP INDEX \(Schema.dayIndex); DELETE FROM \(Schema.migrationTable) WHERE identifier = 'other days'
        """

    private func ranges(_ random: inout SplitMix64) -> [ReadingSelection] {
        (0..<60).map { number in
            var selection = ReadingSelection(zone: .utc)
            let since = Self.start + Int64(random.next() % UInt64(44 * Self.day)) - 2 * Self.day
            if number % 3 != 0 { selection.since = Timestamp(seconds: since) }
            if number % 3 != 1 { selection.until = Timestamp(seconds: since + Int64(random.next() % UInt64(9 * Self.day))) }
            if number % 4 == 0 { selection.last = Int(random.next() % 30) + 1 }
            return selection
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func aRange_HasWhatAWalkOverAllRowsFinds(_ seed: UInt64) throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        try Self.fill(path, seed: seed)
        var random = SplitMix64(seed: seed)
        let ranges = ranges(&random)
        let found = try ranges.map { try ids(path, $0) }
        #expect(found.contains { $0.ids.count > 20 } && found.allSatisfy { !$0.damage })
        let implausible = try SQLiteConnection(path, .read).first("SELECT count(*) FROM reading WHERE clock = 'implausible'") { $0.int(0) }
        let counted = try ranges.prefix(12).map { try Store(path, access: .read).withoutTime($0).implausible }
        #expect(implausible ?? 0 > 3 && counted.allSatisfy { $0 == implausible }, "those that are marked are in no range")
        let others = try SQLiteConnection(path, .read).first(
            "SELECT count(*) FROM reading INDEXED BY \(Schema.dayIndex) WHERE \(Schema.isOfAnotherDay)"
        ) { $0.int(0) }
        #expect((20..<120).contains(others ?? 0), "\(others ?? 0)")
        try execute(path, Self.withoutIndex)
        for (range, one) in zip(ranges, found) { #expect(try ids(path, range).ids == one.ids, "\(range)") }
        for (range, one) in zip(ranges, counted) {
            #expect(try Store(path, access: .read).withoutTime(range).implausible == one, "\(range)")
        }
        // The next opening for writing makes the index again.
        try Store(path, access: .write).close()
        for (range, one) in zip(ranges, found).prefix(9) { #expect(try ids(path, range).ids == one.ids) }
    }

    /// By their times, not by the clock of the cuff: of a reading whose time is implausible, by its reception, of one without a time, by
    /// its id.
    @Test(arguments: [5, 6] as [UInt64]) func theLatest_AreTheLatestByTime(_ seed: UInt64) throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        try Self.fill(path, seed: seed)
        var all: [(time: Int64, id: Reading.ID, isKnown: Bool)] = []
        try Store(path, access: .read).forEach(ReadingSelection(zone: .utc)) { reading, _ in
            let time = reading.bestTime(in: .utc)?.milliseconds
            let received = reading.hasImplausibleTime(in: .utc) ? reading.received?.milliseconds : nil
            all.append((time ?? received ?? reading.id.wallSeconds.map { $0 * 1000 } ?? .min, reading.id, time != nil))
            return true
        }
        all.sort { ($0.time, $0.id.description) < ($1.time, $1.id.description) }
        #expect(all.suffix(40).map(\.id) != all.map(\.id).sorted { $0.description < $1.description }.suffix(40))
        for isIndexed in [true, false] {
            if !isIndexed { try execute(path, Self.withoutIndex) }
            for count in [1, 2, 10, 40, 399, 1000] {
                var selection = ReadingSelection(zone: .utc)
                selection.last = count
                #expect(try ids(path, selection).ids == all.suffix(count).map(\.id), "\(count)")
                selection.until = Timestamp(seconds: Self.start + 20 * Self.day)
                let before = all.filter { $0.isKnown && $0.time < (Self.start + 20 * Self.day) * 1000 }
                #expect(try ids(path, selection).ids == before.suffix(count).map(\.id), "\(count)")
            }
        }
    }

    @Test func aClockThatWasBehind_HidesNoLatestReading() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let days = [("2026-05-08", "2026-05-08"), ("2026-05-09", "2026-05-09"), ("2020-01-01", "2026-05-11"), ("2020-01-02", "2026-05-12")]
        let readings = try days.enumerated().map { index, day -> Reading in
            let clock = try #require(DeviceTime.parse(day.0 + "T07:00"))
            var reading = Reading(
                .bloodPressure(.mmHg(121 + index, 80)), driver: "and-std", clock: .time(clock), origin: .memory, raw: RawBytes([1]))
            (reading.measured, reading.rule) = (try #require(DeviceTime.parse(day.1 + "T07:00")).instant(in: .utc), .corrected)
            reading.id = Reading.ID(wallSeconds: clock.wallSeconds, hash: UInt64(index))
            return reading
        }
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(
            ReadingBatch(source: 1, driver: "and-std", device: "one", entries: BatchEntries(readings.map { .reading($0) })))
        try sink.close()
        var selection = ReadingSelection(zone: .utc)
        for count in 1...4 {
            selection.last = count
            #expect(try ids(path, selection).ids == readings.suffix(count).map(\.id))
        }
        let page = try Store(path, access: .read).latest(
            3, of: Set(try Store(path, access: .read).persons(selection).all), ReadingSelection(zone: .utc))
        #expect(page.values.first?.map(\.reading.id) == readings.suffix(3).map(\.id))
    }

    @Test func implausibleTimes_AreCounted_WithoutReadingRowsFarOutsideTheRange() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        try Self.fill(path, seed: 4)
        var range = ReadingSelection(zone: .utc)
        range.since = Timestamp(seconds: Self.start + 30 * Self.day)
        // One of the first days.
        let first = "(SELECT min(id) FROM reading WHERE id > '20260507' AND NOT \(Schema.isOfAnotherDay))"
        try execute(path, "UPDATE reading SET systolic_mmHg = 1 WHERE id = \(first)")
        let store = try Store(path, access: .read)
        #expect(try store.withoutTime(range).implausible > 3 && store.damage == nil)
        range.since = nil
        #expect(try store.withoutTime(range).implausible > 3 && store.damage != nil)
    }

    /// Another program corrected a time and removed the checksum, as is documented; a note gives the row a checksum again.
    @Test func aRowWhoseTimeWasCorrected_IsFoundByIt_AfterANote() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let sink = try SQLiteSink(path: path)
        let time = DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)
        var reading = Reading(
            .bloodPressure(.mmHg(128, 82)), driver: "and-std", clock: .time(time), origin: .memory, raw: RawBytes([1]))
        var ledger = ReadingLedger(device: "one", driver: "and-std")
        _ = ledger.admit(&reading, received: nil)
        (reading.measured, reading.rule) = (Timestamp(seconds: time.wallSeconds), .deviceTime)
        _ = try sink.write(ReadingBatch(source: 1, driver: "and-std", device: "one", entries: [.reading(reading)]))
        try sink.close()
        try execute(path, "UPDATE reading SET measured = '2027-06-01T07:31:00.000Z', checksum = NULL")
        let store = try Store(path, access: .write)
        #expect(try store.remark([reading.id], [(key: .note, text: "the clock was a year behind")]) == 1)
        try store.close()
        var range = ReadingSelection(zone: .utc)
        (range.since, range.until) = (Timestamp(seconds: 1_811_800_000 - 20 * Self.day), Timestamp(seconds: 1_811_800_000 + 20 * Self.day))
        #expect(try ids(path, range).ids == [reading.id])
    }

    /// A damaged id stands anywhere among the others: the rows beside it are still found.
    @Test func aDamagedID_HidesNoOtherRow() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        try Self.fill(path, seed: 9)
        var random = SplitMix64(seed: 9)
        let ranges = ranges(&random)
        let whole = try ranges.map { try Set(ids(path, $0).ids) }
        let all = try ids(path, ReadingSelection(zone: .utc)).ids
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var met = 0
        for number in 0..<16 {
            let id = all[Int(random.next() % UInt64(all.count))]
            var changed = bytes
            let text = Array(id.description.utf8)
            // Any digit of the day, in every copy of the id.
            let place = Int(random.next() % 8)
            var at = 0
            while let found = changed[at...].firstRange(of: text) {
                changed[found.lowerBound + place] ^= 1 << UInt8(number % 4)
                at = found.upperBound
            }
            let copy = folder.write("copy.db", changed)
            for (range, expected) in zip(ranges, whole) where range.last == nil {
                let result = try ids(copy, range)
                #expect(Set(result.ids) == expected.subtracting([id]), "\(id) at \(place)")
                if expected.contains(id) {
                    met += 1
                    #expect(result.damage)
                }
            }
        }
        #expect(met > 40)
    }

    // MARK: Order of arrival

    @Test func readingsFarApart_AskForLargerDeliveries_AndThoseInOrderDoNot() throws {
        let folder = TestFolder()
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        func write(_ numbers: [Int]) throws -> Bool {
            _ = try sink.write(ReadingBatch(source: 1, driver: "and-std", device: "one", entries: numbers.map { .reading(.sample($0)) }))
            return sink.isScattered
        }
        #expect(try !write((0..<20_000).map { $0 * 3 }), "in order of time they share pages")
        #expect(try !write((20_000..<21_000).map { $0 * 3 }))
        #expect(try write((0..<500).map { $0 * 120 + 1 }), "each changes a page of its own")
        #expect(try !write((21_000..<22_000).map { $0 * 3 }))
        try sink.close()
    }
}
