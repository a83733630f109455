import Foundation
import TestSupport
import Testing

/// The output of `cuff export`, checked by other programs.
@Suite struct ExportFormatTests {
    private static let root = ProjectFolder.url
    private static let formats = ["csv", "jsonl", "apple-health", "fhir", "fhir-ndjson", "omh", "influx"]
    private static let options = [
        "csv-dialect", "raw", "low-pulse", "high-pulse", "apple-layout", "subject", "profile", "gateway", "resource", "arm", "posture",
    ]

    @Test func helpAndErrors_ComeFromTheList() async throws {
        let help = try await CuffProcess.run(["help", "export"]).output
        for format in Self.formats { #expect(help.contains("\(format): "), "\(format)") }
        for option in Self.options { #expect(help.contains("--\(option)"), "\(option)") }
        let unknown = try await CuffProcess.run(["export", "--format", "yaml"])
        #expect(unknown.status == 64 && unknown.errors.contains(Self.formats.joined(separator: ", ")), "\(unknown.errors)")
        let other = try await CuffProcess.run(["export", "--format", "influx", "--subject", "1=Patient/p1"])
        #expect(other.status == 64 && other.errors.contains("--format fhir or --format fhir-ndjson"), "\(other.errors)")
        #expect(try await CuffProcess.run(["export", "--nonsense", "1"]).status == 64)
    }

    @Test func completions_OfferFormatsAndTheirOptions() async throws {
        for shell in ["bash", "zsh", "fish"] {
            let script = try await CuffProcess.run(["--generate-completion-script", shell]).output
            for option in Self.options { #expect(script.contains(option), "\(shell) \(option)") }
            for word in Self.formats + ["correlation", "semicolon", "semi-recumbent", "phd"] {
                #expect(script.contains(word), "\(shell) \(word)")
            }
        }
    }

    @Test func document_NamesEveryFormatAndOption() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("docs/EXPORTS.md"), encoding: .utf8)
        for format in Self.formats { #expect(page.contains("| `\(format)` |"), "\(format)") }
        for option in Self.options { #expect(page.contains("`--\(option)"), "\(option)") }
    }

    /// By schemas, models and validators; missing ones are reported.
    @Test func formats_AreValidForOthers() async throws {
        let run = try await CuffProcess.run(
            executable: "/bin/sh", [Self.root.appendingPathComponent("Tests/Exports/run").path, CuffProcess.path], limit: 300)
        for line in run.output.split(separator: "\n") where line.hasPrefix("skipped") { print("note: exports: \(line)") }
        #expect(run.status == 0, "\(run.output) \(run.errors)")
        #expect(run.output.contains("every check holds"))
    }
}
