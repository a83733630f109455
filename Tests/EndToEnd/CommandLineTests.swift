import CuffCore
import Foundation
import Testing

/// Mistakes on the command line and their messages.
@Suite struct CommandLineTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    private static let captures = CuffProcess.folder.path + "/captures"

    // MARK: replay, decode

    @Test func replay_AsAnotherFamily_IsBadData_AndSaysWhatTheCaptureNames() async throws {
        for (capture, wrong) in [
            ("and-std/two-results", "r1"), ("beurer-serial/two-users", "and-std"), ("ampall-bp868f/two-pushes", "omron-hbp"),
        ] {
            let folder = Self.captures + "/" + capture.split(separator: "/")[0]
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).sorted().first { $0.hasSuffix(".capture") })
            let run = try await CuffProcess.run(["replay", "\(folder)/\(name)", "--driver", wrong])
            #expect(run.status == 65, "\(name) as \(wrong): \(run.errors)")
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("leave out --driver"), "\(run.errors)")
        }
    }

    @Test func decode_OfACapture_PointsToReplay() async throws {
        let file = Self.captures + "/ampall-bp868f/two-pushes.capture"
        let run = try await CuffProcess.run(["decode", "--driver", "ampall-bp868f", file])
        #expect(run.status == 64)
        #expect(run.errors.contains("cuff replay \(file)"), "\(run.errors)")
        let piped = try await CuffProcess.run(
            ["decode", "--driver", "ampall-bp868f"], input: Array(try Data(contentsOf: URL(fileURLWithPath: file))))
        #expect(piped.status == 64)
        #expect(piped.errors.contains("cuff replay -"), "\(piped.errors)")
        // Bytes that only look like a capture's start: the documented frame of 13 digits after noise.
        let noise = Array("#1\r\n< x\r\n^1180900760640^".utf8)
        #expect(try await CuffProcess.run(["decode", "--driver", "ampall-bp868f"], input: noise).objects().count == 1)
    }

    // MARK: Flags

    /// Refused before anything is opened.
    @Test(arguments: [
        ["read", "/dev/not-there", "--driver", "and-std", "--max", "0"], ["read", "/dev/not-there", "--driver", "and-std", "--max", "-3"],
        ["read", "/dev/not-there", "--driver", "beurer-serial", "--since", "2026-06-01", "--until", "2026-05-01"],
        ["read", "/dev/not-there", "--driver", "and-std", "--option", "varriant=inbody"],
        ["read", "/dev/not-there", "--driver", "and-std", "--user", "2"],
        ["read", "tcp://127.0.0.1:9", "--driver", "and-std", "--line", "9600"],
        ["read", "/dev/not-there", "--driver", "omron-hid", "--line", "9600"],
        ["measure", "/dev/not-there", "--driver", "par-nibp", "--option", "nonsense=1"],
        ["measure", "/dev/not-there", "--driver", "par-nibp", "--keep-failed", "--no-store"],
        ["clock", "/dev/not-there", "--driver", "taidoc", "--max-drift", "5s"],
        ["clock", "/dev/not-there", "--driver", "taidoc", "--set", "now", "--check"],
        ["clock", "/dev/not-there", "--driver", "and-std", "--check"],
        ["record", "/dev/not-there", "--driver", "and-std", "-o", "x", "--record", "y"],
        ["schedule", "/dev/not-there", "--driver", "par-nibp", "set", "--every", "15m", "--tz", "UTC"],
        ["simulate", "and-std", "--count", "-1"], ["simulate", "and-std", "--speed", "0"], ["simulate", "and-std", "--speed", "-2"],
        ["simulate", "phd", "--option", "strore=yes"], ["decode", "--driver", "and-std", "--option", "nonsense=1"],
        ["decode", "--driver", "phd", "--explain", "--live"], ["drivers", "--json", "--markdown"], ["watch", "--once", "--again", "1h"],
        ["doctor", "--print-rule"], ["watch", "--no-config", "--option", "variant=inbody"], ["watch", "--no-config", "--device", "anna"],
        ["read", "/dev/not-there,baud=9600", "--driver", "and-std"], ["decode", "--driver", "and-std", "--usb", "1.2"],
        ["replay", captures + "/ampall-bp868f/two-pushes.capture", "--chip", "ftdi"],
    ])
    func whatCannotBeMeant_IsAnErrorOfUse(_ arguments: [String]) async throws {
        let run = try await CuffProcess.run(arguments, environment: ["XDG_STATE_HOME": scratch.path("state")], limit: 20)
        #expect(run.status == 64, "\(arguments) \(run.status): \(run.errors)")
        #expect(!run.errors.isEmpty && run.output.isEmpty, "\(arguments)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path("x")))
    }

    @Test(arguments: [
        ["show", "--last", "0"], ["show", "--since", "2026-06-01", "--until", "2026-05-01"], ["show", "--by-owner"], ["show", "--values"],
        ["show", "--plot", "--format", "jsonl"], ["show", "--plot", "--type", "event"], ["show", "--low-pulse", "50"],
        ["stats", "--since", "2026-06-01", "--until", "2026-05-01"], ["stats", "--type", "pulse_rate"], ["stats", "--type", "event"],
        ["stats", "--readings", "--format", "table"], ["report", "--type", "event", "-o", "-"],
        ["delete", "--type", "event", "--user", "1", "--confirm", "delete"], ["delete", "--forget", "--user", "1"],
        ["export", "--csv-dialect", "semicolon", "--format", "jsonl"], ["export", "--apple-layout", "records"], ["export", "--raw"],
        ["export", "--type", "event"], ["export", "--type", "quantity_series"], ["export", "--low-pulse", "50"],
        ["export", "--type", "quantity_series", "--format", "apple-health"], ["export", "--user", "x"], ["export", "--force"],
    ])
    func overStoredReadings_WhatHasNoEffect_IsAnErrorOfUse(_ arguments: [String]) async throws {
        let database = scratch.path("bp.db")
        #expect(try await CuffProcess.run(["add", "120", "80", "--at", "2026-05-05T07:00", "--user", "1", "--db", database]).status == 0)
        let run = try await CuffProcess.run(arguments + ["--db", database])
        #expect(run.status == 64, "\(arguments) \(run.status): \(run.errors)")
        #expect(run.output.isEmpty && !run.errors.isEmpty)
        let left = try await CuffProcess.run(["show", "--db", database, "--format", "jsonl"])
        #expect(left.objects("blood_pressure").count == 1)
    }

    @Test func help_NamesDefaultsAsTheyAreWritten() async throws {
        for verb in ["simulate", "identify", "clock", "read", "measure", "watch", "schedule", "export", "show"] {
            let help = try await CuffProcess.run([verb, "--help"])
            #expect(help.status == 0)
            #expect(!help.output.contains("Span") && !help.output.contains("duration:"), "\(verb): \(help.output)")
        }
        #expect(try await CuffProcess.run(["simulate", "--help"]).output.contains("(default: 1s)"))
    }

    // MARK: Devices

    @Test(arguments: ["omron-hid", "omron-eeprom", "beurer-hid", "beurer-bm96", "microlife-hid", "contec-08a"])
    func aSimulatedHIDCuff_IsNotOfferedOnATerminal(_ driver: String) async throws {
        for more in [[], ["--tcp", "0"]] {
            let run = try await CuffProcess.run(["simulate", driver] + more, limit: 20)
            #expect(run.status == 64, "\(run.status)")
            #expect(run.output.isEmpty && run.errors.contains("--uhid /dev/uhid"), "\(run.errors)")
        }
        let cuff = try await SimulatedCuff("beurer-serial", in: scratch)
        let read = try await CuffProcess.run(cuff.arguments("read", as: driver), environment: cuff.environment)
        #expect(read.status == 64)
        #expect(read.errors.contains("is a terminal"), "\(read.errors)")
    }

    @Test(arguments: ["read", "measure", "info"])
    func aRefusedConnection_IsSaidAsOne(_ verb: String) async throws {
        // Nothing listens on port 1 (tcpmux) of this machine.
        let run = try await CuffProcess.run(
            [verb, "tcp://127.0.0.1:1", "--driver", verb == "info" ? "taidoc" : "suntech-advantage"],
            environment: ["XDG_STATE_HOME": scratch.path("state")])
        #expect(run.status == 69, "\(run.status): \(run.errors)")
        #expect(run.errors.contains("cannot reach tcp://127.0.0.1:1") && run.errors.contains("connection refused"), "\(run.errors)")
        #expect(!run.errors.contains("the line ended"))
    }

    @Test func aClockThatWasTold_IsCompared() async throws {
        let cuff = try await SimulatedCuff("taidoc", in: scratch)
        let run = try await CuffProcess.run(cuff.arguments("clock", ["--check", "--max-drift", "1s"]), environment: cuff.environment)
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.objects().isEmpty && run.lines.count == 1)
    }

    @Test func measure_EndsByItsTimeout_BesideADuration() async throws {
        let cuff = try await SimulatedCuff("suntech-advantage", ["--every", "30s"], in: scratch)
        let begun = Date()
        let run = try await CuffProcess.run(
            cuff.arguments("measure", ["--timeout", "2s", "--duration", "50s"]), environment: cuff.environment)
        #expect(run.status == 124, "\(run.errors)")
        #expect(Date().timeIntervalSince(begun) < 40)
        #expect(run.errors.contains("the measurement timed out"), "\(run.errors)")
        #expect(try await cuff.running.prints { _ in cuff.deflations == 1 })
    }

    /// `script` gives the command a terminal.
    @Test(arguments: [60, 120]) func measure_IntoADatabase_ShowsBarAndResultAtATerminal(_ columns: Int) async throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/script") else {
            return print("note: script(1) is not installed; measure at a terminal was not checked")
        }
        let cuff = try await SimulatedCuff("par-nibp", ["--speed", "3"], in: scratch)
        let database = scratch.path("bp.db")
        let command = ([CuffProcess.path] + cuff.arguments("measure", ["--sink", "sqlite:\(database)"])).joined(separator: " ")
        let run = try await CuffProcess.run(
            executable: "/usr/bin/script", ["-qec", "stty cols \(columns); \(command)", "/dev/null"],
            environment: cuff.environment.merging(["LC_ALL": "C.UTF-8", "TERM": "xterm"]) { $1 })
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("mmHg") && run.output.contains("\u{1B}[K"), "\(run.output)")
        #expect(run.output.contains("SYS/DIA"), "\(run.output)")
        let shown = try await CuffProcess.run(["show", "--db", database, "--format", "jsonl"])
        let one = try #require(shown.objects("blood_pressure").first)
        #expect(run.output.contains("\(one["systolic_mmHg"] ?? 0)/\(one["diastolic_mmHg"] ?? 0)"))
        // No line of the bar is wider than the terminal.
        let bars = run.output.split(separator: "\u{1B}[K").map { $0.prefix { $0 != "\r" && $0 != "\n" && $0 != "\r\n" } }
        #expect(bars.allSatisfy { $0.count < columns }, "\(bars.map(\.count))")
    }

    /// A dump of some seconds: the count is overwritten, and removed before the result.
    @Test func read_OfAnnouncedRecords_ShowsHowFarItIsAtATerminal() async throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/script") else {
            return print("note: script(1) is not installed; progress at a terminal was not checked")
        }
        // As captures/beurer-serial/two-records.capture, with forty records of one day.
        let start = ["> aa", "< 55", "> a4", "< \(Hex.text(Array("Andon Blood Pressure Meter KD001".utf8)))", "> a2", "< 28"]
        let records = (1...40).flatMap {
            ["> \(Hex.text([0xA3, UInt8($0)]))", "< \(Hex.text([0xAC, 0x67, 0x39, 0x47, 5, 5, 7, UInt8($0), 0x1A]))"]
        }
        let capture = scratch.path("forty.capture")
        try Data((["# driver: beurer-serial"] + start + records).joined(separator: "\n").appending("\n").utf8)
            .write(to: URL(fileURLWithPath: capture))
        let cuff = try await SimulatedCuff("beurer-serial", ["--play", capture], in: scratch)
        let command = ([CuffProcess.path] + cuff.arguments("read", ["--sink", "sqlite:\(scratch.path("bp.db"))"])).joined(separator: " ")
        let run = try await CuffProcess.run(
            executable: "/usr/bin/script", ["-qec", "stty cols 80; \(command)", "/dev/null"],
            environment: cuff.environment.merging(["LC_ALL": "C.UTF-8", "TERM": "xterm"]) { $1 })
        #expect(run.status == 0, "\(run.output)")
        let shown = run.output.matches(of: /\r\x1b\[K(\d+) of 40 readings …/).compactMap { Int($0.1) }
        #expect(shown.count >= 3 && shown == shown.sorted() && shown.allSatisfy { (1...40).contains($0) }, "\(shown)")
        #expect(run.output.contains("\r\u{1B}[Kcuff: 40 readings, all new"), "\(run.output)")
    }

    // MARK: Schedules

    @Test func aSchedule_IsForACuff_NotForTheNodeItHas() async throws {
        let environment = ["XDG_STATE_HOME": scratch.path("state")]
        func schedule(_ more: [String]) async throws -> CuffProcess {
            try await CuffProcess.run(["schedule"] + more, environment: environment)
        }
        for node in ["/dev/ttyUSB97", "/dev/pts/9997", "/dev/ttyACM97"] {
            let run = try await schedule([node, "--driver", "suntech-advantage", "set", "--every", "15m"])
            #expect(run.status == 64 || run.status == 69, "\(node) \(run.status): \(run.errors)")
            #expect(run.output.isEmpty)
        }
        let named = try await schedule(["/dev/pts/9997", "--driver", "suntech-advantage", "--device", "anna", "set", "--every", "15m"])
        #expect(named.status == 0, "\(named.errors)")
        let told = try await schedule(["/dev/pts/9998", "--driver", "suntech-advantage", "--device", "anna", "get", "--json"])
        #expect(told.objects("schedule").first?["every_min"] as? Int == 15)
        let other = try await schedule(["/dev/pts/9997", "--driver", "suntech-advantage", "--device", "ben", "get", "--json"])
        #expect(other.objects("schedule").first?["by"] is NSNull)
    }
}
