import Foundation
import Glibc
import Testing

/// The program in Examples/, which embeds the libraries, with a simulated cuff.
@Suite struct ExampleTests {
    private static let program = URL(fileURLWithPath: CuffProcess.path).deletingLastPathComponent().appendingPathComponent(
        "EmbeddingExample"
    ).path

    @Test func theExample_Measures_WithItsHandlers() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("par-nibp", ["--speed", "5"], in: scratch)
        let run = try await CuffProcess.run(executable: Self.program, ["measure", cuff.port, "par-nibp"], environment: cuff.environment)
        #expect(run.status == 0)
        #expect(run.lines.first == "started")
        #expect(run.lines.last == "ended with a result" || run.lines.last?.hasPrefix("par-nibp: 129") == true)
        #expect(run.lines.count { $0.hasSuffix("mmHg in the cuff") } == 23)
        #expect(run.lines.contains { $0.hasPrefix("par-nibp: 129.0/65.0 mmHg, pulse 87.0") }, "\(run.output)")
    }

    @Test func theExample_ReadsInALoop() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("beurer-serial", in: scratch)
        let reference = try await CuffProcess.run(
            ["read", cuff.port, "--driver", "beurer-serial", "--no-store", "--sink", "stdout"], environment: cuff.environment)
        let run = try await CuffProcess.run(executable: Self.program, ["read", cuff.port, "beurer-serial"], environment: cuff.environment)
        #expect(run.status == 0)
        #expect(reference.lines.count > 1)
        #expect(run.lines.count == reference.lines.count, "\(run.output)")
        for (line, json) in zip(run.lines, reference.lines) {
            let pressures = try #require(line.firstMatch(of: /: (\d+)\.0\/(\d+)\.0 mmHg/))
            #expect(json.contains("\"systolic_mmHg\":\(pressures.1),\"diastolic_mmHg\":\(pressures.2)"), "\(line) \(json)")
        }
    }

    /// The cuff is behind a socket of the program.
    @Test func theExample_ReadsBytesOfItsOwn() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("beurer-serial", in: scratch)
        let reference = try await CuffProcess.run(
            executable: Self.program, ["read", cuff.port, "beurer-serial"], environment: cuff.environment)
        let run = try await CuffProcess.run(executable: Self.program, ["stack", cuff.port, "beurer-serial"], environment: cuff.environment)
        #expect(run.status == 0 && run.lines.count > 1)
        #expect(run.lines == reference.lines, "\(run.output)")
    }

    /// CONTRIBUTING's example of a durable sink: reading the cuff again stores nothing twice.
    @Test func theExample_StoresEachReadingOnce() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("taidoc", in: scratch)
        let folder = scratch.path("readings")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for _ in 1...2 {
            let run = try await CuffProcess.run(
                executable: Self.program, ["store", cuff.port, "taidoc", folder], environment: cuff.environment)
            #expect(run.status == 0, "\(run.output) \(run.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.count == 3, "\(names)")
            for name in names {
                let line = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
                #expect(line.hasPrefix("{\"type\":\"blood_pressure\""), "\(line)")
            }
        }
    }

    /// Saving, changes, statistics and series, one run after the other on one database.
    @Test func theExample_KeepsAndQueries() async throws {
        let scratch = try Scratch()
        let database = scratch.path("bp.db")
        func lines(_ verb: String) async throws -> [String] {
            let run = try await CuffProcess.run(executable: Self.program, [verb, database], environment: ["TZ": "UTC"])
            #expect(run.status == 0, "\(run.errors)")
            return run.lines
        }
        let saved = try await lines("keep")
        #expect(saved.count == 2 && saved.allSatisfy { $0.hasPrefix("saved 20260505T0533") }, "\(saved)")
        #expect(try await lines("keep") == saved)
        #expect(try await lines("changes").count == 2)
        #expect(try await lines("changes").isEmpty)
        let days = try await lines("statistics")
        #expect(days.first == "2026-05-05: 1 readings, 128.5 mmHg on average", "\(days)")
        #expect(days.dropFirst().first?.hasPrefix("  the highest is 128.5, reading 20260505T0533") == true)
        #expect(try await lines("series") == ["5 values, 63.0 to 67.0"])
        let stored = try await CuffProcess.run(["stats", "--db", database, "--quantity", "heart_rate", "--json", "--tz", "UTC"])
        #expect(stored.objects("statistics").map { $0["count"] as? Int } == [6], "the pulse, and five values")
    }

    /// A daemon: every reading in a database, and the latest one in a file that is always whole.
    @Test func theExample_ServesTheLatestReading() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("beurer-serial", in: scratch)
        let (database, file) = (scratch.path("bp.db"), scratch.path("latest.json"))
        let daemon = try RunningCuff(
            ["latest", database, file, "\(cuff.port)=beurer-serial"], folder: scratch, name: "daemon", executable: Self.program)
        var stored: [String] = []
        let isComplete = try await eventually {
            guard FileManager.default.fileExists(atPath: file) else { return false }
            stored = try await CuffProcess.run(["show", "--db", database, "--json"]).objects("blood_pressure").compactMap {
                $0["id"] as? String
            }
            return stored.count == 3
        }
        #expect(isComplete, "\(stored)")
        daemon.signal(SIGTERM)
        #expect(await daemon.end() == 0)
        let latest = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file))) as? [String: Any]
        #expect((latest?["id"] as? String).map(stored.contains) == true, "\(latest ?? [:])")
    }

    @Test func theExample_SaysWhatACuffCannot() async throws {
        let run = try await CuffProcess.run(executable: Self.program, ["measure", "/dev/not-there", "omron-hbp"])
        #expect(run.output.contains("cannot be started remotely"))
    }
}
