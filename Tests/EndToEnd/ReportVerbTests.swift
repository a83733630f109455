import Foundation
import Testing

@Suite struct ReportVerbTests {
    private let scratch: Scratch
    private var database: String { scratch.path("bp.db") }

    init() throws { scratch = try Scratch() }

    private func cuff(_ arguments: String..., config: String = "") async throws -> CuffProcess {
        let file = scratch.path("config.toml")
        try config.write(toFile: file, atomically: true, encoding: .utf8)
        return try await CuffProcess.run(arguments + ["--db", database], environment: ["CUFF_CONFIG": file])
    }

    private func fill() async throws {
        for (day, systolic) in [(5, "120"), (6, "133")] {
            let run = try await cuff("add", systolic, "80", "71", "--at", "2026-05-0\(day)T07:30", "--note", "cold")
            #expect(run.status == 0, "\(run.errors)")
        }
    }

    /// Rule, guideline and language of the configuration, and options that override them.
    @Test func theConfiguration_SetsRuleGuidelineAndLanguage() async throws {
        try await fill()
        let config = "[report]\nrule = \"nice-ng136\"\nguideline = \"acc-aha-2025\"\nlang = \"de\"\n"
        let page = try await cuff("report", "-o", "-", config: config)
        #expect(page.status == 0, "\(page.errors)")
        // NICE leaves out the first day; (120 + 133) / 2 would be 127. 80 is at the threshold, so it has a decimal.
        for words in ["<html lang=\"de\">", "<b>133/80,0</b>", "NICE NG136, 2019", "ohne den ersten Tag", "130/80 mmHg: 2 von 2 Messungen"]
        {
            #expect(page.output.contains(words), "\(words)")
        }
        let other = try await cuff("report", "-o", "-", "--lang", "en", "--rule", "all", "--guideline", "esc-2024", config: config)
        for words in ["<html lang=\"en\">", "<b>127/80</b>", "mean of all readings", "135/85 mmHg: 0 of 2 readings"] {
            #expect(other.output.contains(words), "\(words)")
        }
        let average = try await cuff("average", "--json", config: config)
        #expect(average.objects("average").first?["rule"] as? String == "nice-ng136", "\(average.errors)")
    }

    @Test(arguments: ["rule = \"nice\"", "lang = \"xx\"", "guideline = 3", "colour = \"red\""])
    func aMistakeInTheConfiguration_IsNamedWithItsLine(_ line: String) async throws {
        let run = try await cuff("report", "-o", "-", config: "[report]\n\(line)\n")
        #expect(run.status == 78 && run.errors.contains("config.toml:2"), "\(run.errors)")
    }

    @Test func anUnknownLanguage_IsAnErrorOfUse() async throws {
        try await fill()
        let run = try await cuff("report", "-o", "-", "--lang", "xx")
        #expect(run.status == 64 && run.errors.contains("languages are en, de") && run.output.isEmpty, "\(run.errors)")
    }

    /// The ids of the appendix are those of the database.
    @Test func explain_PrintsTheIds() async throws {
        try await fill()
        let ids = try await cuff("show", "--json").objects("blood_pressure").compactMap { $0["id"] as? String }
        let page = try await cuff("report", "-o", "-", "--explain").output
        #expect(ids.count == 2)
        for id in ids { #expect(page.contains("<td>\(id)</td>"), "\(id)") }
        #expect(page.contains("Average. Exact mean of 2 readings: Systolic 253/2; Diastolic 80; Pulse 71"))
    }
}
