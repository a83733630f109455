import Foundation
import Glibc
import Testing

/// A watch with nothing to do does nothing: no timer, no polling, no thread that wakes. `Tests/idle` looks longer, and at
/// the release binary's memory.
@Suite struct IdleTests {
    @Test(.disabled(if: Sanitizer.isRunning, "a sanitizer wakes up by itself"), .timeLimit(.minutes(2)))
    func idleWatch_NeverWakes() async throws {
        let scratch = try Scratch()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CuffProcess.path)
        process.arguments = ["watch", "--no-config", "--sink", "sqlite:\(scratch.path("bp.db"))"]
        // A plan of somebody's in the state folder would be something to do.
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
        // A thread that served the start is kept by Dispatch for some seconds more, and its end is a switch, too. Of three looks one
        // must find nothing: a machine on which serial devices come and go has something to do.
        var seen: [Int] = []
        try await Task.sleep(for: .seconds(4))
        for _ in 0..<3 {
            let before = try #require(Self.switches(of: identifier))
            try await Task.sleep(for: .seconds(10))
            seen.append(try #require(Self.switches(of: identifier), "it is still there") - before)
            if seen.last == 0 { break }
        }
        #expect(seen.last == 0, "context switches in 10 s each: \(seen)")
        // Debug builds share the toolchain's libraries; what is their own counts here.
        let own = try #require(Self.field("RssAnon", of: "/proc/\(identifier)/status"))
        #expect(own < 12 * 1024, "\(own) KiB of its own")
    }

    /// How often any of its threads was given the processor, so far.
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
