import Foundation
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(3))) struct OutputFormTests {
    private let scratch: Scratch
    private var database: String { scratch.path("bp.db") }
    init() throws { scratch = try Scratch() }

    private static let captures = CuffProcess.folder.appendingPathComponent("captures").path

    private func cuff(_ arguments: String...) async throws -> CuffProcess { try await CuffProcess.run(arguments + ["--db", database]) }

    /// Examples of `--help` with jq use keys that exist.
    @Test func jqExamples_NameKeysThatArePrinted() async throws {
        #expect(try await cuff("add", "128", "82", "71", "--at", "2026-05-05T07:30", "--user", "1").status == 0)
        for verb in [["stats"], ["average"], ["drivers"], ["sinks", "kinds"]] {
            let help = try await CuffProcess.run(verb + ["--help"]).output.replacing(#/\s+/#, with: " ")
            let parts = help.components(separatedBy: " | jq ")
            #expect(parts.count > 1, "\(verb): \(help)")
            for (before, after) in zip(parts, parts.dropFirst()) {
                let start = try #require(before.range(of: "cuff ", options: .backwards))
                let words = before[start.upperBound...].split(separator: " ").map(String.init)
                let path = try #require(after.prefixMatch(of: #/(?:-r )?'?((?:\.[A-Za-z_]+)+)/#)?.output.1, "\(after.prefix(40))")
                let hasDatabase = ["stats", "average"].contains(words[0])
                let run = try await CuffProcess.run(words + (hasDatabase ? ["--db", database] : []))
                let first = try #require(run.objects().first, "\(words): \(run.errors)")
                let value = path.split(separator: ".").reduce(first as Any?) { ($0 as? [String: Any])?[String($1)] }
                #expect(value != nil, "\(words) \(path)")
            }
        }
    }

    @Test(arguments: [
        (["export", "--format", "jsnol"], "did you mean `--format jsonl`?"),
        (["export", "--format", "FHIR"], "did you mean `--format fhir`?"),
        (["stats", "--by", "weak"], "did you mean `--by week`?"), (["stats", "--by", "day-part"], "did you mean `--by daypart`?"),
        (["stats", "--by", "fortnights"], "write e.g. --by 6h"),
    ]) func aWordThatIsNearlyRight_GetsTheRightOne(_ arguments: [String], _ hint: String) async throws {
        let run = try await CuffProcess.run(arguments + ["--db", database])
        #expect(run.status == 64 && run.errors.contains(hint), "\(run.errors)")
    }

    @Test func showValues_AsJSON_AreObjects() async throws {
        let cuff = try await SimulatedCuff("par-nibp", ["--speed", "5"], in: scratch)
        let measured = try await CuffProcess.run(
            cuff.arguments("measure", ["--sink", "sqlite:\(database)"]), environment: cuff.environment)
        #expect(measured.status == 0, "\(measured.errors)")
        let arguments = ["show", "--db", database, "--type", "quantity_series", "--values"]
        for more in [[], ["--by-owner"]] {
            let rows = try await CuffProcess.run(arguments + more).lines
            let run = try await CuffProcess.run(arguments + more + ["--json"])
            let values = run.objects("quantity_value")
            #expect(!values.isEmpty && values.count == run.lines.count && values.count == rows.count, "\(run.output)")
            for (value, row) in zip(values, rows) {
                let cells = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                #expect(value["time"] as? String == cells[0] && value["unit"] as? String == cells[2])
                #expect((value["value"] as? Double) == Double(cells[1]))
                #expect(value["reading"] as? String == (more.isEmpty ? nil : cells[3]))
            }
        }
    }

    @Test func explainOfAForeignFile_SaysSo() async throws {
        let foreign = scratch.path("noise.bin")
        try Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 128) }).write(to: URL(fileURLWithPath: foreign))
        for file in [foreign, "\(Self.captures)/and-std/last-result.capture"] {
            let run = try await CuffProcess.run(["decode", "--driver", "phd", "--explain", file])
            #expect(run.status == 65, "\(file): \(run.status)")
            #expect(run.errors.contains("has no frame of phd") && run.errors.contains("cuff identify"), "\(run.errors)")
            #expect(run.output.contains("bytes of no APDU"), "\(run.output)")
        }
    }

    /// Every systolic pressure of the expected lines has its byte; the sum is the last of eight bytes.
    @Test func explain_NamesTheBytesOfEveryFamily() async throws {
        let run = try await CuffProcess.run(["decode", "--driver", "taidoc", "--explain", "\(Self.captures)/taidoc/two-records.capture"])
        #expect(run.status == 0, "\(run.errors)")
        for line in try String(contentsOfFile: "\(Self.captures)/taidoc/two-records.expected.jsonl", encoding: .utf8).split(separator: "\n")
        {
            let reading = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let systolic = try #require(reading["systolic_mmHg"] as? NSNumber)
            #expect(run.lines.contains { $0.hasPrefix("< ") && $0.hasSuffix("systolic \(systolic) mmHg") }, "\(run.output)")
        }
        #expect(run.lines.contains { $0.hasSuffix(" check") } && run.lines.contains { $0.hasPrefix("> 0000  51 ") }, "\(run.output)")
    }

    @Test func aDraft_ShowsFramesAndChecksOfARecording() async throws {
        let run = try await CuffProcess.run(["drivers", "--draft", "\(Self.captures)/taidoc/two-records.capture"])
        #expect(run.status == 0 && run.output.contains("start 51, 8 bytes"), "\(run.output) \(run.errors)")
        #expect(run.output.contains("the last byte: sum from byte 0 on"), "\(run.output)")
        let json = try await CuffProcess.run(["drivers", "--draft", "\(Self.captures)/taidoc/two-records.capture", "--json"])
        #expect(json.objects("observation").contains { $0["name"] as? String == "check" }, "\(json.output)")
        #expect(try await CuffProcess.run(["drivers", "--draft", "x", "bm58"]).status == 64)
    }

    /// `add --json` prints the line of `show --json`, also for a reading that is there.
    @Test func add_PrintsTheStoredReading() async throws {
        for _ in 0..<2 {
            let run = try await cuff("add", "128", "82", "71", "--at", "2026-05-05T07:30", "--tz", "UTC", "--user", "2", "--json")
            #expect(run.status == 0, "\(run.errors)")
            let reading = try #require(run.objects("blood_pressure").first)
            #expect(run.lines.count == 1 && run.errors.contains(reading["id"] as? String ?? "-"), "\(run.output) \(run.errors)")
            #expect(reading["systolic_mmHg"] as? Int == 128 && reading["diastolic_mmHg"] as? Int == 82)
            #expect(reading["pulse_per_min"] as? Int == 71 && reading["user"] as? Int == 2)
            #expect(reading["measured"] as? String == "2026-05-05T07:30:00+00:00")
        }
        let weight = try await cuff("add", "--quantity", "body_mass", "72.5", "--json")
        #expect(weight.objects("quantity").first?["unit"] as? String == "kg", "\(weight.output)")
        #expect(try await cuff("add", "128", "82").output.isEmpty)
    }

    @Test func aFlagWithoutEffect_IsNamedAsTyped() async throws {
        #expect(try await cuff("add", "128", "82", "71").status == 0)
        let json = try await cuff("show", "--plot", "--json")
        #expect(json.status == 64 && json.errors.contains("--json has no effect here"), "\(json.errors)")
        let format = try await cuff("show", "--plot", "--format", "plain")
        #expect(format.status == 64 && format.errors.contains("--format has no effect here"), "\(format.errors)")
    }

    @Test func aProblemReport_ReplacesAFile_OnlyWithForce() async throws {
        let file = try scratch.write("report.txt", "old")
        let refused = try await cuff("doctor", "--report", file)
        #expect(refused.status == 73 && refused.errors.contains("or add --force"), "\(refused.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "old")
        #expect(try await cuff("doctor", "--report", file, "--force").status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("A report of cuff."))
        #expect(try await cuff("doctor", "--force").status == 64)
    }

    @Test func aLinkOfThePage_HasAnAddress() async throws {
        let state = ["XDG_STATE_HOME": scratch.path("state")]
        for address in ["foo", "https://", "ftp://cuff.example.org"] {
            let run = try await CuffProcess.run(["web", "link", "--at", address], environment: state)
            #expect(run.status == 64 && run.output.isEmpty && run.errors.contains("is not the address of a page"), "\(run.errors)")
        }
        let run = try await CuffProcess.run(["web", "link", "--at", "https://cuff.example.org/"], environment: state)
        #expect(run.status == 0 && run.output.hasPrefix("https://cuff.example.org/?token="), "\(run.output) \(run.errors)")
    }

    @Test func aSecondReport_TakesTheNextFreeName() async throws {
        #expect(try await cuff("add", "128", "82", "71").status == 0)
        let folder = scratch.path("pages")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func report(_ more: [String]) async throws -> CuffProcess {
            try await CuffProcess.run(
                executable: "/usr/bin/env", ["-C", folder, CuffProcess.path, "report", "--db", database] + more)
        }
        for name in ["report.html", "report-2.html", "report-3.html"] {
            let run = try await report([])
            #expect(run.status == 0 && run.errors.contains("cuff: \(name): 1 reading"), "\(run.errors)")
        }
        // A file name given by the user is kept, and the next free one suggested.
        let named = try await report(["-o", "report.html"])
        #expect(named.status == 73, "\(named.errors)")
        #expect(named.errors.contains("e.g. report-4.html, or add --force"), "\(named.errors)")
        #expect(try await report(["--force"]).errors.contains("cuff: report.html: 1 reading"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["report-2.html", "report-3.html", "report.html"])
    }

    @Test func configCheck_RefusesAUserThatNoCuffHas() async throws {
        for (users, status) in [("{ 0 = \"Anna\" }", 78), ("{ 1 = \"Anna\" }", 0)] {
            let path = try scratch.write("c.toml", "[device.x]\nmatch = \"port:1-1.2\"\ndriver = \"taidoc\"\nusers = \(users)\n")
            let run = try await CuffProcess.run(["config", "check", "--config", path])
            #expect(run.status == Int32(status), "\(run.errors)")
            if status != 0 { #expect(run.errors.contains("user numbers from 1 on"), "\(run.errors)") }
        }
    }
}
