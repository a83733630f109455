import Foundation
import Testing

/// The zone of the cuff's clock, when readings are stored and when they are shown.
@Suite struct ZoneTests {
    private let scratch: Scratch
    private var database: String { scratch.path("bp.db") }
    init() throws { scratch = try Scratch() }

    /// One reading at 07:31 by the cuff's clock.
    private func store(_ systolic: Int, _ zone: String) async throws {
        let run = try await CuffProcess.run(
            ["decode", "--driver", "and-std", "--sink", "sqlite:\(database)", "--tz", zone],
            input: DecodeReplayTests.frame(systolic, "2605050731"))
        #expect(run.status == 0, "\(run.errors)")
    }

    private func times(_ arguments: String...) async throws -> [String] {
        let run = try await CuffProcess.run(["show", "--db", database] + arguments)
        #expect(run.status == 0, "\(run.errors)")
        return run.lines
    }

    /// 07:31 in Tokyo is 22:31 of the day before in UTC, and 07:31 in UTC is 16:31 in Tokyo.
    @Test func aTable_HasTheOffsetsThatDiffer_OrOneZone() async throws {
        try await store(128, "Asia/Tokyo")
        try await store(138, "UTC")
        let stored = try await times("--format", "table")
        #expect(stored.dropFirst().map { String($0.prefix(30)) } == ["2026-05-05 07:31 +0900  128/82", "2026-05-05 07:31        138/82"])
        let tokyo = try await times("--format", "table", "--tz", "Asia/Tokyo")
        #expect(tokyo.dropFirst().map { String($0.prefix(30)) } == ["2026-05-05 07:31        128/82", "2026-05-05 16:31        138/82"])
        let plain = try await times("--format", "plain", "--tz", "UTC")
        #expect(plain.map { String($0.prefix(29)) } == ["2026-05-04T22:31:00+00:00\t128", "2026-05-05T07:31:00+00:00\t138"])
        // JSON has what is stored.
        let lines = try await times("--json", "--tz", "UTC")
        #expect(lines.count == 2 && lines[0].contains("\"measured\":\"2026-05-05T07:31:00+09:00\""), "\(lines)")
    }

    /// A cuff that is read in another country has not measured at another time.
    @Test func readingAgainInAnotherZone_KeepsTheTimes_AndSaysSo() async throws {
        let cuff = try await SimulatedCuff("taidoc", in: scratch)
        func read(_ more: String...) async throws -> CuffProcess {
            try await CuffProcess.run(cuff.arguments("read", ["--sink", "sqlite:\(database)"] + more), environment: cuff.environment)
        }
        let first = try await read()
        #expect(first.status == 0 && !first.errors.contains("another time zone"), "\(first.errors)")
        let before = try await times("--format", "plain")
        #expect(before.count == 3)
        let same = try await read("--tz", "UTC")
        #expect(same.status == 0 && !same.errors.contains("another time zone"), "\(same.errors)")
        let other = try await read("--tz", "Asia/Tokyo")
        #expect(other.status == 0)
        #expect(other.errors.contains("3 stored readings of this cuff keep another time zone: --tz is for new ones"), "\(other.errors)")
        #expect(try await times("--format", "plain") == before)
        #expect(try await read("--tz", "Asia/Tokyo", "--quiet").errors.isEmpty)
        // What the hint says.
        let ids = before.compactMap { $0.split(separator: "\t", omittingEmptySubsequences: false).dropFirst(9).first.map(String.init) }
        for more in [["--confirm", "delete"], ["--forget"]] {
            let run = try await CuffProcess.run(["delete", "--db", database] + ids + more)
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(try await read("--tz", "Asia/Tokyo").status == 0)
        let after = try await times("--format", "plain")
        #expect(after.map { $0.prefix(16) } == before.map { $0.prefix(16) } && after.allSatisfy { $0.contains("+09:00\t") }, "\(after)")
    }
}
