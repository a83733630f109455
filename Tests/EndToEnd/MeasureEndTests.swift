import CuffCore
import Foundation
import Testing

@testable import CuffIngest

/// How measurements end if the cuff, the reader of the output or the measuring process is gone.
@Suite struct MeasureEndTests {
    private func life(_ run: CuffProcess) -> [String] { run.objects("measurement").compactMap { $0["event"] as? String } }

    @Test(arguments: ["nibp-nano", "suntech-advantage", "berry-pm6750"])
    func aCuffThatFallsSilent_IsLost_WithinSeconds(_ driver: String) async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff(driver, in: scratch)
        let running = try SpawnedCuff(cuff.arguments("measure", ["--duration", "50"]), environment: cuff.environment)
        #expect(try await running.prints { $0.output.contains("cuff_pressure") })
        // The line stays open without a peer.
        cuff.running.signal(SIGSTOP)
        let since = Date()
        let run = await running.end()
        cuff.running.signal(SIGCONT)
        #expect(run.status == 74, "\(run.errors)")
        #expect(run.objects("measurement").last?["reason"] as? String == "lost", "\(run.lines.suffix(2))")
        #expect(life(run).count { $0 != "started" } == 1)
        #expect(Date().timeIntervalSince(since) < 10)
        // The stop was sent, but not confirmed, so the next process repeats it.
        #expect(try await cuff.running.prints { _ in cuff.deflations >= 1 })
    }

    /// Cuffs without output between the start and the result.
    @Test(arguments: ["and-std", "maibobo", "dinamap-ascii", "par-nibp"])
    func aReaderThatLeavesBeforeTheResult_StopsTheCuff(_ driver: String) async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff(driver, ["--every", "40s"], in: scratch)
        let run = try await CuffProcess.run(
            executable: "/bin/bash",
            ["-c", "\"$0\" measure \"$1\" --driver \(driver) | head -n 1", CuffProcess.path, cuff.port], environment: cuff.environment)
        #expect(run.lines.count == 1, "\(run.errors)")
        // and-std does not answer a stop; its simulator logs it.
        #expect(try await cuff.running.prints(within: 10) { _ in cuff.deflations == 1 }, "\(cuff.running.errors)")
    }

    @Test(arguments: ["par-nibp", "nibp-nano", "maibobo", "berry-pm6750", "and-std"])
    func whatADeadProcessLeft_IsStopped_ByRead_AndTheLineSaysWhoseItIs(_ driver: String) async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff(driver, ["--every", "40s"], in: scratch)
        let running = try SpawnedCuff(cuff.arguments("measure"), environment: cuff.environment)
        #expect(try await running.prints { $0.output.contains("started") })
        running.signal(SIGKILL)
        _ = await running.end()
        #expect(cuff.deflations == 0)
        let next = try await CuffProcess.run(cuff.arguments("read"), environment: cuff.environment)
        #expect(next.errors.contains("sending a stop first"), "\(next.errors)")
        // A command that is not supported is still refused, afterwards.
        let canBeRead = driver == "par-nibp" || driver == "and-std"
        #expect((next.status == 64) == !canBeRead, "\(next.status) \(next.errors)")
        #expect(try await cuff.running.prints(within: 10) { _ in cuff.deflations == 1 }, "\(cuff.running.errors)")
        let line = try #require(next.objects("measurement").first, "\(next.output)")
        #expect(line["event"] as? String == "aborted")
        #expect(line["recovered"] as? Bool == true)
        #expect(line["process"] as? Int == Int(running.identifier))
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let begun = try #require((line["begun"] as? String).flatMap { try? Date($0, strategy: style) })
        #expect(abs(begun.timeIntervalSinceNow) < 60)
        let again = try await CuffProcess.run(cuff.arguments("read"), environment: cuff.environment)
        #expect(!again.errors.contains("sending a stop first"))
    }

    @Test func aStopThatTheCuffIgnores_IsNotReportedAsDone() async throws {
        let scratch = try Scratch()
        var driver = CuffDriver.parNIBP
        driver.makeSimulator = { _ in UnstoppableModule() }
        let module = try Simulation(driver: driver, script: SimulatorScript(pushes: false))
        module.start()
        defer { module.stop() }
        let environment = ["XDG_STATE_HOME": scratch.path("state"), "HOME": scratch.path("home")]
        let cuff = [module.address, "--driver", "par-nibp"]
        let measuring = try SpawnedCuff(["measure"] + cuff + ["--no-store"], environment: environment)
        #expect(try await measuring.prints { $0.output.contains("cuff_pressure") })
        let stop = try await CuffProcess.run(["stop"] + cuff, environment: environment)
        #expect(stop.status == 69 && stop.errors.contains("the module did not confirm that it stopped"), "\(stop.status) \(stop.errors)")
        let run = await measuring.end()
        #expect(run.status == 69 && run.errors.contains("the module did not confirm that it stopped"), "\(run.status) \(run.errors)")
        let next = try await CuffProcess.run(["read"] + cuff + ["--no-store"], environment: environment)
        #expect(next.errors.contains("sending a stop first"), "\(next.errors)")
    }

    /// A watch stops a cuff whose pressure is too high, until the cuff confirms it; then nothing is left for the next link to stop.
    @Test(arguments: [2, 99]) func aWatch_SendsAnotherStop_WhereTheFirstWasNotConfirmed(_ confirmed: Int) async throws {
        let scratch = try Scratch()
        var driver = CuffDriver.iBioBoard
        driver.makeSimulator = { _ in BoardUnderPressure(confirmed: confirmed) }
        let board = try Simulation(driver: driver, script: SimulatorScript(pushes: false))
        board.start()
        defer { board.stop() }
        let state = scratch.path("state")
        let environment = ["XDG_STATE_HOME": state, "HOME": scratch.path("home")]
        let now = Int64(Date().timeIntervalSince1970)
        let minute = Int(now % 86400 / 60)
        let window = MonitoringPlan.Window(from: minute, to: (minute + 30) % 1440)
        let plan = try #require(MonitoringPlan(every: 5, window: window))
        let folder = ScheduleFolder(DriverMemory(folder: state + "/cuff"))
        try folder.save(HostSchedule(key: board.address, driver: "ibio-board", zone: "UTC", keeper: ScheduleKeeper(plan, from: now - 240)))
        let watch = try SpawnedCuff(
            ["watch", "--no-config", "--assign", "\(board.address)=ibio-board", "--sink", "stdout"], environment: environment)
        #expect(try await watch.prints { $0.output.contains("over_pressure") }, "\(watch.output) \(watch.errors)")
        let marks = MeasurementMarks(DriverMemory(folder: state + "/cuff"))
        let address = try DeviceAddress(board.address)
        // Held by the watch until the second stop is confirmed, or three of them were not.
        #expect(try await watch.prints { _ in marks.holder("ibio-board", address) == nil }, "\(watch.errors)")
        #expect(marks.isLeft("ibio-board", address) == (confirmed == 99))
        watch.signal(SIGINT)
        let run = await watch.end()
        #expect(life(run) == ["started", "failed"], "\(run.output)")
    }

    @Test(arguments: ["omron-hbp", "paramatech-ft201", "ampall-bp868f", "and-ua767pc", "nibp-nano", "maibobo", "dinamap-native"])
    func following_IsOpenToFamiliesWithoutAMemory(_ driver: String) async throws {
        let scratch = try Scratch()
        // It listens until the time is over.
        let cuff = try await SimulatedCuff(driver, ["--count", "0"], in: scratch)
        let run = try await CuffProcess.run(cuff.arguments("read", ["--follow", "--timeout", "500ms"]), environment: cuff.environment)
        #expect(run.status == 124, "\(driver): \(run.status) \(run.errors)")
        #expect(!run.errors.contains("cannot"))
        let refused = try await CuffProcess.run(cuff.arguments("read"), environment: cuff.environment)
        #expect(refused.status == 64)
    }

    @Test func watch_OwnsItsPort() async throws {
        let scratch = try Scratch()
        let config = scratch.path("config.toml")
        // A port per process, because watches of concurrent tests must not meet.
        let port = 20_000 + Int(getpid()) % 20_000
        try Data("[watch]\nlisten = \":\(port)\"\n".utf8).write(to: URL(fileURLWithPath: config))
        let environment = ["XDG_STATE_HOME": scratch.path("state"), "HOME": scratch.path("home")]
        let watch = try SpawnedCuff(
            ["watch", "--config", config, "--sink", "stdout", "--sink", "sqlite:\(scratch.path("bp.db"))"], environment: environment)
        #expect(try await watch.prints { $0.errors.contains("listening on tcp-listen://127.0.0.1:\(port) for phd") }, "\(watch.errors)")
        let agents = try (1...2).map {
            try SpawnedCuff(["simulate", "phd", "--connect", "tcp://127.0.0.1:\(port)", "--option", "system-id=00091ffffe00010\($0)"])
        }
        #expect(try await watch.prints { $0.output.split(separator: "\n").count >= 6 }, "\(watch.output) \(watch.errors)")
        watch.signal(SIGTERM)
        let run = await watch.end()
        for agent in agents { agent.signal(SIGTERM) }
        #expect(run.status == 0, "\(run.errors)")
        #expect(Set(run.objects("blood_pressure").compactMap { $0["device"] as? String }).count == 2)
        // Without a durable sink an agent's readings would be lost.
        let keepless = try await CuffProcess.run(
            ["watch", "--no-config", "--sink", "stdout", "--listen", ":\(port)"], environment: environment)
        #expect(keepless.status == 64 && keepless.errors.contains("phd"), "\(keepless.errors)")
        let taken = try await CuffProcess.run(["watch", "--no-config", "--once", "--listen", ":\(port)"], environment: environment)
        #expect(taken.status == 64)
    }

    @Test func aWholeFrameOfUnknownKind_IsSaid_WithoutItsBytes() async throws {
        let scratch = try Scratch()
        // A record RZ with a valid check (A&D).
        let body = [0x01, 0x30, 0x30, 0x02] + Array("TM2657\u{1E}2605070815\u{1E}RZ\u{1E}S150\u{1E}".utf8) + [0x03]
        let frame = [0x16, 0x16] + body + [body.reduce(0, ^)]
        let file = scratch.path("unknown.bin")
        try Data(frame).write(to: URL(fileURLWithPath: file))
        let run = try await CuffProcess.run(["decode", "--driver", "and-std", file])
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("ignored a frame of no known kind, \(frame.count) bytes"), "\(run.errors)")
        #expect(!run.errors.contains("16 16"))
    }
}

/// A PAR module that sends pressures after a start, and ignores everything else.
private struct UnstoppableModule: CuffSimulator {
    private var heard: [UInt8] = []
    private var pressure = 20

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .received(let bytes) where pressure == 20:
            heard += bytes
            return String(decoding: heard, as: UTF8.self).contains("01;;D7") ? advance() : []
        case .timerFired: return advance()
        default: return []
        }
    }

    private mutating func advance() -> [SimulatorAction] {
        pressure = min(pressure + 5, 299)
        let digits = Array("\(1000 + pressure)".utf8.dropFirst())
        return [.write([0x02] + digits + Array("C1S3".utf8) + [0x03, 0x0D]), .arm(.poll, .milliseconds(200))]
    }
}

/// An iBio board that exceeds its highest pressure, and confirms only one of the stops.
private struct BoardUnderPressure: CuffSimulator {
    let confirmed: Int
    private var stops = 0

    init(confirmed: Int) { self.confirmed = confirmed }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .received([0x55, 0xD5]): return [.write([0x20, 0x80, 0x81, 0xCB, 0x80, 0x81, 0xED])]  // 331 mmHg
        case .received(let bytes) where bytes.starts(with: [0x56, 0xD6]):
            stops += bytes.count / 2
            return stops >= confirmed ? [.write([0x21, 0x80, 0x81, 0xA2])] : []
        default: return []
        }
    }
}
