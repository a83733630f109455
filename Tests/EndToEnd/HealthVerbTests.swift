import Foundation
import Testing

@Suite struct HealthVerbTests {
    private let scratch: Scratch
    private var database: String { scratch.path("bp.db") }

    init() throws { scratch = try Scratch() }

    private func cuff(_ arguments: String..., input: [UInt8] = []) async throws -> CuffProcess {
        try await CuffProcess.run(arguments + ["--db", database, "--tz", "UTC"], input: input)
    }

    /// Three entered readings; the last one is irregular and fast, and may belong to another user.
    private func fill(lastOf user: String? = nil) async throws -> [String] {
        for arguments in [
            ["120", "80", "60", "--at", "2026-05-05T07:00"], ["130", "85", "70", "--at", "2026-05-05T19:00"],
            ["140", "90", "125", "--at", "2026-05-06T07:00", "--irregular"] + (user.map { ["--user", $0] } ?? []),
        ] {
            let run = try await CuffProcess.run(["add"] + arguments + ["--db", database, "--tz", "UTC"])
            #expect(run.status == 0, "\(run.errors)")
        }
        return try await cuff("show", "--format", "jsonl").objects().compactMap { $0["id"] as? String }
    }

    private func values(_ run: CuffProcess) -> [Int] { run.objects("blood_pressure").compactMap { $0["systolic_mmHg"] as? Int } }

    // MARK: add, show

    @Test func add_MarksWhatAPersonTypedIn_AndAddsItOnce() async throws {
        let ids = try await fill()
        #expect(ids.count == 3)
        let again = try await cuff("add", "120", "80", "60", "--at", "2026-05-05T07:00")
        #expect(again.errors.contains("already stored"))
        let shown = try await cuff("show", "--format", "jsonl")
        #expect(values(shown) == [120, 130, 140])
        #expect(shown.objects().allSatisfy { $0["origin"] as? String == "entered" && $0["trigger"] as? String == "manual" })
        for wrong in [["80", "120"], ["400", "80"], ["120", "80", "60", "--at", "2126-01-01"]] {
            let refused = try await CuffProcess.run(["add"] + wrong + ["--db", database, "--tz", "UTC"])
            #expect(refused.status == 64, "\(wrong)")
        }
        #expect(try await values(cuff("show", "--format", "jsonl")) == [120, 130, 140])
    }

    @Test func show_TakesTheFilters() async throws {
        let ids = try await fill(lastOf: "2")
        #expect(try await values(cuff("show", "--format", "jsonl", "--since", "2026-05-05T12:00")) == [130, 140])
        #expect(try await values(cuff("show", "--format", "jsonl", "--until", "2026-05-05T19:00")) == [120])
        #expect(try await values(cuff("show", "--format", "jsonl", "--user", "2")) == [140])
        #expect(try await values(cuff("show", "--format", "jsonl", "--last", "2")) == [130, 140])
        #expect(try await values(cuff("show", "--format", "jsonl", "--source", "manual")) == [120, 130, 140])
        #expect(try await values(cuff("show", "--format", "jsonl", "--source", "and-std")) == [])
        #expect(try await values(cuff("show", "--format", "jsonl", "--id", ids[1])) == [130])
        #expect(try await values(cuff("show", "--format", "jsonl", "--type", "blood_pressure")) == [120, 130, 140])
        #expect(try await cuff("show", "--format", "jsonl", "--type", "pulse_rate").output.isEmpty)
        #expect(try await cuff("show", "--format", "jsonl", "--device", "dev-2").output.isEmpty)
        let plain = try await cuff("show")
        #expect(plain.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false)[1] } == ["120", "130", "140"])
        let table = try await cuff("show", "--format", "table")
        #expect(table.lines.count == 4)
        #expect(table.lines.last?.contains("140/90") == true && table.lines.last?.contains("irregular pulse") == true)
        for wrong in [["--type", "nonsense"], ["--format", "yaml"], ["--since", "someday"], ["--id", "x"], ["--tz", "Mars/Olympus"]] {
            let run = try await CuffProcess.run(["show", "--db", database] + wrong)
            #expect(run.status == 64, "\(wrong) \(run.errors)")
            #expect(run.output.isEmpty)
        }
        #expect(try await CuffProcess.run(["show", "--db", scratch.path("none.db")]).status == 66)
    }

    @Test func show_Plots_WithinItsColumns() async throws {
        _ = try await fill()
        let run = try await CuffProcess.run(
            ["show", "--db", database, "--tz", "UTC", "--plot"], environment: ["COLUMNS": "60", "LC_ALL": "C", "NO_COLOR": "1"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.count > 5)
        #expect(run.lines.allSatisfy { $0.utf8.count <= 60 })
        #expect(run.output.utf8.allSatisfy { $0 < 0x80 && $0 != 0x1B })
    }

    @Test func events_StandBesideReadings_ByLimitsThatCanBeSet() async throws {
        let ids = try await fill()
        func kinds(_ more: String...) async throws -> [String] {
            try await CuffProcess.run(["show", "--db", database, "--tz", "UTC", "--type", "event", "--format", "jsonl"] + more)
                .objects("event").compactMap { $0["event"] as? String }
        }
        #expect(try await kinds() == ["irregular_pulse", "high_heart_rate"])
        #expect(try await kinds("--high-pulse", "130") == ["irregular_pulse"])
        #expect(try await kinds("--high-pulse", "130", "--low-pulse", "60") == ["low_heart_rate", "irregular_pulse"])
        #expect(try await CuffProcess.run(["show", "--db", database, "--high-pulse", "40", "--low-pulse", "60"]).status == 64)
        let event = try await cuff("show", "--type", "event", "--format", "jsonl").objects("event").last
        #expect(event?["reading"] as? String == ids[2])
        #expect(event?["limit_per_min"] as? Int == 120)
        let exported = try await cuff("export", "--format", "jsonl")
        #expect(
            exported.objects().compactMap { $0["type"] as? String } == [
                "blood_pressure", "blood_pressure", "blood_pressure", "event", "event",
            ])
    }

    @Test func add_KeepsDecimals() async throws {
        #expect(try await cuff("add", "128.5", "82", "71.5", "--at", "@1777966270").status == 0)
        let shown = try #require(try await cuff("show", "--json").objects("blood_pressure").first)
        #expect(shown["systolic_mmHg"] as? Double == 128.5 && shown["diastolic_mmHg"] as? Int == 82)
        #expect(shown["pulse_per_min"] as? Double == 71.5)
        let id = try #require(shown["id"] as? String)
        #expect(try await cuff("edit", id, "--diastolic", "82.5").status == 0)
        let edited = try #require(try await cuff("show", "--json").objects("blood_pressure").first)
        #expect(edited["systolic_mmHg"] as? Double == 128.5 && edited["diastolic_mmHg"] as? Double == 82.5)
        let reversed = try await cuff("add", "82.5", "128")
        #expect(reversed.status == 64 && reversed.errors.contains("82.5/128 looks wrong"), "\(reversed.errors)")
        #expect(try await cuff("add", "128x", "82").status == 64)
    }

    /// 2026-05-05T07:31:10Z is 1,777,966,270 by `date -u -d`.
    @Test func unixTimes_AreTakenAndGiven() async throws {
        #expect(try await cuff("add", "128", "82", "--at", "@1777966270").status == 0)
        let shown = try #require(try await cuff("show", "--json", "--time", "unix").objects("blood_pressure").first)
        #expect(shown["measured_unix_s"] as? Int == 1_777_966_270)
        #expect((shown["measured"] as? String)?.hasPrefix("2026-05-05T07:31:10") == true)
        #expect(try await cuff("show", "--json", "--since", "@1777966271").objects("blood_pressure").isEmpty)
        #expect(try await cuff("show", "--json", "--since", "@1777966270").objects("blood_pressure").count == 1)
        #expect(try await cuff("show", "--format", "plain", "--time", "unix").status == 64)
        #expect(try await cuff("show", "--since", "@yesterday").status == 64)
    }

    @Test func show_TakesConditionsOnReadings() async throws {
        _ = try await fill()
        func count(_ conditions: String...) async throws -> Int {
            try await CuffProcess.run(["show", "--json", "--db", database] + conditions.flatMap { ["--where", $0] }).objects(
                "blood_pressure"
            ).count
        }
        #expect(try await count("systolic>=0") == 3)
        let high = try await count("systolic>=130")
        #expect(try await count("systolic<130") == 3 - high && (1...2).contains(high))
        #expect(try await count("systolic>=130", "systolic<130") == 0)
        #expect(try await cuff("show", "--where", "sdnn>1").status == 64)
    }

    // MARK: stats

    @Test func stats_OfDays_AreWhatAPersonWouldCompute() async throws {
        let ids = try await fill()
        let run = try await cuff("stats", "--by", "day", "--format", "jsonl")
        let days = run.objects("statistics")
        #expect(days.map { $0["bucket"] as? String } == ["2026-05-05", "2026-05-06"])
        #expect(days.map { $0["count"] as? Int } == [2, 1])
        #expect(days.map { $0["manual_count"] as? Int } == [2, 1])
        #expect(days.map { $0["irregular_count"] as? Int } == [0, 1])
        let systolic = try #require(days[0]["systolic_mmHg"] as? [String: Any])
        #expect(systolic["min"] as? Int == 120 && systolic["max"] as? Int == 130 && systolic["avg"] as? Int == 125)
        #expect(systolic["min_id"] as? String == ids[0] && systolic["max_id"] as? String == ids[1])
        #expect(systolic["last"] as? Int == 130 && systolic["last_time"] as? String == "2026-05-05T19:00:00+00:00")
        let diastolic = try #require(days[0]["diastolic_mmHg"] as? [String: Any])
        #expect(diastolic["avg"] as? Double == 82.5)
        // In Kiritimati the evening's reading is on the next day.
        let far = try await CuffProcess.run(["stats", "--db", database, "--tz", "Pacific/Kiritimati", "--format", "jsonl"])
        #expect(far.objects("statistics").map { $0["count"] as? Int } == [1, 2])
    }

    @Test func stats_OfPartOfADay_AreOfTheWholeDay() async throws {
        _ = try await fill()
        func counts(_ more: String...) async throws -> [Int] {
            try await CuffProcess.run(["stats", "--db", database, "--tz", "UTC", "--format", "jsonl"] + more).objects("statistics")
                .compactMap { $0["count"] as? Int }
        }
        #expect(try await counts("--since", "2026-05-05T12:00", "--until", "2026-05-05T13:00") == [2])
        #expect(try await counts("--until", "2026-05-06") == [2])
        #expect(try await counts("--since", "2026-05-05T12:00", "--by", "hour") == [1, 1])
        // Parts of the day are not stretches of time.
        #expect(try await counts("--since", "2026-05-05T12:00", "--by", "daypart") == [1, 1])
    }

    @Test func stats_TakeTheirOptions() async throws {
        _ = try await fill()
        for by in ["day", "week", "month", "hour", "hour-of-day", "daypart"] {
            let run = try await cuff("stats", "--by", by, "--format", "jsonl")
            #expect(run.status == 0, "\(by) \(run.errors)")
            #expect(run.objects("statistics").compactMap { $0["count"] as? Int }.reduce(0, +) == 3, "\(by)")
        }
        let listed = try await cuff("stats", "--readings", "--format", "jsonl").objects("statistics")
        #expect((listed[0]["manual"] as? [Any])?.count == 2, "\(listed[0].keys)")
        #expect((listed[0]["automatic"] as? [Any])?.count == 0)
        for style in ["discrete-arithmetic", "discrete-temporally-weighted"] {
            #expect(try await cuff("stats", "--style", style, "--format", "jsonl").status == 0)
        }
        let sums = try await cuff("stats", "--style", "cumulative")
        #expect(sums.status == 64 && sums.errors.contains("no meaning for pressures"), "\(sums.errors)")
        #expect(try await cuff("stats", "--by", "fortnight").status == 64)
        let table = try await cuff("stats", "--format", "table")
        #expect(table.lines.last == "zone UTC")
    }

    // MARK: export

    @Test func export_IsWrittenWholeOrNotAtAll() async throws {
        _ = try await fill()
        let file = scratch.path("out.csv")
        let first = try await cuff("export", "-o", file)
        #expect(first.status == 0, "\(first.errors)")
        let rows = try String(contentsOfFile: file, encoding: .utf8)
        #expect(rows.hasPrefix("id,revision,type,"))
        #expect(rows.split(whereSeparator: \.isNewline).count == 4)
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let refused = try await cuff("export", "-o", file)
        #expect(refused.status == 73)
        #expect(try await cuff("export", "-o", file, "--force", "--since", "2026-05-06").status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8).split(whereSeparator: \.isNewline).count == 2)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).filter { $0.hasSuffix(".part") }
        #expect(left.isEmpty)
        #expect(try await cuff("export", "-o", scratch.path("no/such/folder.csv")).status == 73)
        #expect(try await cuff("export", "--format", "hieroglyphs").status == 64)
    }

    @Test func export_ForApple_IsValid() async throws {
        _ = try await fill()
        let file = scratch.path("export.xml")
        #expect(try await cuff("export", "--format", "apple-health", "-o", file).status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.components(separatedBy: "<Correlation ").count - 1 == 3)
        #expect(text.contains("HKCategoryTypeIdentifierHighHeartRateEvent"))
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/xmllint") else {
            print("note: xmllint is not installed; the document type was not checked here")
            return
        }
        let lint = try await CuffProcess.run(executable: "/usr/bin/xmllint", ["--noout", "--valid", file])
        #expect(lint.status == 0, "\(lint.errors)")
    }

    @Test func export_OfOnlyWhatIsNew_RemembersByName() async throws {
        _ = try await fill()
        func new(_ name: String, _ more: String...) async throws -> [Int] {
            let run = try await CuffProcess.run(
                ["export", "--db", database, "--tz", "UTC", "--format", "jsonl", "--type", "blood_pressure", "--new", name] + more)
            #expect(run.status == 0, "\(run.errors)")
            return values(run)
        }
        #expect(try await new("doctor") == [120, 130, 140])
        #expect(try await new("doctor") == [])
        // A late reading with an earlier time is new, too.
        #expect(try await cuff("add", "118", "76", "--at", "2026-01-02T08:00").status == 0)
        #expect(try await new("doctor", "--since", "2026-05-01") == [])
        #expect(try await new("doctor") == [118])
        #expect(try await new("o'clock") == [118, 120, 130, 140])
        #expect(try await new("doctor") == [])
        // A failed export delivers nothing.
        let failed = try await cuff("export", "--format", "jsonl", "--new", "nowhere", "-o", scratch.path("no/such/folder"))
        #expect(failed.status == 73)
        #expect(try await new("nowhere").count == 4)
    }

    // MARK: report

    @Test func report_IsOnePage_ThatLoadsNothing() async throws {
        _ = try await fill()
        let file = scratch.path("report.html")
        let run = try await cuff("report", "-o", file, "--person", "A. <Person>")
        #expect(run.status == 0, "\(run.errors)")
        let page = try String(contentsOfFile: file, encoding: .utf8)
        #expect(page.contains("<svg") && page.contains("A. &lt;Person&gt;"))
        #expect(!page.contains("src=") && !page.contains("@import") && !page.contains("<script"))
        #expect(try await cuff("report", "-o", file).status == 73)
        #expect(try await cuff("report", "-o", "-").output.hasPrefix("<!DOCTYPE html>"))
    }

    // MARK: delete

    @Test func delete_AsksFirst_AndKeepsTheCuffFromBringingItBack() async throws {
        let bytes = DecodeReplayTests.frame(128, "2605050731") + DecodeReplayTests.frame(131, "2605050801")
        func read() async throws {
            let run = try await CuffProcess.run(
                ["decode", "--driver", "and-std", "--sink", "sqlite:\(database)"], input: bytes)
            #expect(run.status == 0, "\(run.errors)")
        }
        try await read()
        let ids = try await cuff("show", "--format", "jsonl").objects().compactMap { $0["id"] as? String }
        #expect(ids.count == 2)
        // Without confirmation, without a selection, and a dry run.
        #expect(try await cuff("delete", ids[0]).status == 64)
        #expect(try await cuff("delete", ids[0], "--confirm", "yes").status == 1)
        #expect(try await cuff("delete", "--confirm", "delete").status == 64)
        #expect(try await cuff("delete", ids[0], "--dry-run").errors.contains("1 reading would be deleted"))
        #expect(try await values(cuff("show", "--format", "jsonl")) == [128, 131])
        let deleted = try await cuff("delete", ids[0], "--confirm", "delete")
        #expect(deleted.status == 0, "\(deleted.errors)")
        #expect(try await values(cuff("show", "--format", "jsonl")) == [131])
        // Reading the same memory again does not bring it back.
        try await read()
        #expect(try await values(cuff("show", "--format", "jsonl")) == [131])
        #expect(try await cuff("stats", "--format", "jsonl").objects("statistics").first?["count"] as? Int == 1)
        // Only the id is left in the file.
        let row = try await CuffProcess.run(
            executable: "/usr/bin/sqlite3",
            [database, "select systolic_mmHg is null, device_time is null, length(raw) from reading where id = '\(ids[0])'"])
        #expect(row.output == "1|1|0\n")
        let lifted = try await cuff("delete", ids[0], "--forget")
        #expect(lifted.status == 0, "\(lifted.errors)")
        try await read()
        #expect(try await values(cuff("show", "--format", "jsonl")) == [128, 131])
        // By filter.
        #expect(try await cuff("delete", "--until", "2026-05-05T08:00", "--confirm", "delete").status == 0)
        #expect(try await values(cuff("show", "--format", "jsonl")) == [131])
    }

    @Test func delete_TakesTheSeriesAlong() async throws {
        let cuff = try await SimulatedCuff("par-nibp", ["--speed", "5"], in: scratch)
        let run = try await CuffProcess.run(
            cuff.arguments("measure", ["--sink", "stdout", "--sink", "sqlite:\(database)"]), environment: cuff.environment)
        let id = try #require(run.objects("blood_pressure").first?["id"] as? String)
        let series = ["show", "--db", database, "--tz", "UTC", "--type", "quantity_series"]
        let shown = try await CuffProcess.run(series + ["--id", id])
        #expect(shown.lines.count == 1 && shown.output.contains("quantity_series"))
        let values = try await CuffProcess.run(series + ["--values"])
        #expect(values.lines.count == 23)
        #expect(values.lines.allSatisfy { $0.hasSuffix("\tmmHg") })
        // A few values per second: their times differ, except for values that came at once on a busy machine.
        let times = values.lines.compactMap { $0.split(separator: "\t").first.map(String.init) }
        let exact = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00/
        let whole = times.filter { $0.wholeMatch(of: exact) == nil }
        #expect(times.count == 23 && whole.isEmpty, "\(times)")
        #expect(Set(times).count >= 12 && times == times.sorted(), "\(times)")
        let owned = try await CuffProcess.run(series + ["--values", "--by-owner"])
        #expect(owned.lines.allSatisfy { $0.hasSuffix("\tmmHg\t\(id)") })
        let exported = try await self.cuff("export", "--format", "jsonl")
        #expect(exported.objects("quantity_series").first?["count"] as? Int == 23)
        #expect(try await self.cuff("delete", id, "--confirm", "delete").status == 0)
        #expect(try await CuffProcess.run(series).output.isEmpty)
    }

    // MARK: read by time

    @Test func read_TakesAStretchOfTime_OrOnlyWhatIsNew() async throws {
        // Records 2026-05-05 07:31:10, about 08:46, about 09:55 and so on, by the seed.
        let cuff = try await SimulatedCuff("beurer-serial", ["--count", "6"], in: scratch)
        func read(_ more: String...) async throws -> CuffProcess {
            try await CuffProcess.run(cuff.arguments("read", more + ["--sink", "stdout"]), environment: cuff.environment)
        }
        let all = try await read()
        #expect(all.status == 0, "\(all.errors)")
        let times = all.objects("blood_pressure").compactMap { $0["device_time"] as? String }.sorted()
        try #require(times.count == 6)
        let some = try await read("--since", times[1], "--until", times[4], "--tz", "UTC")
        #expect(some.status == 0, "\(some.errors)")
        #expect(some.objects("blood_pressure").compactMap { $0["device_time"] as? String }.sorted() == Array(times[1..<4]))
        #expect(try await read("--since", times[4], "--until", times[1], "--tz", "UTC").status == 64)
        // New to a database: first all, then none.
        let known = try await CuffProcess.run(
            cuff.arguments("read", ["--new-to", database, "--sink", "stdout", "--sink", "sqlite:\(database)"]),
            environment: cuff.environment)
        #expect(known.objects("blood_pressure").count == 6)
        #expect(try await read("--new-to", database).objects("blood_pressure").isEmpty)
        // A cuff that forgets acknowledged readings cannot be read partially.
        let refused = try await CuffProcess.run(["read", "/dev/not-there", "--driver", "r1", "--since", "7d"])
        #expect(refused.status == 64)
        #expect(refused.errors.contains("forgets"))
    }

    // MARK: capabilities

    @Test func info_TellsWhatAFamilyCan_WithoutAsking() async throws {
        for (driver, can, cannot) in [
            (
                "par-nibp", ["measure", "stop", "live_pressure", "schedule", "schedule_interval", "stored_readings"],
                ["users", "schedule_window"]
            ),
            ("omron-hbp", ["push"], ["measure", "schedule", "stored_readings"]), ("suntech-advantage", ["measure"], ["schedule"]),
        ] {
            let run = try await CuffProcess.run(["info", "/dev/not-there", "--driver", driver, "--json"])
            #expect(run.status == 0, "\(run.errors)")
            let words = Set(run.objects("device").first?["capabilities"] as? [String] ?? [])
            #expect(words.isSuperset(of: can), "\(driver) \(words)")
            #expect(words.isDisjoint(with: cannot), "\(driver) \(words)")
        }
        let par = try await CuffProcess.run(["info", "/dev/not-there", "--driver", "par-nibp", "--json"])
        #expect(par.objects("device").first?["cycles_min"] as? [Int] == [1, 2, 3, 4, 5, 10, 15, 30, 60, 90])
    }
}
