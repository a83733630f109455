import CuffCore
import Foundation
import Testing

@testable import CuffIngest

/// Simulator and session over a real pty with 1 % of the bytes dropped, doubled or flipped. `FaultyLineTests` runs hundreds of
/// seeds in memory; this shows once per family that it also works with the kernel and a real clock.
@Suite struct FaultyPtyTests {
    static let asked: [(driver: String, command: SessionCommand)] = CuffFamilies.all.filter { $0.medium == .tty }.flatMap { driver in
        var commands: [(String, SessionCommand)] = []
        if driver.capabilities.contains(.storedReadings) { commands.append((driver.id.description, .readMemory(user: nil))) }
        if driver.capabilities.contains(.measure) { commands.append((driver.id.description, .measure)) }
        return commands
    }

    /// Longer than every family's own limits on a lossy line.
    static let limit: Duration = .seconds(90)

    /// An IEEE 11073 agent that was refused may not return, and its manager waits a minute for it.
    static let options: [String: [String: String]] = ["phd": ["patience": "6"]]

    @Test(arguments: asked)
    func aBadLine_EndsInAResultOrAClearFailure(_ driver: String, _ command: SessionCommand) async throws {
        try await converse(driver, command)
    }

    private func converse(_ id: String, _ command: SessionCommand) async throws {
        let driver = try #require(CuffFamilies.named(id))
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 5, seed: 3), interval: .milliseconds(200))
        let simulation = try Simulation(driver: driver, script: script)
        simulation.start()
        defer { simulation.stop() }
        let sink = MemorySink()
        let pipeline = Pipeline([Pipeline.Member(sink)])
        let transport = FaultyTransport(
            try DeviceAddress(simulation.address).transport(for: driver),
            FaultyTransport.Faults(split: 0.2, drop: 0.0034, flip: 0.0033, double: 0.0033), seed: 7)
        let ended = Mailbox<Outcome>()
        let link = TestLink(driver: driver, transport: transport, pipeline: pipeline, options: Self.options[id] ?? [:]) {
            if case .ended(let outcome) = $0 { ended.post(outcome) }
        }
        link.start([command])
        let clock = ContinuousClock()
        let start = clock.now
        let stop = Task {
            try await Task.sleep(for: Self.limit)
            link.stop()
        }
        _ = await ended.wait(count: 1, within: Self.limit + .seconds(30))
        stop.cancel()
        #expect(clock.now - start < Self.limit, "\(id) \(command) had no end of its own")
        try await onThread { try pipeline.finish() }
        guard driver.check != nil else { return }
        let truth = Set(script.records.map { [$0.systolic, $0.diastolic] })
        for reading in sink.readings {
            guard let pressure = reading.bloodPressure, id != "nibp-nano" else { continue }
            let values = [Int(pressure.systolic.inMmHg.rounded()), Int(pressure.diastolic.inMmHg.rounded())]
            #expect(truth.contains(values), "\(id) gave \(values)")
        }
    }
}
