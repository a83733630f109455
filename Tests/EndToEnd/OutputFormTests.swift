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
            #expect(run.errors.contains("holds no IEEE 11073 APDU") && run.errors.contains("cuff identify"), "\(run.errors)")
            #expect(run.output.contains("bytes of no APDU"), "\(run.output)")
        }
    }

    @Test func aDraft_ShowsFramesAndChecksOfARecording() async throws {
        let run = try await CuffProcess.run(["drivers", "--draft", "\(Self.captures)/taidoc/two-records.capture"])
        #expect(run.status == 0 && run.output.contains("start 51, 8 bytes"), "\(run.output) \(run.errors)")
        #expect(run.output.contains("the last byte: sum from byte 0 on"), "\(run.output)")
        let json = try await CuffProcess.run(["drivers", "--draft", "\(Self.captures)/taidoc/two-records.capture", "--json"])
        #expect(json.objects("observation").contains { $0["name"] as? String == "check" }, "\(json.output)")
        #expect(try await CuffProcess.run(["drivers", "--draft", "x", "bm58"]).status == 64)
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
