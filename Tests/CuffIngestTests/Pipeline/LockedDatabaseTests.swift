import CuffCore
import Glibc
import Testing

@testable import CuffIngest

/// A database that another program is writing, beside a cuff that does not repeat its readings.
@Suite struct LockedDatabaseTests {
    private final class LockedSink: ReadingSink {
        let label = "sqlite:bp.db"
        let isDurable = true
        private let state: Locked<(failures: Int, readings: Int)>
        let calls = Mailbox<Int>()

        init(failures: Int) { state = Locked((failures, 0)) }

        var readings: Int { state.withLock { $0.readings } }

        func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
            calls.post(batch.readings)
            let isLocked = state.withLock { state in
                state.failures -= 1
                if state.failures < 0 { state.readings += batch.readings }
                return state.failures >= 0
            }
            if isLocked { throw .writing("bp.db", EWOULDBLOCK) }
            return 0
        }
    }

    private func following(_ sink: LockedSink, _ notes: Mailbox<Diagnostic>) throws -> (Simulation, IngestOptions) {
        let records = SimulatedRecord.sample(count: 3, seed: 2)
        let simulation = try Simulation(driver: .andStd, script: SimulatorScript(records: records, interval: .milliseconds(5)))
        var options = IngestOptions()
        options.moreSinks = [sink]
        options.diagnostics = { notes.post($0) }
        return (simulation, options)
    }

    private func warnings(_ notes: Mailbox<Diagnostic>) -> [String] {
        notes.values.compactMap { if case .warning(let text) = $0 { text } else { nil } }
    }

    @Test func itIsWaitedFor_AndSaidOnce() async throws {
        let (sink, notes) = (LockedSink(failures: 3), Mailbox<Diagnostic>())
        let (simulation, options) = try following(sink, notes)
        simulation.start()
        defer { simulation.stop() }
        let address = try DeviceAddress(simulation.address)
        let run = Task {
            try await onThread { try Ingest.read(address, driver: "and-std", ReadOptions(.follow), options: options) }
        }
        await sink.calls.wait(count: 4)
        try await Task.sleep(for: .milliseconds(200))
        options.stop.raise()
        let report = try await run.value
        #expect(report.status == .done && report.endings.isEmpty)
        #expect(sink.readings == 3)
        #expect(warnings(notes) == ["cannot write bp.db: another program is writing it; waiting until it has finished"])
    }

    @Test func stopping_EndsTheWait() async throws {
        let (sink, notes) = (LockedSink(failures: 1_000_000), Mailbox<Diagnostic>())
        let (simulation, options) = try following(sink, notes)
        simulation.start()
        defer { simulation.stop() }
        let address = try DeviceAddress(simulation.address)
        let run = Task {
            try await onThread { try Ingest.read(address, driver: "and-std", ReadOptions(.follow), options: options) }
        }
        await sink.calls.wait(count: 2)
        let since = ContinuousClock.now
        options.stop.raise()
        let error = await #expect(throws: IngestError.self) { _ = try await run.value }
        #expect(error?.status == .tryAgain && error.map { "\($0)".contains("not stored") } == true, "\(error?.description ?? "")")
        #expect(ContinuousClock.now - since < .seconds(5))
    }
}
