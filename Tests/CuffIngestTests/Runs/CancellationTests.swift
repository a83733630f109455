import CuffClinical
import CuffCore
import Foundation
import Testing

@testable import CuffIngest

/// Cancelling at any `await` leaves no thread, descriptor or inflated cuff. `make test-tsan` cancels a thousand times, alone in its process.
@Suite(.serialized, .disabled(if: HotplugTestbed.isAvailable, "real terminals only"))
struct CancellationTests {
    private static let rounds = ProcessInfo.processInfo.environment["CUFF_CANCELLATIONS"].flatMap { Int($0) } ?? 50
    private static let isAlone = ProcessInfo.processInfo.environment["CUFF_CANCELLATIONS"] != nil
    private static let lanes = 5

    @Test(.timeLimit(.minutes(20))) func cancellingAtAnyAwait_LeavesNothing() async throws {
        let lanes = try (0..<Self.lanes).map { try Lane(seed: UInt64($0)) }
        // The loop, its workers and the files that stay open are there after each call was used once.
        for lane in lanes { for call in Call.allCases { try await lane.cancel(call, after: .milliseconds(60)) } }
        let before = await Usage.settled()
        let started = lanes.map(\.starts).reduce(0, +)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in lanes { group.addTask { try await lane.cancelAtRandom(Self.rounds / Self.lanes) } }
            try await group.waitForAll()
        }
        let after = await Usage.settled(like: before)
        let starts = lanes.map(\.starts).reduce(0, +) - started
        print("note: cancellations: \(Self.rounds), \(starts) of them of a cuff that measured; before: \(before); after: \(after)")
        #expect(starts > Self.rounds / 20, "few measurements had begun when they were cancelled")
        #expect(after.descriptors <= before.descriptors, "before: \(before); after: \(after)")
        // Dispatch varies its number of threads.
        #expect(after.threads <= before.threads + (Self.isAlone ? 4 : 16), "before: \(before); after: \(after)")
        for lane in lanes { lane.end() }
    }

    private struct Usage: CustomStringConvertible {
        let descriptors = CuffIngest.Folder.names("/proc/self/fd").count
        let threads = CuffIngest.Folder.names("/proc/self/task").count
        var description: String { "\(descriptors) descriptors, \(threads) threads" }

        /// Waits for idle threads to end. Dispatch ends a thread after 5 s without work, and looking often would give each some.
        static func settled(like wanted: Usage? = nil) async -> Usage {
            for _ in 0..<(wanted == nil ? 2 : 6) {
                try? await Task.sleep(for: isAlone ? .seconds(6) : .seconds(2))
                let usage = Usage()
                if let wanted, usage.descriptors <= wanted.descriptors, usage.threads <= wanted.threads { return usage }
            }
            return Usage()
        }
    }

    private enum Call: CaseIterable {
        case measure, end, follow, read, facts, keep, changes, serve, find
    }

    /// A simulated cuff that tells whether it measures: its timer of a measurement is armed.
    private struct Watched: CuffSimulator {
        var cuff: any CuffSimulator
        let state: Locked<(isInflated: Bool, starts: Int)>

        mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
            if case .timerFired(.overall) = event { state.withLock { $0.isInflated = false } }
            let actions = cuff.handle(event)
            for action in actions {
                switch action {
                case .arm(.overall, _):
                    let isStart = if case .received = event { true } else { false }
                    state.withLock { $0 = (true, $0.starts + (isStart ? 1 : 0)) }
                case .disarm(.overall): state.withLock { $0.isInflated = false }
                default: break
                }
            }
            return actions
        }
    }

    /// One task at a time, with cuffs, a folder and a database of its own. That the next call can open a cuff shows that the one before
    /// has closed it: lines are exclusive.
    private final class Lane: Sendable {
        private let folder = TestFolder()
        private let measuring: [Cuff]
        private let sending: Cuff
        private let stored: Cuff
        private let simulations: [Simulation]
        private let state = Locked((isInflated: false, starts: 0))
        private let seed: UInt64

        init(seed: UInt64) throws {
            var options = IngestOptions()
            options.memory = DriverMemory(folder: folder.path)
            var simulations: [Simulation] = []
            func cuff(_ driver: CuffDriver, _ script: SimulatorScript) throws -> Cuff {
                let simulation = try Simulation(driver: driver, script: script)
                simulation.start()
                simulations.append(simulation)
                return Cuff(at: try DeviceAddress(simulation.address), driver: driver, options: options)
            }
            let state = state
            measuring = try [CuffDriver.parNIBP, .suntechAdvantage].map { driver in
                var watched = driver
                watched.makeSimulator = { Watched(cuff: driver.makeSimulator($0), state: state) }
                return try cuff(watched, SimulatorScript(pushes: false))
            }
            let records = SimulatedRecord.sample(count: 60, seed: seed)
            sending = try cuff(.andStd, SimulatorScript(records: records, interval: .milliseconds(5)))
            stored = try cuff(.beurerSerial, SimulatorScript(records: records, pushes: false))
            self.simulations = simulations
            self.seed = seed
        }

        var starts: Int { state.withLock { $0.starts } }

        func end() { for simulation in simulations { simulation.stop() } }

        func cancelAtRandom(_ rounds: Int) async throws {
            var random = SplitMix64(seed: seed)
            for _ in 0..<rounds {
                let call = Call.allCases[Int(random.next() % UInt64(Call.allCases.count))]
                // Most calls take a few milliseconds; half of the cancellations come that early.
                let longest: UInt64 = random.next() % 2 == 0 ? 8_000 : 900_000
                try await cancel(call, after: .microseconds(Int(random.next() % longest)))
            }
        }

        func cancel(_ call: Call, after delay: Duration) async throws {
            let task = Task { try await self.perform(call) }
            try await Task.sleep(for: delay)
            task.cancel()
            do { try await task.value } catch is CancellationError {
            } catch { Issue.record("\(call) cancelled after \(delay): \(error)") }
            // The stop was written; the cuff may not have read it yet.
            for _ in 0..<200 where state.withLock({ $0.isInflated }) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(!state.withLock { $0.isInflated }, "\(call) cancelled after \(delay)")
        }

        private func perform(_ call: Call) async throws {
            switch call {
            case .measure: for cuff in measuring { for try await _ in cuff.measure(limit: .seconds(5)) {} }
            case .end: for cuff in measuring.reversed() { _ = try await cuff.measure().end() }
            case .follow:
                let store = try await Store.open(folder.file("bp.db"))
                defer { try? store.close() }
                for try await received in sending.readings(follow: true) { try await store.save(received) }
            case .read:
                var cuff = stored
                cuff.options.moreSinks = [MemorySink()]
                while !Task.isCancelled { _ = try await cuff.read() }
            case .facts:
                while !Task.isCancelled {
                    _ = try await measuring[0].schedule()
                    _ = try await measuring[1].stop()
                    _ = try? await stored.clock()
                    _ = try await stored.information()
                }
            case .keep: try await keep()
            case .changes:
                let store = try await Store.open(folder.file("bp.db"))
                defer { try? store.close() }
                try await store.forget(ChangeAnchor("test"))
                for try await _ in store.changes(since: ChangeAnchor("test")) {}
            case .serve:
                var watch = WatchOptions()
                watch.hears = { _ in SilentHotplug() }
                watch.web = WebAddress(host: "", port: 0)
                watch.metricsPort = 0
                watch.assignments = [try Assignment("\(sending.address)=and-std"), try Assignment("\(stored.address)=beurer-serial")]
                for try await _ in Cuffs.readings(watching: watch, options: stored.options) {}
            case .find:
                while !Task.isCancelled {
                    _ = try await Cuffs.first(stored.address, driver: stored.driver)
                    _ = try await Cuffs.all()
                }
            }
        }

        private func keep() async throws {
            // Without the readings of a cuff: a statistic is of one person.
            let store = try await Store.open(folder.file("kept.db"))
            defer { try? store.close() }
            let source = HealthSource(name: "test")
            for second in 0... {
                if Task.isCancelled { return }
                let time = Timestamp(seconds: 1_777_959_180 + Int64(second))
                let pulse = try QuantitySample(.heartRate, HealthQuantity(71, .countPerMinute), start: time, end: time, source: source)
                let saved = try await store.save(pulse)
                _ = try await store.reading(try #require(saved.first).id)
                var builder = try QuantitySeriesBuilder(.heartRate, start: time, source: source)
                try builder.insert(HealthQuantity(64, .countPerMinute), at: .seconds(1))
                try await builder.finish(in: store)
                _ = try await store.statistics(.heartRate, by: .day, of: .noUser)
                let selection = ReadingSelection(zone: .utc)
                _ = try await store.export(selection, as: .jsonl, to: folder.file("out"), replaces: true)
            }
        }
    }
}
