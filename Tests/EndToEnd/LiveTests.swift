import Foundation
import Testing

/// A simulated cuff on a pseudo terminal, read by the built command.
@Suite struct LiveTests {
    @Test(arguments: ["and-std"])
    func read_OfAPushingCuff_GivesEveryReadingOnce(_ driver: String) async throws {
        let scratch = try Scratch()
        let port = scratch.path("port")
        let simulator = try SpawnedCuff(["simulate", driver, "--count", "3", "--every", "100ms", "--link", port])
        try await appeared(port)
        let read = try await CuffProcess.run([
            "read", port, "--driver", driver, "--follow", "--max", "3", "--timeout", "15s", "--sink", "stdout",
            "--sink", "sqlite:\(scratch.path("bp.db"))",
        ])
        #expect(read.status == 0, "\(read.errors)")
        #expect(read.objects("blood_pressure").count == 3)
        let count = try await CuffProcess.run(
            executable: "/usr/bin/sqlite3", [scratch.path("bp.db"), "select count(*), count(distinct id) from readings"])
        #expect(count.output == "3|3\n")
        let received = read.objects("blood_pressure").compactMap { $0["received"] as? String }
        #expect(received.count == 3)
        simulator.signal(SIGTERM)
    }

    @Test func read_OfASilentPort_EndsInTime_AndSaysSo() async throws {
        let scratch = try Scratch()
        let port = scratch.path("port")
        let simulator = try SpawnedCuff(["simulate", "and-std", "--count", "0", "--link", port])
        try await appeared(port)
        let read = try await CuffProcess.run(["read", port, "--driver", "and-std"])
        #expect([69, 75, 76].contains(read.status), "\(read.status) \(read.errors)")
        #expect(!read.errors.isEmpty)
        #expect(read.output.isEmpty)
        simulator.signal(SIGTERM)
    }

    @Test func read_UpToAMaximum_IsComplete() async throws {
        let scratch = try Scratch()
        let port = scratch.path("port")
        let simulator = try SpawnedCuff(["simulate", "taidoc", "--count", "100", "--link", port])
        try await appeared(port)
        let read = try await CuffProcess.run(["read", port, "--driver", "taidoc", "--max", "1", "--no-store"])
        #expect(read.status == 0 && !read.objects("blood_pressure").isEmpty, "\(read.errors)")
        #expect(!read.errors.contains("before the cuff had sent everything"), "\(read.errors)")
        simulator.signal(SIGTERM)
    }

    private func appeared(_ path: String) async throws {
        for _ in 0..<200 {
            if FileManager.default.fileExists(atPath: path) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("\(path) did not appear")
    }
}
