import Foundation
import TestSupport
import Testing

/// A time that was sent with its offset from UTC is the same instant on every computer.
@Suite struct OwnOffsetTests {
    /// The cuff's stamp is EDA3FF32, i.e. 2026-05-05 05:31:30 UTC, with 0078, i.e. 120 minutes.
    @Test(arguments: ["America/New_York", "Asia/Tokyo"]) func replayedReading_KeepsItInTheDatabaseAndExports(_ zone: String) async throws {
        let folder = try Scratch()
        let path = folder.path("bp.db")
        let capture = ProjectFolder.url.appendingPathComponent("captures/phd/base-offset-time.capture").path
        let environment = ["TZ": zone, "HOME": folder.path("home")]
        let kept = try await CuffProcess.run(["replay", capture, "--sink", "sqlite:\(path)", "--quiet"], environment: environment)
        #expect(kept.status == 0, "\(kept.errors)")
        let shown = try await CuffProcess.run(["show", "--db", path, "--json"], environment: environment).objects("blood_pressure")
        #expect(shown.map { $0["measured"] as? String } == ["2026-05-05T07:31:30+02:00"])
        for (format, key) in [("fhir", "effectiveDateTime"), ("omh", "date_time")] {
            let run = try await CuffProcess.run(
                ["export", "--db", path, "--format", format] + (format == "fhir" ? ["--subject", "Patient/p1"] : []),
                environment: environment)
            #expect(run.status == 0 && run.output.contains("\"\(key)\":\"2026-05-05T07:31:30+02:00\""), "\(run.output) \(run.errors)")
            #expect(!run.output.contains("-04:00") && !run.output.contains("+09:00"), "\(format)")
        }
        // Nanoseconds since 1970.
        let influx = try await CuffProcess.run(["export", "--db", path, "--format", "influx"], environment: environment)
        #expect(influx.output.contains(" 1777959090"), "\(influx.output) \(influx.errors)")
    }
}
