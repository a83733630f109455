import CuffCore
import Glibc
import Testing

@testable import CuffIngest

/// A database that another program is writing, beside a cuff that does not repeat its readings.
@Suite(.timeLimit(.minutes(5))) struct LockedDatabaseTests {
    private final class LockedSink: ReadingSink {
        let label = "sqlite:bp.db"
        let isDurable = true
        private let state: Locked<(failures: Int, readings: Int)>
        let calls = Mailbox<Int>()
        /// The readings stored so far, after each delivery.
        let stored = Mailbox<Int>()

        init(failures: Int) { state = Locked((failures, 0)) }

        func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
            calls.post(batch.readings)
            let total: Int? = state.withLock { state in
                state.failures -= 1
                guard state.failures < 0 else { return nil }
                state.readings += batch.readings
                return state.readings
            }
            guard let total else { throw .writing("bp.db", EWOULDBLOCK) }
            stored.post(total)
            return 0
        }
    }

    /// A cuff that pushes three readings, read until the stop; `body` ends with the stop.
    private func follow(
        _ sink: LockedSink, _ notes: Mailbox<Diagnostic>, _ body: () async -> Void
    ) async throws -> IngestReport {
        let records = SimulatedRecord.sample(count: 3, seed: 2)
        let simulation = try Simulation(driver: .andStd, script: SimulatorScript(records: records, interval: .milliseconds(5)))
        simulation.start()
        defer { simulation.stop() }
        let address = try DeviceAddress(simulation.address)
        var options = IngestOptions()
        options.moreSinks = [sink]
        options.diagnostics = { notes.post($0) }
        let run = Task { [options] in
            try await onThread { try Ingest.read(address, driver: "and-std", ReadOptions(.follow), options: options) }
        }
        await body()
        options.stop.raise()
        return try await run.value
    }

    private func warnings(_ notes: Mailbox<Diagnostic>) -> [String] {
        notes.values.compactMap { if case .warning(let text) = $0 { text } else { nil } }
    }

    @Test func itIsWaitedFor_AndSaidOnce() async throws {
        let (sink, notes) = (LockedSink(failures: 3), Mailbox<Diagnostic>())
        let report = try await follow(sink, notes) { await sink.stored.wait { $0.contains(3) } }
        #expect(report.status == .done && report.endings.isEmpty)
        #expect(sink.stored.values.last == 3)
        #expect(warnings(notes) == ["bp.db is locked by another program; waiting until it has finished"])
    }

    @Test func stopping_EndsTheWait() async throws {
        let (sink, notes) = (LockedSink(failures: 1_000_000), Mailbox<Diagnostic>())
        let error = await #expect(throws: IngestError.self) {
            _ = try await follow(sink, notes) { await sink.calls.wait(count: 2) }
        }
        #expect(error?.status == .tryAgain && error.map { "\($0)".contains("not stored") } == true, "\(error?.description ?? "")")
    }
}
