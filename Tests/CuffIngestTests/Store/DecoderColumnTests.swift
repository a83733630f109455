import CuffCore
import SQLite
import Testing

@testable import CuffIngest

/// Each stored reading names the program and the driver that decoded it, with their versions.
@Suite struct DecoderColumnTests {
    private let folder = TestFolder()
    private var path: String { folder.file("bp.db") }
    private static let capture = "# driver: beurer-serial\n> aa\n< 55\n> a2\n< 01\n> a3 01\n< ac 64 3c 46 05 05 07 1f 1a\n"

    private func replay(_ program: String?, _ sinks: [SinkSpec], more: [any ReadingSink] = []) async throws {
        var options = IngestOptions()
        (options.sinks, options.moreSinks, options.program, options.zone) = (sinks, more, program, .utc)
        let (file, told) = (folder.write("a.capture", Self.capture), options)
        _ = try await onThread { try Ingest.replay(paths: [file], options: told) }
    }

    private func stored() throws -> [Reading] {
        var readings: [Reading] = []
        try Store(path, access: .read).forEach(ReadingSelection(zone: .utc)) { reading, _ in
            readings.append(reading)
            return true
        }
        return readings
    }

    @Test func storedReadings_NameTheirDecoder_AndKeepTheirIDs() async throws {
        try await replay("test/1.2", [SinkSpec(.sqlite, path: path), SinkSpec(.jsonl, path: folder.file("a.jsonl"))])
        #expect(try column(path, "SELECT decoder FROM readings") == ["test/1.2 beurer-serial/1"])
        #expect(folder.lines("a.jsonl").map { $0.hasSuffix(#""decoder":"test/1.2 beurer-serial/1"}"#) } == [true])
        let named = try stored()
        try await replay(nil, [SinkSpec(.sqlite, path: folder.file("b.db"))])
        #expect(try column(folder.file("b.db"), "SELECT decoder FROM reading") == [nil])
        #expect(try column(folder.file("b.db"), "SELECT id FROM reading") == named.map(\.id.description))
        // What decoded a reading stays when the cuff is read again.
        try await replay("test/2.0", [SinkSpec(.sqlite, path: path)])
        #expect(try stored() == named)
    }

    @Test func whatIsOnlyPrinted_NamesNone() async throws {
        let sink = MemorySink(isDurable: false)
        try await replay("test/1.2", [], more: [sink])
        #expect(sink.readings.map(\.decoder) == [nil])
    }

    @Test func redecode_NamesThePresentVersion_WithoutARevision() async throws {
        try await replay("test/1.2", [SinkSpec(.sqlite, path: path)])
        let before = try stored()
        let store = try Store(path, access: .write)
        var driver = CuffDriver.beurerSerial
        driver.revision = 7
        for (program, applies, renewed, expected) in [
            ("test/1.2", true, 1, "test/1.2 beurer-serial/7"), ("test/1.2", true, 0, "test/1.2 beurer-serial/7"),
            ("test/1.3", false, 1, "test/1.2 beurer-serial/7"), ("test/1.3", true, 1, "test/1.3 beurer-serial/7"),
        ] {
            let report = try HealthRuns.redecode(
                store, ReadingSelection(zone: .utc), applies: applies, program: program, drivers: [driver]
            ) { _ in Issue.record("no value differs") }
            #expect(report.same == 1 && report.changed == 0 && report.renewed == renewed)
            var after = try stored()
            #expect(after.map(\.decoder) == [expected])
            after[0].decoder = before[0].decoder
            #expect(after == before)
        }
        #expect(try store.check().count == 0)
    }

    @Test func redecode_OfAnError_NamesWhatCorrectedIt() throws {
        _ = try storeMisreadRecord(path)
        let store = try Store(path, access: .write)
        let report = try HealthRuns.redecode(store, ReadingSelection(zone: .utc), applies: true, program: "test/2") { _ in }
        #expect(report.changed == 1 && report.renewed == 0)
        let after = try stored()
        #expect(after.map(\.decoder) == ["test/2 beurer-serial/1"] && after.map(\.revision) == [1])
    }

    /// Rows of earlier versions have no decoder, and their checksums hold.
    @Test func earlierDatabases_AreBroughtUp() throws {
        try makeDatabase(path, upTo: "persons")
        do {
            let db = try SQLiteConnection(path, .write)
            try RowChecksum.prepare(db)
            try db.execute(
                """
                INSERT INTO source (number, driver, device) VALUES (1, 'and-std', 'dev-1');
                INSERT INTO reading (id, revision, pending, type, source, systolic_mmHg, diastolic_mmHg, origin, raw)
                VALUES ('20260505T073100-0000000000000001', 0, 0, 'blood_pressure', 1, 120, 80, 'memory', x'01');
                """)
            let columns = ReadingColumn.names.filter { $0 != "decoder" && $0 != "metadata" }
            try db.execute(RowChecksum.Table(name: "reading", columns: columns).seal("1"))
        }
        let old = try stored()
        #expect(old.map(\.decoder) == [nil], "read as it is")
        let store = try Store(path, access: .write)
        #expect(try store.check().count == 0)
        #expect(try stored() == old)
        let sink = SQLiteSink(store)
        _ = try sink.write(.sample(1..<2))
        #expect(try store.check().count == 0)
    }
}
