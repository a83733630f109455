import CuffCore
import Foundation
import Testing

@testable import CuffClinical

/// Readings of every kind: hostile names, kPa, no pulse, a failure, no time.
enum ExportSample {
    static let provenance = Provenance(
        driver: "and-std", device: "A&D <1>\"'\u{1B}", identity: DeviceIdentity(manufacturer: "A&D", model: "TM <2657P>", serial: "=1+2"))

    static func reading(_ content: Reading.Content, at seconds: Int64? = 1_777_959_180, flags: MeasurementFlags = []) -> Reading {
        var reading = Reading(
            content, driver: "and-std", user: 1, flags: flags, origin: .memory, trigger: .automatic, raw: RawBytes([1, 2]))
        reading.id = Reading.ID(wallSeconds: 1_777_966_270, hash: 0x9F0C_61D2_A4B7_E3F0)
        reading.received = Timestamp(milliseconds: 1_777_959_600_120)
        reading.measured = seconds.map { Timestamp(seconds: $0) }
        reading.measuredOffset = 120
        reading.rule = .corrected
        return reading
    }

    static let all: [Reading] = [
        reading(.bloodPressure(.mmHg(128, 82, mean: 97, pulse: 71)), flags: [.irregularPulse, .bodyMovement]),
        reading(
            .bloodPressure(
                BloodPressure(
                    systolic: Pressure(Digits(mantissa: 157, exponent: -1), .kPa),
                    diastolic: Pressure(Digits(mantissa: 101, exponent: -1), .kPa)))),
        reading(.pulseRate(PulseRate(133))),
        reading(.failure(.init(.cuffLoose, code: "E44;"))),
        reading(.bloodPressure(.mmHg(128, 82)), at: nil),
        reading(.quantity(Quantity(partition: 2, term: 19384, value: Digits(97), unit: 544))),
    ]
}

@Suite struct AppleHealthExportTests {
    private func export(_ layout: AppleHealthExport.Layout) throws -> (text: String, refused: [HealthError.Code]) {
        let writer = AppleHealthExport(layout: layout, source: HealthSource(name: "cuff", version: "0.1"), zone: BucketingTests.berlin)
        var text = TextBuffer()
        var refused: [HealthError.Code] = []
        writer.appendHeader(exported: Timestamp(seconds: 1_777_960_800), to: &text)
        for reading in ExportSample.all {
            do { try writer.append(reading, from: ExportSample.provenance, to: &text) } catch { refused.append(error.code) }
        }
        var beats = HeartbeatSeriesBuilder(start: Timestamp(seconds: 1_777_959_180), source: writer.source)
        for interval in [0, 800, 900, 850] { try beats.add(interval: interval) }
        writer.append(try beats.finish(), from: ExportSample.provenance, to: &text)
        writer.appendFooter(to: &text)
        return (text.string, refused)
    }

    private func count(_ needle: String, in text: String) -> Int { text.components(separatedBy: needle).count - 1 }

    @Test(arguments: AppleHealthExport.Layout.allCases)
    func everyLayout_IsValidByItsDocumentType(_ layout: AppleHealthExport.Layout) throws {
        let (text, refused) = try export(layout)
        #expect(refused == [.noData, .noData])
        #expect(text.contains("HKQuantityTypeIdentifierOxygenSaturation\"") && text.contains("value=\"0.97\""))
        let tool = "/usr/bin/xmllint"
        guard FileManager.default.fileExists(atPath: tool) else {
            print("note: xmllint is not installed; the document type was not checked")
            return
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("cuff-\(UUID().uuidString).xml")
        try text.write(to: file, atomically: false, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tool)
        process.arguments = ["--valid", "--noout", "--nonet", file.path]
        let complaint = Pipe()
        process.standardError = complaint
        try process.run()
        let said = String(decoding: complaint.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(said)")
    }

    @Test func bothLayout_SaysPressuresTwice_TheOthersOnce() throws {
        let systolic = "<Record type=\"HKQuantityTypeIdentifierBloodPressureSystolic\""
        let both = try export(.both).text
        #expect(count(systolic, in: both) == 4)
        #expect(count("<Correlation ", in: both) == 2)
        let correlation = try export(.correlation).text
        #expect(count(systolic, in: correlation) == 2)
        #expect(count("\n " + systolic, in: correlation) == 0)
        let records = try export(.records).text
        #expect(count(systolic, in: records) == 2)
        #expect(count("<Correlation ", in: records) == 0)
        #expect(records.contains("cuff:20260505T073110-9f0c61d2a4b7e3f0:sys"))
        for text in [both, correlation, records] { #expect(count("HKQuantityTypeIdentifierHeartRate\"", in: text) == 2) }
    }

    @Test func values_AreWrittenAsAppleWritesThem() throws {
        let text = try export(.correlation).text
        #expect(
            text.contains(
                #"unit="mmHg" creationDate="2026-05-05 07:40:00 +0200" startDate="2026-05-05 07:33:00 +0200" endDate="2026-05-05 07:33:00 +0200" value="128""#
            ))
        #expect(text.contains(#"value="117.76""#))
        #expect(
            text.contains(#"device="&lt;&lt;HKDevice: 0x0&gt;, name:TM &lt;2657P&gt;, manufacturer:A&amp;D, model:TM &lt;2657P&gt;&gt;""#))
        #expect(text.contains(#"<MetadataEntry key="HKWasUserEntered" value="0"/>"#))
        #expect(text.contains(#"<MetadataEntry key="HKTimeZone" value="Europe/Berlin"/>"#))
        #expect(text.contains(#"<MetadataEntry key="HKMetadataKeySyncIdentifier" value="cuff:20260505T073110-9f0c61d2a4b7e3f0"/>"#))
        #expect(text.contains(#"<MetadataEntry key="HKMetadataKeySyncVersion" value="1"/>"#))
        #expect(text.contains(#"<MetadataEntry key="HKHeartRateEventThreshold" value="120 count/min"/>"#))
        #expect(text.contains(#"<InstantaneousBeatsPerMinute bpm="75" time="07:33:00.80"/>"#))
    }
}

@Suite struct CSVExportTests {
    private func export(_ dialect: CSVTable.Dialect) -> [String] {
        let writer = CSVExport(table: CSVTable(dialect), zone: BucketingTests.berlin)
        var text = TextBuffer()
        writer.appendHeader(to: &text)
        for reading in ExportSample.all {
            var excluded: Exclusion?
            if case .excluded(let reason) = InclusionRule(zone: BucketingTests.berlin).verdict(on: reading) { excluded = reason }
            writer.append(reading, from: ExportSample.provenance, excluded: excluded, to: &text)
        }
        #expect(text.string.hasSuffix("\r\n"))
        return text.string.components(separatedBy: "\r\n").dropLast()
    }

    /// Cells by RFC 4180, parsed independently.
    private func cells(_ line: String, _ separator: Character) -> [String] {
        var cells = [""]
        var isQuoted = false
        for character in line {
            if character == "\"" {
                isQuoted.toggle()
                if isQuoted && !cells[cells.count - 1].isEmpty { cells[cells.count - 1].append("\"") }
            } else if character == separator && !isQuoted {
                cells.append("")
            } else {
                cells[cells.count - 1].append(character)
            }
        }
        return cells
    }

    @Test func rows_HaveTheDocumentedColumns() throws {
        let lines = export(.rfc4180)
        let names = cells(lines[0], ",")
        #expect(names == CSVExport.columns.map(\.name.description))
        #expect(lines.count == 7)
        let rows = lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(names, cells($0, ","))) }
        #expect(lines.dropFirst().allSatisfy { cells($0, ",").count == names.count })
        #expect(names.prefix(7) == ["id", "revision", "type", "driver", "device", "measured", "systolic_mmHg"])
        #expect(rows[0]["time"] == "2026-05-05T07:33:00+02:00")
        #expect(rows[0]["local_time"] == "2026-05-05 07:33:00")
        #expect(rows[0]["systolic_mmHg"] == "128")
        #expect(rows[0]["flags"] == "irregular_pulse body_movement")
        #expect(rows[0]["excluded"] == "")
        #expect(rows[0]["id"] == "20260505T073110-9f0c61d2a4b7e3f0")
        #expect(rows[0]["device"] == "A&D <1>\"' ")
        #expect(rows[1]["systolic_mmHg"] == "117.76")
        #expect(rows[2]["pulse_per_min"] == "133")
        #expect(rows[3]["reason"] == "cuff_loose" && rows[3]["code"] == "E44;" && rows[3]["excluded"] == "not_a_blood_pressure")
        #expect(rows[4]["time"] == "" && rows[4]["excluded"] == "time_unknown")
        #expect(rows[5]["code"] == "MDC_PULS_OXIM_SAT_O2" && rows[5]["value"] == "97" && rows[5]["unit"] == "%")
    }

    /// Exported rows start like those of a sink, without the record's bytes.
    @Test func rows_BeginAsASinkWritesThem() {
        let count = CSVTable.columns.count
        let lines = export(.rfc4180).dropFirst().map { Array(cells($0, ",")[..<count]) }
        let rows = ExportSample.all.map { reading in
            var text = TextBuffer()
            CSVTable().append(reading, device: ExportSample.provenance.device, to: &text)
            var row = cells(text.string, ",")
            row[count - 2] = ""
            return row
        }
        #expect(lines == rows && rows.count == 6)
    }

    @Test func semicolons_GoWithDecimalCommas() {
        let lines = export(.semicolon)
        #expect(lines.allSatisfy { cells($0, ";").count == CSVExport.columns.count })
        #expect(cells(lines[2], ";")[6] == "117,76")
    }

    @Test func formulas_AreDefused() {
        var text = TextBuffer()
        CSVExport(zone: .utc).append(ExportSample.all[0], from: Provenance(driver: "x", device: "=cmd()"), to: &text)
        #expect(text.string.contains(",'=cmd(),"))
    }
}

@Suite struct JSONLinesExportTests {
    @Test func everyLine_IsAnObject_WithDocumentedKeys() throws {
        let writer = JSONLinesExport(zone: BucketingTests.berlin, line: ReadingLine(includesRaw: true))
        var text = TextBuffer()
        for reading in ExportSample.all { writer.append(reading, from: ExportSample.provenance, parts: [.values, .events], to: &text) }
        let documented = Set(
            JSONLinesExport.keys.flatMap { $0.name.description.components(separatedBy: ", ") } + ["systolic_kPa", "diastolic_kPa"])
        let lines = text.string.split(separator: "\n")
        #expect(lines.count == 8)
        for line in lines {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(Set(object.keys).subtracting(documented).isEmpty)
            #expect(object["schema"] as? Int == 1)
        }
        #expect(lines.filter { $0.contains("\"type\":\"event\"") }.count == 2)
    }
}
