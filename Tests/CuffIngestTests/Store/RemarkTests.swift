import CuffClinical
import CuffCore
import SQLite
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(5))) struct RemarkTests {
    private func readings(_ path: String, _ change: (inout ReadingSelection) -> Void = { _ in }) throws -> [Reading] {
        var found: [Reading] = []
        var selection = ReadingSelection(zone: .utc)
        change(&selection)
        try Store(path, access: .read).forEach(selection) { reading, _ in
            found.append(reading)
            return true
        }
        return found
    }

    private func fill(_ path: String, _ readings: [Reading]) throws {
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(
            ReadingBatch(source: 1, driver: "and-std", device: "dev-1", entries: BatchEntries(readings.map { .reading($0) })))
        try sink.close()
    }

    private func entry(_ path: String, _ systolic: Int = 128, user: Int32? = nil) throws -> Reading {
        try HealthRuns.add(
            ManualEntry(.mmHg(systolic, 82, pulse: 71), at: Timestamp(seconds: 1_777_959_000), user: user), zone: .utc, to: path
        ).reading
    }

    @Test(arguments: [
        (Remarks.Key.note, String(repeating: "x", count: 1000), true), (.note, String(repeating: "x", count: 1001), false),
        (.note, "ä", true), (.note, "two\nlines", false), (.note, "\u{1B}[31m", false), (.posture, "sitting", true),
        (.posture, "Sitting", false), (.posture, "supine", false), (.arm, "left", true), (.arm, "both", false),
        (.medication, "amlodipine 5 mg", true), (.medication, String(repeating: "x", count: 201), false), (.arm, "", true),
    ])
    func aRemark_IsTakenOrRefused(_ key: Remarks.Key, _ text: String, _ isTaken: Bool) {
        var remarks = Remarks()
        do throws(Remarks.Refusal) {
            try remarks.set(key, text)
            #expect(isTaken)
            #expect(remarks[key] == (text.isEmpty ? nil : text))
        } catch { #expect(!isTaken, "\(error)") }
    }

    @Test func whatAnotherProgramWrote_IsCutAndHarmless() throws {
        let remarks = try #require(Remarks(stored: { $0 == .note ? "a\u{1B}[2J\n" + String(repeating: "b", count: 2000) : "" }))
        #expect(remarks.all.count == 1)
        #expect(remarks[.note]?.utf8.count == 1000 && remarks[.note]?.hasPrefix("a [2J b") == true)
        #expect(Remarks(stored: { _ in "" }) == nil)
    }

    @Test func remarks_StayWhenTheCuffIsReadAgain_AndWhenItCompletesTheReading() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        try fill(path, [.sample(1)])
        let store = try Store(path, access: .write)
        let id = Reading.sample(1).id
        #expect(try store.remark([id], [(.note, "cold"), (.arm, "left")]) == 1)
        #expect(try store.remark([id], [(.arm, "left")]) == 0, "nothing is different")
        try fill(path, [.sample(1)])
        var one = try #require(try readings(path).first)
        #expect(one.remarks?[.note] == "cold" && one.remarks?[.arm] == "left" && one.revision == 1)
        // The cuff sends the record again with another value: the remark is kept, and the visible revision is the third.
        try fill(path, [.sample(1, systolic: 121, revision: 1)])
        one = try #require(try readings(path).first)
        #expect(one.bloodPressure?.systolic.digits == Digits(121))
        #expect(one.remarks?[.note] == "cold" && one.revision == 2)
        #expect(try store.remark([id], Remarks.Key.allCases.map { ($0, "") }) == 1)
        one = try #require(try readings(path).first)
        #expect(one.remarks == nil && one.revision == 3)
        #expect(try store.check().count == 0)
    }

    @Test func allOrNone_WhereOneIsUnknown() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        try fill(path, [.sample(1), .sample(2, isPending: true)])
        let store = try Store(path, access: .write)
        for other in [Reading.sample(3).id, Reading.sample(2).id] {
            #expect(throws: IngestError.self) { try store.remark([Reading.sample(1).id, other], [(.note, "x")]) }
        }
        #expect(try readings(path).allSatisfy { $0.remarks == nil && $0.revision == 0 })
    }

    @Test func exports_GiveAChangedReadingAgain() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        try fill(path, [.sample(1), .sample(2)])
        let store = try Store(path, access: .write)
        func new() throws -> [Reading.ID] {
            var selection = ReadingSelection(zone: .utc)
            selection.newFor = "clinic"
            let report = try HealthRuns.export(
                store, .everything, selection, as: .jsonl, context: HealthRuns.exportContext(.utc, version: "1"),
                to: try OutputFile(folder.file("out.jsonl"), replaces: true))
            let lines = folder.lines("out.jsonl").filter { !$0.contains("\"deleted\"") }
            #expect(lines.count == report.written)
            return lines.compactMap { line in
                line.range(of: "\"id\":\"").flatMap { Reading.ID.parse(String(line[$0.upperBound...].prefix(32))) }
            }
        }
        let (first, second) = (Reading.sample(1).id, Reading.sample(2).id)
        #expect(try new() == [first, second])
        #expect(try new() == [])
        _ = try store.remark([second], [(.posture, "standing")])
        #expect(try new() == [second])
        #expect(try new() == [])
        var gone = ReadingSelection(zone: .utc)
        gone.ids = [first]
        #expect(try store.delete(gone) == 1)
        #expect(try new() == [])
        #expect(folder.lines("out.jsonl") == ["{\"type\":\"deleted\",\"schema\":1,\"id\":\"\(first.description)\"}"])
        #expect(try new() == [])
        #expect(folder.lines("out.jsonl").isEmpty, "it is reported once")
    }

    @Test func sinksThatHadIt_GetItAgain_AndNoOthers() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        try fill(path, [.sample(1), .sample(2)])
        let store = try Store(path, access: .write)
        let (had, other) = (try Outbox(store, spec: "tcp:a:1"), try Outbox(store, spec: "tcp:b:1"))
        _ = try had.put([.sample(1..<2)], line: ReadingLine())
        let sent = try had.next(10)
        try had.acknowledge(sent[...])
        _ = try store.remark([Reading.sample(1).id, Reading.sample(2).id], [(.note, "cold")])
        #expect(try had.refresh() == 1 && other.refresh() == 0)
        let line = try #require(try had.next(10).first)
        #expect(line.revision == 1 && line.id == Reading.sample(1).id.description && !line.isPending)
        let text = String(decoding: line.bytes, as: UTF8.self)
        #expect(text.contains("\"revision\":1,\"note\":\"cold\"}"))
        #expect(text.contains("\"device\":\"dev-1\""))
    }

    @Test func earlierValues_AreOfThePersonOfTheReading() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let old = try entry(path, 182)
        let store = try Store(path, access: .write)
        #expect(try store.move(old.id, to: "Anna"))
        #expect(try store.edit(old.id, to: ManualEntry(.mmHg(128, 82), at: Timestamp(seconds: 1_777_962_600)), zone: .utc))
        let earlier = try #require(try store.earlier(ReadingSelection(zone: .utc))[old.id])
        #expect(earlier.map(\.reading.person) == ["Anna"])
    }

    @Test func editing_KeepsWhatItSaidBefore_UnderTheSameID() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let old = try entry(path, 182)
        let store = try Store(path, access: .write)
        _ = try store.remark([old.id], [(.note, "private words")])
        let corrected = ManualEntry(.mmHg(128, 82), at: Timestamp(seconds: 1_777_962_600), user: 2)
        #expect(try store.edit(old.id, to: corrected, zone: .utc))
        #expect(try !store.edit(old.id, to: corrected, zone: .utc), "nothing is different")
        let one = try #require(try readings(path).first)
        #expect(one.id == old.id && one.revision == 2 && one.user == 2 && one.origin == .entered)
        #expect(one.bloodPressure == .mmHg(128, 82) && one.measured?.seconds == 1_777_962_600)
        #expect(one.remarks?[.note] == "private words")
        let earlier = try #require(try store.earlier(ReadingSelection(zone: .utc))[old.id])
        #expect(earlier.count == 1)
        #expect(earlier[0].reading.bloodPressure == .mmHg(182, 82, pulse: 71) && earlier[0].reading.revision == 1)
        #expect(earlier[0].reading.user == nil && earlier[0].reading.measured == old.measured && earlier[0].reading.remarks == nil)
        // Entering the first values again is the same reading, and does not undo the correction.
        #expect(
            try !HealthRuns.add(ManualEntry(.mmHg(182, 82, pulse: 71), at: old.measured ?? Timestamp(seconds: 0)), zone: .utc, to: path)
                .isNew)
        #expect(try readings(path).first?.bloodPressure == .mmHg(128, 82))
        #expect(try store.check().count == 0)
        var all = ReadingSelection(zone: .utc)
        all.ids = [old.id]
        #expect(try store.delete(all) == 1)
        #expect(try store.read { try Store.count($0, "earlier") } == 0)
        #expect(try store.check().count == 0)
        try store.close()
        for name in ["bp.db", "bp.db-wal"] { #expect(!folder.text(name).contains("private words")) }
    }

    @Test func whatACuffMeasured_IsNotEdited() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        try fill(path, [.sample(1)])
        let store = try Store(path, access: .write)
        let id = Reading.sample(1).id
        let refused = #expect(throws: IngestError.self) {
            try store.edit(id, to: ManualEntry(.mmHg(1, 2), at: Timestamp(seconds: 0)), zone: .utc)
        }
        #expect(refused == IngestError(StoreFault.notEntered(id.description, driver: "and-std")))
        #expect(try readings(path) == readings(path) && readings(path).first?.revision == 0)
    }

    @Test func anEarlierVersionsDatabase_IsReadAndBroughtUpToDate() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        // As in versions before remarks.
        try makeDatabase(path, upTo: "outbox answers")
        try alter(
            path,
            """
            INSERT INTO source (number, driver, device) VALUES (1, 'and-std', 'dev-1');
            INSERT INTO reading (id, revision, pending, type, source, systolic_mmHg, diastolic_mmHg, measured, origin, raw)
            VALUES ('20260505T073100-45d9621ae0ee0919', 0, 0, 'blood_pressure', 1, 128, 82, '2026-05-05T07:31:00+00:00', 'memory', x'01')
            """)
        #expect(try readings(path) { $0.newFor = "clinic" }.count == 1)
        #expect(try Store(path, access: .read).earlier(ReadingSelection(zone: .utc)).isEmpty)
        let store = try Store(path, access: .write)
        let id = try #require(Reading.ID.parse("20260505T073100-45d9621ae0ee0919"))
        #expect(try store.remark([id], [(.arm, "right")]) == 1)
        #expect(try readings(path).first?.remarks?[.arm] == "right")
    }

    @Test func decodingAnew_KeepsRemarks_AndCountsOn() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let reading = try storeMisreadRecord(path)
        let store = try Store(path, access: .write)
        _ = try store.remark([reading.id], [(.note, "cold")])
        let report = try HealthRuns.redecode(store, ReadingSelection(zone: .utc), applies: true) { _ in }
        #expect(report.changed == 1)
        let one = try #require(try readings(path).first)
        #expect(one.bloodPressure?.systolic.digits == Digits(125) && one.remarks?[.note] == "cold" && one.revision == 2)
    }
}
