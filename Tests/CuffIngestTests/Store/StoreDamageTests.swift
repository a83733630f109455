import CuffClinical
import CuffCore
import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

@testable import CuffIngest

/// Databases of other programs or damaged by a disk: nothing is lost, trusted or skipped silently.
@Suite(.timeLimit(.minutes(5))) struct StoreDamageTests {
    private func fill(_ folder: TestFolder, _ numbers: Range<Int> = 0..<40) throws -> String {
        let path = folder.file("bp.db")
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(.sample(numbers))
        try sink.close()
        return path
    }

    private func execute(_ path: String, _ sql: String) throws {
        let db = try SQLiteConnection(path, .write)
        try db.execute(sql)
        try db.checkpoint(truncate: true)
        try db.close()
    }

    private func read(_ store: Store, _ change: (inout ReadingSelection) -> Void = { _ in }) throws -> [Reading] {
        var selection = ReadingSelection(zone: .utc)
        change(&selection)
        var found: [Reading] = []
        try store.forEach(selection) { reading, _ in
            found.append(reading)
            return true
        }
        return found
    }

    // MARK: Files of other users

    /// An attacker could fill a database like any other file, and its log becomes part of it.
    @Test(arguments: ["", "-wal", "-journal"]) func database_ThatOthersMayWrite_OrOwn_IsRefused(_ suffix: String) throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        for mode in [0o620, 0o602, 0o666] as [mode_t] {
            try SQLiteSink(path: path).close()
            if !suffix.isEmpty { _ = folder.write("bp.db\(suffix)", "") }
            #expect(chmod(path + suffix, mode) == 0)
            #expect { try SinkSpec(.sqlite, path: path).open() } throws: {
                ($0 as? IngestError)?.status == .noPermission && "\($0)".contains("other users may change it")
            }
            unlink(path + suffix)
        }
        guard geteuid() == 0 else { return }
        try SQLiteSink(path: path).close()
        if !suffix.isEmpty { _ = folder.write("bp.db\(suffix)", "") }
        #expect(chown(path + suffix, 12_345, 12_345) == 0)
        #expect { try SinkSpec(.sqlite, path: path).open() } throws: {
            ($0 as? IngestError)?.status == .noPermission && "\($0)".contains("it belongs to another user (uid 12345)")
        }
        // Root also writes a service's database in the service's folder.
        #expect(chown(folder.path, 12_345, 12_345) == 0)
        if suffix.isEmpty { _ = try SinkSpec(.sqlite, path: path).open().write(.sample(0..<1)) }
    }

    // MARK: Schemas of other programs

    @Test(arguments: [
        "BEFORE INSERT ON reading BEGIN SELECT RAISE(IGNORE); END",
        "AFTER INSERT ON reading BEGIN DELETE FROM reading WHERE id = NEW.id; END",
        "AFTER INSERT ON reading BEGIN UPDATE reading SET systolic_mmHg = 120 WHERE id = NEW.id; END",
    ])
    func aTriggerThatSwallowsOrChangesReadings_IsFound(_ trigger: String) throws {
        let folder = TestFolder()
        let path = try fill(folder, 0..<1)
        try execute(path, "CREATE TRIGGER t1 \(trigger)")
        let sink = try SQLiteSink(path: path)
        let error = #expect(throws: IngestError.self) {
            try sink.write(ReadingBatch(source: 1, driver: "and-std", device: "dev-1", entries: [.reading(.sample(1, systolic: 141))]))
        }
        #expect(error?.status == .cannotCreate && error?.description.contains("t1") == true)
        try sink.close()
        #expect(try read(Store(path, access: .read)).map(\.id) == [Reading.sample(0).id], "nothing of the batch was kept")
    }

    @Test func aTriggerOnTheOutbox_IsFound_AndOneThatKeepsABookIsNot() throws {
        let folder = TestFolder()
        let path = try fill(folder, 0..<1)
        try execute(path, "CREATE TRIGGER t1 BEFORE INSERT ON outbox BEGIN SELECT RAISE(IGNORE); END")
        let outbox = try Outbox(try Store(path, access: .write), spec: "tcp:a:1")
        #expect(throws: IngestError.self) { try outbox.put([.sample(0..<3)], line: ReadingLine()) }
        try outbox.store.close()
        try execute(
            path,
            """
            DROP TRIGGER t1; CREATE TABLE book (id TEXT);
            CREATE TRIGGER t2 AFTER INSERT ON reading BEGIN INSERT INTO book VALUES (NEW.id); END
            """)
        let sink = try SQLiteSink(path: path)
        #expect(try sink.write(.sample(0..<5)) == 1)
        try sink.close()
        #expect(try read(Store(path, access: .read)).count == 5)
    }

    @Test(arguments: ["reading", "source", "grdb_migrations"]) func anEndlessView_IsNotFollowed(_ table: String) throws {
        let folder = TestFolder()
        let path = try fill(folder, 0..<2)
        let columns =
            table == "reading" ? ReadingColumn.all + ", checksum" : table == "source" ? "number, driver, device, checksum" : "identifier"
        let endless = columns.split(separator: ",").map { "n AS\($0.hasPrefix(" ") ? "" : " ")\($0)" }.joined(separator: ", ")
        try execute(
            path,
            """
            ALTER TABLE \(table) RENAME TO hidden;
            CREATE VIEW \(table) AS WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers) SELECT \(endless) FROM numbers;
            """)
        #expect(throws: IngestError.self) { try self.read(Store(path, access: .read)) }
        #expect(throws: IngestError.self) { try SQLiteSink(path: path).write(.sample(5..<6)) }
    }

    @Test func aHugeCell_IsNotRead_AndTheOtherRowsAre() throws {
        let folder = TestFolder()
        let path = try fill(folder, 0..<10)
        try execute(path, "UPDATE reading SET note = zeroblob(100000000) WHERE id = '\(Reading.sample(4).id)'")
        let store = try Store(path, access: .read)
        #expect(try read(store).map(\.id) == (0..<10).filter { $0 != 4 }.map { Reading.sample($0).id })
        #expect(try read(store) { $0.last = 3 }.count == 3)
        #expect(try store.persons(ReadingSelection(zone: .utc)).all.count == 1)
        #expect(store.damage?.status == .badData)
        #expect(try store.check().problems.contains { $0.rule == "size" })
    }

    // MARK: Flipped bits

    /// For every bit flipped in the rows: readings are unchanged or counted as missing, and the check finds the row.
    @Test func flippedBits_AreAllNoticed() throws {
        let folder = TestFolder()
        let path = try fill(folder)
        let written = try Store(path, access: .write)
        #expect(try written.remark([Reading.sample(3).id], [(.note, "after the stairs")]) == 1)
        var selection = ReadingSelection(zone: .utc)
        selection.ids = [Reading.sample(5).id]
        #expect(try written.delete(selection) == 1)
        try written.close()
        let whole = try read(Store(path, access: .read))
        #expect(whole.count == 39)
        let rows = try content(path)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var random = SplitMix64(seed: 20)
        var noticed = 0
        let flips = Effort.choose(600, exhaustive: 6000)
        for _ in 0..<flips {
            var flipped = bytes
            let (place, bit) = (100 + Int(random.next() % UInt64(bytes.count - 100)), UInt8(random.next() % 8))
            flipped[place] ^= 1 << bit
            let copy = folder.write("copy.db", flipped)
            defer { for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) } }
            guard let store = try? Store(copy, access: .read) else { continue }
            if let shown = try? read(store) {
                #expect(shown.allSatisfy { reading in whole.contains(reading) }, "bit \(bit) of byte \(place): a changed reading is shown")
                #expect(shown.count == whole.count || store.damage != nil, "\(whole.count - shown.count) were not counted as missing")
                #expect(store.damage == nil || store.damage?.status == .badData)
            }
            let report = try? store.check()
            if report?.count != 0 { noticed += 1 }
            if report?.count == 0 { #expect((try? content(copy)) == rows, "changed, and the check says nothing") }
        }
        #expect(noticed > flips / 30)
    }

    /// Another program that edits a row must remove its checksum.
    @Test func aRowWithoutChecksum_IsShown_AndUnverified() throws {
        let folder = TestFolder()
        let path = try fill(folder, 0..<6)
        try execute(path, "UPDATE reading SET pulse_per_min = 72, digits = NULL, checksum = NULL WHERE id = '\(Reading.sample(2).id)'")
        let store = try Store(path, access: .read)
        #expect(try read(store).count == 6)
        let edited = try #require(try read(store).first { $0.id == Reading.sample(2).id })
        #expect(edited.bloodPressure?.pulse?.digits.value == 72)
        #expect(store.damage == nil)
        let report = try store.check()
        #expect(report.count == 0 && report.unverified == 1)
    }

    /// The values of all rows of readings and sources.
    private func content(_ path: String) throws -> [String] {
        try SQLiteConnection(path, .read).read { db in
            try ["reading", "source"].flatMap { table in
                let values = try Schema.columns(db, table).map { "quote(\"\($0)\")" }
                return try db.rows("SELECT \(values.joined(separator: " || ',' || ")) FROM \(table)") { $0.text(0) ?? "" }
            }
        }
    }

    @Test(arguments: [
        "UPDATE reading SET systolic_mmHg = 121 WHERE id = '$'", "UPDATE reading SET type = 'blood_pressurf' WHERE id = '$'",
        "UPDATE reading SET pending = 1 WHERE id = '$'", "UPDATE reading SET measured = '1999-01-01T00:00:00+00:00' WHERE id = '$'",
        "UPDATE reading SET source = 77 WHERE id = '$'",
        "UPDATE reading SET type = 'deleted' WHERE id = '$'",
    ])
    func aChangedRow_IsLeftOut_Counted_AndCanBeDeleted(_ sql: String) throws {
        let folder = TestFolder()
        let path = try fill(folder, 0..<6)
        let id = Reading.sample(2).id
        try execute(path, sql.replacingOccurrences(of: "$", with: id.description))
        let others = [0, 1, 3, 4, 5].map { Reading.sample($0).id }
        let store = try Store(path, access: .write)
        #expect(try read(store).map(\.id) == others)
        #expect(store.damage?.description == "1 row of \(path) is damaged; damaged readings are left out")
        #expect(try read(store) { $0.since = Timestamp(seconds: 1_700_000_000) }.map(\.id) == others)
        let report = try store.check()
        #expect(report.count == 1 && report.problems.first?.id == id.description, "\(report.problems)")
        // A remark must not give it a valid checksum; neither must the cuff's copy.
        #expect(throws: IngestError.self) { try store.remark([id], [(.note, "x")]) }
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(.sample(0..<6))
        try sink.close()
        // A row that looks pending is completed by the copy, which restores it.
        guard !sql.contains("pending") else {
            #expect(try store.check().count == 0)
            return
        }
        #expect(try store.check().count == 1)
        var selection = ReadingSelection(zone: .utc)
        selection.ids = [id]
        #expect(try store.damaged(among: [id]) == [id])
        #expect(try store.delete(selection) == 1)
        #expect(try store.check().count == 0 && store.damage == nil)
    }

    @Test func aDamagedRow_AddsNoPerson_AndHidesNone() throws {
        let folder = TestFolder()
        let path = try fill(folder, 0..<6)
        let whole = try Store(path, access: .read).persons(ReadingSelection(zone: .utc))
        try execute(path, "UPDATE reading SET user = 7 WHERE id = '\(Reading.sample(0).id)'")
        try execute(path, "UPDATE reading SET person = 'anna' WHERE id = '\(Reading.sample(1).id)'")
        #expect(try Store(path, access: .read).persons(ReadingSelection(zone: .utc)) == whole && whole.all.count == 1)
        try execute(path, "UPDATE reading SET user = 8, checksum = NULL WHERE id = '\(Reading.sample(2).id)'")
        #expect(try Store(path, access: .read).persons(ReadingSelection(zone: .utc)).all.contains { $0.slot == 8 }, "not damaged")
    }

    @Test func everyVerbThatWrites_KeepsTheChecksumsRight() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let misread = try storeMisreadRecord(path)
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(.sample(0..<4))
        let more = [Reading.sample(9, isPending: true), .sample(10, code: "E3")]
        _ = try sink.write(ReadingBatch(source: 1, driver: "and-std", device: "dev-1", entries: more.map { .reading($0) }))
        let complete = [Reading.sample(9, systolic: 131, revision: 1), .sample(0, systolic: 99, revision: 2)]
        let identity = DeviceIdentity(id: "dev-1", manufacturer: "A&D", model: "UA-767", serial: nil, firmware: nil)
        _ = try sink.write(
            ReadingBatch(source: 1, driver: "and-std", device: "dev-1", identity: identity, entries: complete.map { .reading($0) }))
        try sink.close()
        let store = try Store(path, access: .write)
        #expect(try store.check().count == 0)
        _ = try store.remark([Reading.sample(1).id], [(.note, "cold"), (.arm, "left")])
        #expect(try store.check().count == 0)
        #expect(try HealthRuns.redecode(store, ReadingSelection(zone: .utc), applies: true) { _ in }.changed == 1)
        #expect(try store.check().count == 0)
        #expect(try read(store) { $0.ids = [misread.id] }.first?.revision == 1)
        let outbox = try Outbox(store, spec: "tcp:a:1")
        _ = try outbox.put([.sample(0..<4)], line: ReadingLine())
        _ = try store.remark([Reading.sample(1).id], [(.note, "warm")])
        #expect(try store.check().count == 0)
        #expect(store.damage == nil)
        // A changed line is not sent.
        try execute(path, "UPDATE outbox SET line = replace(line, '120', '126') WHERE id = '\(Reading.sample(2).id)'")
        #expect(try store.check().problems.map(\.rule) == ["checksum"])
        #expect(try outbox.next(10).map(\.id) == [0, 1, 3, 1].map { Reading.sample($0).id.description })
        #expect(try store.outboxes().first?.refusals.map(\.id) == [Reading.sample(2).id.description])
    }

    @Test func anEarlierVersionsDatabase_IsUnverified_UntilAVerbWrites() throws {
        let folder = TestFolder()
        let path = try fill(folder, 0..<5)
        try execute(
            path,
            "DROP INDEX \(Schema.dayIndex);"
                + ["reading", "source", "series", "earlier", "outbox"].map { "ALTER TABLE \($0) DROP COLUMN checksum;" }.joined()
                + "DELETE FROM grdb_migrations WHERE identifier IN ('checksums', 'other days')")
        let old = try Store(path, access: .read)
        #expect(try read(old).count == 5 && old.damage == nil)
        let report = try old.check()
        #expect(report.count == 0 && report.unverified == 5)
        try old.close()
        try execute(path, "UPDATE reading SET type = 'blood_pressurf' WHERE id = '\(Reading.sample(2).id)'")
        let damaged = try Store(path, access: .read)
        #expect(try read(damaged).count == 4 && damaged.damage != nil)
        try damaged.close()
        try execute(path, "UPDATE reading SET type = 'blood_pressure'")
        try Store(path, access: .write).close()
        let new = try Store(path, access: .read)
        #expect(try read(new).count == 5 && new.damage == nil)
        #expect(try new.check().count == 0 && new.check().unverified == 0)
    }
}
