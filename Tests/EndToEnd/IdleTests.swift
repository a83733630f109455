import Foundation
import Glibc
import Testing

/// An idle watch has no timer, no polling and no thread that wakes up. `Tests/idle` tests longer, with the release binary's memory.
@Suite struct IdleTests {
    @Test(.disabled(if: Sanitizer.isRunning, "a sanitizer causes wake-ups"), .timeLimit(.minutes(5)))
    func idleWatch_NeverWakes() async throws {
        let scratch = try Scratch()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CuffProcess.path)
        process.arguments = ["watch", "--no-config", "--sink", "sqlite:\(scratch.path("bp.db"))"]
        // A schedule in the user's state folder would be work.
        process.environment = ProcessInfo.processInfo.environment.merging([
            "HOME": scratch.path("home"), "XDG_STATE_HOME": scratch.path("state"),
        ]) {
            $1
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { process.terminate() }
        let identifier = process.processIdentifier
        // Dispatch keeps threads of the start for some seconds, and their end is a context switch, too; those of a thread that ended
        // are missing from the sum. One of the measurements must be zero, because serial devices that come and go cause work.
        var seen: [Int] = []
        try await Task.sleep(for: .seconds(4))
        for _ in 0..<4 {
            let before = try #require(Self.switches(of: identifier))
            try await Task.sleep(for: .seconds(10))
            seen.append(try #require(Self.switches(of: identifier), "it is still there") - before)
            if seen.last == 0 { break }
        }
        #expect(seen.last == 0, "context switches in 10 s each: \(seen)")
        // Debug builds share the toolchain's libraries; only private memory counts.
        let own = try #require(Self.field("RssAnon", of: "/proc/\(identifier)/status"))
        #expect(own < 12 * 1024, "\(own) KiB of its own")
    }

    /// The context switches of all its threads so far.
    private static func switches(of process: pid_t) -> Int? {
        guard let tasks = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task") else { return nil }
        return tasks.reduce(0) { sum, task in
            let status = "/proc/\(process)/task/\(task)/status"
            return sum + (field("voluntary_ctxt_switches", of: status) ?? 0)
        }
    }

    private static func field(_ name: String, of file: String) -> Int? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        return text.split(separator: "\n").first { $0.hasPrefix(name + ":") }?.split(whereSeparator: { !$0.isNumber }).first.flatMap {
            Int($0)
        }
    }
}
