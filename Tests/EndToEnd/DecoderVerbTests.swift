import Foundation
import TestSupport
import Testing

@testable import cuff

/// The verbs that show which version decoded a reading.
@Suite struct DecoderVerbTests {
    @Test func theVersion_IsShownExportedAndExplained_AndNotPrintedByFilters() async throws {
        let folder = try Scratch()
        let path = folder.path("bp.db")
        let capture = ProjectFolder.url.appendingPathComponent("captures/beurer-serial/two-records.capture").path
        #expect(try await CuffProcess.run(["replay", capture, "--tz", "UTC", "--sink", "sqlite:\(path)", "--quiet"]).status == 0)
        let decoder = "cuff/\(Cuff.version) beurer-serial/1"
        let shown = try await CuffProcess.run(["show", "--db", path, "--json"]).objects("blood_pressure")
        #expect(shown.count == 2 && shown.allSatisfy { $0["decoder"] as? String == decoder })
        let id = try #require(shown.first?["id"] as? String)
        let one = try await CuffProcess.run(["show", "--db", path, "--id", id, "--format", "table"])
        #expect(one.lines.last == "  read with \(decoder)", "\(one.output)")
        let report = try await CuffProcess.run(["report", "--db", path, "--explain", "-o", "-"])
        #expect(report.output.contains("Read with: \(decoder) (2)."), "\(report.errors)")
        let csv = try await CuffProcess.run(["export", "--db", path, "--format", "csv"])
        let rows = csv.output.split(whereSeparator: \.isNewline)
        #expect(rows.count == 3 && rows.dropFirst().allSatisfy { $0.hasSuffix(",\(decoder)") })
        // What decodes the bytes is the program that prints them.
        let printed = try await CuffProcess.run(["replay", capture])
        #expect(printed.objects("blood_pressure").count == 2 && !printed.output.contains("decoder"))
        let sheet = try await CuffProcess.run(["drivers", "beurer-serial"])
        #expect(sheet.lines.contains { $0.hasPrefix("revision") && $0.contains(" 1, ") })
    }
}
