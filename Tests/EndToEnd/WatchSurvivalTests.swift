import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// What fails beside the cuffs never stops the cuffs; each part is tried.
@Suite(.timeLimit(.minutes(5))) struct WatchSurvivalTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func simulated() async throws -> (port: String, running: RunningCuff) {
        let link = scratch.path("port")
        let running = try RunningCuff(
            ["simulate", "and-std", "--count", "3", "--every", "100ms", "--link", link, "--for", "90s"], folder: scratch, name: "simulator")
        #expect(try await eventually { FileManager.default.fileExists(atPath: link) })
        return (link, running)
    }

    private func count(_ path: String) -> Int {
        (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n").count ?? 0
    }

    /// Each part, how it is given, and the words about it.
    @Test(arguments: [
        ("--sink", "jsonl:/nonexistent/x.jsonl?", "/nonexistent/x.jsonl"), ("--sink", "sqlite:/nonexistent/x.db?", "/nonexistent/x.db"),
        ("--sink", "exec:/nonexistent/program?", "/nonexistent/program"), ("--sink", "unix:/nonexistent/socket?", ""),
        ("--sink", "mqtts://cuff@192.0.2.1/?gateway=test?", ""),
    ])
    func anOptionalSink_StopsNoCuff(_ option: String, _ value: String, _ words: String) async throws {
        let cuff = try await simulated()
        defer { cuff.running.signal(SIGKILL) }
        let lines = scratch.path("bp.jsonl")
        let watch = try RunningCuff(
            ["watch", "--no-config", "--assign", "\(cuff.port)=and-std", "--sink", "jsonl:\(lines)", option, value], folder: scratch)
        #expect(try await eventually { count(lines) == 3 }, "\(watch.said)")
        #expect(words.isEmpty || watch.said.contains(words), "\(watch.said)")
        watch.signal(SIGTERM)
        #expect(await watch.end() == 0, "\(watch.said)")
    }

    /// What reads a cuff and ends goes on, too, as long as another sink has the readings.
    @Test(arguments: [["read", "PORT", "--driver", "taidoc"], ["watch", "--once", "--no-config", "--assign", "PORT=taidoc"]])
    func anOptionalSink_StopsNoRunThatEnds(_ words: [String]) async throws {
        let cuff = try await SimulatedCuff("taidoc", in: scratch)
        let (lines, nowhere) = (scratch.path("bp.jsonl"), "sqlite:/nonexistent/x.db?")
        let arguments = words.map { $0.replacingOccurrences(of: "PORT", with: cuff.port) }
        let run = try await CuffProcess.run(
            arguments + ["--sink", "jsonl:\(lines)", "--sink", nowhere], environment: cuff.environment)
        #expect(run.status == 0 && count(lines) == 3, "\(run.errors)")
        #expect(run.errors.contains("cannot create /nonexistent/x.db") && run.errors.contains("\(nowhere) is optional"), "\(run.errors)")
        // The readings would be nowhere.
        let alone = try await CuffProcess.run(arguments + ["--sink", nowhere], environment: cuff.environment)
        #expect(alone.status == 73, "\(alone.errors)")
    }

    /// The sink is opened when it can be.
    @Test func anOptionalSink_IsTriedAgain() async throws {
        let cuff = try await simulated()
        defer { cuff.running.signal(SIGKILL) }
        let (lines, late) = (scratch.path("bp.jsonl"), scratch.path("later/bp.jsonl"))
        let watch = try RunningCuff(
            [
                "watch", "--no-config", "--assign", "\(cuff.port)=and-std", "--sink", "jsonl:\(lines)", "--sink", "jsonl:\(late)?",
            ], folder: scratch)
        #expect(try await eventually { count(lines) == 3 }, "\(watch.said)")
        try FileManager.default.createDirectory(atPath: scratch.path("later"), withIntermediateDirectories: true)
        #expect(try await eventually(30) { count(late) == 3 }, "\(watch.said)")
        watch.signal(SIGTERM)
        #expect(await watch.end() == 0)
    }

    @Test func aTakenPortForCuffs_IsTriedAgain() async throws {
        let taken = try TCPTransport.listening("", "0", "test")
        let cuff = try await simulated()
        defer { cuff.running.signal(SIGKILL) }
        let lines = scratch.path("bp.jsonl")
        let watch = try RunningCuff(
            [
                "watch", "--no-config", "--assign", "\(cuff.port)=and-std", "--sink", "jsonl:\(lines)", "--listen",
                "127.0.0.1:\(taken.port)",
            ], folder: scratch)
        #expect(try await eventually { count(lines) == 3 }, "\(watch.said)")
        #expect(watch.said.contains("127.0.0.1:\(taken.port): address already in use"), "\(watch.said)")
        close(taken.descriptor)
        #expect(try await eventually { watch.said.contains("listening on tcp-listen://127.0.0.1:\(taken.port)") }, "\(watch.said)")
        watch.signal(SIGTERM)
        #expect(await watch.end() == 0)
    }

    @Test func wrongSections_StopNoCuff() async throws {
        let cuff = try await simulated()
        defer { cuff.running.signal(SIGKILL) }
        let lines = scratch.path("bp.jsonl")
        let config = try scratch.write(
            "c.toml",
            """
            [device.hall]
            match = "\(cuff.port)"
            driver = "and-std"
            [device.other]
            match = "port:9-9"
            drvier = "taidoc"
            [person.Anna]
            cufs = ["hall"]
            [sink.lines]
            jsonl = "\(lines)"
            [sink.unknown]
            address = "nosuch://192.0.2.1/"
            required = false
            [sink.wrong]
            jsonl = 3
            required = false
            [alert.a]
            when = "warm"
            [watch]
            web = "nowhere:x"
            """)
        let watch = try RunningCuff(["watch", "--config", config], folder: scratch)
        #expect(try await eventually { count(lines) == 3 }, "\(watch.said)")
        for place in ["c.toml:6", "c.toml:8", "nosuch", "c.toml:15", "c.toml:18", "c.toml:20"] {
            #expect(watch.said.contains(place), "\(place): \(watch.said)")
        }
        watch.signal(SIGHUP)
        #expect(try await eventually { watch.said.contains("the configuration was not reloaded") }, "\(watch.said)")
        watch.signal(SIGTERM)
        #expect(await watch.end() == 0)
    }

    /// 11073 cuffs delete what is acknowledged, so they are refused without a durable sink; others are read.
    @Test func aPortThatNoSinkKeeps_StopsNoCuff() async throws {
        let cuff = try await simulated()
        defer { cuff.running.signal(SIGKILL) }
        let config = try scratch.write("c.toml", "[watch]\nlisten = \"127.0.0.1:0\"\n")
        let run = try SpawnedCuff(["watch", "--config", config, "--sink", "stdout", "--assign", "\(cuff.port)=and-std"])
        #expect(try await run.prints { $0.output.split(separator: "\n").count == 3 }, "\(run.errors)")
        #expect(run.errors.contains("not listening on tcp-listen://127.0.0.1:0=phd"), "\(run.errors)")
        run.signal(SIGTERM)
        #expect(await run.end().status == 0)
        let asked = try await CuffProcess.run(["watch", "--no-config", "--sink", "stdout", "--listen", "127.0.0.1:0"], limit: 20)
        #expect(asked.status == 64, "\(asked.errors)")
    }

    @Test func aClosedTerminal_EndsTheWatch() async throws {
        let (pid, said, none) = (scratch.path("pid"), scratch.path("said"), scratch.path("none"))
        let config = try scratch.write("c.toml", "[watch]\n")
        let terminal = Process()
        terminal.executableURL = URL(fileURLWithPath: "/usr/bin/script")
        let watch = "\(CuffProcess.path) watch --config \(config) --no-store --sink stdout --assign \(none)=and-std 2>\(said)"
        terminal.arguments = ["-qfc", "echo $$ >\(pid); exec \(watch)", "/dev/null"]
        (terminal.standardInput, terminal.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try terminal.run()
        func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        #expect(try await eventually { text(said).contains("there is no device") }, "\(text(said))")
        let number = try #require(Int32(text(pid).split(separator: "\n").first ?? ""))
        #expect(kill(number, SIGHUP) == 0)
        #expect(try await eventually { text(said).contains("reload") }, "a SIGHUP while the terminal is there: \(text(said))")
        kill(terminal.processIdentifier, SIGKILL)
        #expect(try await eventually { kill(number, 0) != 0 }, "\(text(said))")
        terminal.waitUntilExit()
    }

    /// The rule of a required sink: no cuff is read without it.
    @Test func aRequiredSink_AndAWrongOption_StillEndTheWatch() async throws {
        let required = try await CuffProcess.run(["watch", "--no-config", "--sink", "jsonl:/nonexistent/x.jsonl"], limit: 20)
        #expect(required.status == 73 && required.errors.contains("/nonexistent/x.jsonl"), "\(required.errors)")
        for wrong in [
            ["--sink", "jsnl:x?"], ["--sink", "nosuch://192.0.2.1/?"], ["--listen", "127.0.0.1:1=nosuch"], ["--metrics", "99999"],
        ] {
            let run = try await CuffProcess.run(["watch", "--no-config", "--sink", "stdout"] + wrong, limit: 20)
            #expect(run.status == 64, "\(wrong): \(run.status) \(run.errors)")
        }
        let config = try scratch.write("c.toml", "[sink.a]\njsonl = 3\n")
        #expect(try await CuffProcess.run(["watch", "--config", config], limit: 20).status == 78)
    }
}
