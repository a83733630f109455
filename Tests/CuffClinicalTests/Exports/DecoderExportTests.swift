import CuffCore
import Testing

@testable import CuffClinical

/// Exports name what decoded a reading, and this program's FHIR resources give the same readings back.
@Suite struct DecoderExportTests {
    private static let decoder = "cuff/0.2.0 phd/3"
    private static var reading: Reading {
        var reading = WorkedExample.corrected
        reading.decoder = decoder
        return reading
    }

    private func text(_ exporter: Exporter, _ readings: [Reading], _ choices: [(String, String)] = []) throws -> String {
        try WorkedExample.export(exporter, readings, choices).text
    }

    @Test func linesAndTables_HaveIt_AndOthersHaveNone() throws {
        for exporter in [Exporter.jsonl, .omh, .influx, .appleHealth] {
            let (named, plain) = (try text(exporter, [Self.reading]), try text(exporter, [WorkedExample.corrected]))
            #expect(named != plain && !plain.contains("phd/3"), "\(exporter.name)")
        }
        #expect(try text(.jsonl, [Self.reading]).contains(#","decoder":"cuff/0.2.0 phd/3"}"# + "\n"))
        #expect(try text(.influx, [Self.reading]).contains(#",decoder="cuff/0.2.0 phd/3",id="#))
        #expect(try text(.appleHealth, [Self.reading]).contains(#"<MetadataEntry key="CuffDecoder" value="cuff/0.2.0 phd/3"/>"#))
        let sheet =
            #""external_datasheets":[{"datasheet_type":"software","#
            + #""datasheet_reference":"pkg:generic/cuff@0.2.0?driver=phd&revision=3"}]"#
        #expect(try text(.omh, [Self.reading]).contains(sheet))
        let rows = try text(.csv, [Self.reading, WorkedExample.corrected]).split(separator: "\r\n")
        #expect(rows.map { $0.split(separator: ",", omittingEmptySubsequences: false).last } == ["decoder", "cuff/0.2.0 phd/3", ""])
    }

    /// FHIR R4: the gateway of an Observation is a Device, here one for each decoder, with the versions of program and driver.
    @Test func fhir_HasADeviceForEachDecoder() throws {
        var other = WorkedExample.kilopascals
        other.decoder = "cuff/0.3.0 phd/4"
        let lines = try text(.fhir, [Self.reading, other, Self.reading], [("subject", "Patient/p1")]).split(separator: "\n")
        let bundle = try #require(lines.first)
        let device = [
            #""identifier":[{"system":"urn:oid:2.25.56878113395054014927339309362861091977","value":"cuff/0.2.0 phd/3"}],"#,
            #""manufacturer":"cuff","modelNumber":"cuff","deviceName":[{"name":"cuff/0.2.0 phd/3","type":"other"}],"#,
            #""type":{"coding":[{"system":"urn:iso:std:iso:11073:10101","code":"531981","display":"MDC_MOC_VMS_MDS_AHD"}]},"#,
            #""version":[{"type":{"coding":[{"system":"urn:iso:std:iso:11073:10101","code":"531975","#,
            #""display":"MDC_ID_PROD_SPEC_SW"}]},"value":"0.2.0"},{"type":{"text":"driver phd"},"value":"3"}]}"#,
        ].joined()
        #expect(bundle.ranges(of: device).count == 1)
        #expect(bundle.ranges(of: #"{"name":"cuff/0.3.0 phd/4","type":"other"}"#).count == 1)
        // Panel, pulse and flags of the two, panel and pulse and flag of the other one.
        let link = #""display":"cuff/0.2.0 phd/3"}}"#
        #expect(bundle.ranges(of: link).count == 6)
        #expect(bundle.contains("identifier=urn:oid:2.25.56878113395054014927339309362861091977|cuff%2F0.2.0%20phd%2F3"))
    }

    /// The guide wants one gateway: it is this computer's program of that version.
    @Test func withTheProfilesOfTheGuide_ThereIsOneGateway() throws {
        let lines = try text(.fhirNDJSON, [Self.reading], [("subject", "Patient/p1"), ("profile", "phd")]).split(separator: "\n")
        for line in lines where !line.contains("67975") {
            #expect(line.ranges(of: "observation-gatewayDevice").count == 1, "\(line)")
        }
        let devices = try text(
            .fhirNDJSON, [Self.reading], [("subject", "Patient/p1"), ("profile", "phd"), ("resource", "Device")])
        #expect(devices.contains(#""value":"pi-7 cuff/0.2.0 phd/3""#) && devices.contains("PhgDevice"))
    }

    // MARK: Read back

    private static let others: [Reading] = {
        let thermometer = Quantity(partition: 2, term: 19292, value: Digits(mantissa: 3650, exponent: -2), unit: 6048)
        let scale = Quantity(partition: 2, term: 57664, value: Digits(mantissa: 782, exponent: -1), unit: 1731)
        let oximeter = Quantity(partition: 2, term: 19384, value: Digits(97), unit: 544)
        let absent = Quantity(partition: 2, term: 19384, value: nil, absence: .notANumber, unit: 544)
        let contents: [Reading.Content] = [
            .quantity(thermometer), .quantity(scale), .quantity(oximeter), .quantity(absent), .pulseRate(PulseRate(Digits(64))),
            .bloodPressure(BloodPressure(systolic: .mmHg(121), diastolic: .mmHg(79))), .bloodPressure(.mmHg(122, 78, mean: 92, pulse: 61)),
        ]
        return contents.enumerated().map { number, content in
            // All at the same minute: only their ids keep them apart.
            let time = DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)
            var reading = Reading(
                content, driver: "phd", flags: number % 2 == 0 ? [.questionable] : [], clock: .time(time), origin: .memory,
                raw: RawBytes([]))
            reading.id = WorkedExample.id(time, UInt64(number) + 1)
            (reading.measured, reading.measuredOffset, reading.decoder) = (Timestamp(seconds: 1_777_959_060), 120, decoder)
            reading.revision = number == 1 ? 2 : 0
            return reading
        }
    }()

    @Test(arguments: ["core", "phd"]) func fhirTransactions_GiveTheSameReadingsBack(_ profile: String) throws {
        let bundle = try text(.fhir, Self.others, [("subject", "Patient/p1"), ("profile", profile)])
        try expectSame(ImportFixture(Array(bundle.utf8)), hasCuff: true)
    }

    @Test func fhirResources_GiveTheSameReadingsBack() throws {
        let choices = [("subject", "Patient/p1")]
        let observations = try text(.fhirNDJSON, Self.others, choices)
        try expectSame(ImportFixture(Array(observations.utf8)), hasCuff: false)
        let devices = try text(.fhirNDJSON, Self.others, choices + [("resource", "Device")])
        try expectSame(ImportFixture(Array((observations + devices).utf8)), hasCuff: true)
    }

    @Test func ownLinesAndTables_GiveTheSameReadingsBack() throws {
        for exporter in [Exporter.jsonl, .csv] {
            // A table has no column for the reason of an absence.
            let own = exporter.name == "csv" ? Self.others.filter { !$0.hasAbsentValue } : Self.others
            try expectSame(ImportFixture(Array(try text(exporter, own).utf8)), own, hasCuff: true)
        }
    }

    private func expectSame(_ read: ImportFixture, _ own: [Reading] = others, hasCuff: Bool) throws {
        #expect(read.complaints.isEmpty && read.fault == nil, "\(read.complaints)")
        try #require(read.readings.count == own.count)
        let importer = try #require(read.importer)
        for (imported, own) in zip(read.readings, own) {
            let reading = imported.reading(of: importer, received: Timestamp(seconds: 1_778_000_000), zone: .utc)
            var content = own.content
            // A unit without a value is not written.
            if case .quantity(var quantity) = content, quantity.value == nil {
                quantity.unit = 0
                content = .quantity(quantity)
            }
            var found = reading.content
            if case .quantity(var quantity) = found, quantity.value == nil {
                quantity.unit = 0
                found = .quantity(quantity)
            }
            #expect(found == content)
            #expect(reading.id == own.id && reading.revision == own.revision && reading.flags == own.flags)
            #expect(reading.measured == own.measured && reading.measuredOffset == own.measuredOffset)
            #expect(reading.decoder == Self.decoder)
            if hasCuff { #expect(imported.device == "00091ffffe000101" && reading.driver == "phd") }
        }
    }

    /// What a server has of a deleted reading, of one that is not complete, and without a value, is no reading.
    @Test func withdrawnResources_AreNoReadings() throws {
        let text = try text(.fhirNDJSON, [Self.others[0]], [("subject", "Patient/p1")])
        for (old, new) in [
            (#""status":"final""#, #""status":"entered-in-error""#),
            (#""valueQuantity":{"value":36.50,"unit":"Cel","system":"http://unitsofmeasure.org","code":"Cel"},"#, ""),
        ] {
            #expect(text.contains(old))
            let read = ImportFixture(Array(text.replacing(old, with: new).utf8))
            #expect(read.readings.isEmpty && read.complaints.count == 1 && read.complaints.allSatisfy { !$0.reason.isLoss })
        }
        let other = ImportFixture(Array(text.replacing(#""unit":"Cel""#, with: #""unit":"bogus""#).utf8))
        #expect(other.readings.isEmpty && other.complaints.map(\.reason) == [.unknownUnit("bogus")])
    }
}

extension Reading {
    fileprivate var hasAbsentValue: Bool { if case .quantity(let quantity) = content { quantity.value == nil } else { false } }
}
