import Foundation
import Testing

/// Measurements with simulated cuffs on pseudo terminals: exactly one end, and the cuff is deflated whenever possible.
@Suite struct MeasureTests {
    static let able = ["suntech-advantage", "par-nibp", "dinamap-ascii", "berry-pm6750", "maibobo", "evgmolt-oem", "and-std"]
    static let others = [
        "phd", "r1", "dinamap-native", "omron-hbp", "beurer-serial", "microlife-bpa100", "ampall-bp868f", "and-ua767pc",
        "paramatech-ft201", "veroval-bpm25", "omron-hid", "beurer-hid", "microlife-hid", "contec-08a", "taidoc",
        "omron-eeprom", "veroval-duo", "beurer-bm96", "bptru-bpm200",
    ]

    private func life(_ run: CuffProcess) -> [String] { run.objects("measurement").compactMap { $0["event"] as? String } }

    /// The results of the measurement. evgmolt-oem first sends its stored result, as a reading of its memory.
    private func measured(_ run: CuffProcess, _ type: String? = nil) -> [[String: Any]] {
        (type.map { run.objects($0) } ?? run.objects()).filter { $0["origin"] as? String != "memory" }
    }

    private func types(_ run: CuffProcess) -> [String] { measured(run).compactMap { $0["type"] as? String } }

    @Test(arguments: able) func aMeasurement_StartsOnce_GivesItsResult_AndEndsOnce(_ driver: String) async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff(driver, ["--speed", "5"], in: scratch)
        let database = scratch.path("bp.db")
        let run = try await CuffProcess.run(
            cuff.arguments("measure", ["--sink", "stdout", "--sink", "sqlite:\(database)"]), environment: cuff.environment)
        #expect(run.status == 0, "\(run.errors)")
        #expect(life(run) == ["started", "ended"])
        #expect(types(run).first == "measurement")
        #expect(types(run).suffix(2) == ["blood_pressure", "measurement"])
        let result = try #require(measured(run, "blood_pressure").first)
        #expect(result["trigger"] as? String == "manual")
        #expect(result["origin"] as? String == "measurement")
        let shown = try await CuffProcess.run(["show", "--db", database, "--format", "jsonl"])
        #expect(measured(shown, "blood_pressure").first?["id"] as? String == result["id"] as? String)
        // The cuff was deflated, and no mark is left.
        #expect(try marks(cuff).isEmpty)
        let pressures = run.objects("cuff_pressure").count
        if driver != "dinamap-ascii", driver != "and-std", driver != "maibobo" {
            #expect(pressures >= 3)
            let series = try await CuffProcess.run(["show", "--db", database, "--type", "quantity_series", "--format", "jsonl"])
            let one = try #require(series.objects("quantity_series").first)
            #expect(one["reading"] as? String == result["id"] as? String)
            #expect(one["count"] as? Int == pressures)
        }
    }

    @Test func aUserNumber_IsNotAName() async throws {
        let run = try await CuffProcess.run(["measure", "/dev/not-there", "--driver", "par-nibp", "--user", "2"])
        #expect(run.status == 64)
        #expect(run.errors.contains("`2` is not a name: a user number is part of what the cuff sends"), "\(run.errors)")
        #expect(run.errors.contains("fix: write --user NAME"), "\(run.errors)")
    }

    @Test func aContinuousCuff_MeasuresForItsTime() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("nibp-nano", ["--option", "rate=200"], in: scratch)
        let database = scratch.path("bp.db")
        let run = try await CuffProcess.run(
            cuff.arguments("measure", ["--duration", "5", "--sink", "stdout", "--sink", "sqlite:\(database)"]),
            environment: cuff.environment)
        #expect(run.status == 0, "\(run.errors)")
        #expect(life(run) == ["started", "ended"])
        let beats = run.objects("blood_pressure").count
        #expect(beats >= 3)
        #expect(run.objects("beat").count == beats)
        let series = try await CuffProcess.run([
            "show", "--db", database, "--type", "heartbeat_series", "--type", "quantity_series", "--format", "jsonl",
        ])
        let hearts = try #require(series.objects("heartbeat_series").first)
        #expect(hearts["count"] as? Int == beats)
        #expect(series.objects("quantity_series").count == 1)
    }

    @Test(arguments: others) func aCuffThatCannot_IsRefused_BeforeAnythingIsOpened(_ driver: String) async throws {
        let run = try await CuffProcess.run(["measure", "/dev/not-there", "--driver", driver])
        #expect(run.status == 64)
        #expect(run.errors.contains("cannot be started remotely"), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test(arguments: able) func interrupting_StopsTheCuff_AndWaitsForIt(_ driver: String) async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff(driver, ["--every", "30s"], in: scratch)
        let running = try SpawnedCuff(cuff.arguments("measure"), environment: cuff.environment)
        #expect(try await running.prints { $0.output.contains("\"started\"") })
        running.signal(SIGINT)
        let run = await running.end()
        #expect(run.status == 130, "\(run.errors)")
        #expect(life(run).first == "started")
        #expect(life(run).count == 2)
        #expect(life(run).last == "aborted")
        #expect(measured(run, "blood_pressure").isEmpty)
        #expect(try await cuff.running.prints { _ in cuff.deflations == 1 })
        #expect(try marks(cuff).isEmpty)
    }

    @Test func interruptingTwice_LeavesAtOnce_ThoughTheCuffSaysNothing() async throws {
        let scratch = try Scratch()
        // A cuff that never answers.
        let silent = try await SimulatedCuff("omron-hbp", ["--count", "0"], in: scratch)
        let running = try SpawnedCuff(silent.arguments("measure", as: "suntech-advantage"), environment: silent.environment)
        #expect(try await silent.running.prints { $0.errors.contains("opened") })
        running.signal(SIGINT)
        try await Task.sleep(for: .milliseconds(200))
        running.signal(SIGINT)
        let run = await running.end()
        #expect(run.status == 130)
        // It is unknown whether the cuff received the stop, so a mark may be left.
        #expect(try marks(silent).count <= 1)
    }

    @Test(arguments: able.filter { $0 != "evgmolt-oem" }) func noAnswer_IsSaid_AndEndsOnce(_ driver: String) async throws {
        let scratch = try Scratch()
        let silent = try await SimulatedCuff("omron-hbp", ["--count", "0"], in: scratch)
        let run = try await CuffProcess.run(silent.arguments("measure", as: driver), environment: silent.environment)
        #expect(run.status == 69, "\(run.errors)")
        #expect(life(run) == ["failed"])
        #expect(run.objects("measurement").first?["reason"] as? String == "no_answer")
        #expect(run.errors.contains("no result"))
    }

    @Test func aRefusal_IsSaid_AndEndsOnce() async throws {
        let scratch = try Scratch()
        // Without records it answers the start with NAK.
        let cuff = try await SimulatedCuff("and-std", ["--count", "0"], in: scratch)
        let run = try await CuffProcess.run(cuff.arguments("measure"), environment: cuff.environment)
        #expect(run.status == 75, "\(run.errors)")
        #expect(life(run) == ["failed"])
        #expect(run.objects("measurement").first?["reason"] as? String == "refused")
        #expect(run.errors.contains("NAK"))
    }

    @Test(arguments: ["par-nibp", "suntech-advantage", "berry-pm6750"])
    func unplugging_WhileItInflates_IsAnEnd_AndIsRemembered(_ driver: String) async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff(driver, in: scratch)
        let running = try SpawnedCuff(cuff.arguments("measure"), environment: cuff.environment)
        #expect(try await running.prints { $0.output.contains("cuff_pressure") })
        cuff.running.signal(SIGKILL)
        let run = await running.end()
        #expect(run.status == 74, "\(run.errors)")
        #expect(life(run) == ["started", "failed"])
        #expect(run.objects("measurement").last?["reason"] as? String == "lost")
        #expect(try marks(cuff).count == 1)
    }

    @Test(arguments: [SIGKILL, SIGTERM, SIGHUP]) func aProcessThatGoes_LeavesNoCuffInflated(_ signal: Int32) async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("par-nibp", in: scratch)
        let running = try SpawnedCuff(cuff.arguments("measure"), environment: cuff.environment)
        #expect(try await running.prints { $0.output.contains("cuff_pressure") })
        running.signal(signal)
        let run = await running.end()
        if signal == SIGKILL {
            #expect(run.status == 128 + SIGKILL)
            #expect(cuff.deflations == 0)
            #expect(try marks(cuff).count == 1)
            // The next process first sends a stop.
            let next = try await CuffProcess.run(cuff.arguments("read"), environment: cuff.environment)
            #expect(next.status == 0, "\(next.errors)")
            #expect(next.errors.contains("sending a stop first"))
        } else {
            #expect(life(run) == ["started", "aborted"])
            #expect(run.status == (signal == SIGTERM ? 143 : 130))
        }
        #expect(try await cuff.running.prints { _ in cuff.deflations == 1 })
        #expect(try marks(cuff).isEmpty)
        let again = try await CuffProcess.run(cuff.arguments("read"), environment: cuff.environment)
        #expect(!again.errors.contains("sending a stop first"))
        #expect(cuff.deflations == 1)
    }

    @Test func aClosedOutput_StopsTheCuff() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("par-nibp", in: scratch)
        let run = try await CuffProcess.run(
            executable: "/bin/bash",
            ["-c", "\"$0\" measure \"$1\" --driver par-nibp | head -n 3", CuffProcess.path, cuff.port], environment: cuff.environment)
        #expect(run.lines.count == 3)
        #expect(try await cuff.running.prints { _ in cuff.deflations == 1 })
    }

    @Test func stop_FromAnotherProcess_EndsTheMeasurement() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("par-nibp", in: scratch)
        let running = try SpawnedCuff(cuff.arguments("measure"), environment: cuff.environment)
        #expect(try await running.prints { $0.output.contains("cuff_pressure") })
        let second = try await CuffProcess.run(cuff.arguments("measure"), environment: cuff.environment)
        #expect(second.status == 75, "\(second.errors)")
        let stop = try await CuffProcess.run(cuff.arguments("stop"), environment: cuff.environment)
        #expect(stop.status == 0, "\(stop.errors)")
        let run = await running.end()
        #expect(life(run) == ["started", "aborted"])
        #expect(cuff.deflations == 1)
        // Without a measuring process, the command is sent to the cuff.
        let alone = try await CuffProcess.run(cuff.arguments("stop"), environment: cuff.environment)
        #expect(alone.status == 0, "\(alone.errors)")
        #expect(try await cuff.running.prints { _ in cuff.deflations == 2 })
    }

    @Test func aLimit_StopsTheCuff() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("par-nibp", in: scratch)
        let database = scratch.path("bp.db")
        let run = try await CuffProcess.run(
            cuff.arguments("measure", ["--duration", "2", "--keep-failed", "--sink", "stdout", "--sink", "sqlite:\(database)"]),
            environment: cuff.environment)
        #expect(run.status == 124, "\(run.errors)")
        #expect(life(run) == ["started", "failed"])
        #expect(run.objects("measurement").last?["reason"] as? String == "timeout")
        #expect(try await cuff.running.prints { _ in cuff.deflations == 1 })
        // On request, the pressures are kept without a reading.
        let series = try await CuffProcess.run(["show", "--db", database, "--type", "quantity_series", "--format", "jsonl"])
        #expect(series.objects("quantity_series").count == 1)
        #expect(series.objects("quantity_series").first?["reading"] == nil)
    }

    @Test func aFailedMeasurement_LeavesNoSeries_UnlessAsked() async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("par-nibp", in: scratch)
        let database = scratch.path("bp.db")
        let run = try await CuffProcess.run(
            cuff.arguments("measure", ["--duration", "2", "--sink", "stdout", "--sink", "sqlite:\(database)"]),
            environment: cuff.environment)
        #expect(run.status == 124)
        let series = try await CuffProcess.run(["show", "--db", database, "--type", "quantity_series", "--format", "jsonl"])
        #expect(series.status == 0, "\(series.errors)")
        #expect(series.output.isEmpty)
    }

    private func marks(_ cuff: SimulatedCuff) throws -> [String] {
        let folder = cuff.state + "/cuff/measuring"
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder)
    }
}
