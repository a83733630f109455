import CuffCore
import CuffIngest
import Foundation
import Testing

@Suite struct AverageVerbTests {
    private let scratch: Scratch
    private var database: String { scratch.path("bp.db") }
    init() throws { scratch = try Scratch() }

    private func cuff(_ arguments: String...) async throws -> CuffProcess {
        try await CuffProcess.run(arguments + ["--db", database, "--tz", "Europe/Berlin"])
    }

    private func add(_ time: String, _ systolic: Int, _ diastolic: Int, user: Int32? = nil, flags: MeasurementFlags = []) throws {
        let zone = try HostZone.named("Europe/Berlin")
        let entry = ManualEntry(
            .mmHg(systolic, diastolic, pulse: 70), at: try HostZone.instant(time, zone), user: user, flags: flags)
        _ = try HealthRuns.add(entry, zone: zone, to: database)
    }

    /// Seven days of two morning and two evening readings; day 4 has no evening, day 5 a third morning reading, day 6 an invalid
    /// one, and the last session starts at 23:58. The means by each rule were computed with exact fractions.
    private func fillWeek(user: Int32? = nil, raisedBy more: Int = 0) throws {
        let week: [(day: Int, rows: [(String, Int, Int)])] = [
            (4, [("07:05", 148, 94), ("07:07", 144, 92), ("20:30", 141, 90), ("20:32", 139, 88)]),
            (5, [("07:10", 138, 87), ("07:12", 134, 85), ("20:20", 135, 84), ("20:22", 131, 83)]),
            (6, [("06:58", 137, 88), ("07:00", 135, 86), ("21:05", 133, 84), ("21:07", 130, 82)]),
            (7, [("07:30", 139, 88), ("07:32", 136, 86)]),
            (8, [("07:02", 136, 87), ("07:04", 133, 85), ("07:06", 132, 84), ("20:40", 134, 85), ("20:42", 130, 83)]),
            (9, [("07:15", 140, 89), ("07:17", 137, 87), ("20:12", 134, 85)]),
            (10, [("07:00", 138, 88), ("07:02", 135, 86), ("23:58", 132, 84)]), (11, [("00:00", 129, 82)]),
        ]
        for (day, rows) in week {
            for (clock, systolic, diastolic) in rows {
                try add("2026-05-\(day < 10 ? "0" : "")\(day)T\(clock)", systolic + more, diastolic, user: user)
            }
        }
        try add("2026-05-09T20:10", 199, 40, user: user, flags: .invalid)
    }

    private func exact(_ line: [String: Any]?, _ path: String...) -> String? {
        var object = line
        for key in path { object = object?[key] as? [String: Any] }
        return object?["exact"] as? String
    }

    @Test func average_OfAWeek_IsTheRulesOwn() async throws {
        try fillWeek()
        let run = try await cuff("average", "--rule", "nice-ng136", "--json")
        let nice = try #require(run.objects("average").first, "\(run.errors)")
        #expect(exact(nice, "systolic_mmHg") == "1479/11" && exact(nice, "diastolic_mmHg") == "939/11")
        #expect((nice["systolic_mmHg"] as? [String: Any])?["text"] as? String == "134.5")
        #expect(nice["readings"] as? Int == 22 && nice["days"] as? Int == 6 && nice["complete"] as? Bool == true)
        #expect(nice["left_out"] as? [String: Int] == ["first_days": 4, "invalid": 1])
        #expect(nice["rule_year"] as? Int == 2019 && nice["day_1"] as? String == "2026-05-04")
        // Printed, but not compared until the plan is known to be an adult's.
        #expect((nice["threshold"] as? [String: Any])?["systolic_mmHg"] as? Int == 135)
        #expect((nice["threshold"] as? [String: Any])?["diastolic_reached"] == nil && nice["class"] == nil)
        let all = try await cuff("average", "--json").objects("average").first
        #expect(exact(all, "systolic_mmHg") == "1765/13" && exact(all, "diastolic_mmHg") == "1121/13")
        #expect(all?["threshold"] == nil && all?["class"] == nil && all?["rule_year"] == nil)
        let jsh = try await cuff("average", "--rule", "jsh-2019", "--json").objects("average").first
        #expect(exact(jsh, "morning", "systolic_mmHg") == "965/7" && exact(jsh, "evening", "diastolic_mmHg") == "1015/12")
        let own = try await cuff("average", "--leave-out-days", "1", "--per-session", "2", "--json").objects("average").first
        #expect(exact(own, "systolic_mmHg") == "942/7" && exact(own, "diastolic_mmHg") == "598/7")
        let differing = try #require(nice["day_to_day"] as? [String: Any])
        #expect(exact(differing, "systolic_mmHg", "arv") == "33/10")
        #expect((differing["systolic_mmHg"] as? [String: Any])?["sd"] as? Double == 1.9089)
        #expect((differing["systolic_mmHg"] as? [String: Any])?["cv_percent"] as? Double == 1.4153)
    }

    /// A file to which exports were appended: lines twice, a corrected reading before and after the earlier version, and one deleted.
    @Test func linesOfOneReading_CountOnce() async throws {
        func line(_ time: String, _ systolic: Int, _ hash: Int, _ more: String = "") -> String {
            let id = time.filter { $0.isNumber || $0 == "T" } + "00-000000000000000\(hash)"
            return #"{"type":"blood_pressure","schema":1,"id":"\#(id)","driver":"manual","systolic_mmHg":\#(systolic),"diastolic_mmHg":80,"#
                + #""measured":"\#(time):00+02:00","origin":"entered"\#(more)}"#
        }
        let first = line("2026-05-05T07:30", 120, 1)
        let lines = [
            line("2026-05-07T07:30", 150, 3, #","revision":1"#), first, line("2026-05-06T07:30", 130, 2), first,
            #"{"type":"deleted","schema":1,"id":"20260506T073000-0000000000000002"}"#, line("2026-05-07T07:30", 190, 3),
            line("2026-05-05T07:30", 122, 1, #","revision":1"#), line("2026-05-06T07:30", 130, 2),
        ]
        let file = scratch.path("all.jsonl")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
        let run = try await CuffProcess.run(["average", file, "--json", "--tz", "Europe/Berlin"])
        let average = try #require(run.objects("average").first, "\(run.errors)")
        #expect(average["readings"] as? Int == 2 && exact(average, "systolic_mmHg") == "136")
        let narrow = try await CuffProcess.run(["average", file, "--json", "--tz", "Europe/Berlin", "--until", "2026-05-06"])
        #expect(exact(narrow.objects("average").first, "systolic_mmHg") == "122")
        // Lines of another program, whose ids repeat.
        try Data((first + "\n" + line("2026-05-05T07:30", 140, 1) + "\n" + first + "\n").utf8).write(to: URL(filePath: file))
        let others = try await CuffProcess.run(["average", file, "--json", "--tz", "Europe/Berlin"])
        #expect(exact(others.objects("average").first, "systolic_mmHg") == "130", "\(others.errors)")
    }

    /// A reading whose clock was never set is in no range, and each verb says that it was left out.
    @Test(arguments: ["average", "stats", "show", "export"]) func aReadingWithoutATime_IsSaidToBeLeftOut(_ verb: String)
        async throws
    {
        try add("2026-05-05T07:30", 120, 80)
        let line =
            #"{"type":"blood_pressure","schema":1,"id":"00000000T000000-0000000000000009","driver":"r1","device":"r1-1","#
            + #""systolic_mmHg":151,"diastolic_mmHg":99,"clock":"unset","received":"2026-05-01T07:30:00Z","origin":"memory"}"#
        let file = scratch.path("unset.jsonl")
        try Data((line + "\n").utf8).write(to: URL(filePath: file))
        #expect(try await cuff("import", file, "--yes").status == 0)
        let run = try await CuffProcess.run([verb, "--since", "2026-05-04", "--db", database, "--tz", "Europe/Berlin"])
        #expect(run.status == 0 && run.errors.contains("1 reading is left out: its time is unknown"), "\(run.errors)")
        #expect(run.output.contains("120") && !run.output.contains("151"), "\(run.output)")
        #expect(try await CuffProcess.run([verb, "--db", database]).errors.contains("its time is unknown") == (verb == "stats"))
    }

    @Test func aClass_IsPrintedOfAnAdultsMeanByItsName() async throws {
        try fillWeek()
        let line = try await cuff("average", "--rule", "nice-ng136", "--adult", "--json").objects("average").first
        #expect((line?["threshold"] as? [String: Any])?["systolic_reached"] as? Bool == false)
        #expect((line?["threshold"] as? [String: Any])?["diastolic_reached"] as? Bool == true)
        let found = try #require(line?["class"] as? [String: Any])
        #expect(
            found["name"] as? String == "in the range of stage 1" && found["year"] as? Int == 2019
                && found["guideline"] as? String == "nice-ng136")
        let jsh = try await cuff("average", "--rule", "jsh-2019", "--adult", "--format", "table")
        #expect(jsh.output.contains("grade I (") && jsh.output.contains("jsh-2019 is superseded by jsh-2025"), "\(jsh.output)")
        #expect(jsh.output.contains("; morning: systolic at or above it, diastolic at or above it; evening: systolic below it, diastolic"))
        let few = try await cuff("average", "--rule", "esh-2021", "--adult", "--until", "2026-05-06T21:06", "--format", "table")
        #expect(
            few.output.contains("too few for esh-2021: 11 of 12 readings, those left out included") && !few.output.contains("class  "),
            "\(few.output)")
        let office = try await cuff(
            "average", "--guideline", "esh-2023", "--setting", "office", "--adult", "--json")
        #expect((office.objects("average").first?["class"] as? [String: Any])?["name"] as? String == "high-normal")
        let one = try await cuff("average", "--guideline", "esc-2024", "--adult", "--until", "2026-05-04T07:06", "--json")
        #expect(one.objects("average").first?["readings"] as? Int == 1 && one.objects("average").first?["class"] == nil)
    }

    /// An outdated rule prints its results and its successor; unverified rules are marked wherever they are printed.
    @Test func outdatedRules_SayWhatReplacesThem() async throws {
        try fillWeek()
        let old = try await cuff("average", "--rule", "htn-canada", "--adult", "--json").objects("average").first
        #expect(old?["rule"] as? String == "htn-canada-2017" && old?["rule_superseded_by"] as? String == "htn-canada-2025")
        #expect((old?["threshold"] as? [String: Any])?["superseded_by"] as? String == "htn-canada-2025")
        let new = try await cuff("average", "--rule", "htn-canada-2025", "--adult", "--json").objects("average").first
        #expect((new?["threshold"] as? [String: Any])?["systolic_mmHg"] as? Int == 130 && new?["rule_superseded_by"] == nil)
        let table = try await cuff("average", "--rule", "jsh-2025", "--adult", "--format", "table")
        #expect(table.lines.first?.hasSuffix("; from memory, not checked against the guideline") == true, "\(table.output)")
        let day = try await cuff(
            "ambulatory", "--rule", "htn-canada", "--since", "2026-05-04", "--until", "2026-05-05", "--format", "table")
        #expect(day.output.contains("htn-canada-2017 is superseded by htn-canada-2025"), "\(day.output)")
        #expect(day.output.contains("of 20 by day") && !day.output.contains("of 70 %"), "all four were made")
        let rules = try await CuffProcess.run(["average", "--rules", "--json"])
        let esc = try #require(rules.objects("rule").first { $0["name"] as? String == "esc-2024" && $0["kind"] as? String == "average" })
        let numbers = try #require(esc["numbers"] as? [[String: Any]])
        #expect(numbers.allSatisfy { $0["evidence"] as? String == "guideline" && $0["quotation"] is String } && esc["doi"] is String)
        #expect(rules.objects("guideline").count == 14)
    }

    @Test func readings_SayWhatBecameOfThem() async throws {
        try fillWeek()
        let lines = try await cuff("average", "--rule", "nice-ng136", "--readings", "--json").objects("average_reading")
        #expect(lines.count == 27)
        #expect(lines.prefix(4).allSatisfy { $0["reason"] as? String == "first_days" && $0["day"] as? Int == 1 })
        #expect(lines.count { $0["counts"] as? Bool == true } == 22)
        #expect(lines.filter { $0["reason"] as? String == "invalid" }.map { $0["systolic_mmHg"] as? Int } == [199])
        let last = try #require(lines.last)
        #expect(last["measured"] as? String == "2026-05-11T00:00:00+02:00" && last["day"] as? Int == 7)
        #expect(last["window"] as? String == "evening" && last["number_in_session"] as? Int == 2)
        let table = try await cuff("average", "--rule", "nice-ng136", "--readings", "--format", "table")
        #expect(table.lines[0] == "2026-05-04 07:05   148/94     day 1, session 1, morning  left out: the rule leaves out the first days")
        #expect(table.lines.contains { $0.hasPrefix("all") && $0.split(separator: " ") == ["all", "22", "134.5", "85.4", "70"] })
    }

    @Test func persons_AreNeverAddedUp() async throws {
        try fillWeek(user: 1)
        try fillWeek(user: 2, raisedBy: 10)
        let lines = try await cuff("average", "--rule", "nice-ng136", "--json").objects("average")
        #expect(lines.map { $0["user"] as? Int } == [1, 2])
        #expect(lines.map { exact($0, "systolic_mmHg") } == ["1479/11", "1589/11"])
        let table = try await cuff("average", "--rule", "nice-ng136", "--format", "table")
        #expect(table.lines.filter { $0.hasPrefix("User ") } == ["User 1", "User 2"])
        let one = try await cuff("average", "--rule", "nice-ng136", "--user", "2", "--json").objects("average")
        #expect(one.map { exact($0, "systolic_mmHg") } == ["1589/11"])
    }

    @Test func wrongWords_AreRefused() async throws {
        try fillWeek()
        for wrong in [
            ["--rule", "nobody"], ["--guideline", "nobody"], ["--adult"], ["--rule", "nice-ng136", "--per-session", "2"],
            ["--morning", "12:00-04:00"], ["--evening", "10:00-20:00"], ["--setting", "ambulatory_day", "--guideline", "esc-2024"],
            ["--json", "--format", "table"], ["--type", "pulse_rate"], ["--leave-out-days", "0"],
        ] {
            let run = try await CuffProcess.run(["average", "--db", database] + wrong)
            #expect(run.status == 64 && run.output.isEmpty, "\(wrong) \(run.errors)")
        }
        let rules = try await CuffProcess.run(["average", "--rules"])
        #expect(rules.status == 0 && rules.output.contains("nice-ng136") && rules.output.contains("2019"))
    }

    private func fillDay() throws {
        for index in 0..<48 {
            let halves = (20 + index) % 48
            let isAsleep = halves >= 46 || halves < 14
            if halves == 2 || halves == 10 { continue }
            var systolic = (isAsleep ? 128 : 142) + [3, -2, 5, 0, -4, 2, -1, 4, -3, 1][index % 10]
            let diastolic = (isAsleep ? 74 : 88) + [2, -1, 3, 0, -2, 1, -1, 2, -2, 0][index % 10]
            if halves == 5 || halves == 6 { systolic -= 12 }
            if (14..<18).contains(halves) { systolic += 14 }
            let hour = halves / 2
            try add(
                "2026-06-0\(index < 28 ? 1 : 2)T\(hour < 10 ? "0" : "")\(hour):\(halves % 2 == 0 ? "00" : "30")", systolic, diastolic)
        }
    }

    @Test func ambulatory_EvaluatesADayAndItsNight() async throws {
        try fillDay()
        let run = try await cuff("ambulatory", "--asleep", "23:00", "--awake", "07:00", "--every", "30m", "--json")
        let day = try #require(run.objects("ambulatory").first, "\(run.errors)")
        #expect(day["expected"] as? Int == 48 && day["valid"] as? Int == 46 && day["valid_recording"] as? Bool == true)
        #expect(exact(day, "mean_day", "systolic_mmHg") == "1155/8" && exact(day, "mean_24h", "systolic_mmHg") == "6395/46")
        // 1775/14 is in lowest terms.
        #expect(exact(day, "mean_night", "systolic_mmHg") == "1775/14")
        #expect(exact(day, "sleep_trough_surge_mmHg") == "449/12" && exact(day, "prewaking_surge_mmHg") == "337/12")
        #expect(day["trough_mmHg"] as? [Int] == [116, 112, 130] && day["dipping"] as? String == "dipper")
        #expect((day["fall_percent"] as? [String: Any])?["avg"] as? Double == 12.18)
        let systolic = try #require(day["systolic_variability"] as? [String: Any])
        #expect(systolic["weighted_sd"] as? Double == 5.7486 && exact(systolic, "arv_by_time") == "301/47")
        #expect((systolic["all"] as? [String: Any])?["sd"] as? Double == 9.9565 && exact(systolic, "all", "arv") == "59/9")
        #expect(day["thresholds"] == nil)
        let table = try await CuffProcess.run(
            [
                "ambulatory", "--db", database, "--tz", "Europe/Berlin", "--asleep", "23:00", "--awake", "07:00", "--rule", "esh-2021",
                "--adult", "--plot",
            ], environment: ["COLUMNS": "80", "LC_ALL": "C", "NO_COLOR": "1"])
        #expect(table.status == 0 && table.output.contains("a valid recording by esh-2021"), "\(table.errors)")
        #expect(table.output.contains("12.2 % systolic: dipper, that night") && table.output.contains("night shaded"))
        #expect(table.output.contains("from memory, not checked"))
        for wrong in [["--asleep", "23:00"], ["--rule", "nobody"], ["--every", "90s"], ["--plot", "--json"], ["--adult"]] {
            #expect(try await CuffProcess.run(["ambulatory", "--db", database] + wrong).status == 64, "\(wrong)")
        }
        let late = try await cuff("ambulatory", "--since", "2026-07-01")
        #expect(late.status == 66 && late.output.isEmpty)
    }

    @Test func lines_AreReadBack() async throws {
        try fillWeek(user: 1)
        try fillWeek(user: 2, raisedBy: 10)
        let lines = try await cuff("export", "--format", "jsonl").output
        let file = try scratch.write("week.jsonl", lines + "\n{\"type\":\"quantity\",\"value\":\"97\"}\n")
        func run(_ arguments: String...) async throws -> CuffProcess {
            try await CuffProcess.run(
                ["average", "--tz", "Europe/Berlin", "--rule", "nice-ng136", "--json"] + arguments, input: Array(lines.utf8))
        }
        let expected = try await cuff("average", "--rule", "nice-ng136", "--json", "--readings")
        #expect(try await run(file, "--readings").output == expected.output)
        #expect(try await run("-", "--readings").output == expected.output)
        let one = try await run(file, "--user", "2", "--since", "2026-05-05").objects("average")
        #expect(one.map { $0["user"] as? Int } == [2] && one.first?["day_1"] as? String == "2026-05-05")
        #expect(try await run(file, "--db", database).status == 64)
        #expect(try await run(scratch.path("none.jsonl")).status == 66)
        let marked = try scratch.write("marked.jsonl", "\u{FEFF}" + lines)
        #expect(try await run(marked, "--readings").output == expected.output)
        let first = String(lines.prefix { $0 != "\n" })
        for bad in [
            "{\"type\":\"blood_pressure\"}", "128/82", "{\"type\":", "{\"type\":\"blood_pressure\",\"systolic_mmHg\":0x80}",
            // A later version may give the keys another meaning.
            first.replacing("\"schema\":1", with: "\"schema\":2"),
        ] {
            let file = try scratch.write("bad.jsonl", lines + bad + "\n")
            let run = try await run(file)
            #expect(
                run.status == 65 && run.output.isEmpty && run.errors.contains("line \(lines.split(separator: "\n").count + 1)"),
                "\(run.errors)")
        }
    }

    @Test func aRecordingOfLines_HoldsItsFailures() async throws {
        try fillDay()
        let failures = ["2026-06-02T01:00:00+02:00", "2026-06-02T05:00:00+02:00"].map {
            "{\"type\":\"measurement\",\"event\":\"failed\",\"reason\":\"movement\",\"measured\":\"\($0)\"}\n"
        }.joined()
        let file = try scratch.write("day.jsonl", try await cuff("export", "--format", "jsonl").output + failures)
        let run = try await CuffProcess.run(
            ["ambulatory", file, "--tz", "Europe/Berlin", "--asleep", "23:00", "--awake", "07:00", "--json"])
        let day = try #require(run.objects("ambulatory").first, "\(run.errors)")
        #expect(day["expected"] as? Int == 48 && day["failed"] as? Int == 2 && day["valid"] as? Int == 46)
        #expect(exact(day, "mean_day", "systolic_mmHg") == "1155/8")
    }

    /// The worked example of the reference, if its folder is present.
    @Test func samplesOfTheReference_GiveTheirNumbers() async throws {
        let folder = CuffProcess.folder.appendingPathComponent("../shared/reference/samples").path
        guard FileManager.default.fileExists(atPath: folder + "/home-bp-week.jsonl") else { return print("no samples beside the checkout") }
        let nice = try await CuffProcess.run(
            ["average", folder + "/home-bp-week.jsonl", "--tz", "Europe/Berlin", "--rule", "nice-ng136", "--json"]
        ).objects("average").first
        #expect(exact(nice, "systolic_mmHg") == "1479/11" && exact(nice, "diastolic_mmHg") == "939/11")
        let day = try await CuffProcess.run(
            ["ambulatory", folder + "/home-bp-day.jsonl", "--tz", "Europe/Berlin", "--asleep", "23:00", "--awake", "07:00", "--json"]
        ).objects("ambulatory").first
        #expect(exact(day, "mean_24h", "systolic_mmHg") == "6395/46" && day?["expected"] as? Int == 48)
    }
}
