import CuffClinical
import CuffCore
import Foundation
import Testing

/// Rules of the layouts, on small files.
struct ImportRuleTests {
    private func words(_ text: String, _ options: ImportOptions = ImportFixture.options()) -> [[String: String]] {
        let read = ImportFixture(text, options)
        #expect(read.fault == nil && read.complaints.isEmpty, "\(read.complaints)")
        return read.lines
    }

    @Test func columns_AreFoundByTheirTitles() {
        let first = words("Date,Heart rate,Systolic,Diastolic,Comments\n2026-05-05 07:33:10,71,128,82,\n")
        let other = words("Comments,Diastolic,Date,Systolic,Heart rate\n,82,2026-05-05 07:33:10,128,71\n")
        #expect(first == other && first.first?["systolic_mmHg"] == "128" && first.first?["pulse_per_min"] == "71")
    }

    @Test func numericDates_AreDecidedByTheWholeFile() {
        let header = "Date,Time,SYS(mmHg),DIA(mmHg),Pulse(Beats/Min),Note\n"
        #expect(words(header + "5/4/2026,07:33,128,82,71,\n5/13/2026,07:33,129,82,71,\n").first?["device_time"] == "2026-05-04T07:33")
        #expect(words(header + "5/4/2026,07:33,128,82,71,\n13/5/2026,07:33,129,82,71,\n").first?["device_time"] == "2026-04-05T07:33")
        // Undecided or contradictory: the user must say.
        #expect(ImportFixture(header + "5/4/2026,07:33,128,82,71,\n").fault == .ambiguousDates(example: "5/4/2026 07:33"))
        let mixed = ImportFixture(header + "13/4/2026,07:33,128,82,71,\n4/13/2026,08:33,128,82,71,\n").fault
        #expect(
            mixed?.description
                == "dates of both orders: `13/4/2026 07:33` begins with the day, `4/13/2026 08:33` with the month")
        var options = ImportFixture.options()
        options.dates = .mdy
        #expect(words(header + "5/4/2026,07:33,128,82,71,\n", options).first?["device_time"] == "2026-05-04T07:33")
    }

    @Test func halvesOfTheDay_AreReadAsPeopleWriteThem() throws {
        var options = ImportFixture.options()
        options.columns = try ColumnMapping("time=t,bp=b")
        options.dates = .dmy
        let times = ["12:05 AM", "12:05\u{202F}a. m.", "12:10 PM", "9:05 p.m.", "01:00 pm"]
        let text = "t;b\n" + times.map { "05.04.2026 \($0);128/82\n" }.joined()
        #expect(words(text, options).compactMap { $0["device_time"]?.suffix(5) } == ["00:05", "00:05", "12:10", "21:05", "13:00"])
        #expect(ImportFixture("t;b\n05.04.2026 13:00 PM;128/82\n", options).complaints.count == 1)
    }

    @Test func months_AreReadByNameInBothLanguages() {
        let header = "Date,Time,Systolic (mmHg),Diastolic (mmHg),Pulse (bpm),Symptoms,Consumed,TruRead,Notes\n"
        let lines = words(
            header
                + "May 3 2026,08:12,114,74,47,-,-,-,-\n3 September 2026,08:12,114,74,47,-,-,-,-\n3 Dezember 2026,08:12,114,74,47,-,-,-,-\n")
        #expect(lines.compactMap { $0["device_time"]?.prefix(10) } == ["2026-05-03", "2026-09-03", "2026-12-03"])
        #expect(
            ImportFixture(header + "3 Juin 2026,08:12,114,74,47,-,-,-,-\n").complaints.first?.reason == .unreadableTime("3 Juin 2026 08:12")
        )
    }

    @Test func values_OutsideOfALivingArm_AreRefused() {
        let header = "Date,Heart rate,Systolic,Diastolic,Comments\n"
        // Kilopascals in a file of mmHg, exchanged pressures, an impossible pulse.
        for cells in ["71,17.1,10.9,", "71,82,128,", "710,128,82,", "71,1280,82,"] {
            let read = ImportFixture(header + "2026-05-05 07:33:10,\(cells)\n")
            #expect(read.readings.isEmpty)
            if case .implausible? = read.complaints.first?.reason {} else { Issue.record("\(cells): \(read.complaints)") }
        }
    }

    /// What was not measured is 0 in many tables.
    @Test func zeros_AreAbsentValues() {
        let header = "Date,Heart rate,Systolic,Diastolic,Comments\n"
        let rows = ["0,128,82,", "0,0,0,", "71,0,0.0,", "71,0,82,", "71,128,0,"]
        let read = ImportFixture(header + rows.map { "2026-05-05 07:33:10,\($0)\n" }.joined())
        #expect(read.lines.map { [$0["systolic_mmHg"], $0["diastolic_mmHg"], $0["pulse_per_min"]] } == [["128", "82", nil]])
        #expect(read.readings.first?.pressure?.pulseAbsence == .notMeasured)
        #expect(read.complaints.map(\.reason) == [.noPressures, .noPressures, .half, .half])
        #expect(read.complaints.map(\.place.number) == [3, 4, 5, 6])
        #expect(!ImportRefusal.noPressures.isLoss, "`--strict` imports the rest")

        var options = ImportFixture.options()
        options.columns = try? ColumnMapping("time=When,bp=BP")
        #expect(ImportFixture("When,BP\n2026-05-05 07:33,0/0\n", options).complaints.map(\.reason) == [.noPressures])

        let time = "2026-05-05T07:33:10+02:00"
        let point =
            "{\"header\":{\"id\":\"a\",\"schema_id\":{\"namespace\":\"omh\",\"name\":\"heart-rate\",\"version\":\"2.0\"}},"
            + "\"body\":{\"heart_rate\":{\"value\":0,\"unit\":\"beats/min\"},\"effective_time_frame\":{\"date_time\":\"\(time)\"}}}\n"
            + "{\"header\":{\"id\":\"b\",\"schema_id\":{\"namespace\":\"omh\",\"name\":\"blood-pressure\",\"version\":\"4.0\"}},"
            + "\"body\":{\"systolic_blood_pressure\":{\"value\":128,\"unit\":\"mmHg\"},"
            + "\"diastolic_blood_pressure\":{\"value\":82,\"unit\":\"mmHg\"},\"effective_time_frame\":{\"date_time\":\"\(time)\"}}}\n"
        #expect(ImportFixture(point).readings.first?.pressure?.pulseAbsence == .notMeasured)
    }

    /// A later version may give the keys another meaning.
    @Test(arguments: ["2", "1.5", "\"x\"", "null"]) func ownLineOfAnotherSchema_IsRefused(_ schema: String) {
        func line(_ schema: String, _ second: Int) -> String {
            "{\"type\":\"blood_pressure\",\"schema\":\(schema),\"id\":\"20260505T0731\(second)-9f0c61d2a4b7e3f0\",\"driver\":\"and-std\","
                + "\"systolic_mmHg\":128,\"diastolic_mmHg\":82,\"measured\":\"2026-05-05T07:31:\(second)+02:00\"}\n"
        }
        let read = ImportFixture(line("1", 10) + line(schema, 11) + line("\"1\"", 12))
        #expect(read.readings.map(\.place.number) == [1, 3])
        #expect(read.complaints.map(\.place) == [ImportPlace(.record, 2)])
        if case .unknownSchema? = read.complaints.first?.reason {} else { Issue.record("\(read.complaints)") }
        let sentence = read.complaints.first?.reason.description ?? ""
        #expect(sentence.contains("only schema 1") && sentence.contains("later version of cuff"), "\(sentence)")
        #expect(read.complaints.first?.reason.isLoss == true)
    }

    @Test func openQuote_CostsItsOwnRowAlone() {
        let text =
            "Date,Heart rate,Systolic,Diastolic,Comments\n2026-05-05 07:33:10,71,128,82,\"left\n2026-05-05 08:33:10,71,129,82,\n2026-05-05 09:33:10,71,130,82,\"two\nlines\"\n"
        let read = ImportFixture(text)
        #expect(read.lines.compactMap { $0["systolic_mmHg"] } == ["129", "130"])
        #expect(read.complaints.map(\.place.number) == [2])
    }

    @Test func bareTable_IsReadOnlyWhereEveryRowDecides() {
        #expect(ImportFixture("2026-05-05 07:33:10,128,82,71\n2026-05-06 07:33:10,128,62,71\n").fault == .needsMapping)
    }

    @Test func unknownLayout_IsRefused() {
        #expect(ImportFixture("a,b\n1,2\n").importer == nil)
        #expect(ImportFixture("<?xml version=\"1.0\"?><UBPM/>").importer.map(\.name) == "ubpm-xml")
    }

    @Test func appleRecords_WithoutCorrelation_ArePairedBySourceAndStart() {
        let record = { (type: String, unit: String, source: String, minute: Int, value: Int) in
            " <Record type=\"HKQuantityTypeIdentifier\(type)\" sourceName=\"\(source)\" unit=\"\(unit)\" startDate=\"2026-05-05 07:\(minute):10 +0200\" endDate=\"2026-05-05 07:\(minute):10 +0200\" value=\"\(value)\"/>\n"
        }
        let head =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE HealthData [\n<!-- a > b -->\n<!ELEMENT HealthData ANY>\n]>\n<!-- x -->\n<HealthData locale=\"en\">\n"
        let body =
            record("HeartRate", "count/min", "A", 33, 71) + record("HeartRate", "count/min", "B", 34, 99)
            + record("BloodPressureSystolic", "mmHg", "A", 33, 128) + record("BloodPressureDiastolic", "mmHg", "A", 33, 82)
            + record("BloodPressureSystolic", "mmHg", "A", 34, 131) + record("BloodPressureDiastolic", "mmHg", "B", 34, 80)
        let read = ImportFixture(head + body + "</HealthData>\n", chunk: 5)
        #expect(read.fault == nil)
        #expect(read.lines.map { [$0["systolic_mmHg"], $0["pulse_per_min"]] } == [["128", "71"]])
        #expect(read.complaints.map(\.reason) == [.half, .half])
        // Cut off: what was promised did not come.
        #expect(ImportFixture(head + body).fault == .damaged("it ends before </HealthData>"))
    }

    @Test func separateObservations_ArePairedAndAveragesAreLeftOut() {
        let observation = { (code: String, value: Int, time: String) in
            """
            {"resourceType":"Observation","status":"final","code":{"coding":[{"code":"\(code)"}]},"subject":{"reference":"Patient/1"},\
            "effectiveDateTime":"\(time)","valueQuantity":{"value":\(value),"unit":"mmHg"}}

            """
        }
        let time = "2026-05-05T07:33:10+02:00"
        let text =
            observation("8480-6", 128, time) + observation("8462-4", 82, time) + observation("8480-6", 130, "2026-05-05T08:33:10+02:00")
        let read = ImportFixture(text)
        #expect(read.lines.map { $0["diastolic_mmHg"] } == ["82"])
        #expect(read.complaints.map(\.reason) == [.half] && read.complaints.first?.place.number == 3)
    }

    @Test func garminEdit_IsARevisionOfTheSameReading() throws {
        let text = { (version: Int, systolic: Int) in
            """
            {"measurementSummaries":[{"measurements":[{"systolic":\(systolic),"diastolic":82,"pulse":71,"version":\(version),\
            "measurementTimestampLocal":"2026-05-05T07:33:10.0","measurementTimestampGMT":"2026-05-05T05:33:10.0"}]}]}
            """
        }
        let (old, new) = (ImportFixture(text(1, 128)), ImportFixture(text(2, 130)))
        let importer = try #require(old.importer)
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        #expect(
            old.readings.first?.reading(of: importer, received: now, zone: .utc).id
                == new.readings.first?.reading(of: importer, received: now, zone: .utc).id)
        #expect(old.readings.first?.version == 1 && new.readings.first?.version == 2)
    }

    @Test func ownLine_KeepsIDAndRevision() throws {
        let line = """
            {"type":"blood_pressure","schema":1,"id":"20260505T073110-9f0c61d2a4b7e3f0","driver":"and-std","device":"A1","systolic_mmHg":128,\
            "diastolic_mmHg":82,"pulse_per_min":71,"user":1,"flags":["irregular_pulse"],"device_time":"2026-05-05T07:31:10",\
            "measured":"2026-05-05T07:33:00+02:00","clock":"corrected","origin":"memory","revision":2}

            """
        let read = ImportFixture(line)
        let importer = try #require(read.importer)
        let reading = try #require(read.readings.first).reading(of: importer, received: Timestamp(milliseconds: 0), zone: .utc)
        #expect(reading.id.description == "20260505T073110-9f0c61d2a4b7e3f0" && reading.revision == 2 && reading.origin == .imported)
        #expect(reading.driver == "and-std" && reading.user == 1 && reading.flags == .irregularPulse && reading.rule == .corrected)
        #expect(read.readings.first?.device == "A1")
    }

    /// The clock of the cuff was wrong.
    @Test func timeInTheFuture_IsKeptAsTheTimeOfTheDevice() throws {
        for (time, hour) in [("2027-05-05 07:33:10", 7), ("2027-05-05T07:33:10+09:00", 7), ("2027-05-05T05:33:10Z", 5)] {
            let read = ImportFixture("Date,Heart rate,Systolic,Diastolic,Comments\n\(time),71,128,82,\n")
            let importer = try #require(read.importer)
            let reading = try #require(read.readings.first).reading(of: importer, received: Timestamp(seconds: 1_790_000_000), zone: .utc)
            #expect(reading.measured == nil && reading.rule == .implausible)
            #expect(reading.clock.time == DeviceTime(year: 2027, month: 5, day: 5, hour: hour, minute: 33, second: 10), "\(time)")
        }
    }

    @Test func longNote_IsCutBetweenCharacters_AndReported() {
        func read(_ note: String) -> ImportFixture {
            ImportFixture("Date,Heart rate,Systolic,Diastolic,Comments\n2026-05-05 07:33:10,71,128,82,\(note)\n")
        }
        let most = String(repeating: "ä", count: 500)
        #expect(read(most).complaints.isEmpty && read(most).readings.first?.remarks?[.note] == most)
        for (note, kept) in [("a" + most, "a" + most.dropLast()), ("ab" + most, "ab" + most.dropLast())] {
            #expect(read(note).readings.first?.remarks?[.note] == kept)
            #expect(read(note).complaints.map { "\($0.place): \($0.reason)" } == ["line 2: its note was cut at 1000 bytes"])
        }
    }
}
