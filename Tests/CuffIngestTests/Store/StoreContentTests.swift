import CuffClinical
import CuffCore
import Foundation
import Glibc
import SQLite
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(5))) struct StoreContentTests {
    private func batch(_ readings: [Reading]) -> ReadingBatch {
        ReadingBatch(source: 1, driver: "and-std", device: "SN1", entries: readings.map { .reading($0) })
    }

    private func readings(_ path: String) throws -> [Reading] {
        let store = try Store(path, access: .read)
        var found: [Reading] = []
        try store.forEach(ReadingSelection(zone: .utc)) { reading, _ in
            found.append(reading)
            return true
        }
        return found
    }

    private func kept(_ reading: Reading) throws -> Reading {
        let folder = TestFolder()
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        _ = try sink.write(batch([reading]))
        try sink.close()
        return try #require(try readings(folder.file("bp.db")).first)
    }

    private func line(_ reading: Reading) -> String {
        var text = TextBuffer()
        ReadingLine(includesRaw: true).append(reading, device: "SN1", to: &text)
        return text.string
    }

    private func sample(_ content: Reading.Content) -> Reading {
        var reading = Reading.sample(1)
        reading.content = content
        if let pressure = reading.bloodPressure, !pressure.isPlausible { reading.flags.insert(.implausible) }
        return reading
    }

    // MARK: Digits and units

    @Test(arguments: [
        // 14.0 kPa, 9.0 kPa, 10.67 kPa; 60.0 of an SFLOAT F258; 0.10; 1e-6.
        (Digits(mantissa: 140, exponent: -1), Digits(mantissa: 90, exponent: -1), Digits(mantissa: 1067, exponent: -2)),
        (Digits(16), Digits(mantissa: 1000, exponent: -2), Digits(mantissa: 125, exponent: -1)),
    ])
    func digits_ComeBackAsTheyWereSent(_ systolic: Digits, _ diastolic: Digits, _ mean: Digits) throws {
        for unit in [PressureUnit.kPa, .mmHg] {
            let pressure = BloodPressure(
                systolic: Pressure(systolic, unit), diastolic: Pressure(diastolic, unit), mean: Pressure(mean, unit),
                pulse: PulseRate(Digits(mantissa: 600, exponent: -1)))
            let reading = sample(.bloodPressure(pressure))
            #expect(try kept(reading).content == reading.content)
            #expect(try line(kept(reading)) == line(reading))
        }
        let pulse = sample(.pulseRate(PulseRate(Digits(mantissa: 7200, exponent: -2))))
        #expect(try kept(pulse).content == pulse.content)
    }

    @Test func kPaDigits_StandInTheLine() throws {
        let pressure = BloodPressure(
            systolic: Pressure(Digits(mantissa: 140, exponent: -1), .kPa), diastolic: Pressure(Digits(mantissa: 93, exponent: -1), .kPa))
        let text = line(try kept(sample(.bloodPressure(pressure))))
        #expect(text.contains("\"systolic_kPa\":14.0,") && text.contains("\"diastolic_kPa\":9.3,"), "\(text)")
    }

    /// 2688 (near MDC_DIM_MILLI_BAR) has no name here; 3872 is mmHg.
    @Test(arguments: [UInt16(0), 3872, 2688, 65535]) func unitCode_ComesBack(_ unit: UInt16) throws {
        let quantity = Quantity(partition: 2, term: 57664, value: Digits(mantissa: 7150, exponent: -2), unit: unit)
        let reading = sample(.quantity(quantity))
        #expect(try kept(reading).content == reading.content)
        #expect(try line(kept(reading)) == line(reading))
    }

    @Test func textOfAnEnumeration_ComesBack() throws {
        var reading = sample(.quantity(Quantity(partition: 2, term: 57664, value: nil)))
        reading.text = "low battery, \"cuff 2\""
        let kept = try kept(reading)
        #expect(kept.text == reading.text && kept.content == reading.content)
        #expect(line(kept) == line(reading))
    }

    // MARK: Versions

    private func tables(_ path: String) throws -> Set<String> {
        Set(try column(path, "SELECT name FROM sqlite_master").compactMap { $0 })
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    /// A database created by the first version's migration.
    private func old(_ folder: TestFolder, upTo name: String = "1 readings") throws -> String {
        let path = folder.file("old.db")
        try makeDatabase(path, upTo: name)
        try alter(
            path,
            """
            INSERT INTO source (driver, device) VALUES ('and-std', 'SN1');
            INSERT INTO reading (id, revision, pending, type, source, systolic_mmHg, diastolic_mmHg, device_time, origin, raw)
            VALUES ('20260505T073110-9f0c61d2a4b7e3f0', 0, 0, 'blood_pressure', 1, 128, 82, '2026-05-05T07:31:10', 'memory', x'01')
            """)
        return path
    }

    @Test(arguments: ["1 readings", "2 host clock", "health cursors"]) func olderDatabase_IsReadAsItIs(_ name: String) throws {
        let folder = TestFolder()
        let path = try old(folder, upTo: name)
        let before = try bytes(path)
        let names = try tables(path)
        #expect(try readings(path).map { $0.bloodPressure?.systolic.inMmHg } == [128])
        let store = try Store(path, access: .read)
        #expect(try store.all().map(\.systolic) == [128])
        #expect(try store.count() == 1)
        #expect(try store.outboxes().isEmpty)
        var selection = ReadingSelection(zone: .utc)
        selection.newFor = "doctor"
        #expect(try store.count(selection) == 1)
        try store.forEachSeries(SeriesSelection()) { _ in
            Issue.record("there is no series")
            return false
        }
        var points = 0
        try store.forEachPoint(ReadingSelection(zone: .utc), rule: InclusionRule(zone: .utc)) { _, _, _ in points += 1 }
        #expect(points == 1)
        try store.close()
        #expect(try bytes(path) == before)
        #expect(try tables(path) == names)
        // Writing migrates it and keeps the content.
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(batch([.sample(1)]))
        try sink.close()
        #expect(try Store(path, access: .read).count() == 2)
    }

    @Test(arguments: [
        "INSERT INTO grdb_migrations VALUES ('9 something of tomorrow')", "PRAGMA user_version = 999",
        "ALTER TABLE reading ADD COLUMN tomorrow TEXT; INSERT INTO grdb_migrations VALUES ('tomorrow')",
    ])
    func newerDatabase_IsRefused_AndLeftAsItIs(_ change: String) throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        do {
            let sink = try SQLiteSink(path: path)
            _ = try sink.write(batch([.sample(1)]))
            try sink.close()
        }
        try alter(path, change)
        let before = try bytes(path)
        #expect { try Store(path, access: .read) } throws: {
            ($0 as? IngestError)?.status == .badData && "\($0)".contains("a newer version of cuff wrote it")
        }
        #expect { try SQLiteSink(path: path) } throws: {
            ($0 as? IngestError)?.status == .cannotCreate && "\($0)".contains("a newer version of cuff wrote it")
        }
        #expect(try bytes(path) == before)
    }

    // MARK: Deletion

    /// A reading whose bytes occur nowhere else.
    private struct Secret {
        var reading: Reading
        var raw: [UInt8]
        var hex: [UInt8] { Array(raw.map { String(format: "%02x", $0) }.joined().utf8) }
    }

    private func secret(_ number: Int, _ generator: inout SystemRandomNumberGenerator) -> Secret {
        let raw = (0..<Int.random(in: 16...70, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var reading = Reading.sample(number)
        reading.raw = RawBytes(raw)
        return Secret(reading: reading, raw: raw)
    }

    /// Occurrences in the database, its log and the log's index.
    private func found(_ needles: [[UInt8]], in folder: TestFolder) throws -> Int {
        var count = 0
        for name in try FileNames.in(folder.path) {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
            count += needles.count { data.range(of: Data($0)) != nil }
        }
        return count
    }

    @Test(arguments: [false, true]) func deletedReadings_AreInNoFile(_ isWatched: Bool) throws {
        var generator = SystemRandomNumberGenerator()
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let all = (0..<2000).map { secret($0, &generator) }
        let sink = try SQLiteSink(path: path)
        let outbox = try Outbox(try Store(path, access: .write), spec: "tcp:a:1")
        // In random order, so that pages are split.
        let order = all.shuffled(using: &generator)
        for start in stride(from: 0, to: order.count, by: 40) {
            let one = batch(order[start..<start + 40].map(\.reading))
            _ = try sink.write(one)
            _ = try outbox.put([one], line: ReadingLine(includesRaw: true))
        }
        try outbox.acknowledge(try outbox.next(500)[...])
        if !isWatched {
            try sink.close()
            try outbox.store.close()
        }
        let chosen = all.shuffled(using: &generator).prefix(200)
        let hex = chosen.map(\.hex)
        #expect(try found(chosen.map(\.raw), in: folder) > 0)
        var selection = ReadingSelection(zone: .utc)
        selection.ids = chosen.map(\.reading.id)
        let store = try Store(path, access: .write)
        #expect(try store.delete(selection) == 200)
        #expect(try found(chosen.map(\.raw), in: folder) == 0)
        #expect(try found(hex, in: folder) == 0)
        let kept = Set(all.map(\.reading.id)).subtracting(chosen.map(\.reading.id))
        #expect(try Set(readings(path).map(\.id)) == kept)
        if isWatched {
            #expect(try sink.write(batch(chosen.map(\.reading))) == 200, "a tombstone stays")
            #expect(try found(chosen.map(\.raw), in: folder) == 0)
        }
    }

    @Test func deletion_BesideAReader_SaysThatCopiesRemain() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(batch([.sample(1), .sample(2)]))
        try sink.close()
        let store = try Store(path, access: .write)
        let reader = try SQLiteConnection(path, .read)
        try reader.execute("BEGIN; SELECT count(*) FROM reading")
        var selection = ReadingSelection(zone: .utc)
        selection.ids = [Reading.sample(1).id]
        #expect { try store.delete(selection) } throws: { ($0 as? IngestError)?.what.contains("may hold copies") == true }
        #expect(try store.count() == 1)
        try reader.rollBack()
        try store.overwriteRemains()
        try reader.close()
    }
}
