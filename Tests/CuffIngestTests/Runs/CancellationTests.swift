import CuffCore
import Testing

@testable import CuffIngest

/// A task may be cancelled at any `await`: the cuff is stopped and closed before the loop ends, and nothing is left behind.
@Suite(.timeLimit(.minutes(10)), .disabled(if: HotplugTestbed.isAvailable, "real terminals only"))
struct CancellationTests {
    private static let lanes = 4, rounds = 250

    private static var descriptors: Int { CuffIngest.Folder.names("/proc/self/fd").count }
    private static var threads: Int { CuffIngest.Folder.names("/proc/self/task").count }

    @Test func aThousandCancellations_LeaveNoThreadDescriptorOrInflatedCuff() async throws {
        let (descriptors, threads) = (Self.descriptors, Self.threads)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 1..<Self.lanes { group.addTask { try await Self.measure(seed: UInt64(lane)) } }
            group.addTask { try await Self.read(seed: 0) }
            try await group.waitForAll()
        }
        // Tests beside this one open some, too.
        #expect(Self.descriptors <= descriptors + 32, "\(descriptors) descriptors before, \(Self.descriptors) after")
        #expect(Self.threads <= threads + 32, "\(threads) threads before, \(Self.threads) after")
    }

    private static func measure(seed: UInt64) async throws {
        let deflated = Locked(0)
        let simulation = try Simulation(driver: .suntechAdvantage, script: SimulatorScript(pushes: false), speed: 20) { note in
            if note == "deflated" { deflated.withLock { $0 += 1 } }
        }
        simulation.start()
        defer { simulation.stop() }
        let folder = TestFolder()
        var options = IngestOptions()
        options.memory = DriverMemory(folder: folder.path)
        let cuff = Cuff(at: try DeviceAddress(simulation.address), driver: .suntechAdvantage, options: options)
        var random = SplitMix64(seed: seed)
        var aborted = 0
        for round in 0..<rounds {
            let events = Mailbox<MeasurementEvent>()
            let loop = Task { for try await event in cuff.measure() { events.post(event) } }
            // Before the port is open, while the cuff starts, and while it inflates.
            try await Task.sleep(for: .microseconds(random.next() % 30_000))
            loop.cancel()
            try await loop.value
            let began = events.values.contains { if case .started = $0 { true } else { false } }
            switch events.values.last {
            case nil: #expect(!began)
            case .ended(.aborted): aborted += 1
            case .ended(.failed(.stopped)): #expect(!began, "lane \(seed), round \(round)")
            case .ended(.result): break
            case let last: Issue.record("lane \(seed), round \(round): \(String(describing: last))")
            }
        }
        #expect(aborted > 0)
        // One that still inflates would refuse, and the port is exclusive.
        guard case .result = try await cuff.measure().end() else { throw TestFault(kind: .software, line: "no result in lane \(seed)") }
        #expect(deflated.withLock { $0 } >= aborted)
        #expect(MeasurementMarks(DriverMemory(folder: folder.path)).left("suntech-advantage", cuff.address) == nil)
    }

    private static func read(seed: UInt64) async throws {
        let simulation = try Simulation(
            driver: .andStd, script: SimulatorScript(records: SimulatedRecord.sample(count: 400, seed: 2), interval: .milliseconds(2)))
        simulation.start()
        defer { simulation.stop() }
        let cuff = Cuff(at: try DeviceAddress(simulation.address), driver: .andStd, options: IngestOptions())
        var random = SplitMix64(seed: seed)
        for _ in 0..<rounds {
            let loop = Task {
                for try await received in cuff.readings(follow: true, keeping: false) { #expect(received.driver == "and-std") }
            }
            try await Task.sleep(for: .microseconds(random.next() % 30_000))
            loop.cancel()
            try await loop.value
        }
    }
}
