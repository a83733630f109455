import Foundation
import Glibc
import TestSupport
import Testing

/// A helper that never answers and does not read does not outlive `cuff`.
@Suite(.timeLimit(.minutes(3))) struct HungHelperTests {
    /// The second one ignores SIGTERM.
    @Test(arguments: ["", "trap '' TERM; "]) func aHungHelper_EndsWithTheProgram(_ traps: String) async throws {
        let folder = try Scratch()
        let helper = folder.path("hung")
        try TestProgram.write("#!/bin/sh\n\(traps)echo $$ > \"$0.pid\"\necho ready 1\nexec sleep 120\n", to: helper)
        let capture = CuffProcess.folder.appendingPathComponent("captures/and-std/bad-check-then-good.capture").path
        let run = try RunningCuff(
            ["replay", capture, "--tz", "UTC", "-q", "--sink", "sqlite:\(folder.path("bp.db"))", "--sink", "exec+ack:\(helper)?"],
            folder: folder)
        #expect(await run.end() == 0, "\(run.said)")
        let text = try String(contentsOfFile: "\(helper).pid", encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let process = try #require(pid_t(text))
        defer { kill(process, SIGKILL) }
        #expect(try await eventually(5) { !isRunning(process) })
    }

    /// Not so if it waits for its new parent to ask for its status.
    private func isRunning(_ process: pid_t) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return text.split(separator: ") ").last?.hasPrefix("Z") == false
    }
}
