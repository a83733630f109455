import CuffCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(3))) struct SinksVerbTests {
    private func rows(_ run: CuffProcess) -> [String: [String: Any]] {
        Dictionary(uniqueKeysWithValues: run.objects("sink").compactMap { row in (row["sink"] as? String).map { ($0, row) } })
    }

    @Test func linesForAProgramThatIsAway_SurviveAKill_AndGoOutLater() async throws {
        let folder = try Scratch()
        let records = SimulatedRecord.sample(count: 40, seed: 3)
        let cuff = try Simulation(driver: .phd, script: SimulatorScript(records: records, interval: .milliseconds(1)))
        cuff.start()
        defer { cuff.stop() }
        let database = folder.path("bp.db")
        let spec = "unix+ack:\(folder.path("away"))"
        let reader = try RunningCuff(
            ["read", cuff.address, "--driver", "phd", "--follow", "--sink", "sqlite:\(database)", "--sink", spec], folder: folder)
        #expect(try await eventually { (try? Store(database, access: .read).count()) == 40 }, "\(reader.said)")
        reader.signal(SIGKILL)
        _ = await reader.end()
        let before = try await CuffProcess.run(["sinks", "--db", database, "--json"])
        #expect(before.status == 0, "\(before.errors)")
        let waiting = try #require(rows(before)[spec])
        #expect((waiting["pending"] as? Int ?? 0) >= 39)
        #expect(waiting["oldest_pending_s"] != nil && waiting["next_try"] != nil)
        #expect((waiting["last_error"] as? String)?.contains("no such file") == true)
        #expect(rows(before)["sqlite:\(database)"]?["acknowledged"] != nil)
        // Still unavailable: retrying loses nothing.
        let vain = try await CuffProcess.run(["sinks", "retry", "--db", database])
        #expect(vain.status == 75, "\(vain.errors)")
        let listener = try await Listener(folder.path("away"))
        let retry = try await CuffProcess.run(["sinks", "retry", "--db", database])
        #expect(retry.status == 0, "\(retry.errors)")
        #expect(try await eventually { listener.lines.count == waiting["pending"] as? Int })
        let after = try await CuffProcess.run(["sinks", "--db", database, "--json"])
        #expect(rows(after)[spec]?["pending"] as? Int == 0)
        #expect(rows(after)[spec]?["acknowledged"] != nil && rows(after)[spec]?["last_error"] == nil)
        let unconfirmed = try await CuffProcess.run(["sinks", "drop", spec, "--db", database])
        #expect(unconfirmed.status == 64 && unconfirmed.errors.contains("--confirm drop"))
    }

    @Test func watch_TellsItsStatistics_OnASignal_AtTheEnd_AndOnItsPort() async throws {
        let folder = try Scratch()
        let simulator = try RunningCuff(
            ["simulate", "and-std", "--count", "30", "--every", "10ms", "--link", folder.path("port")], folder: folder, name: "simulator")
        defer { simulator.signal(SIGKILL) }
        #expect(try await eventually { FileManager.default.fileExists(atPath: folder.path("port")) })
        let watch = try RunningCuff(
            [
                "watch", "--no-config", "--assign", "\(folder.path("port"))=and-std", "--stats", "--metrics", "0", "--sink",
                "sqlite:\(folder.path("bp.db"))",
            ], folder: folder)
        defer { watch.signal(SIGKILL) }
        #expect(try await eventually { (try? Store(folder.path("bp.db"), access: .read).count()) == 30 }, "\(watch.said)")
        let port = try #require(watch.said.split(separator: "127.0.0.1:").dropFirst().first.map { String($0.prefix { $0.isNumber }) })
        let scrape = try await CuffProcess.run(
            executable: "/bin/bash",
            ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); printf 'GET /metrics HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' >&3; cat <&3"])
        #expect(scrape.output.hasPrefix("HTTP/1.1 200 OK"))
        #expect(scrape.output.contains("cuff_driver_readings_total{driver=\"and-std\"} 30\n"))
        #expect(scrape.output.contains("cuff_sink_stored_readings_total{sink=\"0:sqlite\",required=\"true\"} 30\n"))
        #expect(scrape.output.hasSuffix("# EOF\n") && !scrape.output.contains(folder.url.path), "paths are nobody's business")
        watch.signal(SIGUSR1)
        #expect(try await eventually { watch.said.contains("driver and-std: ") && watch.said.contains(" 30 readings") })
        watch.signal(SIGTERM)
        _ = await watch.end()
        #expect(watch.said.components(separatedBy: "sink sqlite:\(folder.path("bp.db")): 30 stored").count == 3, "\(watch.said)")
    }

    /// A signal while standard output blocks: the run ends in time, and reports exactly what is not stored.
    @Test func aSignal_WhileASinkHangs_IsObeyed_AndTheRestIsCounted() async throws {
        let folder = try Scratch()
        let simulator = try RunningCuff(
            ["simulate", "and-std", "--count", "7", "--every", "10ms", "--link", folder.path("port")], folder: folder, name: "simulator")
        defer { simulator.signal(SIGKILL) }
        #expect(try await eventually { FileManager.default.fileExists(atPath: folder.path("port")) })
        #expect(mkfifo(folder.path("fifo"), 0o600) == 0)
        // The other end is open but never read; the pipe is full before the first reading.
        let reader = open(folder.path("fifo"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let filler = [UInt8](repeating: 0x20, count: 4096)
        while write(reader, filler, filler.count) > 0 {}
        let run = try RunningCuff(
            [
                "read", folder.path("port"), "--driver", "and-std", "--follow", "--sink", "jsonl:\(folder.path("fifo"))", "--sink",
                "jsonl:\(folder.path("seen"))",
            ], folder: folder)
        defer { run.signal(SIGKILL) }
        #expect(
            try await eventually {
                (try? String(contentsOfFile: folder.path("seen"), encoding: .utf8))?.split(separator: "\n").count == 7
            }, "\(run.said)")
        run.signal(SIGTERM)
        let status = await run.end()
        #expect(status == 75, "\(run.said)")
        #expect(run.said.contains("everything is stored, but a sink did not close in time"), "\(run.said)")
    }

    /// A replay without a zone: the refusal is reported with a hint; with a zone the readings are delivered.
    @Test func readingsThatAreRefused_AreSaid_AndTheZoneHelps() async throws {
        let folder = try Scratch()
        try FileManager.default.createDirectory(atPath: folder.path("libexec"), withIntermediateDirectories: true)
        try TestProgram.write(
            #"""
            #!/bin/sh
            echo ready 1
            while IFS= read -r line; do
                id=${line#*\"id\":\"}
                case $line in *'"measured":'*) echo "ok ${id%%\"*} 0" ;; *) echo "refuse ${id%%\"*} 0 the time is not known" ;; esac
            done
            """#, to: folder.path("libexec/cuff-sink-pigeon"))
        let environment = ["CUFF_LIBEXEC": folder.path("libexec"), "XDG_STATE_HOME": folder.path("state")]
        let capture = "\(CuffProcess.folder.path)/captures/and-std/bad-check-then-good.capture"
        func cuff(_ words: [String]) async throws -> CuffProcess { try await CuffProcess.run(words, environment: environment) }
        let floating = try await cuff(["replay", capture, "--sink", "pigeon:loft"])
        #expect(floating.status == 65, "\(floating.errors)")
        #expect(floating.errors.contains("pigeon:loft refused 1 reading: the time is not known") && floating.errors.contains("--tz"))
        #expect(
            try await cuff(["replay", capture, "--sink", "pigeon:loft"]).status == 65, "nothing is sent again, and nothing is delivered")
        #expect(try await cuff(["sinks"]).output.contains("refused: the time is not known"))
        #expect(try await cuff(["replay", capture, "--sink", "pigeon:loft?"]).status == 0, "an optional sink is no failure")
        let again = try await cuff(["sinks", "retry", "--refused"])
        #expect(again.status == 65 && again.errors.contains("1 refused"), "\(again.errors)")
        let placed = try await cuff(["replay", capture, "--sink", "pigeon:loft", "--tz", "UTC"])
        #expect(placed.status == 0, "\(placed.errors)")
        let row = try #require(rows(try await cuff(["sinks", "--json"]))["pigeon:loft"])
        #expect(row["acknowledged"] != nil && row["refused"] == nil && row["pending"] as? Int == 0)
    }

    /// The queue of a run without a database is not a sink.
    @Test func theQueue_IsNotListed() async throws {
        let folder = try Scratch()
        let environment = [
            "XDG_STATE_HOME": folder.path("state"), "XDG_DATA_HOME": folder.path("data"), "XDG_CONFIG_HOME": folder.path("config"),
        ]
        let spec = "unix+ack:\(folder.path("away"))"
        let replay = try await CuffProcess.run(
            ["decode", "--driver", "and-std", "--sink", spec], input: DecodeReplayTests.frame(128, "2605050731"), environment: environment)
        #expect(replay.status == 75, "\(replay.errors)")
        #expect(FileManager.default.fileExists(atPath: folder.path("state/cuff/outbox.db")))
        let listed = try await CuffProcess.run(["sinks", "--json"], environment: environment)
        #expect(listed.status == 0, "\(listed.errors)")
        #expect(listed.objects("sink").map { $0["sink"] as? String } == [spec], "\(listed.output)")
        #expect(rows(listed)[spec]?["pending"] as? Int == 1)
    }

    /// The installation's helper has precedence over that on PATH; without either both places are named.
    @Test func serverSink_RunsItsHelper() async throws {
        let folder = try Scratch()
        let helper = """
            #!/bin/sh
            echo "$0 $1" >> \(folder.path("runs"))
            echo ready 1
            while read -r line; do id=${line#*\\"id\\":\\"}; echo "ok ${id%%\\"*} 0"; done
            """
        for name in ["libexec", "bin"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
            try TestProgram.write(helper, to: folder.path("\(name)/cuff-sink-pigeon"))
        }
        let capture = "\(CuffProcess.folder.path)/captures/and-std/bad-check-then-good.capture"
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = "\(environment["PATH"] ?? ""):\(folder.path("bin"))"
        environment["XDG_STATE_HOME"] = folder.path("state")
        func replay(_ libexec: String) async throws -> CuffProcess {
            environment["CUFF_LIBEXEC"] = folder.path(libexec)
            return try await CuffProcess.run(["replay", capture, "--sink", "pigeon://loft/7?a=b"], environment: environment)
        }
        for (libexec, found) in [("libexec", "libexec"), ("none", "bin")] {
            let run = try await replay(libexec)
            #expect(run.status == 0, "\(run.errors)")
            let runs = try String(contentsOfFile: folder.path("runs"), encoding: .utf8)
            #expect(runs.hasSuffix("\(folder.path(found))/cuff-sink-pigeon pigeon://loft/7?a=b\n"), "\(runs)")
            unlink(folder.path("state/cuff/outbox.db"))
        }
        unlink(folder.path("bin/cuff-sink-pigeon"))
        let missing = try await replay("none")
        #expect(missing.status == 64, "\(missing.errors)")
        #expect(missing.errors.contains("cuff-sink-pigeon is neither in \(folder.path("none")) nor on PATH"))
        let secret = try await CuffProcess.run(["replay", capture, "--sink", "mqtt://nurse:s3same@broker/"])
        #expect(secret.status == 64 && !secret.errors.contains("s3same") && secret.errors.contains("mqtt.password"), "\(secret.errors)")
    }

    @Test func forget_RunsTheBrokersHelper_AndIsForBrokersOnly() async throws {
        let folder = try Scratch()
        try FileManager.default.createDirectory(atPath: folder.path("libexec"), withIntermediateDirectories: true)
        try TestProgram.write("#!/bin/sh\nprintf '%s|' \"$@\"\nexit 69\n", to: folder.path("libexec/cuff-sink-mqtt"))
        let broker = "mqtts://cuff@broker/?gateway=pi 7&discovery=homeassistant"
        let environment = ["CUFF_LIBEXEC": folder.path("libexec")]
        // The optional sink of a configuration is the same one.
        for sink in [broker, broker + "?"] {
            let run = try await CuffProcess.run(["sinks", "forget", "00091ffffe000101", sink], environment: environment)
            #expect(run.status == 69 && run.output == "--forget|00091ffffe000101|\(broker)|" && run.errors == "", "\(run)")
        }
        let other = try await CuffProcess.run(["sinks", "forget", "x", "postgres://cuff@db/ward"], environment: environment)
        #expect(other.status == 64 && other.errors.contains("only MQTT sinks"), "\(other)")
        let none = try await CuffProcess.run(
            ["sinks", "forget", "x", broker], environment: ["CUFF_LIBEXEC": folder.path("none"), "PATH": "/nonexistent"])
        #expect(none.status == 69 && none.errors.contains("cuff-sink-mqtt is neither in"), "\(none)")
        let secret = try await CuffProcess.run(["sinks", "forget", "x", "mqtt://nurse:s3same@broker/"], environment: environment)
        #expect(secret.status == 64 && !secret.errors.contains("s3same"), "\(secret)")
    }

    /// The helper's text is shown, and the worst answer determines the status.
    @Test func configCheck_Connect_AsksTheHelpers() async throws {
        let folder = try Scratch()
        try FileManager.default.createDirectory(atPath: folder.path("libexec"), withIntermediateDirectories: true)
        let helper = """
            #!/bin/sh
            [ "$1" = --check ] || exit 64
            case $2 in
            *//well/*) echo "ok it stores readings" ;;
            *//away/*) echo "later no connection"; exit 75 ;;
            *//wrong/*) echo "fatal the broker accepted the password but not the topic"; exit 78 ;;
            *//old/*) echo "ready 1"; cat >/dev/null ;;
            *) exit 64 ;;
            esac
            """
        try TestProgram.write(helper, to: folder.path("libexec/cuff-sink-pigeon"))
        let environment = ["CUFF_LIBEXEC": folder.path("libexec"), "PATH": "/usr/bin:/bin"]
        func check(_ hosts: String...) async throws -> CuffProcess {
            let text = hosts.map { "[sink.\($0)]\naddress = \"\($0 == "none" ? "crow" : "pigeon")://\($0)/\"\n" }.joined()
            let file = try folder.write("\(hosts.joined()).toml", text + "[sink.lines]\njsonl = \"x.jsonl\"\n")
            return try await CuffProcess.run(["config", "check", "--connect", "--config", file], environment: environment)
        }
        let well = try await check("well")
        #expect(well.status == 0 && well.errors == "", "\(well)")
        #expect(well.output.hasSuffix("well.toml: ok\nsink well: ok: it stores readings\n"), "\(well.output)")
        let away = try await check("well", "away")
        #expect(away.status == 69 && away.errors == "cuff: sink away: not now: no connection\n", "\(away)")
        let wrong = try await check("away", "wrong", "well")
        #expect(wrong.status == 78 && wrong.output.contains("sink well: ok"), "\(wrong)")
        #expect(wrong.errors.contains("cuff: sink wrong: the broker accepted the password but not the topic\n"), "\(wrong)")
        let old = try await check("old", "other")
        #expect(old.status == 0 && old.output.contains("sink old: not checked") && old.output.contains("sink other: not checked"), "\(old)")
        let none = try await check("none")
        #expect(none.status == 69 && none.errors.contains("cuff-sink-crow is neither in"), "\(none)")
        let local = try await check()
        #expect(local.status == 0 && local.output.hasSuffix("no sink on a server\n"), "\(local)")
    }

    /// A helper on a socket, which acknowledges each line.
    private final class Listener: @unchecked Sendable {
        private let kept = Locked<[UInt8]>([])
        var lines: [String] { kept.withLock { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) } }

        init(_ path: String) async throws {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
            }
            guard result == 0, listen(descriptor, 4) == 0 else { throw SystemFault("bind") }
            Thread.detachNewThread { [kept] in
                let client = accept(descriptor, nil, nil)
                func say(_ text: String) { _ = write(client, text, text.utf8.count) }
                say("ready 1\n")
                var room = [UInt8](repeating: 0, count: 1 << 16)
                var rest: [UInt8] = []
                while case let count = read(client, &room, room.count), count > 0 {
                    kept.withLock { $0 += room[..<count] }
                    rest += room[..<count]
                    while let end = rest.firstIndex(of: 0x0A) {
                        let object = try? JSONSerialization.jsonObject(with: Data(rest[..<end])) as? [String: Any]
                        rest.removeSubrange(...end)
                        say("ok \(object?["id"] as? String ?? "") \(object?["revision"] as? Int ?? 0)\n")
                    }
                }
                close(client)
                close(descriptor)
            }
        }
    }
}
