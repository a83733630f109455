import CuffClinical
import CuffCore
import Foundation
import Glibc
import SQLite
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(5))) struct StoreMaintenanceTests {
    private func ids(_ path: String) throws -> [String] {
        var found: [String] = []
        try Store(path, access: .read).forEach(ReadingSelection(zone: .utc)) { reading, _ in
            found.append(reading.id.description)
            return true
        }
        return found
    }

    private func fill(_ folder: TestFolder, _ numbers: Range<Int> = 0..<20) throws -> String {
        let path = folder.file("bp.db")
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(.sample(numbers))
        try sink.close()
        return path
    }

    // MARK: backup

    @Test func aBackup_HoldsWhatIsOnlyInTheLog_WhileAnotherWrites() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(.sample(0..<20))
        // The log was not checkpointed yet.
        #expect((try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0) > 0)
        let backup = try Store(path, access: .read).backUp(to: folder.file("copy.db"))
        _ = try sink.write(.sample(20..<30))
        try sink.close()
        #expect(backup.readings == 20)
        #expect(backup.bytes == (try FileManager.default.attributesOfItem(atPath: folder.file("copy.db"))[.size] as? Int))
        #expect(folder.mode("copy.db") == 0o600)
        #expect(try ids(folder.file("copy.db")) == Array(try ids(path).prefix(20)))
        // It is a database of this program and accepts readings.
        let restored = try SQLiteSink(path: folder.file("copy.db"))
        #expect(try restored.write(.sample(10..<30)) == 10)
        try restored.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix(".part") })
    }

    @Test func aBackup_ReplacesNothingUnasked() throws {
        let folder = TestFolder()
        let path = try fill(folder)
        let store = try Store(path, access: .read)
        let copy = folder.write("copy.db", "mine")
        #expect(throws: IngestError(FileFault.exists(copy))) { try store.backUp(to: copy) }
        #expect(folder.text("copy.db") == "mine")
        #expect(throws: IngestError(StoreFault.backupOntoItself(path))) { try store.backUp(to: path, replaces: true) }
        #expect(throws: IngestError(FileFault.isDatabase(path + "-wal"))) { try store.backUp(to: path + "-wal", replaces: true) }
        #expect(throws: IngestError(FileFault.isDatabase(path + "-journal"))) { try store.backUp(to: path + "-journal") }
        try Data([1]).write(to: URL(filePath: folder.file("used.db-wal")))
        let used = folder.file("used.db")
        #expect(throws: IngestError(StoreFault.backupBesideLog(used, log: used + "-wal"))) { try store.backUp(to: used, replaces: true) }
        // No other output replaces a database or its log.
        for file in [path, path + "-wal", path + "-shm"] {
            #expect(throws: IngestError(FileFault.isDatabase(file))) { try OutputFile(file, replaces: true) }
        }
        #expect(throws: IngestError(StoreFault.backupNeedsFile("/dev/null"))) { try store.backUp(to: "/dev/null", replaces: true) }
        #expect(try store.backUp(to: copy, replaces: true).readings == 20)
        #expect(try ids(copy).count == 20)
    }

    /// Also not in free pages of the copy.
    @Test func aBackup_HoldsNothingThatWasDeleted() throws {
        let folder = TestFolder()
        let path = try fill(folder)
        try alter(path, "CREATE TABLE junk (text TEXT); INSERT INTO junk VALUES ('QQQQ-secret-QQQQ'); DROP TABLE junk")
        _ = try Store(path, access: .read).backUp(to: folder.file("copy.db"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("copy.db")))
        #expect(bytes.range(of: Data("QQQQ-secret".utf8)) == nil)
    }

    // MARK: check

    @Test func aWholeDatabase_HasNoProblem() throws {
        let folder = TestFolder()
        let path = try fill(folder)
        let store = try Store(path, access: .write)
        var selection = ReadingSelection(zone: .utc)
        selection.last = 3
        _ = try store.delete(selection)
        let report = try store.check()
        #expect(report.count == 0 && report.problems.isEmpty, "\(report.problems)")
        #expect(report.readings == 17 && report.deleted == 3)
    }

    @Test(arguments: [
        ("UPDATE reading SET source = 99 WHERE id = $0", "source"),
        ("UPDATE reading SET type = 'weight' WHERE id = $0", "type"),
        ("UPDATE reading SET diastolic_mmHg = NULL WHERE id = $0", "value"),
        ("UPDATE reading SET measured = 'yesterday' WHERE id = $0", "value"),
        ("UPDATE reading SET device_time = '5 May' WHERE id = $0", "value"),
        ("UPDATE reading SET type = 'measurement', reason = NULL WHERE id = $0", "value"),
        ("UPDATE reading SET id = 'first' WHERE id = $0", "id"),
        ("UPDATE reading SET type = 'deleted', revision = 255 WHERE id = $0", "deleted"),
        ("UPDATE reading SET posture = 'upside down' WHERE id = $0", "value"),
        ("INSERT INTO earlier (id, revision, replaced, raw) VALUES ('x', 0, 'now', $0)", "deleted"),
        ("INSERT INTO outbox (sink, id, revision, pending, sequence, line) VALUES (7, $0, 0, 0, 1, '{}')", "outbox"),
    ])
    func everyRule_FindsItsOwnDamage(_ sql: String, _ rule: String) throws {
        let folder = TestFolder()
        let path = try fill(folder)
        let first = try #require(try ids(path).first)
        try alter(path, sql.replacingOccurrences(of: "$0", with: "'\(first)'"))
        let report = try Store(path, access: .read).check()
        #expect(report.count == 1, "\(report.problems)")
        #expect(report.problems.first?.rule == rule)
    }

    @Test func aDamagedSeries_AndADamagedPage_AreFound() throws {
        let folder = TestFolder()
        let path = try fill(folder, 0..<2000)
        try alter(
            path,
            """
            INSERT INTO series (number, type, code, source, start, end, count, samples)
            VALUES (1, 'quantity_series', 'X', 1, '2026-05-05T07:31:10Z', '2026-05-05T07:31:40Z', 3, x'ff')
            """)
        #expect(try Store(path, access: .read).check().problems == [.damagedSeries(number: 1)])
        // A page in the middle of the table is zeroed.
        let db = try SQLiteConnection(path, .write)
        try db.checkpoint(truncate: true)
        try db.close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: size / 4096 / 2 * 4096)
        try file.write(contentsOf: Data(repeating: 0x5A, count: 4096))
        try file.close()
        let report = try Store(path, access: .read).check()
        #expect(report.count > 0 && report.problems.allSatisfy { $0.rule == "integrity" }, "\(report.problems)")
    }

    // MARK: purge

    @Test func aPurge_RemovesTombstones_LinesOfThem_AndEmptySources() throws {
        let folder = TestFolder()
        let path = try fill(folder)
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(.sample(100..<103, source: 2))
        try sink.close()
        let all = try ids(path)
        let store = try Store(path, access: .write)
        // Two lines were acknowledged, one of a reading that is kept.
        try alter(
            path,
            """
            INSERT INTO sink (number, spec) VALUES (1, 'exec:./notify');
            INSERT INTO outbox (sink, id, revision, pending) VALUES (1, '\(all[0])', 0, 0), (1, '\(all[22])', 0, 0), (9, '\(all[1])', 0, 0);
            """)
        var gone = ReadingSelection(zone: .utc)
        gone.device = "dev-2"
        #expect(try store.delete(gone) == 3)
        let preview = try store.purgePreview()
        #expect(preview.tombstones == 3 && preview.lines == 2 && preview.sources == 1 && preview.owedTombstones == 0)
        let done = try store.purge()
        #expect(done.tombstones == 3 && done.lines == 2 && done.sources == 1)
        #expect(done.bytesAfter <= done.bytesBefore)
        #expect(try store.purgePreview().tombstones == 0)
        #expect(try ids(path) == Array(all.prefix(20)))
        #expect(try store.check().count == 0)
        let left = try column(path, "SELECT id FROM outbox")
        #expect(left == [all[0]], "a line that was acknowledged keeps its reading from being sent twice")
        try store.close()
        // The cuff sends its copies again.
        let again = try SQLiteSink(path: path)
        #expect(try again.write(.sample(100..<103, source: 2)) == 0)
        try again.close()
    }

    @Test func aTombstone_StaysUntilEveryExportHasNamedIt() throws {
        let folder = TestFolder()
        let path = try fill(folder, 0..<3)
        let all = try ids(path)
        let store = try Store(path, access: .write)
        try alter(path, "INSERT INTO exported (cursor, id, revision) VALUES ('weekly', '\(all[0])', 0)")
        _ = try store.delete(ReadingSelection(zone: .utc))
        let first = try store.purge()
        #expect(first.tombstones == 2 && first.owedTombstones == 1)
        let owed = try store.deletedSince("weekly")
        #expect(owed.map(\.description) == [all[0]])
        #expect(try store.purge().tombstones == 0, "asking is not telling")
        try store.forgetGiven(owed, by: "weekly")
        #expect(try store.purge().tombstones == 1)
    }

    // MARK: redecode

    @Test func redecode_CorrectsUnderTheOldID_AndOnlyWhenTold() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let reading = try storeMisreadRecord(path)
        let store = try Store(path, access: .write)
        var differences: [String] = []
        func run(_ applies: Bool) throws -> HealthRuns.RedecodeReport {
            differences = []
            return try HealthRuns.redecode(store, ReadingSelection(zone: .utc), applies: applies) { one in
                differences += one.differences.map { "\($0.field) \($0.before ?? "-") \($0.after ?? "-")" }
            }
        }
        // 100 + 25 is 125: the stored 135 came from an error.
        #expect(try run(false).changed == 1)
        #expect(differences == ["systolic_mmHg 135 125"])
        #expect(try run(true).changed == 1)
        #expect(try run(true).same == 1)
        var found: [Reading] = []
        try store.forEach(ReadingSelection(zone: .utc)) { reading, _ in
            found.append(reading)
            return true
        }
        #expect(found.count == 1 && found[0].id == reading.id && found[0].revision == 1)
        #expect(found[0].content == .bloodPressure(.mmHg(125, 85, pulse: 70)) && found[0].received == reading.received)
        // The same record, read by an older version, does not restore the error.
        let again = try SQLiteSink(path: path)
        #expect(try again.write(ReadingBatch(source: 1, driver: "beurer-serial", device: "SN1", entries: [.reading(reading)])) == 1)
        try again.close()
        #expect(try run(false).same == 1)
    }
}
