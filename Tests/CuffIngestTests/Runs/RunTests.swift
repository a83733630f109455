import CuffCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(3))) struct RunTests {
    private static func pushes(_ records: [SimulatedRecord]) -> [UInt8] {
        var simulator = CuffDriver.andStd.makeSimulator(SimulatorScript(records: records))
        _ = simulator.handle(.opened)
        var bytes: [UInt8] = []
        for _ in records {
            for case .write(let more) in simulator.handle(.timerFired(.poll)) { bytes += more }
        }
        return bytes
    }

    private func options(_ sinks: [SinkSpec], notes: Mailbox<Diagnostic> = Mailbox()) -> IngestOptions {
        var options = IngestOptions()
        options.sinks = sinks
        options.diagnostics = { notes.post($0) }
        return options
    }

    // MARK: decode

    @Test func decode_GivesEveryReadingOnce_InEverySink() async throws {
        let folder = TestFolder()
        let records = SimulatedRecord.sample(count: 3000, seed: 7)
        let input = folder.write("bytes", Self.pushes(records))
        let sinks = [
            SinkSpec(.jsonl, path: folder.file("a.jsonl")), SinkSpec(.csv, path: folder.file("a.csv")),
            SinkSpec(.sqlite, path: folder.file("a.db")),
        ]
        for run in 0..<2 {
            let report = try await onThread {
                try Ingest.decode(driver: "and-std", input: .path(input), options: self.options(sinks))
            }
            #expect(report.counters.readings == 3000)
            #expect(report.counters.skippedBytes == 0)
            #expect(report.status == .done)
            #expect(report.sinks.map(\.known) == [run * 3000, run * 3000, run * 3000])
        }
        #expect(folder.lines("a.jsonl").count == 3000)
        #expect(folder.lines("a.csv").count == 3001)
        let stored = try Store(folder.file("a.db"), access: .read).all()
        #expect(stored.count == 3000)
        #expect(stored.map(\.systolic) == records.map(\.systolic))
        #expect(stored.allSatisfy { $0.reading.received == nil })
        #expect(stored.first?.reading.measured == nil)
    }

    @Test func decode_OfAPipe_SaysTheSameInAnyPieces_AndEachLineAtOnce() async throws {
        let records = SimulatedRecord.sample(count: 6, seed: 3)
        let bytes = Self.pushes(records)
        for size in [1, 7, 64, 400] {
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            let (input, output) = (ends[0], ends[1])
            let sink = MemorySink()
            var options = IngestOptions()
            options.moreSinks = [sink]
            let run = Task { [options] in
                try await onThread {
                    try Ingest.decode(driver: "and-std", input: .descriptor(input, name: "pipe"), isLive: true, options: options)
                }
            }
            var offset = 0
            while offset < bytes.count {
                let piece = Array(bytes[offset..<min(bytes.count, offset + size)])
                _ = piece.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
                offset += piece.count
                let whole = offset / 64
                _ = await sink.arrivals.wait { $0.reduce(0, +) >= whole }
            }
            close(output)
            let report = try await run.value
            close(input)
            #expect(report.counters.readings == 6)
            let systolics = sink.readings.map { $0.bloodPressure?.systolic.digits.mantissa ?? 0 }
            #expect(systolics == records.map { Int64($0.systolic) })
            #expect(sink.readings.allSatisfy { $0.received != nil && $0.measured != nil && $0.rule == .deviceTime })
        }
    }

    @Test func decode_SaysWhatIsWrongWithItsInput() async {
        let folder = TestFolder()
        let empty = folder.write("empty", "")
        let options = options([SinkSpec(.jsonl, path: folder.file("out.jsonl"))])
        for (driver, path, status) in [
            ("and-std", folder.file("none"), RunStatus.noInput), ("and-std", folder.path, .noInput),
            ("and-std", empty, .badData), ("no-such-cuff", empty, .usage),
        ] {
            let error = await failure { _ = try Ingest.decode(driver: driver, input: .path(path), options: options) }
            #expect(error?.status == status, "\(path)")
            #expect(error?.description.contains(driver == "and-std" ? path : driver) == true)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("out.jsonl")))
    }

    @Test func decode_OfNoiseAlone_IsBadData() async throws {
        let folder = TestFolder()
        let noise = folder.write("noise", [UInt8](repeating: 0x55, count: 300_000))
        let report = try await onThread {
            try Ingest.decode(
                driver: "and-std", input: .path(noise), options: self.options([SinkSpec(.jsonl, path: folder.file("o"))]))
        }
        #expect(report.status == .badData)
        #expect(report.counters.skippedBytes == 300_000)
    }

    @Test func closedOutput_EndsQuietly() async throws {
        let folder = TestFolder()
        let input = folder.write("bytes", Self.pushes(SimulatedRecord.sample(count: 5000, seed: 1)))
        let sink = ClosedSink()
        var options = IngestOptions()
        options.moreSinks = [sink]
        let report = try await onThread { [options] in
            try Ingest.decode(driver: "and-std", input: .path(input), options: options)
        }
        #expect(report.isOutputClosed)
        #expect(report.status == .done)
    }

    private final class ClosedSink: ReadingSink {
        let label = "closed"
        let closed = Mailbox<Bool>()
        func write(_ batch: ReadingBatch) throws(IngestError) -> Int { throw .outputClosed }
        func close() throws(IngestError) { closed.post(true) }
    }

    @Test func failingSink_EndsTheRunWithItsError() async {
        let folder = TestFolder()
        let input = folder.write("bytes", Self.pushes(SimulatedRecord.sample(count: 20000, seed: 1)))
        var options = IngestOptions()
        options.moreSinks = [MemorySink(failures: 1)]
        let error = await failure { [options] in
            _ = try Ingest.decode(driver: "and-std", input: .path(input), options: options)
        }
        #expect(error?.description.hasPrefix("the test's sink failed; ") == true)
    }

    // MARK: replay

    private static let good =
        "< 16 16 01 30 30 02 54 4d 32 36 35 35 1e 32 36 30 35 30 35 30 37 33 31 1e 52 42 1e 4d 1e 45 30 30 1e 53 31 32 38 1e 4d 20 39 37 1e 44 20 38 32 1e 50 20 37 31 1e 49 31 37 1e 4c 31 33 39 1e 03 31\n"

    @Test func replay_OfTheProjectsCaptures_GivesTheirLines() async throws {
        let captures = ProjectFolder.url.appendingPathComponent("captures/and-std")
        for name in ["noise-between-pushes", "measure-then-movement", "pulse-table", "last-result"] {
            let folder = TestFolder()
            let path = captures.appendingPathComponent("\(name).capture").path
            _ = try await onThread {
                try Ingest.replay(paths: [path], options: self.options([SinkSpec(.jsonl, path: folder.file("o"))]))
            }
            let expected = try String(contentsOf: captures.appendingPathComponent("\(name).expected.jsonl"), encoding: .utf8)
            #expect(folder.text("o") == expected, "\(name)")
        }
    }

    @Test func replay_NamesTheBrokenLine_AndKeepsWhatStoodBefore() async {
        let folder = TestFolder()
        let path = folder.write("a.capture", "# driver: and-std\n" + Self.good + "< 16 zz\n")
        let options = options([SinkSpec(.jsonl, path: folder.file("o.jsonl"))])
        let error = await failure { _ = try Ingest.replay(paths: [path], options: options) }
        #expect(error?.status == .badData)
        #expect(error?.what.hasPrefix("\(path):3: ") == true)
        #expect(folder.lines("o.jsonl").count == 1)
    }

    @Test func replay_SaysWhatIsWrongWithACapture() async {
        let folder = TestFolder()
        let cases: [(String, RunStatus)] = [
            (folder.file("none"), .noInput), (folder.path, .noInput), (folder.write("empty", ""), .badData),
            (folder.write("comments", "# driver: and-std\n"), .badData), (folder.write("nameless", Self.good), .usage),
            (folder.write("strange", "# driver: acme\n" + Self.good), .usage),
        ]
        for (index, (path, status)) in cases.enumerated() {
            // A separate file for each: a child process of another test may hold a copy of a lock until exec.
            let error = await failure {
                _ = try Ingest.replay(paths: [path], options: self.options([SinkSpec(.jsonl, path: folder.file("o\(index)"))]))
            }
            #expect(error?.status == status, "\(path): \(error?.description ?? "no error")")
        }
    }

    @Test func replay_TakesItsTime_WhenAsked() async throws {
        let folder = TestFolder()
        let path = folder.write("a.capture", "# driver: and-std\n0.0 " + Self.good + "1.0 < 00\n")
        let start = ContinuousClock.now
        _ = try await onThread {
            try Ingest.replay(
                paths: [path], speed: .times(10), options: self.options([SinkSpec(.jsonl, path: folder.file("o"))]))
        }
        #expect(ContinuousClock.now - start >= .milliseconds(100))
        let stop = StopSignal()
        var options = options([SinkSpec(.jsonl, path: folder.file("p"))])
        options.stop = stop
        let run = Task { [options] in
            try await onThread { try Ingest.replay(paths: [path], speed: .times(0.001), options: options) }
        }
        for _ in 0..<1000 where folder.lines("p").isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        stop.raise()
        // Only a process signal has a status of its own.
        #expect(try await run.value.status == .done)
        #expect(folder.lines("p").count == 1)
    }

    // MARK: read

    @Test(arguments: [false, true]) func read_OfASimulatedCuff_IsStored(_ overTCP: Bool) async throws {
        let folder = TestFolder()
        let simulation = try Simulation(
            driver: .andStd, script: SimulatorScript(pushes: false), on: overTCP ? .tcp(host: "127.0.0.1", port: 0) : .pty)
        simulation.start()
        defer { simulation.stop() }
        let address = try DeviceAddress(simulation.address)
        let options = options([SinkSpec(.sqlite, path: folder.file("bp.db"))])
        // The second client finds the same cuff and the same reading.
        for run in 0..<2 {
            let report = try await onThread { try Ingest.read(address, driver: "and-std", options: options) }
            #expect(report.outcome == .complete)
            #expect(report.status == .done)
            #expect(report.identity?.model == "TM2655")
            #expect(report.sinks[0].known == run)
        }
        let stored = try Store(folder.file("bp.db"), access: .read).all()
        #expect(stored.count == 1)
        #expect(stored[0].reading.origin == .memory)
        guard case .time = stored[0].reading.clock else {
            Issue.record("the cuff's clock is not kept as it was sent")
            return
        }
    }

    @Test func read_Measures_AndFollows() async throws {
        let simulation = try Simulation(
            driver: .andStd, script: SimulatorScript(pushes: false, interval: .milliseconds(20)))
        simulation.start()
        defer { simulation.stop() }
        let address = try DeviceAddress(simulation.address)
        let sink = MemorySink()
        var options = IngestOptions()
        options.moreSinks = [sink]
        let report = try await onThread { [options] in
            try Ingest.read(address, driver: "and-std", ReadOptions(.measure), options: options)
        }
        #expect(report.outcome == .complete)
        #expect(report.counters.liveEvents == 2)
        #expect(sink.readings.map(\.origin) == [.measurement])
    }

    @Test func read_OfAPushingCuff_EndsWhenStopped_AndOnUnplugging() async throws {
        let records = SimulatedRecord.sample(count: 5, seed: 2)
        let simulation = try Simulation(
            driver: .andStd, script: SimulatorScript(records: records, interval: .milliseconds(500)))
        simulation.start()
        let address = try DeviceAddress(simulation.address)
        let sink = MemorySink()
        var options = IngestOptions()
        options.moreSinks = [sink]
        options.stop = StopSignal()
        let first = Task { [options] in
            try await onThread { try Ingest.read(address, driver: "and-std", ReadOptions(.follow), options: options) }
        }
        _ = await sink.arrivals.wait { $0.reduce(0, +) == 5 }
        options.stop.raise()
        #expect(try await first.value.status == .done)
        #expect(sink.readings.count == 5)
        options.stop = StopSignal()
        let second = Task { [options] in
            try await onThread { try Ingest.read(address, driver: "and-std", ReadOptions(.follow), options: options) }
        }
        // Long enough to open the port.
        try await Task.sleep(for: .seconds(2))
        simulation.stop()
        let report = try await second.value
        #expect(report.status == .inputOutput)
        #expect(report.endings.contains { "\($0)".contains("unplugged") })
    }

    @Test func read_EndsQuietly_WhenTheOutputIsClosed() async throws {
        let records = SimulatedRecord.sample(count: 5, seed: 2)
        let simulation = try Simulation(
            driver: .andStd, script: SimulatorScript(records: records, interval: .milliseconds(5)))
        simulation.start()
        defer { simulation.stop() }
        let address = try DeviceAddress(simulation.address)
        var options = IngestOptions()
        options.moreSinks = [ClosedSink()]
        let report = try await onThread { [options] in
            try Ingest.read(address, driver: "and-std", ReadOptions(.follow), options: options)
        }
        #expect(report.isOutputClosed)
        #expect(report.status == .done)
    }

    @Test func whatIsBeingStored_WhenTheOutputIsClosed_CountsAsStored() async throws {
        let records = SimulatedRecord.sample(count: 1, seed: 2)
        let simulation = try Simulation(driver: .andStd, script: SimulatorScript(records: records, interval: .milliseconds(5)))
        simulation.start()
        defer { simulation.stop() }
        let address = try DeviceAddress(simulation.address)
        let (output, store) = (ClosedSink(), MemorySink())
        store.stall()
        var options = IngestOptions()
        options.moreSinks = [output, store]
        let run = Task { [options] in
            try await onThread { try Ingest.read(address, driver: "and-std", ReadOptions(.follow), options: options) }
        }
        await store.calls.wait(count: 1)
        // Sinks are closed in their order.
        await output.closed.wait(count: 1)
        store.release()
        let report = try await run.value
        #expect(report.isOutputClosed && report.endings.isEmpty, "\(report.endings)")
        #expect(store.readings.count == 1)
    }

    @Test func read_OfASilentCuff_TimesOut() async throws {
        let pty = Pty()
        var read = ReadOptions()
        read.timeout = .milliseconds(100)
        let address = DeviceAddress.node(pty.path)
        var options = IngestOptions()
        options.moreSinks = [MemorySink()]
        let report = try await onThread { [read, options] in
            try Ingest.read(address, driver: "and-std", read, options: options)
        }
        #expect(report.status == .timedOut)
        #expect(pty.read() == Array(Hex.bytes("16 16 01 30 30 02 52 42 03 10") ?? []))
    }

    /// Acknowledging deletes its readings, so it needs a durable sink.
    @Test(arguments: [
        "stdout", "table", "jsonl:@/o?", "jsonl:/dev/full", "jsonl:/dev/null", "csv:/dev/null", "exec:cat", "tcp:127.0.0.1:9",
    ])
    func aCuffThatForgets_IsNotOpened_WhereNothingIsKept(_ spec: String) async throws {
        let folder = TestFolder()
        let options = options([try SinkSpec(spec.replacing("@", with: folder.path))])
        #expect(!options.keepsReadings)
        for command in [SessionCommand.readMemory(user: nil), .follow] {
            for driver in ["r1", "phd"] {
                let error = await failure {
                    _ = try Ingest.read(.node("/dev/ttyNOTHERE"), driver: driver, ReadOptions(command), options: options)
                }
                #expect(error?.status == .usage, "\(error?.description ?? "no error")")
                #expect((error?.fault as? CommandFault) == .deletesUnstored(driver, keeping: driver == "r1" ? "keep" : nil))
            }
        }
        #expect(folder.text("o").isEmpty)
        // Other cuffs are not affected.
        let other = await failure { _ = try Ingest.read(.node("/dev/ttyNOTHERE"), driver: "and-std", options: options) }
        #expect(other?.status == .unavailable)
    }

    @Test func whatKeeps_IsToldBeforeItIsOpened() throws {
        let folder = TestFolder()
        #expect(mkfifo(folder.file("fifo"), 0o600) == 0)
        _ = folder.write("file", "")
        for (text, keeps) in [
            ("sqlite:\(folder.file("new"))", true), ("jsonl:\(folder.file("file"))", true), ("csv:\(folder.file("new"))", true),
            ("exec+ack:cat", true), ("unix+ack:/run/x", true), ("tcp+ack:h:1", true), ("unix:/run/x", false),
            ("jsonl:\(folder.file("fifo"))", false), ("csv:/dev/full", false), ("jsonl:/dev/stdout", false), ("sqlite::memory:", false),
            ("sqlite:/dev/null", false), ("stdout", false),
        ] {
            // Standard output of the test runner may be a file.
            if text == "jsonl:/dev/stdout", SinkSpec.isRegularFile("/dev/stdout") == true { continue }
            #expect(try SinkSpec(text).isDurable == keeps, "\(text)")
        }
    }

    @Test func keepingOption_LetsItBeRead_BecauseNothingIsAcknowledged() async throws {
        var options = IngestOptions()
        options.moreSinks = [MemorySink(isDurable: false)]
        options.driverOptions = ["keep": "yes"]
        let error = await failure { [options] in _ = try Ingest.read(.node("/dev/ttyNOTHERE"), driver: "r1", options: options) }
        #expect(error?.status == .unavailable)
    }

    @Test func stopping_WithASinkThatHangs_SaysHowManyAreNotStored() async throws {
        let records = SimulatedRecord.sample(count: 5, seed: 2)
        let simulation = try Simulation(driver: .andStd, script: SimulatorScript(records: records, interval: .milliseconds(20)))
        simulation.start()
        defer { simulation.stop() }
        let address = try DeviceAddress(simulation.address)
        let (slow, seen) = (MemorySink(), MemorySink())
        slow.stall()
        let pipeline = Pipeline([Pipeline.Member(slow), Pipeline.Member(seen)])
        let link = TestLink(driver: .andStd, transport: try address.transport(for: .andStd), pipeline: pipeline)
        link.start([.follow])
        _ = await seen.arrivals.wait { $0.reduce(0, +) == 5 }
        let stop = StopSignal()
        stop.raise()
        let report = try await onThread {
            var report = IngestReport()
            try Ingest.finish(pipeline, &report, stop: stop, grace: .milliseconds(50))
            return report
        }
        #expect(report.status == .tryAgain)
        #expect(
            report.endings.map(\.description)
                == [
                    "not everything could be stored in time: 5 readings were not stored by memory, and cuffs that send unasked do not repeat readings"
                ]
        )
        slow.release()
        link.stop()
    }

    @Test func unansweredRecoveryStop_KeepsTheMark() async throws {
        let folder = TestFolder()
        let memory = DriverMemory(folder: folder.path)
        let silent = Pty()
        let address = DeviceAddress.node(silent.path)
        try MeasurementMarks(memory).place("par-nibp", address).leave()
        var options = IngestOptions()
        options.moreSinks = [MemorySink()]
        options.memory = memory
        let report = try await onThread { [options] in try Ingest.read(address, driver: "par-nibp", options: options) }
        guard case .noAnswer? = report.recovery else { return #expect(Bool(false), "\(String(describing: report.recovery))") }
        let mark = try #require(MeasurementMarks(memory).left("par-nibp", address))
        mark.leave()
        // A measurement without an answer keeps the mark, too.
        _ = try await onThread { [options] in try Ingest.measure(address, driver: "par-nibp", options: options) }
        try #require(MeasurementMarks(memory).left("par-nibp", address)).leave()
        // A cuff that answers has stopped.
        let cuff = try Simulation(driver: .parNIBP, script: SimulatorScript(pushes: false), speed: 20)
        cuff.start()
        defer { cuff.stop() }
        let there = try DeviceAddress(cuff.address)
        try MeasurementMarks(memory).place("par-nibp", there).leave()
        let answered = try await onThread { [options] in try Ingest.read(there, driver: "par-nibp", options: options) }
        #expect(answered.recovery == .complete)
        #expect(MeasurementMarks(memory).left("par-nibp", there) == nil)
    }

    @Test func read_OfNoDevice_IsSaidAfterTheSinksStand() async {
        let folder = TestFolder()
        let options = options([SinkSpec(.jsonl, path: folder.file("o"))])
        let error = await failure { _ = try Ingest.read(.node("/dev/ttyNOTHERE"), driver: "and-std", options: options) }
        #expect(error?.status == .unavailable)
    }
}
