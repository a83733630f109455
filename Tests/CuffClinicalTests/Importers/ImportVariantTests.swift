import CuffClinical
import CuffCore
import Testing

/// Forms of the layouts that the samples do not have.
struct ImportVariantTests {
    private static let withings = "Date,Heart rate,Systolic,Diastolic,Comments\n"

    @Test(arguments: [("+09:00", "+09:00"), ("UTC+9", "+09:00"), ("GMT+09:30", "+09:30"), ("UTC-0330", "-03:30"), ("+02", "+02:00")])
    func zone_IsEastOfUTC(cell: String, offset: String) {
        let read = ImportFixture(
            "Measurement Date,Timezone,SYS(mmHg),DIA(mmHg),Pulse(bpm)\n2026/05/05 07:33,\(cell),128,82,71\n2026/05/05 07:34,+15:00,128,82,71\n"
        )
        #expect(read.lines.map { $0["measured"] } == ["2026-05-05T07:33:00\(offset)"])
        #expect(read.complaints.map(\.reason) == [.unknownZone("+15:00")])
    }

    @Test(arguments: [";", "\t", "|"]) func table_MayHaveBeenSavedAgain(separator: String) {
        let text = Self.withings + "2026-05-05 07:33:10,71,128,82,left\n"
        let read = ImportFixture(text.replacing(",", with: separator))
        #expect(read.importer?.name == "withings" && read.lines == ImportFixture(text).lines && read.lines.count == 1)
    }

    @Test func columnsThatAreNotRead_AreNamed() {
        let header = "Date,Heart rate,Systolic,Diastolic,Comments,Timezone,\n"
        #expect(ImportFixture(header + "2026-05-05 07:33:10,71,128,82,,Asia/Tokyo,\n").unused == ["Timezone"])
        let bloodp = ImportFixture("User;Date;AmPm;Typ;Sys;Dia;Pulse;p4\n1;2026-05-05 07:33;am;msr;128;82;71;49\n")
        #expect(bloodp.readings.count == 1 && bloodp.unused == ["AmPm", "p4"])
        #expect(ImportFixture(Self.withings + "2026-05-05 07:33:10,71,128,82,\n").unused.isEmpty)
    }

    @Test func samsungRows_EndInAComma_EvenIfTheHeaderDoesNot() {
        let header =
            "com.samsung.shealth.blood_pressure,6310001,1\n"
            + "systolic,diastolic,pulse,start_time,time_offset,datauuid,comment".split(separator: ",")
            .map { "com.samsung.health.blood_pressure.\($0)" }.joined(separator: ",") + "\n"
        let read = ImportFixture(
            header + "128.0,82.0,71,2026-05-05 05:33:10.000,UTC+0200,a1,,\n129.0,82.0,71,2026-05-05 05:34:10.000,UTC+0200,a2,,,\n")
        #expect(read.lines.map { [$0["systolic_mmHg"], $0["measured"]] } == [["128", "2026-05-05T07:33:10+02:00"]])
        #expect(read.complaints.map(\.reason) == [.cells(found: 9, expected: 7)])
    }

    @Test func latin1_IsRead() {
        let text = "Datum;Zeit;Systolisch (mmHg);Diastolisch (mmHg);Puls (bpm);Notizen\n2 März 2026;21:40;134;79;66;für Öztürk\n"
        let latin = text.unicodeScalars.map { UInt8($0.value) }
        #expect(ImportFixture(latin).lines == ImportFixture(text).lines)
        #expect(ImportFixture(text).lines.map { [$0["device_time"], $0["note"]] } == [["2026-03-02T21:40", "für Öztürk"]])
    }

    @Test func shortMonths_AreReadInBothLanguages() {
        let header = "Datum,Zeit,Systolisch (mmHg),Diastolisch (mmHg),Puls (bpm)\n"
        let rows = ["3 Sept 2026", "3. Okt. 2026", "3 Mär 2026", "Dez 3 2026"].map { "\($0),07:05,128,82,71\n" }.joined()
        let months = ImportFixture(header + rows).lines.compactMap { $0["device_time"]?.dropFirst(5).prefix(2) }
        #expect(months == ["09", "10", "03", "12"])
    }

    @Test func obpmComment_MayHaveQuotes() {
        let read = ImportFixture(
            "user;date;time;sys;dia;bpm;comment\n1;05.05.26;07:33;128;082;071;\"viel Stress\" heute;spät\n1;05.05.26;07:34;129;082;071;\"\n"
        )
        #expect(read.complaints.isEmpty)
        #expect(read.lines.map { $0["note"] } == ["\"viel Stress\" heute;spät", "\""])
    }

    @Test func beurerSection_MayComeLate() {
        let weights = "GEWICHT\nDatum;Uhrzeit;kg\n" + (1...28).map { "\($0).05.2026;07:33;80,5\n" }.joined() + "\n"
        let section = "BLUTDRUCK;;\r\n\r\nDatum;Uhrzeit;Sys;Dia;Puls;MAD;Manuell hinzugefügt\r\n05.05.2026;07:33;128;82;71;97,3;1\r\n\r\n"
        let read = ImportFixture(weights + weights + weights + section + weights)
        #expect(
            read.lines == [
                ["systolic_mmHg": "128", "diastolic_mmHg": "82", "pulse_per_min": "71", "device_time": "2026-05-05T07:33", "entered": "1"]
            ])
        #expect(read.complaints.isEmpty && read.unused == ["MAD"])
    }

    @Test func emptyLineWithinASection_IsReported() {
        let row = { (minute: Int) in "05.05.2026;07:\(minute);128;82;71;97,3;0\n" }
        let head = "BLUTDRUCK\nDatum;Uhrzeit;Sys;Dia;Puls;MAD;Manuell hinzugefügt\n"
        let read = ImportFixture(head + row(30) + "\n" + row(31) + row(32) + "\nGEWICHT\nDatum;Uhrzeit;kg\n05.05.2026;07:33;80,5\n")
        #expect(read.lines.compactMap { $0["device_time"]?.suffix(5) } == ["07:30"])
        #expect(read.complaints.map(\.place.number) == [5, 6] && read.complaints.allSatisfy(\.reason.isLoss))
    }

    @Test func damagedTitleOfOwnTable_IsNamed() throws {
        let text = try WorkedExample.export(.csv, [WorkedExample.corrected]).text
        #expect(ImportFixture(text).unused.isEmpty)
        let read = ImportFixture(text.replacing("pulse_per_min", with: "pulse_per_mim"))
        #expect(read.readings.count == 1 && read.unused == ["pulse_per_mim"])
    }

    @Test func yearsOfTwoDigits_AreReadInTheOrderOfTheUser() throws {
        var options = ImportFixture.options()
        options.columns = try ColumnMapping("time=t,sys=s,dia=d")
        options.dates = .ymd
        let read = ImportFixture("t,s,d\n26/04/05 07:33,128,82\n05/04/2026 07:33,128,82\n", options)
        #expect(read.lines.map { $0["device_time"] } == ["2026-04-05T07:33"])
        #expect(read.complaints.map(\.reason) == [.unreadableTime("05/04/2026 07:33")])
    }

    // MARK: Apple

    private func record(_ type: String, _ value: String, minute: Int = 33) -> String {
        """
        <Record\n value = "\(value)" unit="mmHg" startDate="2026-05-05 07:\(minute):00 +0200" sourceName='A' \
        type="HKQuantityTypeIdentifierBloodPressure\(type)"/>

        """
    }

    private func apple(_ body: String) -> ImportFixture { ImportFixture("<HealthData>\n\(body)</HealthData>\n", chunk: 7) }

    @Test func appleCorrelationsOfOneMoment_AreTwoReadings() throws {
        let pairs = [("128", "82"), ("131", "85")]
        let records = pairs.map { record("Systolic", $0.0) + record("Diastolic", $0.1) }
        let correlations = records.map {
            "<Correlation type=\"HKCorrelationTypeIdentifierBloodPressure\" sourceName=\"A\" startDate=\"2026-05-05 07:33:00 +0200\">\n\($0)</Correlation>\n"
        }
        let read = apple(records.joined() + correlations.joined())
        #expect(read.complaints.isEmpty)
        #expect(read.lines.map { $0["diastolic_mmHg"] } == ["82", "85"])
        let importer = try #require(read.importer)
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        #expect(Set(read.readings.map { $0.reading(of: importer, received: now, zone: .utc).id }).count == 2)
    }

    @Test func appleRecordsOfOneMoment_AreNotPairedByGuess() {
        let body =
            record("Systolic", "128") + record("Systolic", "131") + record("Diastolic", "85") + record("Diastolic", "82")
            + record("Systolic", "120", minute: 40) + record("Diastolic", "80", minute: 40)
        let read = apple(body)
        #expect(read.lines.map { $0["systolic_mmHg"] } == ["120"])
        #expect(read.complaints.map(\.reason) == Array(repeating: .malformed("two pressures of one moment"), count: 4))
    }

    // MARK: JSON

    private func panel(_ systolic: Int, _ time: String) -> String {
        let parts = [("8462-4", 82), ("8480-6", systolic), ("8867-4", 71)].map {
            "{\"code\":{\"coding\":[{\"code\":\"\($0.0)\"}]},\"valueQuantity\":{\"value\":\($0.1),\"unit\":\"\($0.1 == 71 ? "/min" : "mmHg")\"}}"
        }
        return """
            {"component":[\(parts.joined(separator: ","))],"effectiveDateTime":"2026-05-05T\(time)+02:00","status":"final",\
            "code":{"coding":[{"code":"85354-9"}]},"resourceType":"Observation"}
            """
    }

    @Test func fhirMembers_MayHaveAnyOrder_AndPulseIsAComponent() {
        let one = panel(128, "07:33:10"), two = panel(129, "07:34:10")
        let bundle = "{\"entry\":[{\"resource\":\(one)},{\"resource\":\(two)}],\"resourceType\":\"Bundle\"}"
        for text in [bundle, "[\(one),\(two)]", "\(one)\n\(two)\n"] {
            let read = ImportFixture(text)
            #expect(read.lines.map { [$0["systolic_mmHg"], $0["pulse_per_min"]] } == [["128", "71"], ["129", "71"]], "\(text)")
        }
        let empty = "{\"resourceType\":\"Bundle\",\"type\":\"searchset\",\"total\":0}"
        for text in ["\(one)\n\(bundle)\n\(two)\n", "\(bundle)\n\(empty)\n\(two)\n\(one)\n", "[\(bundle),\(one),\(two)]"] {
            let read = ImportFixture(text)
            #expect(read.complaints.isEmpty && read.fault == nil && read.readings.count == 4, "\(text)")
        }
        let nested = ImportFixture("{\"resourceType\":\"Bundle\",\"entry\":[{\"resource\":\(bundle)}]}")
        #expect(nested.complaints.map(\.reason.isLoss) == [true])
    }

    @Test func pressuresInTwoUnits_AreRefused() {
        let text = panel(128, "07:33:10").replacing(#"82,"unit":"mmHg""#, with: #"10.9,"unit":"kPa""#)
        #expect(text.contains("kPa") && ImportFixture(text).complaints.map(\.reason) == [.malformed("pressures in different units")])
    }

    @Test func fhirPressuresOfOneMoment_AreNotPairedByGuess() {
        func one(_ code: String, _ value: Int) -> String {
            """
            {"resourceType":"Observation","status":"final","code":{"coding":[{"code":"\(code)"}]},\
            "effectiveDateTime":"2026-05-05T07:33:10+02:00","valueQuantity":{"value":\(value),"unit":"mmHg"}}

            """
        }
        let read = ImportFixture(one("8480-6", 128) + one("8462-4", 82) + one("8480-6", 131) + one("8462-4", 85))
        #expect(read.readings.isEmpty)
        #expect(read.complaints.map(\.reason) == Array(repeating: .malformed("several pressures of one moment"), count: 2))
    }

    @Test func omhInterval_IsAMeasurementUnlessItIsLong() {
        func point(_ interval: String) -> String {
            """
            {"header":{"schema_id":{"name":"blood-pressure"}},"body":{"systolic_blood_pressure":{"value":128,"unit":"mmHg"},\
            "diastolic_blood_pressure":{"value":82,"unit":"mmHg"},"effective_time_frame":{"time_interval":\(interval)}}}

            """
        }
        let start = "\"start_date_time\":\"2026-05-05T07:33:10+02:00\"", end = "\"end_date_time\":\"2026-05-05T07:33:50+02:00\""
        let read = ImportFixture(
            point("{\(start),\"duration\":{\"value\":40,\"unit\":\"sec\"}}")
                + point("{\(start),\"end_date_time\":\"2026-05-05T07:34:00+02:00\"}")
                + point("{\(start),\"end_date_time\":\"2026-05-12T07:34:00+02:00\"}")
                + point("{\(start),\"duration\":{\"value\":7,\"unit\":\"d\"}}")
                + point("{\(end),\"duration\":{\"value\":40,\"unit\":\"sec\"}}")
                + point("{\(end),\"duration\":{\"value\":60,\"unit\":\"min\"}}") + point("{\(end)}"))
        #expect(read.lines.map { $0["measured"] } == Array(repeating: "2026-05-05T07:33:10+02:00", count: 3))
        #expect(read.complaints.map(\.reason) == Array(repeating: .average("time_interval"), count: 4))
    }

    @Test func ubpmFlags_MayBeTrue() {
        let text = """

            {"UBPM":{"U1":[{"sys":"128","dia":82,"bpm":71,"date":"05.05.2026","time":"07:33:10","ihb":true,"mov":false}]}}
            """
        #expect(ImportFixture(text).readings.map(\.flags) == [.irregularPulse])
    }
}
