import CuffClinical
import CuffCore
import Testing

@testable import CuffIngest

/// Averages of a database, which is ordered by the cuffs' clocks.
@Suite struct AverageRunTests {
    private let zone = ZoneTable(rule: "CET-1CEST,M3.5.0,M10.5.0/3", name: "Europe/Berlin") ?? .utc

    /// Readings whose ids are ordered differently from their times: entered in many zones.
    private func fill(_ path: String) throws {
        for index in 0..<60 {
            let offset = Int32((index * 7) % 23 - 11) * 3600
            let time = Timestamp(seconds: 1_777_900_000 + Int64(index) * 9_000)
            let entry = ManualEntry(.mmHg(120 + index % 17, 80), at: time, user: Int32(index % 2 + 1))
            _ = try HealthRuns.add(entry, zone: ZoneTable(name: "\(offset)", first: offset, changes: []), to: path)
        }
    }

    @Test func disorder_ChangesNothing() throws {
        let scratch = TestFolder()
        let path = scratch.file("bp.db")
        try fill(path)
        let store = try Store(path, access: .read)
        let request = AverageRequest(try #require(AveragingRule.named("nice-ng136")))
        func run(_ capacity: Int) throws -> (means: [String], fates: [String]) {
            var fates: [String] = []
            let run = try HealthRuns.average(
                store, ReadingSelection(zone: zone), request, order: ReadingOrder(capacity: capacity)
            ) { reading, fate, _ in
                fates.append("\(reading.time?.seconds ?? 0) \(fate.leavingOut?.word ?? "counts") \(fate.place?.day ?? 0)")
            }
            return (
                run.averages.each.map { "\($0.owner.person.slot ?? 0) \($0.average.all.count) \($0.average.all.systolic?.text ?? "-")" },
                fates
            )
        }
        // With a window that holds all, and one that cannot, so that they are sorted.
        let (near, far) = (try run(100), try run(1))
        #expect(near.means == far.means && near.means.count == 2)
        #expect(near.fates.sorted() == far.fates.sorted() && near.fates.count == 60)
        // User 1 has the even readings. Day 1 in Berlin starts at the first and ends at midnight.
        let first: Int64 = 1_777_900_000
        let midnight = (WallTime.floor(zone.wall(at: first), 86400) + 1) * 86400 - 7200
        let counted = (0..<60).filter { index in
            // A session before 03:00 belongs to the evening before.
            index % 2 == 0 && first + Int64(index) * 9_000 >= midnight + 3 * 3600
        }
        let sum = counted.reduce(0) { $0 + 120 + $1 % 17 }
        #expect(near.means[0] == "1 \(counted.count) \(try #require(Fraction(Int128(sum), over: Int128(counted.count))).text)")
    }

    /// For a cuff that sends kPa, databases and JSON lines also contain rounded mmHg, which averages must not use.
    @Test func kilopascals_AreNotRoundedBefore() throws {
        let scratch = TestFolder()
        let path = scratch.file("bp.db")
        var lines = TextBuffer()
        let readings = [178, 179, 178].enumerated().map { index, tenths -> Reading in
            func kPa(_ tenths: Int64) -> Pressure { Pressure(Digits(mantissa: tenths, exponent: -1), .kPa) }
            var reading = Reading(
                .bloodPressure(BloodPressure(systolic: kPa(Int64(tenths)), diastolic: kPa(107))), driver: "phd", origin: .push,
                raw: RawBytes([UInt8(index)]))
            reading.measured = Timestamp(seconds: 1_777_900_000 + Int64(index) * 60)
            reading.id = Reading.ID(wallSeconds: 1_777_900_000 + Int64(index) * 60, hash: UInt64(index))
            ReadingLine().append(reading, device: "c", to: &lines)
            return reading
        }
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(ReadingBatch(source: 1, driver: "phd", device: "c", entries: BatchEntries(readings.map { .reading($0) })))
        try sink.close()
        let store = try Store(path, access: .read)
        let request = AverageRequest(.everything)
        // 53.5 kPa / 3 at 7.50061683 mmHg each: 133.761…; from rounded values 133.76.
        let expected = Fraction(535 * 750_061_683, over: 3 * 1_000_000_000)
        let stored = try HealthRuns.average(store, ReadingSelection(zone: zone), request)
        #expect(stored.averages.each.first?.average.all.systolic == expected)
        let file = scratch.write("lines.jsonl", lines.string)
        let printed = try HealthRuns.average(lines: file, ReadingSelection(zone: zone), request)
        #expect(printed.averages.each.first?.average.all.systolic == expected)
    }
}
