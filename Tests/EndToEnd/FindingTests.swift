import Foundation
import Testing

/// Getting started: supported cuffs, typing errors, the configuration file.
@Suite struct FindingTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    // MARK: cuff drivers

    @Test func aSearch_TellsDriverConnectionAndCommand() async throws {
        let run = try await CuffProcess.run(["drivers", "bm58"])
        #expect(run.status == 0)
        #expect(
            run.lines.contains("Beurer BM58 (PL2303)\tbeurer-serial\tserial 067b:2303\tcuff read DEVICE --driver beurer-serial"),
            "\(run.output)")
        #expect(
            run.lines.contains { $0.hasPrefix("Beurer BM58\tbeurer-hid\tUSB") && $0.hasSuffix("plug it in; `cuff watch` reads it") },
            "\(run.output)")
        let objects = try await CuffProcess.run(["drivers", "bm58", "--json"]).objects("model")
        #expect(Set(objects.compactMap { $0["driver"] as? String }) == ["beurer-hid", "beurer-serial"])
    }

    @Test func theList_NamesModels() async throws {
        let run = try await CuffProcess.run(["drivers"])
        #expect(run.lines.contains { $0.hasPrefix("beurer-serial\t") && $0.contains("Beurer BM58") })
    }

    @Test func aBluetoothCuff_IsFound_WithWhatHelpsInstead() async throws {
        let found = try #require(try await CuffProcess.run(["drivers", "hem-7322t", "--json"]).objects("model").first)
        #expect(found["reason"] as? String == "bluetooth" && found["driver"] == nil)
        #expect((found["instead"] as? String)?.contains("omblepy") == true)
        #expect((found["source"] as? String)?.isEmpty == false)
    }

    @Test func aCuffWithoutEnoughProtocol_IsFound_WithTheRecordingThatIsNeeded() async throws {
        let found = try #require(try await CuffProcess.run(["drivers", "surgivet", "--json"]).objects("model").first)
        #expect(found["reason"] as? String == "incomplete" && (found["known"] as? String)?.contains("25 columns") == true)
        let plain = try await CuffProcess.run(["drivers", "surgivet"])
        #expect(
            plain.status == 0 && plain.output.contains("too little of its protocol is public; a driver needs a recording"),
            "\(plain.output)")
    }

    @Test(arguments: [
        (["drivers", "bm59"], "did you mean `cuff drivers bm5"), (["drivers", "bauerer"], "cuff drivers beurer`"),
        (["drivers", "1234:5678"], "cuff identify"), (["drivers", "xyzzy"], "--models"),
        (["raed", "/dev/null"], "did you mean `cuff read`?"), (["help", "raed"], "did you mean `cuff read`?"),
        (["sinks", "lits"], "did you mean `cuff sinks list`?"), (["config", "shwo"], "did you mean `cuff config show`?"),
        (["config", "foo"], "verbs of `config` are path"),
        (["capture", "convrt"], "did you mean `cuff capture convert`?"), (["frobnicate"], "cuff --help"),
        (["decode", "--driver", "and-sdt", "/dev/null"], "did you mean `and-std`?"),
        (["simulate", "and-sdt"], "did you mean `and-std`?"), (["replay", "--driver", "and-sdt", "x"], "did you mean `and-std`?"),
        (["read", "/dev/null", "--driver", "and-std", "--sink", "sqlitte:x"], "did you mean `sqlite`?"),
        (["show", "--format", "jsnol"], "did you mean `--format jsonl`?"),
        (["stats", "--format", "tabel"], "did you mean `--format table`?"),
    ])
    func aTypo_IsAnsweredWithTheNearestWord_AndRunsNothing(_ words: [String], _ hint: String) async throws {
        let run = try await CuffProcess.run(words, environment: ["XDG_STATE_HOME": scratch.path("state")], limit: 20)
        #expect(run.status == 64, "\(run.status): \(run.errors)")
        #expect(run.errors.contains(hint), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test func anUnknownOption_IsAnsweredWithANearOne_OrWithNone() async throws {
        for words in [["show", "--foo"], ["export", "--json"], ["export", "--last"], ["person", "list", "--tz"]] {
            let run = try await CuffProcess.run(words)
            #expect(run.status == 64 && run.errors.contains("Unknown option '\(words.last ?? "")'"), "\(run.errors)")
            #expect(!run.errors.contains("Did you mean"), "\(run.errors)")
        }
        let near = try await CuffProcess.run(["show", "--sinse", "7d"])
        #expect(near.status == 64 && near.errors.contains("Unknown option '--sinse'. Did you mean '--since'?"), "\(near.errors)")
    }

    @Test func helpOfAShortName_IsThatOfTheVerb() async throws {
        let short = try await CuffProcess.run(["help", "sink"])
        #expect(short.status == 0 && short.output.hasPrefix("OVERVIEW: Shows what each sink"), "\(short.errors)")
        #expect(try await CuffProcess.run(["help", "sinks"]).output == short.output)
    }

    @Test func valuesThatAreRefused_AreNotOffered() async throws {
        let settings = try await CuffProcess.run(["average", "--help"]).output
        #expect(settings.contains("values: home, office") && !settings.contains("ambulatory_day"), "\(settings)")
        let styles = try await CuffProcess.run(["stats", "--help"]).output
        #expect(styles.contains("discrete-arithmetic") && !styles.contains("cumulative"), "\(styles)")
        let refused = try await CuffProcess.run(["average", "--setting", "ambulatory_day"])
        #expect(refused.status == 64 && refused.errors.contains("cuff ambulatory"), "\(refused.errors)")
    }

    @Test func modelsOfTheDocument_AreGenerated() async throws {
        let text = try String(contentsOf: CuffProcess.folder.appendingPathComponent("docs/MODELS.md"), encoding: .utf8)
        let table = try await CuffProcess.run(["drivers", "--models", "--markdown"]).output
        #expect(table.contains("| Beurer BM58 (PL2303) | `beurer-serial` |"))
        #expect(text.contains(table), "run `make readme` and read what changed")
    }

    // MARK: Help

    private func verbs() async throws -> [[String: Any]] {
        let dump = try await CuffProcess.run(["--experimental-dump-help"]).output
        let root = try #require(try JSONSerialization.jsonObject(with: Data(dump.utf8)) as? [String: Any])
        let command = try #require(root["command"] as? [String: Any])
        return try #require(command["subcommands"] as? [[String: Any]]).filter { $0["commandName"] as? String != "help" }
    }

    /// Each verb has at least two examples, with options that its help shows.
    @Test func everyVerb_HasExamples_OfOptionsThatItShows() async throws {
        func check(_ verb: [String: Any], _ path: [String]) throws {
            let name = try #require(verb["commandName"] as? String)
            let called = (path + [name]).joined(separator: " ")
            let discussion = verb["discussion"] as? String ?? ""
            let examples = discussion.components(separatedBy: "EXAMPLES:\n").dropFirst().joined().split(separator: "\n")
                .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            #expect(examples.count >= 2, "\(called): \(discussion)")
            let subcommands = verb["subcommands"] as? [[String: Any]] ?? []
            let arguments = ([verb] + subcommands).flatMap { $0["arguments"] as? [[String: Any]] ?? [] }
            let shown = arguments.filter { $0["shouldDisplay"] as? Bool != false }
                .flatMap { $0["names"] as? [[String: Any]] ?? [] }.compactMap { $0["name"] as? String }
            for example in examples {
                #expect(example.contains("cuff \((path + [name])[0])"), "\(called): \(example)")
                // Only the command of this program, not those in the pipe.
                let own = example.split(separator: "|").first { $0.contains("cuff \((path + [name])[0])") } ?? ""
                for word in own.split(separator: " ") where word.hasPrefix("-") && word.count > 1 && word != "-" {
                    let option = word.drop { $0 == "-" }.split(separator: "=")[0]
                    #expect(shown.contains(String(option)), "\(called) does not show \(word) of its example: \(example)")
                }
            }
            for sub in subcommands { try check(sub, path + [name]) }
        }
        for verb in try await verbs() { try check(verb, []) }
    }

    @Test func defaults_AreTold_AsPeopleWriteThem() async throws {
        func check(_ verb: [String: Any]) {
            for argument in verb["arguments"] as? [[String: Any]] ?? [] {
                let text = (argument["abstract"] as? String ?? "") + (argument["defaultValue"] as? String ?? "")
                for code in ["nil", "Optional(", "Span(", "[]", "Duration"] { #expect(!text.contains(code), "\(text)") }
            }
            for sub in verb["subcommands"] as? [[String: Any]] ?? [] { check(sub) }
        }
        for verb in try await verbs() { check(verb) }
    }

    @Test func options_WithoutUse_AreNotShown() async throws {
        for (verb, option) in [
            ("watch", "--option"), ("watch", "--device"), ("info", "--sink"), ("clock", "--raw"), ("stop", "--sink"),
            ("schedule", "--sink"), ("record", "--record"), ("drivers", "--markdown"),
        ] {
            let help = try await CuffProcess.run([verb, "--help"]).output
            #expect(!help.contains("\(option) "), "\(verb) shows \(option)")
        }
    }

    // MARK: config, setup

    @Test func theExample_IsAConfiguration_WithEveryKey() async throws {
        let text = try await CuffProcess.run(["config", "example"]).output
        #expect(try await CuffProcess.run(["config", "check", "--config", try scratch.write("as-it-is.toml", text)]).status == 0)
        let lines = text.split(separator: "\n").map { $0.hasPrefix("# ") ? "" : $0.hasPrefix("#") ? String($0.dropFirst()) : String($0) }
        let file = try scratch.write("all.toml", lines.joined(separator: "\n"))
        let shown = try await CuffProcess.run(["config", "show", "--config", file, "--json"])
        #expect(shown.status == 0, "\(shown.errors)")
        let names = Set(shown.objects("setting").compactMap { $0["name"] as? String })
        #expect(
            names == [
                "device hallway", "device clinic", "device modem", "person Anna", "sink database", "sink lines", "sink server", "sink home",
                "sink fleet", "sink ward", "sink influx1", "sink influx2", "sink fhir", "sink fhir-slots", "sink clinic", "sink web",
                "sink pigeon", "sink hl7", "source bluetooth",
                "watch listen", "watch again", "watch web", "alert high", "alert pulse", "alert silence", "report rule",
                "report guideline", "report lang",
            ])
        #expect(shown.output.contains("user 1=Anna"))
        let schemes = Set(shown.objects("setting").compactMap { ($0["value"] as? String)?.split(separator: ":").first.map(String.init) })
        #expect(schemes.isSuperset(of: ["mqtts", "postgres", "influx+https", "fhir+https", "https", "pigeon"]), "\(schemes)")
    }

    @Test func configPath_NamesWhatIsRead() async throws {
        let file = try scratch.write("own.toml", "")
        let run = try await CuffProcess.run(["config", "path", "--json"], environment: ["CUFF_CONFIG": file])
        #expect(run.objects("configuration_file").compactMap { $0["path"] as? String } == [file])
        let home = try await CuffProcess.run(["config", "path", "--json"], environment: ["XDG_CONFIG_HOME": scratch.path("x")])
        #expect(home.objects().compactMap { $0["path"] as? String }.last == scratch.path("x") + "/cuff/config.toml")
    }

    @Test func setup_WritesWhatWasAssigned_AndAddsToWhatIsThere() async throws {
        let environment = ["XDG_CONFIG_HOME": scratch.path("config")]
        func setup(_ more: String...) async throws -> CuffProcess {
            try await CuffProcess.run(["setup", "--yes"] + more, environment: environment)
        }
        let file = scratch.path("config") + "/cuff/config.toml"
        let first = try await setup("--assign", "port:1-1.2=taidoc,name=front desk", "--user-name", "1=Anna \"A\"", "--user-name", "2=Ben")
        #expect(first.status == 0, "\(first.errors)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("match = \"port:1-1.2\"") && text.contains("driver = \"taidoc\""))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let second = try await setup("--assign", "port:1-1.3=beurer-serial")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix(text))
        let shown = try await CuffProcess.run(["config", "show"], environment: environment)
        #expect(shown.output.contains("device front desk\tport:1-1.2\ttaidoc user 1=Anna \"A\" user 2=Ben"), "\(shown.output)")
        #expect(shown.output.contains("device beurer-serial\tport:1-1.3\tbeurer-serial\t"), "\(shown.output)")
        // An invalid file is not changed.
        try Data("[device.x]\nmatsch = 1\n".utf8).write(to: URL(fileURLWithPath: file))
        let third = try await setup("--assign", "port:1-1.4=taidoc")
        #expect(third.status == 78, "\(third.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "[device.x]\nmatsch = 1\n")
    }

    @Test func setup_PrintsWhereNothingIsToBeWritten_AndNeedsATerminalToAsk() async throws {
        let environment = ["XDG_CONFIG_HOME": scratch.path("config")]
        let run = try await CuffProcess.run(["setup", "--yes", "--assign", "port:1-1.2=taidoc", "--output", "-"], environment: environment)
        #expect(run.status == 0)
        #expect(run.output.contains("[device.taidoc]\nmatch = \"port:1-1.2\"\ndriver = \"taidoc\"\n"), "\(run.output)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path("config")))
        let owned = try await CuffProcess.run(
            [
                "setup", "--yes", "--assign", "port:1-1.2=and-std,name=hall", "--user-name", "0=Ben", "--output", "-",
            ],
            environment: environment)
        #expect(
            owned.output.hasSuffix("driver = \"and-std\"\n\n[person.Ben]\ncuffs = [\"hall\"]\n"), "a cuff without users: \(owned.output)")
        let silent = try await CuffProcess.run(["setup"], environment: environment)
        #expect(silent.status == 64)
        #expect(silent.errors.contains("--yes"))
    }

    @Test func aUser_IsFoundByName() async throws {
        let file = try scratch.write(
            "c.toml", "[device.hallway]\nmatch = \"port:1-1.2\"\ndriver = \"taidoc\"\nusers = { 1 = \"Anna\", 2 = \"Ben\" }\n")
        let database = scratch.path("bp.db")
        #expect(try await CuffProcess.run(["add", "120", "80", "--at", "2026-05-05T07:00", "--db", database]).status == 0)
        func show(_ user: String) async throws -> CuffProcess {
            try await CuffProcess.run(["show", "--db", database, "--json", "--user", user], environment: ["CUFF_CONFIG": file])
        }
        let anna = try await show("anna")
        #expect(anna.status == 0 && anna.output.isEmpty, "typed in readings are of no cuff: \(anna.errors)")
        #expect(try await show("none").objects("blood_pressure").count == 1)
        let nobody = try await show("carla")
        #expect(nobody.status == 64)
        #expect(nobody.errors.contains("carla"))
        let wrong = try scratch.write("w.toml", "[device.x]\nmatch = \"port:1-1\"\ndriver = \"taidoc\"\nusers = { one = \"Anna\" }\n")
        #expect(try await CuffProcess.run(["config", "check", "--config", wrong]).status == 78)
    }

    // MARK: --json, widths

    @Test(arguments: [
        ["sinks", "kinds", "--json"], ["config", "path", "--json"], ["drivers", "--json"], ["drivers", "--models", "--json"],
    ])
    func json_IsOneObjectForEachLine(_ words: [String]) async throws {
        let run = try await CuffProcess.run(words)
        #expect(run.status == 0 && !run.lines.isEmpty)
        #expect(run.objects().count == run.lines.count, "\(run.output)")
    }

    /// `script` gives the command a terminal.
    @Test(arguments: [60, 80, 120, 200]) func tables_FitTheTerminal(_ columns: Int) async throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/script") else {
            return print("note: script(1) is not installed; widths were not checked")
        }
        let database = scratch.path("bp.db")
        #expect(try await CuffProcess.run(["add", "120", "80", "60", "--at", "2026-05-05T07:00", "--db", database]).status == 0)
        for words in [
            ["drivers"], ["drivers", "--models"], ["drivers", "omron"], ["sinks", "kinds"], ["sinks", "--db", database],
            ["stats", "--db", database],
            ["show", "--db", database],
        ] {
            let command = ([CuffProcess.path] + words).joined(separator: " ")
            let run = try await CuffProcess.run(
                executable: "/usr/bin/script", ["-qec", "stty cols \(columns); \(command)", "/dev/null"],
                environment: ["LC_ALL": "C.UTF-8", "TERM": "xterm", "COLUMNS": ""])
            #expect(run.status == 0, "\(run.output)")
            let lines = run.output.split(whereSeparator: \.isNewline)
            #expect(lines.count > 1)
            for line in lines { #expect(line.count <= columns, "\(words) at \(columns): \(line)") }
        }
    }

    @Test func completions_KnowSinksFormatsAndOptions() async throws {
        let run = try await CuffProcess.run(["--generate-completion-script", "bash"])
        for word in ["sqlite:", "jsonl", "variant=", "beurer-serial"] { #expect(run.output.contains(word), "\(word)") }
    }
}
