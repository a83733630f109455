import CuffCore
import Testing

@testable import CuffClinical

/// Expected bytes are from the documents' worked examples, or were computed by Python's uuid, datetime and zlib.
@Suite struct FHIRExportTests {
    private static let subject = [("subject", "0=Patient/p1"), ("profile", "phd")]

    private func lines(_ exporter: Exporter, _ readings: [Reading], _ more: [(String, String)] = subject) throws -> [String] {
        try WorkedExample.export(exporter, readings, more).text.split(separator: "\n").map(String.init)
    }

    /// The panel of the reference example, without its identifiers and the performer, which no cuff knows.
    @Test func panel_IsTheWorkedExample() throws {
        let panel = try #require(
            try lines(.fhirNDJSON, [WorkedExample.corrected]).first { $0.contains(#""id":"20260505T073130-d33c245d2be4b540""#) })
        let expected: [String] = [
            #"{"resourceType":"Observation","id":"20260505T073130-d33c245d2be4b540","meta":{"profile":["http://hl7.org/fhir/StructureDefinition/bp","#
                + #""http://hl7.org/fhir/uv/phd/StructureDefinition/PhdCompoundNumericObservation"]}"#,
            #"{"url":"http://hl7.org/fhir/StructureDefinition/observation-gatewayDevice","valueReference":{"reference":"Device/pi-7"}}"#,
            #""identifier":[{"system":"urn:oid:2.25.4363971277016525869136357347803134537","value":"20260505T073130-d33c245d2be4b540"}]"#,
            #""category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"vital-signs"}]},"#
                + #"{"coding":[{"system":"http://hl7.org/fhir/uv/phd/CodeSystem/PhdObservationCategories","code":"phd"}]}]"#,
            #""code":{"coding":[{"system":"urn:iso:std:iso:11073:10101","code":"150020","display":"MDC_PRESS_BLD_NONINV"},"#
                + #"{"system":"http://loinc.org","code":"85354-9","display":"Blood pressure panel with all children optional"}]}"#,
            #""status":"final""#, #""subject":{"reference":"Patient/p1"},"effectiveDateTime":"2026-05-05T07:33:20+02:00""#,
            #""device":{"reference":"Device/00091ffffe000101"}"#,
        ]
        let components: [String] = [
            #""component":[{"code":{"coding":[{"system":"urn:iso:std:iso:11073:10101","code":"150021","display":"MDC_PRESS_BLD_NONINV_SYS"},"#,
            #"{"system":"http://loinc.org","code":"8480-6"}]},"valueQuantity":{"value":128,"unit":"mmHg","#,
            #""system":"http://unitsofmeasure.org","code":"mm[Hg]"}},{"code":{"coding":[{"system":"urn:iso:std:iso:11073:10101","#,
            #""code":"150022","display":"MDC_PRESS_BLD_NONINV_DIA"},{"system":"http://loinc.org","code":"8462-4"}]},"#,
            #""valueQuantity":{"value":82,"unit":"mmHg","system":"http://unitsofmeasure.org","code":"mm[Hg]"}},"#,
            #"{"code":{"coding":[{"system":"urn:iso:std:iso:11073:10101","code":"150023","display":"MDC_PRESS_BLD_NONINV_MEAN"},"#,
            #"{"system":"http://loinc.org","code":"8478-0"}]},"valueQuantity":{"value":97,"unit":"mmHg","#,
            #""system":"http://unitsofmeasure.org","code":"mm[Hg]"}}]"#,
        ]
        for part in expected + [components.joined()] { #expect(panel.contains(part), "\(part)") }
    }

    @Test func kilopascals_StandBesideMillimetres_WithTheirDigits() throws {
        let text = try lines(.fhirNDJSON, [WorkedExample.kilopascals], [("subject", "Patient/p1")])[0]
        #expect(
            text.contains(
                #""valueQuantity":{"value":120.01,"unit":"mmHg","system":"http://unitsofmeasure.org","code":"mm[Hg]","extension":"#
                    + #"[{"url":"http://hl7.org/fhir/StructureDefinition/iso21090-PQ-translation","valueQuantity":{"value":16.0,"unit":"kPa","#
                    + #""system":"http://unitsofmeasure.org","code":"kPa"}}]}"#))
        #expect(text.contains(#""effectiveDateTime":"2026-05-07T08:00:30+02:00""#) && !text.contains("/phd/"))
    }

    /// The clock showed 07:38:10 at 07:40:00; names are UUIDs version 5.
    @Test func aCorrectedClock_IsToldAsACoincidentTimestamp() throws {
        let bundle = try lines(.fhir, [WorkedExample.corrected])[0]
        let clock = [
            #"{"fullUrl":"urn:uuid:a8e790c0-1cb7-57d0-bb8a-ff9326c794ad","resource":{"resourceType":"Observation","meta":{"profile":"#,
            #"["http://hl7.org/fhir/uv/phd/StructureDefinition/PhdCoincidentTimeStampObservation"]},"identifier":[{"system":"#,
            #""urn:oid:2.25.4363971277016525869136357347803134537","value":"00091ffffe000101:clock:2026-05-05T07:40:00+02:00"}],"#,
            #""status":"final","code":{"coding":[{"system":"urn:iso:std:iso:11073:10101","code":"67975","display":"MDC_ATTR_TIME_ABS"}]},"#,
            #""subject":{"reference":"urn:uuid:cf1308d6-4a96-52d7-a268-885dd563f716"},"effectiveDateTime":"2026-05-05T07:40:00+02:00","#,
            #""valueDateTime":"2026-05-05T07:38:10+02:00","device":{"reference":"urn:uuid:26126790-221a-50de-9c19-5171ff1c39bd"}},"#,
            #""request":{"method":"POST","url":"Observation","ifNoneExist":"identifier=urn:oid:2.25.4363971277016525869136357347803134537|"#,
            #"00091ffffe000101:clock:2026-05-05T07:40:00%2B02:00"}}"#,
        ]
        #expect(bundle.contains(clock.joined()))
        #expect(
            bundle.contains(
                #"{"url":"http://hl7.org/fhir/uv/phd/StructureDefinition/CoincidentTimeStampReference","valueReference":"#
                    + #"{"reference":"urn:uuid:a8e790c0-1cb7-57d0-bb8a-ff9326c794ad"}}"#))
        for name in [
            "dd3002dc-28d5-5661-9448-38533742ef9c", "47253e2a-b3b8-5a81-a721-86df3aef4651", "62585594-69f8-54fe-9c70-97e5b74b11b3",
        ] {
            #expect(bundle.contains(#"{"fullUrl":"urn:uuid:\#(name)","resource":{"resourceType":"Observation""#))
        }
    }

    /// A pushed reading of a clock that was never set: the arrival time, and a clock fault.
    @Test func anUnsetClock_OfAPushedReading_IsATimeFault() throws {
        var reading = WorkedExample.corrected
        reading.clock = .unset
        reading.measured = reading.received
        reading.rule = .receiveTime
        let bundle = try lines(.fhir, [reading])[0]
        #expect(bundle.contains(#""effectiveDateTime":"2026-05-05T07:40:00+02:00","dataAbsentReason":{"coding":"#))
        #expect(bundle.contains(#""code":"unknown"}]},"device""#))
        reading.origin = .memory
        reading.measured = nil
        reading.rule = .unset
        #expect(try WorkedExample.export(.fhir, [reading], Self.subject).omissions == [.timeUnknown])
    }

    @Test func absentMean_HasItsReason() throws {
        var reading = WorkedExample.minutes
        reading.user = nil
        reading.content = .bloodPressure(
            BloodPressure(systolic: .mmHg(128), diastolic: .mmHg(82), meanAbsence: .notANumber))
        let text = try lines(.fhir, [reading])[0]
        #expect(
            text.contains(
                #""code":"8478-0"}]},"dataAbsentReason":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/data-absent-reason","#
                    + #""code":"not-a-number"}]}}]"#))
    }

    @Test func aCompletedReading_ReplacesWhatWasSent() throws {
        var reading = WorkedExample.kilopascals
        reading.revision = 2
        let text = try lines(.fhir, [reading])[0]
        let criterion = "identifier=urn:oid:2.25.4363971277016525869136357347803134537|20260507T080030-532225e78e2852a2"
        #expect(text.contains(#""request":{"method":"PUT","url":"Observation?\#(criterion)"}"#))
        #expect(text.contains(#""meta":{"profile":["http://hl7.org/fhir/StructureDefinition/bp","#))
        #expect(text.contains(#""tag":[{"system":"urn:oid:2.25.20089031061160294151606159980085455137","code":"2"}]"#))
        #expect(text.contains(#""request":{"method":"POST","url":"Device","ifNoneExist":"#))
    }

    /// Transactions are split between readings, and each contains the cuff.
    @Test func manyReadings_AreSeveralTransactions() throws {
        let readings = (0..<101).map { number in
            var reading = WorkedExample.kilopascals
            reading.id.hash = UInt64(number)
            return reading
        }
        let bundles = try lines(.fhir, readings, [("subject", "Patient/p1")])
        func count(_ needle: String, _ text: String) -> Int { text.components(of: needle) }
        #expect(bundles.map { count(#""code":"85354-9""#, $0) } == [50, 50, 1])
        #expect(bundles.map { count(#""resourceType":"Device""#, $0) } == [1, 1, 1])
        #expect(try lines(.fhir, []).isEmpty)
        let cuffs = try lines(.fhirNDJSON, readings, [("subject", "Patient/p1"), ("resource", "Device")])
        #expect(cuffs.count == 1 && cuffs[0].hasPrefix(#"{"resourceType":"Device","id":"00091ffffe000101","#))
        #expect(cuffs[0].contains(#""value":"00-09-1F-FF-FE-00-01-01"}]"#) && cuffs[0].contains(#""manufacturer":"A&D Medical""#))
    }

    /// A UUID replaces a name that is not a valid FHIR id.
    @Test func ids_AreThoseThatFHIRAllows() {
        #expect(FHIRCodes.resourceID("port-1-1.2") == "port-1-1.2")
        #expect(FHIRCodes.resourceID("clinic-pi-7") == "clinic-pi-7")
        for odd in ["", "a b", "tcp://h:4000", "ü", String(repeating: "a", count: 65)] {
            #expect(FHIRCodes.resourceID(odd).utf8.count == 36, "\(odd)")
        }
    }

    @Test func manyClaims_DoNotDependOnTheProfileOfOtherCuffs() throws {
        let made = try WorkedExample.export(
            .fhir, [WorkedExample.minutes], from: Provenance(driver: "beurer-serial", device: "port-1-1.2"),
            [("subject", "1=Patient/p1"), ("profile", "phd")])
        #expect(
            made.omissions.isEmpty && !made.text.contains("/phd/")
                && made.text.contains(#""effectiveDateTime":"2026-05-05T07:31:00+02:00""#))
    }
}

/// Readings that a server must not treat as ordinary measurements of a cuff.
@Suite struct DoubtfulExportTests {
    private func reading(_ flags: MeasurementFlags = [], entered: Bool = false, revision: UInt8 = 0) -> Reading {
        var reading = Reading(
            .bloodPressure(.mmHg(128, 82, pulse: 71)), driver: entered ? "manual" : "phd", flags: flags,
            origin: entered ? .entered : .memory,
            raw: RawBytes([1, revision]))
        reading.measured = Timestamp(seconds: 1_777_959_200)
        reading.revision = revision
        reading.id = Reading.ID(wallSeconds: 1_777_959_200, hash: 7)
        return reading
    }

    private func fhir(_ reading: Reading) throws -> [String] {
        try WorkedExample.export(.fhirNDJSON, [reading], [("subject", "0=Patient/p1")]).text.split(separator: "\n").map(String.init)
    }

    @Test func implausibleValues_AreNotSent() throws {
        for line in try fhir(reading(.implausible)) {
            #expect(!line.contains("valueQuantity") && line.contains("\"code\":\"error\""), "\(line)")
        }
        let panel = try #require(try fhir(reading(.implausible)).first)
        #expect(panel.contains("measurement-status\",\"code\":\"questionable\"") && panel.contains("cuff: implausible"))
        let both = try #require(try fhir(reading([.implausible, .questionable])).first)
        #expect(both.components(separatedBy: "\"questionable\"").count == 2, "once")
    }

    @Test func typedInValues_AreMarked() throws {
        for line in try fhir(reading(entered: true)) { #expect(line.contains("\"performer\":[{\"reference\":\"Patient/p1\"}]"), "\(line)") }
        #expect(try fhir(reading(entered: true))[0].contains("\"typed in by hand\""))
        #expect(try !fhir(reading()).joined().contains("performer"))
    }

    /// R4, ObservationStatus. A reading completed by the cuff was preliminary before.
    @Test func changedValues_SayHow() throws {
        func has(_ word: String, _ reading: Reading) throws -> Bool {
            try fhir(reading).allSatisfy { $0.contains("\"status\":\"\(word)\"") }
        }
        #expect(try has("final", reading()) && has("final", reading(entered: true)) && has("final", reading(revision: 2)))
        #expect(try has("corrected", reading(entered: true, revision: 1)))
        var noted = reading(revision: 1)
        noted.remarks = try #require(Remarks(stored: { $0 == .note ? "after the stairs" : nil }))
        #expect(try has("amended", noted))
        noted.flags = .earlyIndication
        #expect(try has("preliminary", noted))
    }

    @Test(arguments: [("sitting", "33586001"), ("standing", "10904000"), ("lying down", "102538003"), ("semi-recumbent", "")])
    func posture_IsTheBodyPosition(_ words: String, _ code: String) throws {
        var one = reading()
        one.remarks = try #require(Remarks(stored: { $0 == .posture ? words : nil }))
        let lines = try fhir(one)
        #expect(
            lines[0].contains("http://hl7.org/fhir/StructureDefinition/observation-bodyPosition")
                && lines[0].contains("\"text\":\"\(words)\"}") && !lines[0].contains("posture:"))
        #expect(code.isEmpty ? !lines[0].contains("snomed") : lines[0].contains("\"code\":\"\(code)\""))
        #expect(!lines[1].contains("bodyPosition"), "the pulse is not marked")
    }

    /// A query for `blood_pressure` finds only included readings.
    @Test(arguments: [
        (MeasurementFlags.implausible, "implausible"), (.invalid, "invalid"), (.notAvailable, "invalid"), (.testData, "test_data"),
        (.demoData, "test_data"), (.ongoing, "provisional"),
    ]) func influx_KeepsApartWhatDoesNotCount(_ flags: MeasurementFlags, _ why: String) throws {
        let line = try WorkedExample.export(.influx, [reading(flags)]).text
        #expect(line.hasPrefix("left_out,") && line.contains(",of=blood_pressure,why=\(why) "), "\(line)")
        #expect(try WorkedExample.export(.influx, [reading(.questionable)]).text.hasPrefix("blood_pressure,"))
    }

    @Test func floatingTimes_NeedAZoneThatSomebodyChose() throws {
        var floating = Reading(
            .bloodPressure(.mmHg(128, 82)), driver: "and-std", clock: .time(try #require(DeviceTime.parse("2026-05-05T07:31:10"))),
            origin: .memory, raw: RawBytes([1]))
        floating.id = Reading.ID(wallSeconds: 1_777_959_070, hash: 9)
        let context = { (isChosen: Bool) in
            var context = ExportContext(
                zone: BucketingTests.berlin, made: Timestamp(seconds: 1_777_959_600), source: HealthSource(name: "cuff", version: "1"),
                host: "pi-7")
            context.isZoneChosen = isChosen
            return context
        }
        for exporter in Exporter.all {
            #expect(exporter.omission(floating, context(true)) == nil)
            let omission = exporter.omission(floating, context(false))
            #expect(omission == (["csv", "jsonl"].contains(exporter.name) ? nil : .zoneUnknown), "\(exporter)")
            #expect(exporter.omission(reading(), context(false)) == nil)
        }
        var text = TextBuffer()
        var csv = try Exporter.csv.writer(ExportChoices(), context(false))
        try csv.append(floating, from: Provenance(driver: "and-std"), parts: .values, to: &text)
        #expect(text.string.contains(",2026-05-05T07:31:10,2026-05-05 07:31:10,") && !text.string.contains("+02:00"), "\(text.string)")
    }
}

@Suite struct OMHExportTests {
    /// The bytes of the reference's worked example, with its name space.
    @Test func dataPoints_AreTheWorkedExample() {
        let space: [UInt8] = [0x6F, 0x1C, 0x5E, 0x1E, 0x52, 0xD2, 0x5D, 0x0C, 0x9D, 0x5E, 0x0A, 0x4F, 0x6F, 0x2B, 0x7C, 0x11]
        var writer: any ExportWriter = OMHWriter(
            zone: WorkedExample.zone, location: "left upper arm", posture: "sitting", space: space)
        let made = WorkedExample.write(&writer, [WorkedExample.minutes])
        let points = [
            #"{"header":{"uuid":"8e3660ac-6017-5df6-a328-9ae50683bbeb","schema_id":{"namespace":"omh","name":"blood-pressure","version":"4.0"},"#,
            #""source_creation_date_time":"2026-05-05T07:31:00+02:00","modality":"sensed"},"body":{"systolic_blood_pressure":"#,
            #"{"value":128,"unit":"mmHg"},"diastolic_blood_pressure":{"value":82,"unit":"mmHg"},"effective_time_frame":"#,
            #"{"date_time":"2026-05-05T07:31:00+02:00"},"body_posture":"sitting","measurement_location":"left upper arm"}}"#, "\n",
            #"{"header":{"uuid":"855d778f-2e0e-5540-8318-232017382d3a","schema_id":{"namespace":"omh","name":"heart-rate","version":"2.0"},"#,
            #""source_creation_date_time":"2026-05-05T07:31:00+02:00","modality":"sensed"},"body":{"heart_rate":"#,
            #"{"value":71,"unit":"beats/min"},"effective_time_frame":{"date_time":"2026-05-05T07:31:00+02:00"}}}"#, "\n",
        ]
        #expect(made.text == points.joined())
        #expect(made.omissions.isEmpty)
    }

    @Test func whatAPersonTypedIn_AveragesAndKilopascals() throws {
        var entered = WorkedExample.minutes
        entered.origin = .entered
        entered.flags = [.averaged]
        let made = try WorkedExample.export(.omh, [entered, WorkedExample.kilopascals])
        #expect(made.text.components(of: #""modality":"self-reported""#) == 2)
        #expect(made.text.components(of: #""descriptive_statistic":"average""#) == 1)
        #expect(made.text.contains(#""systolic_blood_pressure":{"value":120.01,"unit":"mmHg"}"#))
        #expect(!made.text.contains("body_posture") && !made.text.contains("measurement_location"))
    }
}

@Suite struct InfluxExportTests {
    /// The line of the reference; FNV-1a of the id is 321,822 modulo a million, of the other one 107,279.
    @Test func lines_AreTheWorkedExample() throws {
        let made = try WorkedExample.export(.influx, [WorkedExample.corrected, WorkedExample.kilopascals])
        let lines = [
            #"blood_pressure,device=00091ffffe000101,driver=phd systolic_mmHg=128,diastolic_mmHg=82,mean_mmHg=97,pulse_per_min=71,"#,
            #"irregular_pulse=true,body_movement=true,id="20260505T073130-d33c245d2be4b540" 1777959200000321822"#, "\n",
            #"blood_pressure,device=00091ffffe000101,driver=phd systolic_mmHg=120.01,systolic_kPa=16.0,diastolic_mmHg=80.26,"#,
            #"diastolic_kPa=10.7,mean_mmHg=93.01,mean_kPa=12.4,pulse_per_min=66,improper_position=true,"#,
            #"id="20260507T080030-532225e78e2852a2" 1778133630000107279"#, "\n",
        ]
        #expect(made.text == lines.joined())
    }

    @Test func failuresAndQuantities_AreMeasurementsOfTheirOwn() throws {
        var failed = WorkedExample.minutes
        failed.content = .failure(.init(.cuffLoose, code: "E44"))
        var quantity = WorkedExample.minutes
        quantity.content = .quantity(Quantity(partition: 2, term: 19384, value: Digits(mantissa: 970, exponent: -1), unit: 544))
        let lines = try WorkedExample.export(.influx, [failed, quantity]).text.split(separator: "\n")
        #expect(
            lines[0].hasPrefix(#"measurement,device=00091ffffe000101,driver=phd,user=1 event="failed",reason="cuff_loose",code="E44",id="#))
        #expect(lines[1].hasPrefix("quantity,code=MDC_PULS_OXIM_SAT_O2,device=00091ffffe000101,driver=phd,unit=%,user=1 value=97.0,id="))
    }
}

extension String {
    /// The number of occurrences.
    fileprivate func components(of needle: String) -> Int { split(separator: needle, omittingEmptySubsequences: false).count - 1 }
}
