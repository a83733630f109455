import CuffCore
import Testing

@testable import CuffClinical

/// The readings of the worked examples in public documents, as a store returns them.
enum WorkedExample {
    static let zone = BucketingTests.berlin
    static let context = ExportContext(
        zone: zone, made: Timestamp(seconds: 1_777_960_800), source: HealthSource(name: "cuff", version: "1.0.0"), host: "pi-7")
    static let agent = Provenance(
        driver: "phd", device: "00091ffffe000101",
        identity: DeviceIdentity(manufacturer: "A&D Medical", model: "UA-767PBT-C", serial: "5080500101", firmware: "1.02"))

    /// 128/82/97, pulse 71, irregular, moved; the cuff's clock 110 s behind.
    static var corrected: Reading {
        var reading = Reading(
            .bloodPressure(.mmHg(128, 82, mean: 97, pulse: 71)), driver: "phd", flags: [.irregularPulse, .bodyMovement],
            clock: .time(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: 30)), origin: .push, raw: RawBytes([]))
        reading.id = id(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: 30), 0xD33C_245D_2BE4_B540)
        reading.measured = Timestamp(seconds: 1_777_959_200)
        reading.measuredOffset = 120
        reading.rule = .corrected
        reading.received = Timestamp(milliseconds: 1_777_959_600_120)
        return reading
    }

    /// 16.0/10.7/12.4 kPa, pulse 66, improper position; only the cuff's own time.
    static var kilopascals: Reading {
        func kPa(_ mantissa: Int64) -> Pressure { Pressure(Digits(mantissa: mantissa, exponent: -1), .kPa) }
        let time = DeviceTime(year: 2026, month: 5, day: 7, hour: 8, minute: 0, second: 30)
        var reading = Reading(
            .bloodPressure(BloodPressure(systolic: kPa(160), diastolic: kPa(107), mean: kPa(124), pulse: PulseRate(66))), driver: "phd",
            flags: [.improperPosition], clock: .time(time), origin: .push, raw: RawBytes([]))
        reading.id = id(time, 0x5322_25E7_8E28_52A2)
        return reading
    }

    /// 128/82, pulse 71, to the minute.
    static var minutes: Reading {
        let time = DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)
        var reading = Reading(
            .bloodPressure(.mmHg(128, 82, pulse: 71)), driver: "beurer-serial", user: 1, clock: .time(time), origin: .memory,
            raw: RawBytes([]))
        reading.id = id(time, 0x45D9_621A_E0EE_0919)
        return reading
    }

    static func id(_ time: DeviceTime, _ hash: UInt64) -> Reading.ID { Reading.ID(wallSeconds: time.wallSeconds, hash: hash) }

    /// A whole export, and what was left out.
    static func export(
        _ exporter: Exporter, _ readings: [Reading], from provenance: Provenance = agent, _ choices: [(String, String)] = []
    ) throws -> (text: String, omissions: [ExportOmission]) {
        var chosen = ExportChoices()
        for (name, value) in choices { chosen.choose(name, value) }
        var writer = try exporter.writer(chosen, context)
        return write(&writer, readings, from: provenance)
    }

    static func write(
        _ writer: inout any ExportWriter, _ readings: [Reading], from provenance: Provenance = agent
    ) -> (text: String, omissions: [ExportOmission]) {
        var text = TextBuffer()
        var omissions: [ExportOmission] = []
        writer.begin(to: &text)
        for reading in readings {
            do throws(ExportOmission) { try writer.append(reading, from: provenance, parts: [.values, .events], to: &text) } catch {
                omissions.append(error)
            }
        }
        writer.end(to: &text)
        return (text.string, omissions)
    }
}

@Suite struct ExporterTests {
    @Test func names_AreDistinct_AndFoundByThemselves() throws {
        #expect(Set(Exporter.all.map(\.name)).count == Exporter.all.count)
        for exporter in Exporter.all {
            #expect(try Exporter.named(exporter.name).name == exporter.name)
            #expect(exporter.help.hasSuffix("."))
        }
        #expect(throws: ExportFault.unknownExporter("yaml", known: Exporter.all.map(\.name))) { try Exporter.named("yaml") }
    }

    @Test func optionsOfOneName_AreOneOption() {
        let all = Exporter.all.flatMap(\.options)
        for option in Exporter.options().map(\.option) { #expect(all.filter { $0.name == option.name }.allSatisfy { $0 == option }) }
        #expect(Exporter.options().first { $0.option.name == "low-pulse" }?.exporters == ["jsonl", "apple-health"])
    }

    @Test func choices_AreChecked() {
        func fault(_ exporter: Exporter, _ choices: (String, String)...) -> ExportFault? {
            do { _ = try WorkedExample.export(exporter, [], choices) } catch { return error as? ExportFault }
            return nil
        }
        #expect(fault(.csv, ("raw", "")) == .optionNotTaken(option: "raw", exporter: "csv"))
        #expect(fault(.csv, ("csv-dialect", "tab")) == .unknownWord(option: "csv-dialect", value: "tab", words: ["rfc4180", "semicolon"]))
        #expect(fault(.csv, ("csv-dialect", "rfc4180"), ("csv-dialect", "rfc4180")) == .repeated(option: "csv-dialect"))
        #expect(fault(.jsonl, ("low-pulse", "x")) == .notANumber(option: "low-pulse", value: "x"))
        #expect(fault(.jsonl, ("low-pulse", "90"), ("high-pulse", "60")) == .limitsCross)
        #expect(fault(.fhir) == .missing(option: "subject", exporter: "fhir"))
        #expect(fault(.fhir, ("subject", "1=p1")) == .notAReference("1=p1"))
        #expect(fault(.fhir, ("subject", "99999999999=Patient/1")) == .notAReference("99999999999=Patient/1"))
        #expect(fault(.fhir, ("subject", "1=Patient/a"), ("subject", "1=Patient/b")) == .subjectTwice("1=Patient/b"))
        #expect(fault(.fhir, ("subject", "Patient/a"), ("subject", "1=Patient/b")) == .subjectTwice("Patient/a"))
        #expect(fault(.fhirNDJSON, ("subject", "1=Patient?identifier=a|b")) == .conditionalReference("Patient?identifier=a|b"))
        #expect(fault(.fhir, ("subject", "1=Patient?identifier=a|b")) == nil)
    }

    @Test func anExporterOfOnesOwn_TakesTheSamePath() throws {
        struct Pulses: ExportWriter {
            mutating func append(
                _ reading: Reading, from provenance: Provenance, parts: ExportParts, to text: inout TextBuffer
            ) throws(ExportOmission) {
                guard let pulse = reading.bloodPressure?.pulse else { throw .noValue }
                text.append(pulse.digits)
                text.append(0x0A)
            }
        }
        let own = Exporter("pulses", help: "Pulses.") { (_, _) throws(ExportFault) in Pulses() }
        #expect(try Exporter.named("pulses", among: Exporter.all + [own]).name == "pulses")
        let made = try WorkedExample.export(own, [WorkedExample.corrected, WorkedExample.kilopascals])
        #expect(made.text == "71\n66\n" && made.omissions.isEmpty)
    }

    /// Readings without a usable time or subject, or incomplete, are not sent, with a reason.
    @Test(arguments: ["fhir", "fhir-ndjson", "omh", "influx", "apple-health"]) func omissions_HaveTheirReason(name: String) throws {
        let isFHIR = name.hasPrefix("fhir")
        var unset = WorkedExample.minutes
        unset.clock = .unset
        var pending = WorkedExample.minutes
        pending.isPending = true
        var invalid = WorkedExample.minutes
        invalid.flags = [.invalid]
        var other = WorkedExample.minutes
        other.user = 3
        let failed = Reading(.failure(.init(.cuffLoose, code: "E44")), driver: "x", clock: unset.clock, origin: .memory, raw: RawBytes([]))
        let made = try WorkedExample.export(
            Exporter.named(name), [unset, pending, failed] + (isFHIR ? [other] : name == "influx" ? [] : [invalid]),
            isFHIR ? [("subject", "1=Patient/p1")] : [])
        let failure: ExportOmission = isFHIR || name == "influx" ? .timeUnknown : .failed
        let last: [ExportOmission] =
            isFHIR ? [.noSubject(.unnamed(slot: 3, cuff: "00091ffffe000101"))] : name == "influx" ? [] : [.excluded(.invalid)]
        #expect(made.omissions == [.timeUnknown, .incomplete, failure] + last)
        #expect(!made.text.contains("128"))
    }
}

@Suite struct StoredZipTests {
    /// The published check value of CRC-32.
    @Test func check() {
        var check = CRC32()
        Array("123456789".utf8).withUnsafeBytes { check.add($0) }
        #expect(check.value == 0xCBF4_3926)
    }

    /// Byte by byte by the tables of APPNOTE; 0xB368C142 is zlib's CRC-32 of the data.
    @Test func file_IsWhatTheDocumentSays() {
        var zip = StoredZip(
            path: "a/b", modified: DeviceTime(year: 2026, month: 5, day: 11, hour: 13, minute: 46, second: 41))
        var file = TextBuffer()
        zip.begin(to: &file)
        var data = TextBuffer()
        data.append("<a/>\n")
        let fits = zip.add(data)
        #expect(fits)
        file.append("<a/>\n")
        let completion = zip.end(to: &file)
        var bytes = file.array
        for (index, byte) in completion.bytes.enumerated() { bytes[completion.offset + index] = byte }
        let common = "1400 0008 0000 D46D AB5C 42C168B3 05000000 05000000 0300"
        let expected =
            "504B0304 \(common) 0000 612F62 3C612F3E0A 504B0102 1403 \(common) 0000 0000 0000 0000 00008081 00000000 612F62"
            + " 504B0506 0000 0000 0100 0100 31000000 26000000 0000"
        #expect(hex(bytes) == expected.filter { $0 != " " })
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
