import Foundation
import Testing

/// Two cuffs, three persons: what a household types and reads.
@Suite struct HouseholdTests {
    private let scratch: Scratch
    private var database: String { scratch.path("bp.db") }
    private var file: String { scratch.path("config.toml") }
    init() throws {
        scratch = try Scratch()
        try "# Ours.\n[device.kitchen]\nmatch = \"port:1-1\"\ndriver = \"and-std\"\n".write(toFile: file, atomically: true, encoding: .utf8)
    }

    private func cuff(_ arguments: String..., input: [UInt8] = []) async throws -> CuffProcess {
        try await CuffProcess.run(arguments, input: input, environment: ["CUFF_CONFIG": file])
    }

    /// One record of a cuff without users, and its id.
    private func read(_ systolic: Int, from cuff: String, at time: String) async throws -> String {
        let run = try await self.cuff(
            "decode", "--driver", "and-std", "--device", cuff, "--sink", "sqlite:\(database)", "--json",
            input: DecodeReplayTests.frame(systolic, time))
        #expect(run.status == 0, "\(run.errors)")
        return try #require(run.objects("blood_pressure").first?["id"] as? String)
    }

    private func averages() async throws -> [String: Int] {
        let lines = try await cuff("stats", "--by", "month", "--format", "jsonl", "--db", database, "--tz", "UTC").objects("statistics")
        return Dictionary(
            lines.map { line in
                let whose = line["person"] as? String ?? line["cuff"] as? String ?? "?"
                return (whose, (line["systolic_mmHg"] as? [String: Any])?["avg"] as? Int ?? 0)
            }, uniquingKeysWith: { _, _ in -1 })
    }

    @Test func aPageOfAnotherPerson_AndAnEditWithAWrongName_ChangeNothing() async throws {
        #expect(try await cuff("person", "name", "Anna").status == 0)
        #expect(try await cuff("person", "name", "Ben").status == 0)
        let added = try await cuff("add", "121/81", "--at", "2026-05-05T08:00", "--user", "Anna", "--db", database, "--tz", "UTC")
        let stored = try await cuff("show", "--format", "jsonl", "--db", database).objects("blood_pressure")
        let id = try #require(stored.first?["id"] as? String, "\(added.errors)")
        for more in [[], ["--user", "Anna"]] {
            let page = try await CuffProcess.run(
                ["report", "--db", database, "--tz", "UTC", "--person", "Ben", "-o", "-"] + more, environment: ["CUFF_CONFIG": file])
            #expect(page.status == 64 && page.output.isEmpty)
            #expect(page.errors.contains("these readings are of `Anna`, and `Ben` is another person"), "\(page.errors)")
        }
        #expect(try await cuff("report", "--db", database, "--tz", "UTC", "--person", "Ms. A. Example", "-o", "-").status == 0)
        let edit = try await cuff("edit", id, "--systolic", "199", "--user", "Bne", "--db", database)
        #expect(edit.status == 64 && edit.errors.contains("no person is called `Bne`"), "\(edit.errors)")
        let shown = try await cuff("show", "--format", "jsonl", "--db", database).objects("blood_pressure")
        #expect(shown.map { $0["systolic_mmHg"] as? Int } == [121])
    }

    /// What had no patient in one export is in the next one of that name.
    @Test func anExport_FollowsUpWhatItLeftOut() async throws {
        for (name, value) in [("Anna", "121/82"), ("Ben", "131/82")] {
            #expect(try await cuff("person", "name", name).status == 0)
            let add = try await cuff("add", value, "--at", "2026-05-05T08:00", "--user", name, "--db", database, "--tz", "UTC")
            #expect(add.status == 0, "\(add.errors)")
        }
        func export(_ subjects: String...) async throws -> CuffProcess {
            try await CuffProcess.run(
                ["export", "--db", database, "--format", "fhir", "--new", "clinic"] + subjects.flatMap { ["--subject", $0] },
                environment: ["CUFF_CONFIG": file])
        }
        let first = try await export("Anna=Patient/a")
        #expect(first.output.contains("Patient/a") && first.errors.contains("no subject for Ben"), "\(first.errors)")
        let second = try await export("Anna=Patient/a", "Ben=Patient/b")
        #expect(second.output.contains("Patient/b") && second.output.contains("131") && !second.output.contains("Patient/a"))
        #expect(try await export("Anna=Patient/a", "Ben=Patient/b").output.isEmpty)
    }

    /// A copy that has a reading of the wrong person is told once that it is not that person's.
    @Test func anExportOfOnePerson_WithdrawsAReadingThatWasMoved() async throws {
        for name in ["Anna", "Ben"] { #expect(try await cuff("person", "name", name).status == 0) }
        for time in ["2026-05-05T08:00", "2026-05-06T08:00"] {
            let add = try await cuff("add", "121/82", "--at", time, "--user", "Anna", "--db", database, "--tz", "UTC")
            #expect(add.status == 0, "\(add.errors)")
        }
        func export(_ arguments: String...) async throws -> (readings: [String], deleted: [String]) {
            let run = try await CuffProcess.run(
                ["export", "--format", "jsonl", "--new", "clinic", "--user", "Anna", "--db", database] + arguments,
                environment: ["CUFF_CONFIG": file])
            #expect(run.status == 0, "\(run.errors)")
            func ids(_ type: String) -> [String] { run.objects(type).map { $0["id"] as? String ?? "no id" } }
            return (ids("blood_pressure"), ids("deleted"))
        }
        let ids = try await export().readings
        try #require(ids.count == 2)
        for (id, change) in zip(ids, [["--user", "Ben"], ["--irregular"]]) {
            let edit = try await CuffProcess.run(["edit", id, "--db", database] + change, environment: ["CUFF_CONFIG": file])
            #expect(edit.status == 0, "\(edit.errors)")
        }
        #expect(try await export("--since", "2026-06-01") == ([], [ids[0]]), "the other one is still hers, though not selected")
        #expect(try await export() == ([ids[1]], []), "it is reported once")
        #expect(try await cuff("edit", ids[0], "--user", "Anna", "--db", database).status == 0)
        #expect(try await export() == ([ids[0]], []), "moved back")
    }

    /// As one that was moved by itself: the copy has it as Anna's, and now the slot is Ben's.
    @Test func anExportOfOnePerson_WithdrawsWhatWasBoundToAnother() async throws {
        #expect(try await cuff("person", "bind", "Anna", "kitchen", "hall").status == 0)
        var ids: [String] = []
        for (place, time) in [("kitchen", "2605050731"), ("kitchen", "2605050741"), ("hall", "2605050751")] {
            ids.append(try await read(120, from: place, at: time))
        }
        func export(of person: String, as name: String = "clinic", since: String = "2020-01-01") async throws -> [String: [String]] {
            let run = try await cuff(
                "export", "--format", "jsonl", "--new", name, "--user", person, "--since", since, "--db", database, "--tz", "UTC")
            #expect(run.status == 0, "\(run.errors)")
            return Dictionary(grouping: run.objects()) { $0["type"] as? String ?? "" }.mapValues { $0.compactMap { $0["id"] as? String } }
        }
        #expect(try await export(of: "Anna") == ["blood_pressure": ids])
        #expect(try await cuff("person", "unbind", "kitchen").status == 0)
        #expect(try await cuff("person", "bind", "Ben", "kitchen").status == 0)
        // Of the other person, under a name that was used for both by mistake: nothing is Anna's that would be withdrawn.
        #expect(try await export(of: "Ben", since: "2027-01-01") == [:])
        #expect(try await export(of: "Anna", since: "2027-01-01") == ["deleted": Array(ids.prefix(2))])
        #expect(try await export(of: "Anna") == [:], "it is reported once")
        #expect(try await export(of: "Ben", as: "ben") == ["blood_pressure": Array(ids.prefix(2))])

        #expect(try await cuff("person", "unbind", "kitchen").status == 0)
        #expect(try await export(of: "Ben", as: "ben") == ["deleted": Array(ids.prefix(2))], "of no person")
        #expect(try await cuff("person", "bind", "Anna", "kitchen").status == 0)
        #expect(try await export(of: "Anna") == ["blood_pressure": Array(ids.prefix(2))], "bound back")
    }

    @Test func names_AreBoundLater_AndReadingsAreMoved() async throws {
        let id = try await read(120, from: "kitchen", at: "2605050731")
        _ = try await read(150, from: "hall", at: "2605050732")
        #expect(try await averages() == ["kitchen": 120, "hall": 150], "cuffs without names are different persons")
        let joined = try await cuff("stats", "--by", "month", "--together", "--format", "jsonl", "--db", database, "--tz", "UTC")
        #expect(joined.objects("statistics").map { ($0["systolic_mmHg"] as? [String: Any])?["avg"] as? Int } == [135])

        #expect(try await cuff("person", "bind", "Anna", "kitchen").status == 0)
        #expect(try await cuff("person", "bind", "Grandpa", "hall", "attic:1").status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix("# Ours.\n[device.kitchen]\n"))
        #expect(text.hasSuffix("\n[person.Anna]\ncuffs = [\"kitchen\"]\n\n[person.Grandpa]\ncuffs = [\"attic:1\", \"hall\"]\n"), "\(text)")
        #expect(try await averages() == ["Anna": 120, "Grandpa": 150], "the names hold for earlier readings")
        #expect(
            try await cuff("person", "--db", database).output == "Anna\tkitchen\t1\nGrandpa\tattic:1, hall\t1\n")

        #expect(try await cuff("person", "name", "Ben").status == 0)
        let moved = try await cuff("edit", id, "--user", "ben", "--db", database)
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(try await averages() == ["Ben": 120, "Grandpa": 150])
        _ = try await read(120, from: "kitchen", at: "2605050731")
        #expect(try await averages() == ["Ben": 120, "Grandpa": 150], "the cuff says nothing new")
        let shown = try await cuff("show", "--user", "Ben", "--json", "--db", database).objects()
        #expect(shown.map { $0["id"] as? String } == [id] && shown.first?["person"] as? String == "Ben")
        #expect(try await cuff("edit", id, "--user", "none", "--db", database).status == 0)
        #expect(try await averages() == ["Anna": 120, "Grandpa": 150])
        // What the cuff sent stays.
        #expect(try await cuff("edit", id, "--user", "2", "--db", database).status == 64)
        #expect(try await cuff("edit", id, "--systolic", "130", "--db", database).status == 64)

        let trial = try await cuff("delete", "--since", "2026-05-05", "--dry-run", "--db", database)
        #expect(trial.errors.contains("2 readings, of Anna and Grandpa, would be deleted"), "\(trial.errors)")

        let taken = try await cuff("person", "bind", "Ben", "kitchen")
        #expect(
            taken.status == 78 && taken.errors.contains("Anna, Ben") && taken.errors.contains("cuff person unbind kitchen"),
            "\(taken.errors)")
        #expect(try await cuff("person", "unbind", "kitchen").status == 0)
        #expect(try await averages() == ["kitchen": 120, "Grandpa": 150])
        #expect(try await cuff("person", "unbind", "kitchen").status == 64)
        #expect(try await cuff("person", "name", "Grandpa", "Opa").status == 0)
        #expect(try await averages() == ["kitchen": 120, "Opa": 150])
    }

    @Test func anUnknownName_IsRefused_WithTheNextStep() async throws {
        _ = try await read(120, from: "kitchen", at: "2605050731")
        for verb in [["show"], ["stats"], ["average"], ["report", "-o", "-"], ["export", "--format", "csv"]] {
            let run = try await CuffProcess.run(verb + ["--user", "Nina", "--db", database], environment: ["CUFF_CONFIG": file])
            #expect(run.status == 64 && run.errors.contains("cuff person name 'Nina'"), "\(verb): \(run.errors)")
        }
        #expect(try await cuff("add", "120", "80", "--user", "Nina", "--db", database).status == 64)
        #expect(try await cuff("person", "name", "7").status == 64)
    }

    @Test func aSinkOfTheConfiguration_KeepsItsLimits_OnTheCommandLine() async throws {
        let lines = scratch.path("lines.jsonl")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try (text + "[person.Anna]\ncuffs = []\n[sink.some]\njsonl = \"\(lines)\"\ntypes = [\"pulse_rate\"]\n").write(
            toFile: file, atomically: true, encoding: .utf8)
        let frame = DecodeReplayTests.frame(128, "2605050731")
        let run = try await cuff("decode", "--driver", "and-std", "--sink", "jsonl:\(lines)", "--sink", "sqlite:\(database)", input: frame)
        #expect(run.status == 0, "\(run.errors)")
        #expect((try? String(contentsOfFile: lines, encoding: .utf8)) ?? "" == "")
        #expect(try await cuff("show", "--json", "--db", database).objects().count == 1)
        let overview = try await cuff("sinks", "--json", "--db", database).objects("sink")
        #expect(overview.first { $0["sink"] as? String == "jsonl:\(lines)" }?["types"] as? [String] == ["pulse_rate"])
    }
}
