import CFaultyDisk
import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// Months of plugging and unplugging leave nothing behind. `make test-cycles` runs a thousand cycles, alone in its process, with
/// a narrow memory limit.
@Suite(.serialized, .disabled(if: HotplugTestbed.isAvailable, "real terminals only"))
struct PlugCycleTests {
    private struct Usage: CustomStringConvertible {
        var descriptors = CuffIngest.Folder.names("/proc/self/fd").count
        var threads = CuffIngest.Folder.names("/proc/self/task").count
        var memory = PlugCycleTests.inUse()
        var description: String { "\(descriptors) descriptors, \(threads) threads, \(memory) KiB in use" }
    }

    private final class Counter: ReadingSink, @unchecked Sendable {
        let label = "counter"
        let readings = Locked(0)
        let completions = Locked(0)
        /// The latest messages, for a failing test.
        let said = Locked<[String]>([])
        func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
            readings.withLock { $0 += batch.readings }
            return 0
        }
    }

    private static let isAlone = ProcessInfo.processInfo.environment["CUFF_CYCLES"] != nil
    private static let cycles = ProcessInfo.processInfo.environment["CUFF_CYCLES"].flatMap { Int($0) } ?? 60

    @Test(.timeLimit(.minutes(10))) func cycles_LeaveNothingBehind() async throws {
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 3, seed: 5), pushes: false)
        let simulation = try Simulation(driver: .beurerSerial, script: script)
        simulation.start()
        defer { simulation.stop() }
        let plugboard = Plugboard()
        let counter = Counter()
        var watch = WatchOptions()
        watch.hears = { plugboard.on($0) }
        watch.assignments = [try Assignment("usb:0403:6001:CYCLE001=beurer-serial")]
        watch.settings.firstPause = .milliseconds(20)
        watch.notices = { notice in
            if case .complete = notice { counter.completions.withLock { $0 += 1 } }
            counter.said.withLock { $0 = $0.suffix(11) + [notice.description] }
        }
        var options = IngestOptions()
        options.moreSinks = [counter]
        let stop = options.stop
        async let report = onThread { [watch, options] in try Ingest.watch(watch, options: options) }

        var chain = HotplugSample.adapter(serial: "CYCLE001", port: "1-1")
        chain[0].node = simulation.address
        var device = HotplugSample.device(chain)
        // The watch is running.
        #expect(await until { counter.said.withLock { $0.contains { $0.contains("is not plugged in; waiting for it") } } })
        let warmUp = max(20, Self.cycles / 5)
        var before = Usage()
        for cycle in 0..<(warmUp + Self.cycles) {
            if cycle == warmUp { before = await settled() }
            device.usb?.address = "\(cycle)"
            let read = counter.completions.withLock { $0 }
            plugboard.tell(.plugged(device))
            switch cycle % 3 {
            // Read completely, unplugged meanwhile, and gone before a byte was sent.
            case 0:
                #expect(
                    await until { counter.completions.withLock { $0 } > read },
                    "cycle \(cycle) is read; \(counter.said.withLock { $0 }.joined(separator: "\n"))")
            case 1: try await Task.sleep(for: .milliseconds(3))
            default: break
            }
            plugboard.tell(.unplugged(device))
        }
        let after = await settled(like: before)
        print("note: cycles: \(Self.cycles) times plugged in and pulled out; before: \(before); after: \(after)")
        #expect(after.descriptors <= before.descriptors + (Self.isAlone ? 0 : 32), "before: \(before); after: \(after)")
        // Dispatch varies its number of threads, keeps a few continuations of 64 bytes for each timer that ever fired, and up to
        // 1,024 per thread of those passed on by the loop's thread. 1,000 cycles left 640 KiB, 3,000 left 914.
        #expect(after.threads <= before.threads + (Self.isAlone ? 4 : 32), "before: \(before); after: \(after)")
        #expect(after.memory <= before.memory + (Self.isAlone ? 1024 : 64 * 1024), "before: \(before); after: \(after)")
        stop.raise()
        let end = try await report
        #expect(end.status == .done)
        // A third of all dumps is read completely, with three readings each.
        #expect(end.counters.readings >= Self.cycles)
    }

    /// Waits up to 12 s until remains of the last cycles are released.
    private func settled(like wanted: Usage? = nil) async -> Usage {
        var usage = Usage()
        for _ in 0..<(Self.isAlone ? 120 : 20) {
            try? await Task.sleep(for: .milliseconds(100))
            usage = Usage()
            if let wanted, usage.descriptors <= wanted.descriptors, usage.threads <= wanted.threads { break }
        }
        return usage
    }

    private func until(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<3000 {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// KiB in use on the heap. The kernel's figure includes memory that the allocator keeps.
    private static func inUse() -> Int { heap_in_use() / 1024 }
}
