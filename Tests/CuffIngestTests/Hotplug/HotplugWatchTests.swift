import CuffCore
import Foundation
import Testing

@testable import CuffIngest

/// Counts readings by id.
private final class Collector: ReadingSink, @unchecked Sendable {
    let label = "collector"
    let isDurable = true
    private let kept = Locked<[Reading.ID: (count: Int, device: String)]>([:])

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        kept.withLock { kept in
            for case .reading(let reading) in batch.entries {
                kept[reading.id, default: (0, batch.device)].count += 1
            }
        }
        return 0
    }

    let reopenings = Locked(0)
    func reopen() throws(IngestError) { reopenings.withLock { $0 += 1 } }

    var ids: Int { kept.withLock { $0.count } }
    var devices: Set<String> { kept.withLock { Set($0.values.map(\.device)) } }
    func count(of device: String) -> Int { kept.withLock { $0.values.filter { $0.device == device }.count } }
}

/// Reports devices that a test plugs in.
final class Plugboard: HotplugSource, @unchecked Sendable {
    private let link = Locked<(queue: DispatchQueue?, deliver: (@Sendable ([HotplugEvent]) -> Void)?)>((nil, nil))

    func on(_ queue: DispatchQueue) -> Plugboard {
        link.withLock { $0.queue = queue }
        return self
    }

    func start(deliver: @escaping @Sendable ([HotplugEvent]) -> Void) throws(HotplugFault) {
        link.withLock { $0.deliver = deliver }
        tell(.settled)
    }

    func stop() { link.withLock { $0.deliver = nil } }

    func tell(_ events: HotplugEvent...) {
        let (queue, deliver) = link.withLock { $0 }
        queue?.async { @Sendable in deliver?(events) }
    }
}

/// Runs `Ingest.watch` on its own thread and records its output.
private final class Watching: @unchecked Sendable {
    let stop = StopSignal()
    let collector = Collector()
    let notices = Locked<[WatchNotice]>([])
    let diagnostics = Locked<[String]>([])
    private let result = Locked<Result<IngestReport, IngestError>?>(nil)
    private let done = AsyncStream.makeStream(of: Void.self)

    init(
        _ assignments: [Assignment], once: Bool = false, source: HotplugWatcher.Source = .kernel,
        reload: (@Sendable () throws(IngestError) -> [Assignment])? = nil, plugboard: Plugboard? = nil,
        memory: DriverMemory? = nil, sinks: [any ReadingSink]? = nil
    ) {
        var watch = WatchOptions()
        if let plugboard { watch.hears = { plugboard.on($0) } }
        watch.assignments = assignments
        watch.settings = WatchState.Settings(isOnce: once)
        watch.settings.quiet = .milliseconds(700)
        watch.settings.firstPause = .milliseconds(50)
        watch.source = source
        if let reload { watch.reload = { () throws(IngestError) in WatchReload(assignments: try reload()) } }
        watch.notices = { [notices] notice in notices.withLock { $0.append(notice) } }
        var options = IngestOptions()
        options.moreSinks = sinks ?? [collector]
        options.memory = memory
        options.stop = stop
        options.diagnostics = { [diagnostics] diagnostic in diagnostics.withLock { $0.append(diagnostic.sentence) } }
        Thread.detachNewThread { [watch, options] in
            let outcome: Result<IngestReport, IngestError>
            do throws(IngestError) { outcome = .success(try Ingest.watch(watch, options: options)) } catch { outcome = .failure(error) }
            self.result.withLock { $0 = outcome }
            self.done.continuation.finish()
        }
    }

    func end() async throws -> IngestReport {
        for await _ in done.stream {}
        return try #require(result.withLock { $0 }).get()
    }

    /// All output, for a failing test.
    var story: Comment {
        Comment(rawValue: (notices.withLock { $0 }.map(\.description) + diagnostics.withLock { $0 }).joined(separator: "\n"))
    }

    /// Waits up to 20 s without blocking a thread.
    func until(_ condition: @Sendable () -> Bool) async -> Bool {
        for _ in 0..<2000 {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

private func cuff(_ count: Int, seed: UInt64 = 1) throws -> Simulation {
    let script = SimulatorScript(records: SimulatedRecord.sample(count: count, seed: seed), pushes: true, interval: .milliseconds(20))
    let simulation = try Simulation(driver: .andStd, script: script)
    simulation.start()
    return simulation
}

private func assigned(_ simulation: Simulation, name: String? = nil) throws -> Assignment {
    try Assignment("\(simulation.address)=and-std" + (name.map { ",name=\($0)" } ?? ""))
}

/// Real pseudo terminals: under umockdev's preload, setting a line's speed fails with ENOTTY.
@Suite(.disabled(if: HotplugTestbed.isAvailable, "real terminals only"))
struct HotplugWatchTests {
    @Test(.timeLimit(.minutes(5)))
    func once_ReadsEveryAssignedCuff_ThenEnds() async throws {
        let cuffs = try (0..<3).map { try cuff(4, seed: UInt64($0 + 1)) }
        defer { for cuff in cuffs { cuff.stop() } }
        let watching = Watching(try cuffs.enumerated().map { try assigned($1, name: "cuff-\($0)") }, once: true)
        #expect(await watching.until { watching.collector.ids == 12 }, watching.story)
        let report = try await watching.end()
        #expect(report.status == .done, "\(report.endings)")
        for index in cuffs.indices { #expect(watching.collector.count(of: "cuff-\(index)") == 4) }
        #expect(report.counters.readings == 12)
    }

    @Test(.timeLimit(.minutes(5)))
    func once_WithNothingThere_Is69_AndSaysSo() async throws {
        let report = try await Watching([], once: true).end()
        // A real cuff would be read here; then nothing is tested.
        if try DeviceEnumeration.plugged().contains(where: { Claiming.verdict(on: $0).driver != nil }) { return }
        #expect(report.status == .unavailable)
        #expect(report.endings.map(\.description) == ["no cuff is plugged in that this program may read"])
    }

    @Test(.timeLimit(.minutes(5)))
    func stop_EndsInOrder_WithEverythingStored() async throws {
        let cuff = try cuff(5)
        defer { cuff.stop() }
        let watching = Watching([try assigned(cuff)])
        #expect(await watching.until { watching.collector.ids == 5 }, watching.story)
        watching.stop.raise()
        let report = try await watching.end()
        #expect(report.status == .done)
        #expect(report.counters.readings == 5)
    }

    @Test(.timeLimit(.minutes(5)))
    func withoutAPlaceThatKeeps_OnlyCuffsThatForget_AreLeftAlone() async throws {
        let seen = MemorySink(isDurable: false)
        let good = try cuff(3)
        let forgetful = try Simulation(driver: .r1, script: SimulatorScript(records: SimulatedRecord.sample(count: 1, seed: 4)))
        forgetful.start()
        defer {
            good.stop()
            forgetful.stop()
        }
        let watching = Watching([try assigned(good), try Assignment("\(forgetful.address)=r1")], sinks: [seen])
        _ = await seen.arrivals.wait { $0.reduce(0, +) == 3 }
        #expect(
            await watching.until {
                watching.notices.withLock { $0 }.contains {
                    guard case .failed(let plan, let why, nil) = $0 else { return false }
                    return plan.driver == "r1" && why.contains("without a durable sink")
                }
            }, watching.story)
        watching.stop.raise()
        #expect(try await watching.end().counters.readings == 3)
    }

    /// An assignment to a driver of another list.
    @Test(.timeLimit(.minutes(5)))
    func aDriverThatIsNotThere_IsSaid_AndNotWaitedFor() async throws {
        let assignment = try Assignment("/dev/pts/99999=exact-tty", drivers: HotplugSample.drivers)
        let watching = Watching([assignment], once: true)
        let report = try await watching.end()
        #expect(report.status != .done, watching.story)
    }

    @Test(.timeLimit(.minutes(5)))
    func unansweredRecoveryStop_KeepsTheMark() async throws {
        let folder = TestFolder()
        let memory = DriverMemory(folder: folder.path)
        let silent = Pty()
        let address = DeviceAddress.node(silent.path)
        try MeasurementMarks(memory).place("par-nibp", address).leave()
        let watching = Watching([try Assignment("\(silent.path)=par-nibp")], once: true, memory: memory)
        _ = try await watching.end()
        let mark = try #require(MeasurementMarks(memory).left("par-nibp", address), watching.story)
        mark.leave()
    }

    @Test(.timeLimit(.minutes(5)))
    func silentCuffAndMissingPort_DisturbNobody() async throws {
        let silent = try Simulation(driver: .andStd, script: SimulatorScript(records: [], pushes: false))
        silent.start()
        let good = try cuff(3)
        defer {
            silent.stop()
            good.stop()
        }
        let watching = Watching([try assigned(silent), try assigned(good), try Assignment("/dev/pts/99999=and-std")])
        #expect(await watching.until { watching.collector.ids == 3 })
        #expect(
            await watching.until {
                watching.notices.withLock { $0 }.contains {
                    if case .failed(let plan, let why, _?) = $0 {
                        plan.place == "/dev/pts/99999" && why.hasPrefix("there is no device")
                    } else {
                        false
                    }
                }
            })
        watching.stop.raise()
        #expect(try await watching.end().status == .done)
    }

    @Test(.timeLimit(.minutes(5)))
    func cuffThatLeaves_IsWaitedFor_AndCountedOnce() async throws {
        let first = try cuff(3)
        let watching = Watching([try assigned(first, name: "kiosk")])
        #expect(await watching.until { watching.collector.ids == 3 })
        first.stop()
        #expect(await watching.until { watching.notices.withLock { $0.contains { if case .failed = $0 { true } else { false } } } })
        watching.stop.raise()
        let report = try await watching.end()
        #expect(report.counters.readings == 3)
    }

    @Test(.timeLimit(.minutes(5)))
    func reload_OpensWhatIsNew_AndKeepsWhatIsNot() async throws {
        let first = try cuff(2, seed: 1)
        let second = try cuff(2, seed: 2)
        defer {
            first.stop()
            second.stop()
        }
        let both = [try assigned(first, name: "one"), try assigned(second, name: "two")]
        let watching = Watching([both[0]], reload: { () throws(IngestError) -> [Assignment] in both })
        #expect(await watching.until { watching.collector.count(of: "one") == 2 })
        kill(getpid(), SIGHUP)
        #expect(await watching.until { watching.collector.count(of: "two") == 2 })
        #expect(await watching.until { watching.collector.reopenings.withLock { $0 } == 1 })
        watching.stop.raise()
        #expect(try await watching.end().counters.readings == 4)
        let openings = watching.notices.withLock { $0 }.filter { if case .opening = $0 { true } else { false } }
        #expect(openings.count == 2, "the first was left alone")
    }

    /// As many cuffs as in a ward: all readings, and no leaked descriptors.
    @Test(.timeLimit(.minutes(3)))
    func sixtyFourCuffs_AreAllRead() async throws {
        let before = CuffIngest.Folder.names("/proc/self/fd").count
        do {
            let cuffs = try (0..<64).map { try cuff(3, seed: UInt64($0 + 1)) }
            let watching = Watching(try cuffs.enumerated().map { try assigned($1, name: "bed-\($0)") })
            #expect(await watching.until { watching.collector.ids == 192 })
            watching.stop.raise()
            #expect(try await watching.end().counters.readings == 192)
            for cuff in cuffs { cuff.stop() }
        }
        var after = 0
        for _ in 0..<200 {
            after = CuffIngest.Folder.names("/proc/self/fd").count
            if after <= before + 4 { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        // The loop's own descriptors remain; none per cuff.
        #expect(after <= before + 4, "\(before) descriptors before, \(after) after")
    }

    /// A cuff that is unplugged while it is read and returns at another port: complete, without duplicates.
    @Test(.timeLimit(.minutes(5)))
    func replug_AtAnotherSocket_ReadsOn_WithoutDoubles() async throws {
        let first = try cuff(40, seed: 9)
        let second = try cuff(40, seed: 9)
        defer {
            first.stop()
            second.stop()
        }
        let plugboard = Plugboard()
        let watching = Watching([try Assignment("usb:0403:6001:PLUG0001=and-std")], plugboard: plugboard)
        func device(_ simulation: Simulation, _ port: String) -> PluggedDevice {
            var chain = HotplugSample.adapter(serial: "PLUG0001", port: port)
            chain[0].node = simulation.address
            return HotplugSample.device(chain)
        }
        #expect(
            await watching.until {
                watching.notices.withLock { $0 }.contains { if case .notPluggedIn = $0 { true } else { false } }
            })
        plugboard.tell(.plugged(device(first, "1-1")))
        #expect(await watching.until { watching.collector.ids >= 10 }, watching.story)
        first.stop()
        plugboard.tell(.unplugged(device(first, "1-1")))
        plugboard.tell(.plugged(device(second, "1-2")))
        #expect(await watching.until { watching.collector.ids == 40 }, watching.story)
        watching.stop.raise()
        #expect(try await watching.end().status == .done)
        #expect(watching.collector.ids == 40, "the same record has the same id in any socket")
        #expect(watching.collector.devices == ["usb:0403:6001:PLUG0001"])
    }
}
