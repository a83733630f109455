import CuffClinical
import CuffCore
import Foundation
import SQLite
import TestSupport
import Testing

@testable import CuffIngest

/// Files of other programs into a database: once, again, beside what a cuff delivered, and out again.
@Suite struct ImportRunTests {
    private static let header = "Date,Heart rate,Systolic,Diastolic,Comments\n"

    private func run(_ folder: TestFolder, _ file: String, _ change: (inout ImportRequest) -> Void = { _ in }) throws -> ImportSummary {
        var request = ImportRequest(zone: .utc)
        change(&request)
        var run = ImportRun(request, database: folder.file("bp.db"))
        return try run.perform(file)
    }

    private func stored(_ folder: TestFolder) throws -> [Reading] {
        var readings: [Reading] = []
        try Store(folder.file("bp.db"), access: .read).forEach(ReadingSelection(zone: .utc)) { reading, _ in
            readings.append(reading)
            return true
        }
        return readings
    }

    @Test func secondImport_ChangesNothing_AndALongerFileAddsWhatIsNew() throws {
        let folder = TestFolder()
        let file = folder.write("bp.csv", Self.header + "2026-05-05 07:33:10,71,128,82,\n2026-05-05 21:05:09,66,134,79,left\n")
        let first = try run(folder, file)
        #expect(first.new == 2 && first.name == "bp.csv")
        let before = try stored(folder)
        let second = try run(folder, file)
        #expect(second.known == 2 && second.new == 0 && second.name == nil)
        #expect(try stored(folder) == before)
        let longer = folder.write("bp.csv", Self.header + "2026-05-06 07:33:10,71,129,82,\n2026-05-05 07:33:10,71,128,82,\n")
        #expect(try run(folder, longer).name == "bp.csv-2")
        let readings = try stored(folder)
        #expect(readings.count == 3)
        #expect(readings.allSatisfy { $0.origin == .imported && $0.driver == "import-withings" })
        let sources = try Store(folder.file("bp.db"), access: .read).sources()
        #expect(sources.values.map(\.provenance.device) == ["bp.csv"] && sources.values.map(\.provenance.name) == ["Withings"])
    }

    @Test func fileOfAnotherLayoutThanTheNamedOne_IsRefused_AndUTF16IsRead() throws {
        let folder = TestFolder()
        let text = Self.header + "2026-05-05 07:33:10,71,128,82,\n"
        let file = folder.write("bp.csv", text)
        let other = #expect(throws: IngestError.self) {
            try run(folder, file) { $0.layout = try? Importer.named("health-connect") }
        }
        #expect(other?.description == "bp.csv: it is not of the layout health-connect")
        let wide = folder.file("wide.csv")
        try Data([0xFF, 0xFE] + text.utf8.flatMap { [$0, 0] }).write(to: URL(fileURLWithPath: wide))
        #expect(try run(folder, wide).new == 1)
    }

    @Test(arguments: ["UTC+2", "GMT-3", "GMT+09:00"]) func offsetAsAZone_IsRefused(name: String) throws {
        #expect(throws: IngestError.self) { try HostZone.named(name) }
        #expect(try HostZone.named("CET-1").offset(at: 0) == 3600)
    }

    /// As in the C library: the dates of the United States.
    @Test func aRuleWithoutDates_HasSummerTime() throws {
        let zone = try HostZone.named("CET-1CEST")
        // 2026-01-15 and 2026-07-15; 2026-03-20 is before Europe's change and after that of the United States.
        #expect([1_768_435_200, 1_784_073_600, 1_773_964_800].map { zone.offset(at: $0) } == [3600, 7200, 7200])
        #expect(throws: IngestError.self) { try HostZone.named("Nowhere") }
    }

    /// A `jsonl:` sink appends what the cuff sends later: the last revision counts, and in whatever order they stand.
    @Test func laterRevisionInTheSameFile_IsFound() throws {
        let folder = TestFolder()
        var text = TextBuffer()
        for reading in [Reading.sample(5), .sample(1), .sample(5, systolic: 133, revision: 1), .sample(1), .sample(0)] {
            ReadingLine().append(reading, device: "SN1", to: &text)
        }
        let summary = try run(folder, folder.write("bp.jsonl", text.string))
        #expect(summary.new == 3 && summary.revised == 1 && summary.known == 1)
        #expect(try stored(folder).map { $0.bloodPressure?.systolic.digits.mantissa } == [120, 120, 133])
    }

    @Test func anEqualReadingOfAnotherPerson_IsAnotherMeasurement() throws {
        let folder = TestFolder()
        let copies = ["anna.csv", "ben.csv"].map { folder.write($0, Self.header + "2026-05-05 07:31:20,70,100,60,\n") }
        var household = Household()
        household.bind("Anna", to: "anna.csv")
        household.bind("Ben", to: "ben.csv")
        // Of another layout, so that its ids differ from those of the others.
        let lines = folder.write(
            "stored.jsonl",
            #"{"type":"blood_pressure","schema":1,"id":"20260505T073100-0000000000000001","device":"SN1","driver":"and-std","#
                + #""revision":0,"measured":"2026-05-05T07:31:00+00:00","systolic_mmHg":100,"diastolic_mmHg":60,"pulse_per_min":70,"#
                + #""origin":"memory","received":"2026-05-05T08:00:00Z","person":"Anna"}"# + "\n")
        #expect(try run(folder, lines) { $0.household = household }.new == 1)
        #expect(try run(folder, copies[0]) { $0.household = household }.duplicates == 1, "the same person")
        #expect(try run(folder, copies[1]).duplicates == 1, "without a configuration, it may be hers")
        #expect(try run(folder, copies[1]) { $0.household = household }.new == 1)
    }

    @Test func cuffsOwnReading_Stays_AndAnotherZoneIsASuspect() throws {
        let folder = TestFolder()
        // 100/60, pulse 70, at 07:31 by the cuff's clock.
        var own = Reading(
            .bloodPressure(.mmHg(100, 60, pulse: 70)), driver: "and-std",
            clock: .time(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)), origin: .memory, raw: RawBytes([1]))
        var ledger = ReadingLedger(device: "SN1", driver: "and-std")
        _ = ledger.admit(&own, received: Timestamp(milliseconds: 1_778_000_000_000))
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        _ = try sink.write(ReadingBatch(source: 1, driver: "and-std", device: "SN1", entries: [.reading(own)]))
        try sink.close()
        // Newest first, as apps export them.
        let rows = [
            "2026-05-05 09:38:20,70,100,60,", "2026-05-05 09:31:20,70,100,60,", "2026-05-05 07:31:55,70,100,60,",
            "2026-05-05 07:31:20,70,100,60,", "2026-05-05 07:31:20,71,100,60,",
        ]
        let file = folder.write("bp.csv", Self.header + rows.map { $0 + "\n" }.joined())
        let summary = try run(folder, file)
        // The second of the same minute is another measurement, 09:31 may be the same in another zone, 09:38 is not, and another pulse
        // is another measurement.
        #expect(summary.duplicates == 1 && summary.suspects == 1 && summary.new == 3)
        let readings = try stored(folder)
        #expect(readings.count == 4 && readings.contains { $0.id == own.id && $0.origin == .memory })
        let withSuspects = try run(folder, file) { $0.includesSuspects = true }
        #expect(withSuspects.suspects == 1 && withSuspects.known == 3)
        #expect(try stored(folder).count == 5)
    }

    /// Under another id, because the other machine named the cuff otherwise.
    @Test func whatACuffDelivered_IsNotStoredAgain_FromAnotherMachinesFHIR() throws {
        let folder = TestFolder()
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        var own = Reading.sample(1)
        (own.measured, own.rule) = (Timestamp(seconds: 1_778_000_060), .synced)
        _ = try sink.write(ReadingBatch(source: 1, driver: "and-std", device: "dev-1", entries: [.reading(own)]))
        try sink.close()
        var other = own
        other.id.hash ^= 1
        var next = other
        next.id.hash ^= 2
        next.measured = Timestamp(seconds: 1_778_000_180)
        var choices = ExportChoices()
        choices.choose("subject", "Patient/p1")
        var writer = try Exporter.fhir.writer(choices, HealthRuns.exportContext(.utc, version: "1"))
        var text = TextBuffer()
        for reading in [other, next] {
            try writer.append(reading, from: Provenance(driver: "and-std", device: "hall"), parts: .values, to: &text)
        }
        writer.end(to: &text)
        let summary = try run(folder, folder.write("a.json", text.array))
        #expect(summary.duplicates == 1 && summary.new == 1, "\(summary)")
        #expect(try stored(folder).map(\.driver) == ["and-std", "and-std"])
    }

    @Test func undoImport_TakesOneImportBackWhole() throws {
        let folder = TestFolder()
        let first = folder.write("a.csv", Self.header + "2026-05-05 07:33:10,71,128,82,\n")
        let second = folder.write("b.csv", Self.header + "2026-05-05 07:33:10,71,128,82,\n2026-05-06 07:33:10,71,129,82,\n")
        _ = try run(folder, first)
        _ = try run(folder, second)
        let store = try Store(folder.file("bp.db"), access: .write)
        #expect(try store.undoImport("b.csv") == 1)
        #expect(throws: IngestError(ImportRunFault.alreadyUndone("b.csv"))) { try store.undoImport("b.csv") }
        #expect(throws: IngestError(ImportRunFault.unknownImport("x", known: ["a.csv"]))) { try store.undoImport("x") }
        try store.close()
        #expect(try stored(folder).compactMap { $0.bloodPressure?.systolic } == [.mmHg(128)])
        // Imported again, it is back.
        #expect(try run(folder, second).new == 1)
        #expect(try stored(folder).count == 2)
        let check = try Store(folder.file("bp.db"), access: .read).check()
        #expect(check.count == 0, "\(check.problems)")
    }

    @Test func laterVersion_IsARevision() throws {
        let folder = TestFolder()
        let text = { (version: Int, systolic: Int) in
            """
            {"measurementSummaries":[{"measurements":[{"systolic":\(systolic),"diastolic":82,"pulse":71,"version":\(version),\
            "measurementTimestampLocal":"2026-05-05T07:33:10.0","measurementTimestampGMT":"2026-05-05T05:33:10.0"}]}]}
            """
        }
        _ = try run(folder, folder.write("garmin.json", text(5, 128)))
        #expect(try run(folder, folder.write("garmin.json", text(7, 130))).revised == 1)
        #expect(try run(folder, folder.write("garmin.json", text(7, 130))).known == 1)
        #expect(try run(folder, folder.write("garmin.json", text(5, 128))).known == 1)
        let readings = try stored(folder)
        #expect(readings.count == 1 && readings[0].revision == 1 && readings[0].bloodPressure?.systolic == .mmHg(130))
    }

    /// Two later versions of a stored record in one file: the newest counts.
    @Test func laterVersionsInOneFile_TheNewestCounts() throws {
        let folder = TestFolder()
        func text(_ versions: [(number: Int, systolic: Int)]) -> String {
            let records = versions.map { number, systolic in
                """
                {"systolic":\(systolic),"diastolic":82,"pulse":71,"version":\(number),\
                "measurementTimestampLocal":"2026-05-05T07:33:10.0","measurementTimestampGMT":"2026-05-05T05:33:10.0"}
                """
            }
            return "{\"measurementSummaries\":[{\"measurements\":[\(records.joined(separator: ","))]}]}"
        }
        _ = try run(folder, folder.write("garmin.json", text([(5, 128)])))
        #expect(try run(folder, folder.write("garmin.json", text([(6, 129), (7, 130)]))).revised == 2)
        #expect(try stored(folder).map { $0.bloodPressure?.systolic.digits.mantissa } == [130])
    }

    /// The id of a push has the UTC time of its reception, which may be another day than its time; a note counts as a change.
    @Test func ownExport_ChangesNothing() throws {
        let folder = TestFolder()
        var push = Reading(
            .bloodPressure(.mmHg(128, 82)), driver: "and-std", clock: .absent, origin: .push, raw: RawBytes([1]))
        // 2026-05-05T22:30:00Z
        let received = Timestamp(seconds: 1_778_020_200)
        var ledger = ReadingLedger(device: "SN1", driver: "and-std")
        _ = ledger.admit(&push, received: received)
        (push.measured, push.measuredOffset, push.rule) = (received, 120, .receiveTime)
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        _ = try sink.write(ReadingBatch(source: 1, driver: "and-std", device: "SN1", entries: [.reading(push), .reading(.sample(1))]))
        try sink.close()
        let store = try Store(folder.file("bp.db"), access: .write)
        #expect(try store.remark([Reading.sample(1).id], [(key: .note, text: "after the stairs")]) == 1)
        var text = TextBuffer()
        try store.forEach(ReadingSelection(zone: .utc)) { reading, _ in
            ReadingLine().append(reading, device: "SN1", to: &text)
            return true
        }
        try store.close()
        let summary = try run(folder, folder.write("bp.jsonl", text.string))
        #expect(summary.known == 2 && summary.revised == 0 && summary.new == 0, "\(summary)")
        #expect(try stored(folder).map(\.origin).allSatisfy { $0 != .imported })
    }

    @Test func strict_KeepsTheWholeFileOut() throws {
        let folder = TestFolder()
        let file = folder.write("bp.csv", Self.header + "2026-05-05 07:33:10,71,128,82,\n2026-05-05 08:33:10,71,128,,\n")
        #expect(throws: IngestError(ImportRunFault.strict("bp.csv", refused: 1))) { try run(folder, file) { $0.isStrict = true } }
        #expect(!FileManager.default.fileExists(atPath: folder.file("bp.db")))
        let summary = try run(folder, file)
        #expect(summary.new == 1 && summary.refused == 1 && summary.complaints.map(\.place.number) == [3])
    }

    @Test func ownDatabase_GivesTheSameReadingsBack() throws {
        let (folder, other) = (TestFolder(), TestFolder())
        _ = try run(folder, folder.write("bp.csv", Self.header + "2026-05-05 07:33:10,71,128,82,=note\n"))
        let before = try stored(folder)
        #expect(try run(other, folder.file("bp.db")).new == 1)
        let after = try stored(other)
        #expect(after.map(\.id) == before.map(\.id) && after.map(\.content) == before.map(\.content))
        #expect(after.map(\.measured) == before.map(\.measured) && after.map(\.remarks) == before.map(\.remarks))
        #expect(try run(other, folder.file("bp.db")).known == 1)
    }
}

/// The shared samples that are databases and archives, through files.
@Suite struct ImportSampleRunTests {
    static let folder: String? = {
        let path = ProjectFolder.url.deletingLastPathComponent().appendingPathComponent("shared/reference/samples/import").path
        guard FileManager.default.fileExists(atPath: path) else {
            print("note: no import samples at \(path); their readings are not checked")
            return nil
        }
        return path
    }()

    static let values: [(file: String, readings: [String])] = [
        // From the files NAME.expected.jsonl.
        ("derdilla_v1.7.db", ["2026-05-05T05:33:10Z 128/82 71 stairs"]),
        ("obpm.sql", ["2026-04-30T04:15:00Z 99/61 55 user 2 x", "2026-05-05T05:33:10Z 128/82 71 user 1"]),
        ("health_connect_export.db", ["2026-05-05T05:33:10Z 128/82 sitting, left arm", "2026-05-05T19:05:09Z 134.5/79 typed"]),
        ("apple_export.zip", ["2026-05-05T05:33:10Z 128/82 71", "2026-11-02T02:05:00Z 134/79"]),
        ("withings_data.zip", ["2026-05-05T07:33:10Z 128/82 71", "2026-05-05T21:05:09Z 134/79 left arm"]),
    ]

    @Test(arguments: values.indices) func sample_GivesItsReadings(_ index: Int) throws {
        guard let samples = Self.folder else { return }
        let (file, expected) = Self.values[index]
        let folder = TestFolder()
        for round in 0..<2 {
            var run = ImportRun(ImportRequest(zone: .utc), database: folder.file("bp.db"))
            let summary = try run.perform("\(samples)/\(file)")
            #expect(summary.fault == nil && (round == 0 ? summary.new : summary.known) == expected.count)
        }
        var found: [String] = []
        try Store(folder.file("bp.db"), access: .read).forEach(ReadingSelection(zone: .utc)) { reading, _ in
            found.append(Self.words(reading))
            return true
        }
        #expect(found.sorted() == expected.sorted())
    }

    static let all: [String] = {
        guard let folder, let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
        return files.filter { files.contains("\($0).expected.jsonl") }.sorted()
    }()

    @Test(arguments: all) func sample_ImportedTwice_ChangesNothing(_ name: String) throws {
        guard let samples = Self.folder else { return }
        let expected = try String(contentsOfFile: "\(samples)/\(name).expected.jsonl", encoding: .utf8).split(separator: "\n")
            .count { !$0.contains("\"skipped\"") }
        var request = ImportRequest(zone: .utc)
        switch name {
        case "generic_12h_semicolon.csv":
            request.options.columns = try ColumnMapping("time=Datum+Zeit,sys=Oberer,dia=Unterer,pulse=Puls,note=Bemerkung")
            request.options.dates = .dmy
        case "generic_kpa_comma.csv":
            request.options.columns = try ColumnMapping("time=tid,sys=sys_kpa,dia=dia_kpa,pulse=puls")
            request.options.unit = .kPa
        case "generic_slash_values.csv": request.options.columns = try ColumnMapping("time=When,bp=BP,pulse=HR")
        default: break
        }
        let folder = TestFolder()
        var run = ImportRun(request, database: folder.file("bp.db"))
        let first = try run.perform("\(samples)/\(name)")
        let before = try Self.stored(folder)
        #expect(first.new == expected && before.count == expected && first.fault == nil)
        let second = try run.perform("\(samples)/\(name)")
        #expect(second.new == 0 && second.revised == 0 && second.suspects == 0 && second.name == nil)
        #expect(try Self.stored(folder) == before)
    }

    private static func stored(_ folder: TestFolder) throws -> [Reading] {
        var readings: [Reading] = []
        try Store(folder.file("bp.db"), access: .read).forEach(ReadingSelection(zone: .utc)) { reading, _ in
            readings.append(reading)
            return true
        }
        return readings
    }

    private static func words(_ reading: Reading) -> String {
        var text = TextBuffer()
        if let measured = reading.measured { text.append(string: String(measured.utcText.prefix(19)) + "Z ") }
        if let pressure = reading.bloodPressure {
            text.append(pressure.systolic.digits)
            text.append(0x2F)
            text.append(pressure.diastolic.digits)
            if let pulse = pressure.pulse {
                text.append(0x20)
                text.append(pulse.digits)
            }
        }
        if let user = reading.user { text.append(string: " user \(user)") }
        if let remarks = reading.remarks { text.append(string: " " + remarks.sentence.filter { $0 != "“" && $0 != "”" }) }
        if reading.trigger == .manual { text.append(" typed") }
        return text.string
    }
}
