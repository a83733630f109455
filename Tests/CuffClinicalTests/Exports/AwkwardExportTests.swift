import CuffCore
import Testing

@testable import CuffClinical

/// Readings with everything that formats must escape, quote or leave out come back equal.
@Suite struct AwkwardExportTests {
    private static let texts = [
        #"he said "no", then; 5 > 3 & <b>"#, "=cmd|' /C calc'!A0", "@SUM(A1)", "+1", "-1", "'=x", "''-y", "'90s", "'", "\"", "\"\"",
        "🩺 é ü \u{202F}x",
        #"C:\new\table"#, "a,b;c\td", "{\"k\":[1]}", "medication: none", "null, too",
        // What an exporter writes of other facts.
        "cuff: averaged", "cuff: averaged by hand", "cuff: irregular_pulse", "cuff: ", "typed in by hand",
        "note: medication: none", "note: ",
    ]
    private static let trimmedTexts = [" blanks ", "-", "null"]

    private static func reading(_ number: Int, _ change: (inout Reading) -> Void) -> Reading {
        let time = DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: number)
        var reading = Reading(
            .bloodPressure(.mmHg(128, 82, mean: 97, pulse: 71)), driver: "phd", user: 1, clock: .time(time), origin: .memory,
            raw: RawBytes([]))
        reading.id = WorkedExample.id(time, UInt64(number) + 1)
        (reading.measured, reading.measuredOffset, reading.rule) = (
            Timestamp(seconds: 1_777_957_200 + Int64(number) * 60), 120, .deviceTime
        )
        change(&reading)
        return reading
    }

    private static func noted(_ texts: [String]) -> [Reading] {
        texts.enumerated().map { number, text in
            reading(number) { $0.remarks = Remarks(stored: { $0 == .note ? text : nil }) }
        }
    }

    private static let odd: [Reading] = [
        // Without a zone, without a pulse, without a slot.
        reading(40) {
            ($0.measured, $0.measuredOffset, $0.rule, $0.user) = (nil, 0, .none, nil)
            $0.content = .bloodPressure(.mmHg(128, 82))
        },
        reading(41) { $0.measuredOffset = -210 },
        reading(42) { ($0.duration, $0.isHostClockUnsynchronised, $0.revision) = (.seconds(90), true, 3) },
        reading(43) { $0.content = WorkedExample.kilopascals.content },
        reading(44) {
            $0.remarks = Remarks(stored: { key in
                switch key {
                case .medication: "=1+1, \"before\""
                case .posture: "semi-recumbent"
                case .arm: "left"
                case .note: "; after"
                }
            })
            $0.metadata = ["k,": "v \"q\" 🩺", "=": "\\"]
            $0.flags = [.irregularPulse, .questionable]
        },
        reading(45) {
            $0.content = .bloodPressure(
                BloodPressure(systolic: .mmHg(128), diastolic: .mmHg(82), meanAbsence: .notANumber, pulseAbsence: .notMeasured))
        },
        reading(46) { ($0.sequence, $0.trigger, $0.received) = (7, .automatic, Timestamp(milliseconds: 1_777_959_600_120)) },
        reading(47) {
            $0.flags = [.remeasured]
            $0.remarks = Remarks(stored: { $0 == .medication ? "cuff: averaged" : $0 == .note ? "typed in by hand" : nil })
        },
    ]

    private func back(_ exporter: Exporter, _ readings: [Reading], device: String, _ choices: [(String, String)] = []) throws -> [Reading] {
        let provenance = Provenance(driver: "phd", device: device)
        let text = try WorkedExample.export(exporter, readings, from: provenance, choices).text
        let read = ImportFixture(text)
        // An event of an irregular pulse is beside its reading.
        #expect(read.fault == nil && read.complaints.allSatisfy { $0.reason == .otherKind("event") }, "\(read.complaints)")
        let importer = try #require(read.importer)
        if exporter.name == "csv" || exporter.name == "jsonl" { #expect(read.readings.allSatisfy { $0.device == device }) }
        return read.readings.map { $0.reading(of: importer, received: Timestamp(seconds: 1_778_000_000), zone: .utc) }
    }

    @Test(arguments: ["jsonl", "csv", "csv;"], ["00091ffffe000101", #"A,"B";=C "#, "=1+1"])
    func ownFormats_GiveEverythingBack(_ name: String, _ device: String) throws {
        let exporter = name == "jsonl" ? Exporter.jsonl : .csv
        let readings = Self.noted(Self.texts + Self.trimmedTexts) + Self.odd
        let found = try back(exporter, readings, device: device, name == "csv;" ? [("csv-dialect", "semicolon")] : [])
        try #require(found.count == readings.count)
        for (found, own) in zip(found, readings) {
            #expect(found.id == own.id && found.revision == own.revision && found.flags == own.flags && found.user == own.user)
            #expect(found.measured == own.measured && found.measuredOffset == own.measuredOffset && found.rule == own.rule)
            #expect(found.clock == own.clock && found.received == own.received && found.sequence == own.sequence)
            #expect(found.duration == own.duration && found.isHostClockUnsynchronised == own.isHostClockUnsynchronised)
            #expect(found.trigger == own.trigger)
            // A table has no columns for metadata and for the reason of an absence.
            if name == "jsonl" {
                #expect(found.content == own.content && found.metadata == own.metadata)
            }
            #expect(found.remarks == own.remarks, "\(own.remarks?.all ?? [])")
        }
    }

    @Test(arguments: ["fhir", "fhir-ndjson"]) func fhir_GivesValuesAndRemarksBack(_ name: String) throws {
        let exporter = name == "fhir" ? Exporter.fhir : .fhirNDJSON
        let readings = Self.noted(Self.texts + Self.trimmedTexts) + Self.odd.dropFirst()
        let found = try back(exporter, readings, device: "00091ffffe000101", [("subject", "1=Patient/p1")])
        try #require(found.count == readings.count)
        for (found, own) in zip(found, readings) {
            #expect(found.id == own.id && found.revision == own.revision && found.flags == own.flags && found.measured == own.measured)
            #expect(found.remarks == own.remarks && (found.trigger == .manual) == own.isEntered, "\(own.remarks?.all ?? [])")
            guard case (.bloodPressure(let found), .bloodPressure(let own)) = (found.content, own.content) else { continue }
            #expect(
                found.systolic == own.systolic && found.diastolic == own.diastolic && found.mean == own.mean && found.pulse == own.pulse)
        }
    }

    /// Both have the label HTEST of FHIR, which does not tell them apart.
    @Test(
        arguments: [.demoData, .testData, [.testData, .demoData], [.demoData, .averaged]] as [MeasurementFlags], ["fhir", "fhir-ndjson"])
    func fhir_GivesTestAndDemonstrationDataBack(_ flags: MeasurementFlags, _ name: String) throws {
        let own = Self.reading(48) { $0.flags = flags }
        let choices = [("subject", "1=Patient/p1")]
        let exporter = name == "fhir" ? Exporter.fhir : .fhirNDJSON
        #expect(try back(exporter, [own], device: "A", choices).map(\.flags) == [flags])
        let text = try WorkedExample.export(exporter, [own], from: Provenance(driver: "phd", device: "A"), choices).text
        #expect(text.contains("v3-ActReason\",\"code\":\"HTEST\""))
        #expect(text.contains("demo_data") == flags.contains(.demoData), "a server needs no other note for test data: \(text)")
    }

    @Test(arguments: ["apple-health", "omh"]) func otherFormats_GiveTheValuesBack(_ name: String) throws {
        let exporter = name == "omh" ? Exporter.omh : .appleHealth
        let readings = Self.noted(Self.texts) + Self.odd.filter { $0.content != WorkedExample.kilopascals.content }
        let found = try back(exporter, readings, device: #"A,"B"<&'>;=C "#)
        try #require(found.count == readings.count)
        for (found, own) in zip(found.sorted { ($0.measured?.seconds ?? 0) < ($1.measured?.seconds ?? 0) }, readings) {
            guard case (.bloodPressure(let found), .bloodPressure(let own)) = (found.content, own.content) else { continue }
            #expect(found.systolic == own.systolic && found.diastolic == own.diastolic && found.pulse == own.pulse)
        }
    }

    /// The rules of the line protocol: in measurement and tags, backslashes escape commas, blanks and (in tags) equals signs; in a text
    /// only quotes and backslashes.
    @Test(arguments: [#"A,"B";=C "#, #"ends in \"#, "two\nlines", "🩺 é", "=1+1", #"\,\ \="#, " "]) func influx_IsParsedByItsRules(
        _ device: String
    ) throws {
        var reading = WorkedExample.corrected
        reading.person = #"Ann "A\", =b, "# + "\n🩺"
        let text = try WorkedExample.export(.influx, [reading], from: Provenance(driver: "phd", device: device)).text
        #expect(text.filter { $0 == "\n" }.count == 1 && text.last == "\n")
        // Separators that no backslash and no quote hides.
        var parts = [""]
        var isQuoted = false, isEscaped = false
        for character in text.dropLast() {
            if isEscaped {
                parts[parts.count - 1].append(character)
                isEscaped = false
                continue
            }
            if character == "\\" { isEscaped = true } else if character == "\"", parts.count == 2 { isQuoted.toggle() }
            if character == " ", !isQuoted { parts.append("") } else if character != "\\" { parts[parts.count - 1].append(character) }
        }
        try #require(parts.count == 3 && parts[2] == "1777959200000321822", "\(text)")
        #expect(
            parts[1].hasPrefix(#"systolic_mmHg=128,diastolic_mmHg=82,mean_mmHg=97,pulse_per_min=71,person="Ann "A\", =b,  🩺","#), "\(text)")
        let plain = device.replacing("\\", with: "_").replacing("\n", with: "_")
        #expect(parts[0] == "blood_pressure,device=\(plain),driver=phd", "\(parts[0])")
    }
}
