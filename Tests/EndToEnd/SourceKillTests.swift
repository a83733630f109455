import Foundation
import Testing

/// Programs as sources of a watch (`Tests/Sources/check.py`), with few kills of the program and of `cuff`; `make test-kill` sets
/// `CUFF_KILLS=500`.
@Suite(.timeLimit(.minutes(30))) struct SourceKillTests {
    private static let rounds = ProcessInfo.processInfo.environment["CUFF_KILLS"].flatMap { Int($0) } ?? 3
    private static let isPythonThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    private func check(_ section: String, limit: Double) async throws -> CuffProcess {
        let script = CuffProcess.folder.path + "/Tests/Sources/check.py"
        return try await CuffProcess.run(
            executable: "/usr/bin/python3", [script, CuffProcess.path, section], environment: ["KILLS": "\(Self.rounds)"], limit: limit)
    }

    @Test(.enabled(if: isPythonThere, "python3 is not installed"))
    func killed_AtAnyInstant_LosesNothing_AndDoublesNothing() async throws {
        let run = try await check("kill", limit: 240 + Double(Self.rounds) * 2)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    @Test(
        .enabled(if: isPythonThere, "python3 is not installed"), arguments: ["folder", "omblepy", "protocol", "sinks", "persons", "faults"])
    func sources_KeepToTheProtocol_AndFaultsOfOthersAreContained(_ section: String) async throws {
        let run = try await check(section, limit: 400)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }
}
