import Foundation
import Testing

/// Users of a cuff are different persons: no statistics combine their readings.
@Suite struct PersonTests {
    private let scratch: Scratch
    private var database: String { scratch.path("bp.db") }
    init() throws { scratch = try Scratch() }

    private func cuff(_ arguments: String...) async throws -> CuffProcess {
        try await CuffProcess.run(arguments + ["--db", database, "--tz", "UTC"])
    }

    private func fill(_ users: [String?]) async throws {
        for (index, user) in users.enumerated() {
            let run = try await CuffProcess.run(
                ["add", "\(120 + 10 * index)", "80", "60", "--at", "2026-05-05T07:0\(index)", "--db", database, "--tz", "UTC"]
                    + (user.map { ["--user", $0] } ?? []))
            #expect(run.status == 0, "\(run.errors)")
        }
    }

    @Test func stats_AreMadeForEachPerson() async throws {
        try await fill(["1", "2", nil])
        let lines = try await cuff("stats", "--format", "jsonl").objects("statistics")
        #expect(lines.map { $0["user"] as? Int } == [1, 2, nil])
        #expect(lines.map { ($0["systolic_mmHg"] as? [String: Any])?["avg"] as? Int } == [120, 130, 140])
        #expect(lines.map { $0["count"] as? Int } == [1, 1, 1])
        let table = try await cuff("stats", "--format", "table")
        #expect(table.lines.filter { $0.hasPrefix("User ") || $0 == "Without a user" } == ["User 1", "User 2", "Without a user"])
        // A range of half an hour is widened to the day, with all its users.
        let part = try await cuff("stats", "--since", "2026-05-05T07:01", "--until", "2026-05-05T07:02", "--format", "jsonl")
        #expect(part.objects("statistics").map { $0["user"] as? Int } == [1, 2, nil])
        for (choice, value) in [("1", 120), ("none", 140)] {
            let one = try await cuff("stats", "--user", choice, "--format", "jsonl").objects("statistics")
            #expect(one.count == 1)
            #expect((one.first?["systolic_mmHg"] as? [String: Any])?["avg"] as? Int == value)
        }
    }

    @Test func oneUser_NeedsNoHeading() async throws {
        try await fill(["1", "1"])
        let table = try await cuff("stats", "--format", "table")
        #expect(!table.output.contains("User 1"))
        #expect(try await cuff("stats", "--format", "jsonl").objects("statistics").first?["count"] as? Int == 2)
        #expect(try await cuff("export", "--format", "apple-health").status == 0)
    }

    @Test func plot_IsDrawnForEachPerson() async throws {
        try await fill(["1", "2"])
        let run = try await cuff("show", "--plot")
        #expect(run.lines.filter { $0.hasPrefix("User ") } == ["User 1", "User 2"])
    }

    @Test func report_HasASectionForEachPerson_AndANameForOneOnly() async throws {
        try await fill(["1", "2", nil])
        let page = try await cuff("report", "-o", "-").output
        #expect(page.components(separatedBy: "<section class=\"person p").count - 1 == 3)
        for average in ["120/80", "130/80", "140/80"] { #expect(page.contains("<b>\(average)</b><small>mmHg, all counted")) }
        #expect(page.components(separatedBy: " · 1 reading on 1 day").count - 1 == 3)
        #expect(page.contains("<div class=\"who\">User 2</div>") && page.contains("<div class=\"who\">Without a user</div>"))
        let named = try await cuff("report", "-o", "-", "--person", "Anna")
        #expect(named.status == 64 && named.output.isEmpty)
        #expect(named.errors.contains("user 1, user 2 and readings without a user"), "\(named.errors)")
        let one = try await cuff("report", "-o", "-", "--person", "Anna", "--user", "2")
        #expect(
            one.status == 0 && one.output.contains("130/80") && one.output.components(separatedBy: "<section class=\"person p").count == 2)
    }

    @Test func export_NamesThePersonOfEachLine_OrRefuses() async throws {
        try await fill(["1", "2", "2"])
        let file = scratch.path("export.xml")
        let apple = try await cuff("export", "--format", "apple-health", "-o", file)
        #expect(apple.status == 64)
        #expect(apple.errors.contains("user 1 and user 2") && apple.errors.contains("--user NUMBER"), "\(apple.errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
        let one = try await cuff("export", "--format", "apple-health", "--user", "2")
        #expect(one.output.components(separatedBy: "<Correlation ").count - 1 == 2)
        let lines = try await cuff("export", "--format", "jsonl").objects()
        #expect(lines.map { $0["user"] as? Int } == [1, 2, 2])
        let rows = try await cuff("export", "--format", "csv").output.split(whereSeparator: \.isNewline)
            .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let column = try #require(rows.first?.firstIndex(of: "user"))
        #expect(rows.dropFirst().map { String($0[column]) } == ["1", "2", "2"])
        // A selection of one person's readings, without --user.
        #expect(try await cuff("export", "--format", "apple-health", "--until", "2026-05-05T07:01").status == 0)
    }

    @Test func export_HoldsTheTypesThatWereAskedFor() async throws {
        for arguments in [
            ["150", "80", "130", "--at", "2026-05-05T07:00", "--irregular"], ["120", "80", "60", "--at", "2026-05-06T07:00"],
        ] {
            #expect(try await CuffProcess.run(["add"] + arguments + ["--user", "1", "--db", database, "--tz", "UTC"]).status == 0)
        }
        func types(_ more: String...) async throws -> [String] {
            try await CuffProcess.run(["export", "--db", database, "--tz", "UTC", "--format", "jsonl"] + more).objects()
                .compactMap { $0["type"] as? String }
        }
        #expect(try await types().sorted() == ["blood_pressure", "blood_pressure", "event", "event"])
        #expect(try await types("--type", "blood_pressure") == ["blood_pressure", "blood_pressure"])
        #expect(try await types("--type", "event") == ["event", "event"])
        #expect(try await types("--type", "pulse_rate") == [])
        #expect(try await types("--type", "pulse_rate", "--type", "event") == ["event", "event"])
        let events = try await cuff("export", "--format", "jsonl", "--type", "event").objects()
        #expect(events.allSatisfy { $0["user"] as? Int == 1 })
        func apple(_ more: String...) async throws -> (correlations: Int, events: Int) {
            let text = try await CuffProcess.run(["export", "--db", database, "--tz", "UTC", "--format", "apple-health"] + more).output
            return (text.components(separatedBy: "<Correlation ").count - 1, text.components(separatedBy: "Event\"").count - 1)
        }
        #expect(try await apple() == (2, 2))
        #expect(try await apple("--type", "blood_pressure") == (2, 0))
        #expect(try await apple("--type", "event") == (0, 2))
    }

    @Test func aReadingOfACapture_WasNotTypedIn() async throws {
        let bytes = DecodeReplayTests.frame(128, "2605050731")
        let run = try await CuffProcess.run(["decode", "--driver", "and-std", "--sink", "sqlite:\(database)"], input: bytes)
        #expect(run.status == 0, "\(run.errors)")
        let page = try await cuff("report", "-o", "-").output
        #expect(!page.contains("typed in"))
        #expect(page.contains("1 by the cuff&#39;s clock, not checked"))
    }
}
