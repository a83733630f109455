import Foundation
import Testing

@Suite(.timeLimit(.minutes(3))) struct MaintenanceVerbTests {
    private static let captures = CuffProcess.folder.appendingPathComponent("captures")

    private func database(_ folder: Scratch, _ capture: String = "omron-hbp/format5-two-people") async throws -> String {
        let path = folder.path("bp.db")
        let capture = Self.captures.appendingPathComponent("\(capture).capture").path
        let run = try await CuffProcess.run(["replay", capture, "--sink", "sqlite:\(path)"])
        #expect(run.status == 0, "\(run.errors)")
        return path
    }

    private func readings(_ path: String) async throws -> String {
        try await CuffProcess.run(["show", "--db", path, "--json"]).output
    }

    // MARK: db

    @Test func db_BacksUpChecksAndPurges() async throws {
        let folder = try Scratch()
        let path = try await database(folder)
        let before = try await readings(path)
        #expect(before.split(separator: "\n").count >= 2)
        let copy = folder.path("copy.db")
        let backup = try await CuffProcess.run(["db", "backup", copy, "--db", path, "--json"])
        #expect(backup.status == 0, "\(backup.errors)")
        #expect(backup.objects("backup").first?["readings"] as? Int == before.split(separator: "\n").count)
        #expect(try await readings(copy) == before)
        let again = try await CuffProcess.run(["db", "backup", copy, "--db", path])
        #expect(again.status == 73 && again.errors.contains("--force"))
        let check = try await CuffProcess.run(["db", "check", "--db", copy])
        #expect(check.status == 0 && check.output.contains(": ok, "))
        // A deleted reading leaves a tombstone, which is purged only on confirmation.
        let first = try #require(before.split(separator: "\"id\":\"").dropFirst().first?.prefix(32))
        let deletion = try await CuffProcess.run(["delete", String(first), "--db", path, "--confirm", "delete"])
        #expect(deletion.status == 0, "\(deletion.errors)")
        let asked = try await CuffProcess.run(["db", "purge", "--db", path])
        #expect(asked.status == 64 && asked.errors.contains("--confirm purge"))
        let dry = try await CuffProcess.run(["db", "purge", "--db", path, "--dry-run", "--json"])
        #expect(dry.objects("purge").first?["tombstones"] as? Int == 1 && dry.objects("purge").first?["applied"] as? Bool == false)
        let purge = try await CuffProcess.run(["db", "purge", "--db", path, "--confirm", "purge"])
        #expect(purge.status == 0 && purge.output.contains("1 tombstone, "), "\(purge.errors)")
        let none = try await CuffProcess.run(["db", "purge", "--db", path, "--dry-run"])
        #expect(none.output.contains("0 tombstones, 0 outbox lines, 0 cuffs"))
    }

    @Test func dbCheck_NamesWhatIsWrong_AndFails() async throws {
        let folder = try Scratch()
        let path = try await database(folder)
        let damage = try await CuffProcess.run(
            executable: "/usr/bin/env",
            [
                "python3", "-c",
                "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('UPDATE reading SET source = 99'); c.commit()", path,
            ])
        try #require(damage.status == 0, "\(damage.errors)")
        let check = try await CuffProcess.run(["db", "check", "--db", path])
        #expect(check.status == 65)
        #expect(check.output.contains("belongs to source 99, which does not exist"))
        #expect(check.errors.contains("problems") && check.errors.contains("fix: "))
        let json = try await CuffProcess.run(["db", "check", "--db", path, "--json"])
        #expect(json.objects("problem").allSatisfy { $0["rule"] as? String == "source" && $0["id"] != nil })
        #expect(json.objects("database_check").first?["problems"] as? Int == json.objects("problem").count)
        let missing = try await CuffProcess.run(["db", "check", "--db", folder.path("none.db")])
        #expect(missing.status == 66)
    }

    @Test(arguments: [
        ["show"], ["show", "--json", "--since", "2020-01-01"], ["export", "--format", "csv"], ["report", "-o", "-"], ["stats"],
    ])
    func aDamagedRow_IsLeftOut_AndSaid(_ verb: [String]) async throws {
        let folder = try Scratch()
        let path = try await database(folder, "beurer-serial/two-records")
        let whole = try await CuffProcess.run(verb + ["--db", path])
        try #require(whole.status == 0, "\(whole.errors)")
        let damage = try await CuffProcess.run(
            executable: "/usr/bin/env",
            [
                "python3", "-c",
                "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(\"UPDATE reading SET type = 'blood_pressurf' WHERE id = (SELECT min(id) FROM reading)\"); c.commit()",
                path,
            ])
        try #require(damage.status == 0, "\(damage.errors)")
        let run = try await CuffProcess.run(verb + ["--db", path])
        #expect(run.status == 65, "\(run.errors)")
        #expect(run.errors.contains("1 row of \(path) is damaged") && run.errors.contains("fix: "))
        #expect(!run.output.isEmpty && run.output != whole.output, "what is whole is shown")
    }

    @Test func dbRedecode_ShowsFirst_AndCorrectsOnRequest() async throws {
        let folder = try Scratch()
        let path = try await database(folder, "beurer-serial/two-records")
        let before = try await readings(path)
        let damage = try await CuffProcess.run(
            executable: "/usr/bin/env",
            [
                "python3", "-c",
                "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('UPDATE reading SET systolic_mmHg = systolic_mmHg - 25'); c.commit()",
                path,
            ])
        try #require(damage.status == 0, "\(damage.errors)")
        let wrong = try await readings(path)
        #expect(wrong != before)
        let dry = try await CuffProcess.run(["db", "redecode", "--db", path, "--dry-run"])
        #expect(dry.status == 0 && dry.lines.count == 2, "\(dry.errors)")
        #expect(dry.lines.allSatisfy { $0.contains("systolic_mmHg") && $0.contains(" -> ") })
        #expect(try await readings(path) == wrong)
        let apply = try await CuffProcess.run(["db", "redecode", "--db", path, "--confirm", "redecode", "--json"])
        #expect(apply.objects("redecoded").count == 2)
        #expect(apply.objects("redecoded").allSatisfy { $0["revision"] as? Int == 1 && $0["applied"] as? Bool == true })
        #expect(apply.objects("redecode").first?["changed"] as? Int == 2)
        let after = try await readings(path)
        #expect(after.replacingOccurrences(of: ",\"revision\":1", with: "") == before)
    }

    // MARK: capture anonymise

    @Test func anonymise_LosesTheNames_AndReplaysTheSameNumbers() async throws {
        let folder = try Scratch()
        let input = Self.captures.appendingPathComponent("omron-hbp/format5-two-people.capture").path
        let output = folder.path("to-send.capture")
        let run = try await CuffProcess.run(["capture", "anonymise", input, "-o", output, "--days", "-100"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("ids of persons") && run.errors.contains("as before"))
        let replays = try await [input, output].asyncMap { try await CuffProcess.run(["replay", $0]).objects("blood_pressure") }
        #expect(replays[0].count == 2 && replays[1].count == 2)
        for (old, new) in zip(replays[0], replays[1]) {
            for key in ["systolic_mmHg", "diastolic_mmHg", "pulse_per_min"] { #expect(old[key] as? Int == new[key] as? Int) }
            #expect(old["device_time"] as? String != new["device_time"] as? String)
        }
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text.contains("# changed: ") && text.contains("anonymised: ") && !text.contains("# by:"))
        // Nothing is replaced without a request, and a shift of 0 days is refused.
        #expect(try await CuffProcess.run(["capture", "anonymise", input, "-o", output]).status == 73)
        #expect(try await CuffProcess.run(["capture", "anonymise", input, "-o", "-", "--days", "0"]).status == 64)
    }

    @Test func anonymise_OfSeveral_FillsAFolder_WithOneShift() async throws {
        let folder = try Scratch()
        let inputs = ["taidoc/two-records", "taidoc/clock"].map { Self.captures.appendingPathComponent("\($0).capture").path }
        let vain = try await CuffProcess.run(["capture", "anonymise"] + inputs + ["-o", folder.path("none")])
        #expect(vain.status == 64 && vain.errors.contains("folder"))
        let run = try await CuffProcess.run(["capture", "anonymise"] + inputs + ["-o", folder.url.path, "--json"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.objects("anonymised").count == 2)
        #expect(FileManager.default.fileExists(atPath: folder.path("two-records.capture")))
        #expect(FileManager.default.fileExists(atPath: folder.path("clock.capture")))
    }

    /// The id `A1` in the cuff's answer is `4131` in hexadecimal digits; its padding of nines overwrites it.
    @Test func anonymise_OverwritesAPatientsID() async throws {
        let folder = try Scratch()
        let capture = Self.captures.appendingPathComponent("microlife-bpa100/patient-id.capture").path
        let run = try await CuffProcess.run(["capture", "anonymise", capture, "-o", folder.path("out.capture")])
        #expect(run.status == 0, "\(run.errors)")
        let text = try String(contentsOfFile: folder.path("out.capture"), encoding: .utf8).replacing(" ", with: "")
        #expect(!text.contains("34313331") && text.contains("06" + String(repeating: "30", count: 22) + "2c30352e30300d0a"), "\(text)")
    }

    /// Monitors: undocumented fields are cleared, and the values are kept.
    @Test func anonymise_ClearsWhatItDoesNotKnow() async throws {
        let folder = try Scratch()
        for name in [
            "ge-dri/result-read", "ge-unity/result-read-twice", "intellivue/associated-polled-released", "dinamap-native/sequence-wraps",
        ] {
            let input = Self.captures.appendingPathComponent("\(name).capture").path
            let output = folder.path(name.replacing("/", with: "-") + ".capture")
            let run = try await CuffProcess.run(["capture", "anonymise", input, "-o", output, "--days", "-100"])
            #expect(run.status == 0, "\(run.errors)")
            func numbers(_ path: String) async throws -> [[Int?]] {
                try await CuffProcess.run(["replay", path]).objects("blood_pressure")
                    .map { [$0["systolic_mmHg"] as? Int, $0["diastolic_mmHg"] as? Int, $0["mean_mmHg"] as? Int] }
            }
            #expect(try await numbers(output) == numbers(input), "\(name)")
        }
    }

    /// The cuff's format has no earlier years: the recording is refused, and nothing is written.
    @Test func anonymise_RefusesWhatWouldRemain() async throws {
        let folder = try Scratch()
        let capture = Self.captures.appendingPathComponent("phd/thermometer-by-its-standard-number.capture").path
        let run = try await CuffProcess.run(["capture", "anonymise", capture, "-o", folder.path("out.capture")])
        #expect(run.status == 64 && run.errors.contains("fix: "), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("out.capture")))
    }

    // MARK: doctor --report

    @Test func doctorReport_HoldsWhatIsAsked_AndNobodysName() async throws {
        let folder = try Scratch()
        let home = folder.path("home-of-anna")
        try FileManager.default.createDirectory(atPath: "\(home)/.config/cuff", withIntermediateDirectories: true)
        try Data(
            """
            [device.annas-bedroom]
            match = "usb:0403:6001:SECRETSERIAL1"
            driver = "beurer-serial"
            users = { 1 = "Annabella", 2 = "Benedict" }

            [sink.server]
            exec = "/usr/bin/true --token=topsecret1"

            """.utf8
        ).write(to: URL(fileURLWithPath: "\(home)/.config/cuff/config.toml"))
        let path = try await database(folder, "phd/two-users-extended-configuration")
        let report = folder.path("report.txt")
        let run = try await CuffProcess.run(
            ["doctor", "--report", report, "--db", path], environment: ["HOME": home, "XDG_CONFIG_HOME": "\(home)/.config"])
        #expect(run.status == 0, "\(run.errors)")
        let text = try String(contentsOfFile: report, encoding: .utf8)
        for section in ["versions", "devices", "checks", "configuration", "database", "sinks", "log"] {
            #expect(text.contains("== \(section) ==\n"), "\(section) is missing")
        }
        #expect(text.contains("cuff 0.2.0") && text.contains("kernel ") && text.contains("phd blood_pressure "))
        #expect(text.contains("beurer-serial") && text.contains("[cuff 1]") && text.contains("[person 1]"))
        for secret in ["SECRETSERIAL1", "annas-bedroom", "Annabella", "Benedict", "topsecret1", "home-of-anna", home] {
            #expect(!text.contains(secret), "the report tells \(secret)")
        }
        // The system ids under which readings are stored.
        let ids = try await CuffProcess.run(["show", "--db", path, "--json"]).objects().compactMap { $0["device"] as? String }
        #expect(!ids.isEmpty)
        for id in Set(ids) { #expect(!text.contains(id), "the report tells \(id)") }
        #expect(try FileManager.default.attributesOfItem(atPath: report)[.posixPermissions] as? Int == 0o600)
        let refused = try await CuffProcess.run(["doctor", "--report", "-", "--strict"])
        #expect(refused.status == 64)
    }

    @Test func doctorReport_OfABrokenConfiguration_NamesItsPlaceOnly() async throws {
        let folder = try Scratch()
        let text = """
            [device.annas-bedroom]
            match = "port:1-1.2"
            driver = "taidoc"
            users = { 1 = "Annabella" }

            """
        for (more, line) in [("[alert.a]\nperson = \"Zacharias\"\nwhen = \"systolic >= 180\"\n", 6), ("[[Zacharias", 5)] {
            let file = try folder.write("config.toml", text + more)
            let run = try await CuffProcess.run(["doctor", "--report", "-"], environment: ["CUFF_CONFIG": file])
            #expect(run.status == 0 && run.output.contains("config.toml:\(line); `cuff doctor` says why\n"), "\(run.output)")
            for name in ["Annabella", "annas-bedroom", "Zacharias"] { #expect(!run.output.contains(name), "the report tells \(name)") }
            let doctor = try await CuffProcess.run(["doctor"], environment: ["CUFF_CONFIG": file])
            #expect(
                doctor.status == 78 && (doctor.output + doctor.errors).contains("\(file):\(line): "), "\(doctor.output) \(doctor.errors)")
        }
    }
}

extension Sequence where Element: Sendable {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
