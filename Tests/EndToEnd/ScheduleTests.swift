import Foundation
import Testing

@Suite(.serialized) struct ScheduleTests {
    @Test func aCuffWithCyclesOfItsOwn_IsSetToThem() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("par-nibp", in: scratch)
        func schedule(_ more: String...) async throws -> CuffProcess {
            try await CuffProcess.run(cuff.arguments("schedule", more + ["--json"]), environment: cuff.environment)
        }
        #expect(try await schedule().objects("schedule").first?["by"] is NSNull)
        let set = try await schedule("set", "--every", "15m")
        #expect(set.status == 0, "\(set.errors)")
        for run in [set, try await schedule("get")] {
            #expect(run.objects("schedule").first?["by"] as? String == "cuff")
            #expect(run.objects("schedule").first?["every_min"] as? Int == 15)
        }
        // A watch is informed, so that it can detect a silent cuff.
        let note = try #require(try schedules(cuff).first)
        let told = try String(contentsOfFile: note, encoding: .utf8)
        #expect(note.contains("/cycle-") && told.hasPrefix("1 par-nibp 15 "), "\(note): \(told)")
        // A cycle of the module that is not allowed for host schedules.
        #expect(try await schedule("set", "--every", "3m").objects("schedule").first?["every_min"] as? Int == 3)
        // Not a cycle of the module: the watch executes it, and the module's own cycle is off.
        let kept = try await schedule("set", "--every", "20m", "--from", "08:00", "--to", "22:00")
        #expect(kept.objects("schedule").first?["by"] as? String == "watch")
        #expect(kept.objects("schedule").first?["from"] as? String == "08:00")
        #expect(try schedules(cuff).allSatisfy { !$0.contains("/cycle-") })
        #expect(try await schedule("off").objects("schedule").first?["by"] is NSNull)
        #expect(try schedules(cuff).isEmpty)
    }

    @Test func whatCannotBe_IsRefused_WithASentence() async throws {
        let scratch = try Scratch()
        let environment = ["XDG_STATE_HOME": scratch.path("state")]
        for (driver, more, word) in [
            ("omron-hbp", ["set", "--every", "15m"], "cannot measure automatically"),
            ("suntech-advantage", ["set", "--every", "3m"], "between inflations"), ("suntech-advantage", ["set"], "needs an interval"),
            ("suntech-advantage", ["set", "--every", "15m", "--from", "9:00"], "not a valid time range"),
            ("suntech-advantage", ["set", "--every", "90s"], "whole minutes"),
            ("suntech-advantage", ["get", "--every", "15m"], "no times"),
            ("suntech-advantage", ["get", "--for", "24h"], "no times"),
            ("suntech-advantage", ["set", "--every", "20m", "--night", "22:00-07:00"], "belong together"),
            ("suntech-advantage", ["set", "--every", "20m", "--night", "22:00", "--every-night", "30m"], "not a valid time range"),
            ("suntech-advantage", ["set", "--every", "20m", "--night", "22:00-22:00", "--every-night", "30m"], "not a valid time range"),
            ("suntech-advantage", ["set", "--every", "20m", "--night", "22:00-07:00", "--every-night", "4m"], "between inflations"),
            (
                "suntech-advantage",
                ["set", "--every", "20m", "--night", "22:00-07:00", "--every-night", "30m", "--from", "08:00", "--to", "22:00"],
                "--night has no effect"
            ), ("suntech-advantage", ["set", "--every", "20m", "--for", "10m"], "not the length of a schedule"),
            ("suntech-advantage", ["set", "--every", "20m", "--tz", "UTC"], "--tz has no effect"),
            ("suntech-advantage", ["remove"], "unknown action"),
            ("suntech-advantage", ["set", "--every", "15m", "--tz", "Mars/Olympus"], "time zone"),
        ] {
            let run = try await CuffProcess.run(["schedule", "/dev/not-there", "--driver", driver] + more, environment: environment)
            #expect(run.status == 64, "\(driver) \(more): \(run.errors)")
            #expect(run.errors.contains(word), "\(run.errors)")
        }
    }

    /// The module's own cycles have no night interval, so the watch executes the schedule.
    @Test func aDayAndANight_AreKeptByTheWatch_WithTheirEnd() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("par-nibp", in: scratch)
        func schedule(_ more: String...) async throws -> CuffProcess {
            try await CuffProcess.run(cuff.arguments("schedule", more), environment: cuff.environment)
        }
        let set = try await schedule(
            "set", "--every", "15m", "--night", "22:00-07:00", "--every-night", "30m", "--for", "24h", "--tz", "Europe/Berlin")
        #expect(set.status == 0, "\(set.errors)")
        #expect(set.output.contains("every 15 min, by night (22:00 to 07:00) every 30 min, until "), "\(set.output)")
        let get = try await schedule("get", "--json")
        let object = try #require(get.objects("schedule").first)
        #expect(object["by"] as? String == "watch" && object["every_min"] as? Int == 15 && object["night_every_min"] as? Int == 30)
        #expect(object["night_from"] as? String == "22:00" && object["night_to"] as? String == "07:00")
        let until = try #require((object["until"] as? String).flatMap { ISO8601DateFormatter().date(from: $0) })
        #expect(abs(until.timeIntervalSinceNow - 86400) < 120)
        #expect(set.output.contains(" (Europe/Berlin); 0 so far") && object["zone"] as? String == "Europe/Berlin", "\(set.output)")
        #expect(try await schedule("get").output == set.output)
        // Every hour of the day is the same in any zone.
        let always = try await schedule("set", "--every", "20m", "--json")
        #expect(always.objects("schedule").first?["by"] as? String == "watch" && !always.output.contains("zone"), "\(always.output)")
        #expect(try await schedule("off", "--json").objects("schedule").first?["by"] is NSNull)
    }

    @Test func watch_KeepsThePlan_OverARestart_AndSaysWhatItMissed() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("suntech-advantage", ["--speed", "5"], in: scratch, limit: 150)
        let set = try await CuffProcess.run(cuff.arguments("schedule", ["set", "--every", "5m"]), environment: cuff.environment)
        #expect(set.status == 0, "\(set.errors)")
        #expect(set.output.contains("`cuff watch` measures every 5 min"))
        let file = try #require(try schedules(cuff).first)
        let now = Int(Date().timeIntervalSince1970)
        // The window started this minute, and the last check was two days ago.
        func due(handled: Int) throws {
            let minute = now % 86400 / 60
            let head = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")[0]
            let state = "1 5 \(minute) \((minute + 30) % 1440) \(handled) 0\n"
            try Data("\(head)\n\(state)".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
        }
        try due(handled: now - 2 * 86400)
        let database = scratch.path("bp.db")
        let arguments = [
            "watch", "--no-config", "--assign", "\(cuff.port)=suntech-advantage", "--sink", "stdout", "--sink", "sqlite:\(database)",
        ]
        let watch = try SpawnedCuff(arguments, environment: cuff.environment)
        #expect(try await watch.prints { $0.output.contains("\"cuff_pressure\"") }, "\(watch.errors)")
        // Killed while the cuff inflates: the next watch deflates it, and does not repeat the measurement.
        watch.signal(SIGKILL)
        _ = await watch.end()
        #expect(watch.errors.contains("measurements from") && watch.errors.contains("were missed: this program did not run"))
        let again = try SpawnedCuff(arguments, environment: cuff.environment)
        #expect(try await cuff.running.prints { _ in cuff.deflations == 1 }, "\(again.errors)")
        #expect(try await again.prints { $0.output.contains("\"origin\":\"memory\"") })
        try await Task.sleep(for: .milliseconds(500))
        #expect(!again.output.contains("\"started\""))
        again.signal(SIGINT)
        let end = await again.end()
        #expect(end.status == 0 || end.status == 130, "\(end.errors)")
    }

    @Test func watch_MeasuresByThePlan_AndReadingsSaySo() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("suntech-advantage", ["--speed", "5"], in: scratch, limit: 150)
        let database = scratch.path("bp.db")
        let watch = try SpawnedCuff(
            [
                "watch", "--no-config", "--assign", "\(cuff.port)=suntech-advantage", "--sink", "stdout", "--sink", "sqlite:\(database)",
            ], environment: cuff.environment)
        #expect(try await watch.prints { $0.output.contains("\"origin\":\"memory\"") }, "\(watch.errors)")
        // The schedule is added while the watch runs. Its window starts this minute and was not handled yet.
        let now = Int(Date().timeIntervalSince1970)
        let minute = now % 86400 / 60
        let clock = { (minutes: Int) in String(format: "%02d:%02d", minutes / 60 % 24, minutes % 60) }
        let set = try await CuffProcess.run(
            cuff.arguments("schedule", ["set", "--every", "5m", "--from", clock(minute), "--to", clock(minute + 30), "--tz", "UTC"]),
            environment: cuff.environment)
        #expect(set.status == 0, "\(set.errors)")
        #expect(try await watch.prints { $0.errors.contains("measuring every 5 minutes") })
        #expect(!watch.output.contains("\"automatic\""))
        let file = try #require(try schedules(cuff).first)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        watch.signal(SIGINT)
        _ = await watch.end()
        var state = lines[1].split(separator: " ").map(String.init)
        state[4] = "\(now - 240)"
        try Data("\(lines[0])\n\(state.joined(separator: " "))\n".utf8).write(to: URL(fileURLWithPath: file))
        let next = try SpawnedCuff(
            ["watch", "--no-config", "--assign", "\(cuff.port)=suntech-advantage", "--sink", "stdout", "--sink", "sqlite:\(database)"],
            environment: cuff.environment)
        #expect(try await next.prints { $0.output.contains("\"event\":\"ended\"") }, "\(next.output) \(next.errors)")
        next.signal(SIGINT)
        let run = await next.end()
        let automatic = run.objects("blood_pressure").filter { $0["trigger"] as? String == "automatic" }
        #expect(automatic.count == 1)
        #expect(run.objects("measurement").compactMap { $0["event"] as? String } == ["started", "ended"])
        let statistics = try await CuffProcess.run([
            "stats", "--db", database, "--by", "day", "--readings", "--format", "jsonl", "--tz", "UTC",
        ])
        #expect(statistics.output.contains((automatic.first?["id"] as? String) ?? "none"), "\(statistics.output)")
        let told = try await CuffProcess.run(cuff.arguments("schedule", ["get", "--json"]), environment: cuff.environment)
        #expect(told.objects("schedule").first?["measured"] as? Int == 1)
    }

    private func schedules(_ cuff: SimulatedCuff) throws -> [String] {
        let folder = cuff.state + "/cuff/schedules"
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix(".part") }.map { "\(folder)/\($0)" }
    }
}
