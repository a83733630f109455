import CuffClinical
import CuffCore
import Foundation
import TestSupport
import Testing

@testable import CuffIngest

/// Copies of stored readings: exports of this program, its databases, and files of other programs that were written again.
@Suite struct ImportCopyTests {
    private static let header = "Date,Heart rate,Systolic,Diastolic,Comments\n"
    private let folder = TestFolder()

    private func run(
        _ file: String, into database: String = "bp.db", user: Int32? = nil, household: Household = Household()
    ) throws -> ImportSummary {
        var request = ImportRequest(zone: .utc)
        (request.user, request.household) = (user, household)
        var run = ImportRun(request, database: folder.file(database))
        return try run.perform(file)
    }

    private func stored(_ database: String = "bp.db") throws -> [Reading] {
        var readings: [Reading] = []
        try Store(folder.file(database), access: .read).forEach(ReadingSelection(zone: .utc)) { reading, _ in
            readings.append(reading)
            return true
        }
        return readings
    }

    /// A file of JSON Lines with the stored readings, as `cuff export` writes it.
    private func lines(_ database: String = "bp.db") throws -> String {
        var text = TextBuffer()
        try Store(folder.file(database), access: .read).forEach(ReadingSelection(zone: .utc)) { reading, source in
            ReadingLine().append(reading, device: source.device, to: &text)
            return true
        }
        return folder.write("bp.jsonl", text.string)
    }

    /// Numbers, the values of categories with their words, and an audiogram, which is a text.
    @Test(arguments: ["jsonl", "csv", "db"]) func typedQuantities_AreWholeInACopy(_ form: String) throws {
        let time = Timestamp(seconds: 1_777_959_000)
        for (name, value) in ["body_mass": Digits(mantissa: 8120, exponent: -2), "dizziness": Digits(3), "headache": Digits(1)] {
            let typed = ManualQuantity(try #require(QuantityType.named(name)), value, at: time, lasting: .seconds(600), user: 1)
            _ = try HealthRuns.add(typed, zone: .utc, to: folder.file("typed.db"))
        }
        let audiogram = "500:20/15,1000:25.5/-"
        _ = try HealthRuns.add(audiogram: audiogram, at: time, user: 1, remarks: Remarks(), zone: .utc, to: folder.file("typed.db"))
        var file = folder.file("typed.db")
        if form != "db" {
            file = folder.file("typed.\(form)")
            _ = try HealthRuns.export(
                try Store(folder.file("typed.db"), access: .read), .everything, ReadingSelection(zone: .utc), as: Exporter.named(form),
                context: HealthRuns.exportContext(.utc, version: "1"), to: try OutputFile(file, replaces: true))
        }
        #expect(try run(file).new == 4)
        let (before, after) = (try stored("typed.db"), try stored())
        #expect(after.map(\.content) == before.map(\.content))
        let texts = Set(after.map(\.text))
        #expect(after.map(\.text) == before.map(\.text) && texts.isSuperset(of: ["moderate", "not_present", audiogram]))
        #expect(after.map { QuantityType.of($0)?.name } == before.map { QuantityType.of($0)?.name })
    }

    @Test(arguments: ["jsonl", "csv", "omh", "fhir", "apple-health"]) func whatWasTypedIn_IsThatInACopy(_ form: String) throws {
        let typed = folder.file("typed.db")
        let entry = ManualEntry(.mmHg(128, 82, pulse: 71), at: Timestamp(seconds: 1_777_959_000))
        _ = try HealthRuns.add(entry, zone: .utc, to: typed)
        var choices = ExportChoices()
        if form == "fhir" { choices.choose("subject", "Patient/p1") }
        let file = folder.file("typed.\(form)")
        _ = try HealthRuns.export(
            try Store(typed, access: .read), .everything, ReadingSelection(zone: .utc), as: Exporter.named(form), choices: choices,
            context: HealthRuns.exportContext(.utc, version: "1"), to: try OutputFile(file, replaces: true))
        #expect(try run(file).new == 1)
        #expect(try stored().map(\.isEntered) == [true])
        #expect(try stored().first?.bloodPressure?.pulse == PulseRate(Digits(71)))
    }

    private func apple(version: Int, _ systolic: Int, offset: String = "+0100", id: String?) -> String {
        let moment = "sourceName=\"A\" startDate=\"2025-02-02 0\(offset == "+0100" ? 7 : 8):00:00 \(offset)\""
        let records = [("Systolic", systolic), ("Diastolic", 82)].map {
            "<Record type=\"HKQuantityTypeIdentifierBloodPressure\($0.0)\" unit=\"mmHg\" value=\"\($0.1)\" \(moment)/>\n"
        }
        let name = id.map {
            """
            <MetadataEntry key="HKMetadataKeySyncIdentifier" value="\($0)"/>
            <MetadataEntry key="HKMetadataKeySyncVersion" value="\(version)"/>

            """
        }
        return folder.write(
            "export.xml",
            """
            <HealthData locale="en">
            <Correlation type="HKCorrelationTypeIdentifierBloodPressure" \(moment)>
            \(name ?? "")\(records.joined())</Correlation>
            </HealthData>

            """)
    }

    /// It has neither the flags, the user and the mean of the stored reading, nor its digits in kPa.
    @Test func ownCopyInAppleHealth_DoesNotReplaceTheOriginal() throws {
        let id = "20250202T070000-45d9621ae0ee0919"
        let original = """
            {"type":"blood_pressure","schema":1,"id":"\(id)","driver":"phd","device":"hall","user":2,"systolic_kPa":17.1,"diastolic_kPa":10.9,\
            "mean_kPa":13.0,"pulse_per_min":70,"flags":["irregular_pulse"],"device_time":"2025-02-02T07:00:30",\
            "measured":"2025-02-02T07:00:00+01:00","clock":"corrected"}

            """
        _ = try run(folder.write("bp.jsonl", original))
        let before = try stored()
        for version in 1...2 {
            let summary = try run(apple(version: version, 128, id: "cuff:\(id)"))
            #expect(summary.known == 1 && summary.revised == 0 && summary.name == nil, "version \(version): \(summary)")
        }
        #expect(try stored() == before)
        // Without the original, a later copy of the same layout replaces an earlier one.
        let counts = try [1, 2, 2, 1].map { version in
            let summary = try run(apple(version: version, 127 + version, id: "cuff:\(id)"), into: "phone.db")
            return [summary.new, summary.revised, summary.known]
        }
        #expect(counts == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
        #expect(try stored("phone.db").map { [Int64($0.revision), $0.bloodPressure?.systolic.digits.mantissa] } == [[1, 129]])
    }

    @Test func ownDatabase_GivesCorrectionsLikeItsJSONLines() throws {
        let time = Timestamp(seconds: 1_777_959_000)
        let entry = try HealthRuns.add(ManualEntry(.mmHg(182, 82, pulse: 71), at: time), zone: .utc, to: folder.file("bp.db")).reading
        _ = try run(folder.file("bp.db"), into: "copy.db")
        let store = try Store(folder.file("bp.db"), access: .write)
        _ = try store.remark([entry.id], [(.note, "after the stairs")])
        #expect(try store.edit(entry.id, to: ManualEntry(.mmHg(128, 82, pulse: 71), at: time), zone: .utc))
        try store.close()
        #expect(try run(folder.file("bp.db"), into: "copy.db").revised == 1)
        #expect(try run(folder.file("bp.db"), into: "copy.db").known == 1)
        #expect(try run(lines(), into: "copy.db").known == 1)
        _ = try run(lines(), into: "other.db")
        for copy in [try stored("copy.db"), try stored("other.db")] {
            #expect(copy.map(\.revision) == [2] && copy.map(\.content) == [.bloodPressure(.mmHg(128, 82, pulse: 71))])
        }
        #expect(try run(folder.file("bp.db"), into: "other.db").known == 1)
    }

    @Test func readingThatAPersonDeleted_StaysDeleted_AfterItsImportIsUndone() throws {
        let file = folder.write("bp.csv", Self.header + "2026-05-05 07:33:10,71,128,82,\n2026-05-06 07:33:10,71,129,82,\n")
        _ = try run(file)
        let first = try #require(try stored().first)
        let store = try Store(folder.file("bp.db"), access: .write)
        var selection = ReadingSelection(zone: .utc)
        selection.ids = [first.id]
        #expect(try store.delete(selection) == 1)
        #expect(try store.undoImport("bp.csv") == 1)
        try store.close()
        let summary = try run(file)
        #expect(summary.new == 1 && summary.deleted == 1, "\(summary)")
        #expect(try stored().compactMap { $0.bloodPressure?.systolic } == [.mmHg(129)])
    }

    /// An app writes the whole history with the offset of today.
    @Test func sameRecordWithAnotherOffset_IsTheSameReading() throws {
        _ = try run(apple(version: 1, 128, id: nil))
        let before = try stored()
        let again = try run(apple(version: 1, 128, offset: "+0200", id: nil))
        #expect(again.duplicates == 1 && again.new == 0, "\(again)")
        #expect(try stored() == before)
        #expect(try run(apple(version: 1, 129, offset: "+0200", id: nil)).new == 1)
    }

    private func observation(_ id: String, _ time: String, _ systolic: Int = 128) -> String {
        let parts = [("8480-6", systolic), ("8462-4", 82)].map {
            "{\"code\":{\"coding\":[{\"code\":\"\($0.0)\"}]},\"valueQuantity\":{\"value\":\($0.1),\"unit\":\"mmHg\"}}"
        }
        return """
            {"resourceType":"Observation","id":"\(id)","status":"final","code":{"coding":[{"code":"85354-9"}]},\
            "effectiveDateTime":"\(time)","component":[\(parts.joined(separator: ","))]}

            """
    }

    /// Records with ids of their own are measurements of their own, and so are equal values at another time.
    @Test func otherRecordsOfEqualValues_AreOtherReadings() throws {
        _ = try run(folder.write("a.ndjson", observation("1", "2026-05-05T07:33:10+02:00")))
        let again = folder.write(
            "b.ndjson",
            observation("1", "2026-05-05T05:33:10Z") + observation("2", "2026-05-05T05:33:10Z") + observation("3", "2026-05-05T05:33:11Z")
                + observation("4", "2026-05-05T07:33:10+02:00", 129))
        let summary = try run(again)
        #expect(summary.duplicates == 1 && summary.new == 3, "\(summary)")
    }

    /// A ZIP file with a member that its directory lists `count` times.
    private func archive(_ path: String, _ lines: String, count: Int = 1) -> [UInt8] {
        var zip = StoredZip(path: path, modified: DeviceTime(year: 2026, month: 5, day: 6))
        var text = TextBuffer()
        zip.begin(to: &text)
        var member = TextBuffer()
        member.append(string: lines)
        let fits = zip.add(member)
        #expect(fits)
        text.append(string: member.string)
        let start = text.count
        let completion = zip.end(to: &text)
        var bytes = text.array
        bytes.replaceSubrange(completion.offset..<completion.offset + completion.bytes.count, with: completion.bytes)
        let entry = bytes[start..<bytes.count - 22]
        for _ in 1..<count {
            bytes.insert(contentsOf: entry, at: start)
            bytes[bytes.count - 10] += UInt8(entry.count)
        }
        return bytes
    }

    @Test func readingOfTwoMembers_IsCountedOnce() throws {
        let file = folder.write("a.zip", archive("a.csv", Self.header + "2026-05-05 07:33:10,71,128,82,\n", count: 2))
        var preview = ImportRun(ImportRequest(zone: .utc), database: folder.file("bp.db"))
        for summary in [try preview.preview(file), try run(file)] {
            #expect(summary.read == 2 && summary.new == 1 && summary.known == 1, "\(summary)")
        }
        #expect(try stored().count == 1)
    }

    @Test func userOfAMember_IsInItsOwnName() throws {
        let bytes = archive("export/user2.csv", "datetime,dia,sys,bpm,mov,ihb\r\n2026-05-05 07:33:10,82,128,71,0,0\r\n")
        #expect(try run(folder.write("user1.zip", bytes)).new == 1)
        #expect(try stored().map(\.user) == [2])
    }

    /// A person may be bound to `manual:1`.
    @Test(arguments: ["csv", "jsonl"]) func enteredReading_StaysOneOfTheSourceManual(_ format: String) throws {
        let entry = ManualEntry(.mmHg(128, 82), at: Timestamp(seconds: 1_777_959_000), user: 1)
        let reading = try HealthRuns.add(entry, zone: .utc, to: folder.file("bp.db")).reading
        let file = try format == "csv" ? folder.write("bp.csv", csv(reading)) : lines()
        #expect(try run(file, into: "copy.db").new == 1)
        let sources = try ["bp.db", "copy.db"].map { name in
            try Store(folder.file(name), access: .read).sources().values.map { "\($0.provenance.driver) \($0.provenance.device)" }
        }
        #expect(sources == [["manual "], ["manual "]])
    }

    private func csv(_ reading: Reading) throws -> [UInt8] {
        var writer = try Exporter.csv.writer(ExportChoices(), HealthRuns.exportContext(.utc, version: "1"))
        var text = TextBuffer()
        writer.begin(to: &text)
        try writer.append(reading, from: Provenance(driver: "manual", device: ""), parts: .values, to: &text)
        writer.end(to: &text)
        return text.array
    }

    /// Of readings of one slot: one of Anna's and one of the slot's holder Ben.
    private func linesOfTwo(of second: String = "Ben") -> String {
        let lines = zip(2...3, ["Anna", second]).map { day, person in
            """
            {"type":"blood_pressure","schema":1,"id":"2025020\(day)T070000-45d9621ae0ee0919","driver":"phd","device":"hall","user":1,\
            "systolic_mmHg":128,"diastolic_mmHg":82,"measured":"2025-02-0\(day)T07:00:00+01:00","person":"\(person)"}

            """
        }
        return folder.write("two.jsonl", lines.joined())
    }

    /// A name that the configuration gives is not stored, so a later change of the configuration holds.
    @Test func personOfACopy_IsKept_UnlessTheConfigurationNamesTheSame() throws {
        var household = Household()
        household.bind("ben", to: "hall:1")
        _ = try run(linesOfTwo(), household: household)
        #expect(try stored().map(\.person) == ["Anna", nil])
        _ = try run(folder.file("bp.db"), into: "copy.db")
        #expect(try stored("copy.db").map(\.person) == ["Anna", nil])
        #expect(try Store(folder.file("copy.db"), access: .read).check().problems.isEmpty)
        _ = try run(linesOfTwo(), into: "other.db")
        #expect(try stored("other.db").map(\.person) == ["Anna", "Ben"])
        _ = try run(linesOfTwo(), into: "user.db", user: 4)
        #expect(try stored("user.db").map { [$0.person, $0.user?.description] } == [[nil, "4"], [nil, "4"]])
        let summary = try run(linesOfTwo(of: "Ben:1"), into: "refused.db")
        #expect(summary.new == 1 && summary.refused == 1, "\(summary)")
    }

    @Test func laterRevisionOfACopy_HasTheRemarksAndThePerson_UnlessChangedHere() throws {
        _ = try run(linesOfTwo())
        for name in ["copy.db", "changed.db"] { _ = try run(folder.file("bp.db"), into: name) }
        let id = try stored()[0].id
        let changed = try Store(folder.file("changed.db"), access: .write)
        _ = try changed.remark([id], [(.note, "written here")])
        try changed.close()
        let store = try Store(folder.file("bp.db"), access: .write)
        _ = try store.remark([id], [(.note, "written there"), (.arm, "left")])
        _ = try store.move(id, to: "Cleo")
        try store.close()
        for name in ["copy.db", "changed.db"] { #expect(try run(folder.file("bp.db"), into: name).revised == 1, "\(name)") }
        let results = try ["copy.db", "changed.db"].map { name -> [String?] in
            let reading = try stored(name)[0]
            return [reading.remarks?[.note], reading.remarks?[.arm], reading.person]
        }
        #expect(results == [["written there", "left", "Cleo"], ["written here", "left", "Anna"]])
    }
}
