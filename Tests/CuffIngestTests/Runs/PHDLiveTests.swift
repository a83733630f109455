import CuffCore
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CuffIngest

/// The IEEE 11073 manager and the simulated agent over the kernel and with a real clock: a pty, and TCP in both directions.
/// `PHDLineTests` runs hundreds of seeds in virtual time.
@Suite(.timeLimit(.minutes(5))) struct PHDLiveTests {
    enum Road: CaseIterable, Sendable { case pty, agentListens, managerListens }

    private static let records = SimulatedRecord.sample(count: 6, seed: 3)

    private struct Agent {
        let simulation: Simulation
        let address: DeviceAddress

        init(_ road: Road, _ options: [String: String]) throws {
            let script = SimulatorScript(records: PHDLiveTests.records, interval: .milliseconds(30), options: options)
            switch road {
            case .pty:
                simulation = try Simulation(driver: .phd, script: script)
                address = .node(simulation.address)
            case .agentListens:
                simulation = try Simulation(driver: .phd, script: script, on: .tcp(host: "127.0.0.1", port: 0))
                address = try DeviceAddress(simulation.address)
            case .managerListens:
                let free = try TCPTransport.listening("127.0.0.1", "0", "tcp-listen://127.0.0.1:0")
                close(free.descriptor)
                simulation = try Simulation(driver: .phd, script: script, on: .connect(host: "127.0.0.1", port: free.port))
                address = .tcpListen(host: "127.0.0.1", port: free.port)
            }
            simulation.start()
        }
    }

    /// One conversation of at most `limit`; returns its outcome.
    private func converse(
        _ address: DeviceAddress, _ sink: MemorySink, faults: FaultyTransport.Faults = FaultyTransport.Faults(), seed: UInt64 = 0,
        limit: Duration
    ) async throws -> Outcome? {
        let pipeline = Pipeline([Pipeline.Member(sink)])
        let ended = Mailbox<Outcome>()
        let link = TestLink(
            driver: .phd, transport: FaultyTransport(try address.transport(for: .phd), faults, seed: seed), pipeline: pipeline,
            options: ["patience": "5"]
        ) { if case .ended(let outcome) = $0 { ended.post(outcome) } }
        link.start([.readMemory(user: nil)])
        let stop = Task {
            try await Task.sleep(for: limit)
            link.stop()
        }
        let outcome = await ended.wait(count: 1, within: limit + .seconds(60)).first
        stop.cancel()
        try await onThread { try pipeline.finish() }
        return outcome
    }

    /// Blood pressures by id, with the highest revision, as a sink stores them.
    private func kept(_ sink: MemorySink) -> [String] {
        var newest: [UInt64: Reading] = [:]
        for reading in sink.readings where reading.bloodPressure != nil {
            if let known = newest[reading.id.hash], known.revision > reading.revision { continue }
            newest[reading.id.hash] = reading
        }
        return newest.values.map { reading in
            let pressure = reading.bloodPressure
            return
                "\(reading.clock.time?.wallSeconds ?? 0) \(pressure?.systolic.digits.mantissa ?? 0)/\(pressure?.diastolic.digits.mantissa ?? 0) \(pressure?.pulse?.digits.mantissa ?? -1)"
        }.sorted()
    }

    private static let wanted = records.map { "\($0.time.wallSeconds) \($0.systolic)/\($0.diastolic) \($0.pulse)" }.sorted()

    @Test(arguments: Road.allCases, [["configuration": "extended"], ["store": "yes", "persons": "yes"]] as [[String: String]])
    func aGoodRoad_BringsEverything(_ road: Road, _ options: [String: String]) async throws {
        let agent = try Agent(road, options)
        defer { agent.simulation.stop() }
        let sink = MemorySink()
        #expect(try await converse(agent.address, sink, limit: .seconds(60)) == .complete)
        #expect(kept(sink) == Self.wanted)
        #expect(sink.readings.count == Self.records.count)
        // Neither a serial line nor the protocol has a check.
        #expect(sink.readings.allSatisfy { $0.flags.contains(.noMeasurementCheck) == (road == .pty) })
    }

    /// The last bytes written are the release request, which the agent answers.
    @Test func ending_ReleasesTheAssociation() async throws {
        let agent = try Agent(.pty, ["store": "yes"])
        defer { agent.simulation.stop() }
        let spy = WriteSpy(try agent.address.transport(for: .phd))
        let sink = MemorySink()
        let pipeline = Pipeline([Pipeline.Member(sink)])
        let ended = Mailbox<Outcome>()
        let link = TestLink(driver: .phd, transport: spy, pipeline: pipeline) {
            if case .ended(let outcome) = $0 { ended.post(outcome) }
        }
        link.start([.follow])
        _ = await sink.arrivals.wait { $0.reduce(0, +) >= Self.records.count }
        link.stop()
        #expect(await ended.wait(count: 1) == [.complete])
        #expect(spy.writes.values.last == [0xE4, 0x00, 0x00, 0x02, 0x00, 0x00])
        try await onThread { try pipeline.finish() }
    }

    @Test func configuration_IsRememberedOnDisk() async throws {
        let folder = TestFolder()
        let memory = DriverMemory(folder: folder.file("state"))
        var accepted: [UInt8] = []
        for run in 1...2 {
            let agent = try Agent(.pty, ["configuration": "extended"])
            defer { agent.simulation.stop() }
            let spy = WriteSpy(try agent.address.transport(for: .phd))
            let sink = MemorySink()
            let pipeline = Pipeline([Pipeline.Member(sink)])
            let ended = Mailbox<Outcome>()
            let link = TestLink(driver: .phd, transport: spy, pipeline: pipeline, memory: memory) {
                if case .ended(let outcome) = $0 { ended.post(outcome) }
            }
            link.start([.readMemory(user: nil)])
            #expect(await ended.wait(count: 1) == [.complete])
            try await onThread { try pipeline.finish() }
            #expect(kept(sink) == Self.wanted, "run \(run)")
            accepted.append(try #require(spy.writes.values.first { $0.first == 0xE3 })[5])
        }
        #expect(accepted == [3, 0])
        #expect(folder.text("state/phd.memory").hasPrefix("config/00091ffffe000101/4000 "))
        #expect(folder.mode("state/phd.memory") == 0o600)
    }

    @Test func aCapture_IsSpokenAgain() async throws {
        let path = ProjectFolder.url.appendingPathComponent("captures/phd/standard-configuration.capture").path
        let simulation = try Simulation(driver: .phd, playing: path)
        simulation.start()
        defer { simulation.stop() }
        let sink = MemorySink()
        let outcome = try await converse(.node(simulation.address), sink, limit: .seconds(60))
        #expect(outcome == .complete)
        #expect(!sink.readings.isEmpty && sink.readings.allSatisfy { $0.bloodPressure != nil })
        #expect(throws: IngestError.self) { try Simulation(driver: .phd, playing: "/nowhere.capture") }
    }

    /// Whole pieces are lost, duplicated, truncated and delayed, in both directions, for some seconds; then the line recovers.
    /// Readings acknowledged on the bad line are not repeated, so together everything must arrive exactly once. Readings added by
    /// a truncated piece (see `PHDLineTests.faults`) are not counted.
    @Test(arguments: Road.allCases, [["report": "apart", "batch": "2"], ["store": "yes"]] as [[String: String]])
    func aBadRoad_LosesNothing_AndDoublesNothing(_ road: Road, _ options: [String: String]) async throws {
        let agent = try Agent(road, options)
        defer { agent.simulation.stop() }
        let sink = MemorySink()
        var faults = FaultyTransport.Faults(split: 0.2)
        faults.lose = 0.04
        faults.repeated = 0.04
        faults.truncate = 0.03
        faults.hold = 0.03
        faults.delay = .seconds(4)
        let bad = try await converse(agent.address, sink, faults: faults, seed: 11, limit: .seconds(12))
        #expect(bad != nil)
        var last: Outcome?
        // A connecting agent needs a second to connect again.
        for _ in 0..<3 where last != .complete { last = try await converse(agent.address, sink, limit: .seconds(30)) }
        #expect(last == .complete)
        let all = kept(sink)
        #expect(Set(all).isSuperset(of: Self.wanted), "\(all)")
        for text in Self.wanted { #expect(all.count { $0 == text } == 1, "\(text) is there twice") }
    }
}

/// Records what is written.
private final class WriteSpy: Transport, @unchecked Sendable {
    private let inner: any Transport
    let writes = Mailbox<[UInt8]>()

    init(_ inner: any Transport) { self.inner = inner }

    var address: String { inner.address }
    func open() throws(IngestError) { try inner.open() }
    func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError) {
        try inner.start(on: loop, deliver: deliver)
    }
    func writeFeature(_ bytes: [UInt8]) { inner.writeFeature(bytes) }
    func write(_ bytes: [UInt8]) {
        writes.post(bytes)
        inner.write(bytes)
    }
    func pause() { inner.pause() }
    func resume() { inner.resume() }
    func close() { inner.close() }
}
