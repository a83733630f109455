import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// A stalled sink: the cuff waits, memory does not grow, and everything arrives afterwards. The sink is a FIFO whose reader
/// stops. `make test-stall` sets `CUFF_STALL=60`.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StallTests {
    private static let seconds = ProcessInfo.processInfo.environment["CUFF_STALL"].flatMap { Double($0) } ?? 5

    private final class Fifo: @unchecked Sendable {
        private let gate: Gate
        private let lines = Locked(0)
        private let descriptor: Int32

        init(_ path: String, isReading: Bool) throws {
            guard mkfifo(path, 0o600) == 0 else { throw SystemFault("mkfifo") }
            gate = Gate(isOpen: isReading)
            // Opened in both directions, so that neither side waits for the other.
            descriptor = try Descriptor.open(path, O_RDWR)
            Thread.detachNewThread { [self] in
                gate.pass()
                var room = [UInt8](repeating: 0, count: 1 << 16)
                while case let count = read(descriptor, &room, room.count), count > 0 {
                    let found = room[..<count].filter { $0 == 0x0A }.count
                    lines.withLock { $0 += found }
                }
            }
        }
        func start() { gate.set(open: true) }
        var count: Int { lines.withLock { $0 } }
    }

    private func simulate(_ name: String, count: Int, _ folder: Scratch) throws -> RunningCuff {
        try RunningCuff(
            [
                "simulate", "and-std", "--count", "\(count)", "--seed", "\(name.utf8.reduce(0) { $0 + UInt64($1) })", "--every", "1ms",
                "--link", folder.path(name),
            ],
            folder: folder, name: name)
    }

    private func stored(_ path: String) -> Int { (try? Store(path, access: .read).count()) ?? 0 }

    @Test func requiredSink_ThatStops_HoldsTheCuff_InFlatMemory_AndLosesNothing() async throws {
        let folder = try Scratch()
        let fifo = try Fifo(folder.path("fifo"), isReading: false)
        // At 1,000 readings per second the high mark of 4096 is reached within the stall.
        let total = Int(Self.seconds * 1000) + 3000
        let cuff = try simulate("port", count: total, folder)
        defer { cuff.signal(SIGKILL) }
        #expect(try await eventually { FileManager.default.fileExists(atPath: folder.path("port")) })
        let watch = try RunningCuff(
            [
                "watch", "--no-config", "--assign", "\(folder.path("port"))=and-std", "--stats", "--sink", "jsonl:\(folder.path("fifo"))",
                "--sink", "sqlite:\(folder.path("bp.db"))",
            ], folder: folder)
        defer { watch.signal(SIGKILL) }
        // The database gets what the pipeline holds, and no more: the cuff is not read any longer.
        #expect(try await eventually(60) { stored(folder.path("bp.db")) >= 4096 }, "\(watch.said)")
        // What the kernel's buffers and the pipeline hold is still stored: a second without progress is the end of it.
        var count = 0
        while count < stored(folder.path("bp.db")) {
            count = stored(folder.path("bp.db"))
            try await Task.sleep(for: .seconds(1))
        }
        let memory = watch.memory
        var highest = memory
        let until = Date().addingTimeInterval(Self.seconds)
        while Date() < until {
            try await Task.sleep(for: .milliseconds(200))
            highest = max(highest, watch.memory)
        }
        let growth = highest - memory
        #expect(Sanitizer.isRunning || growth <= 2048, "memory grew by \(growth) KiB from \(memory)")
        #expect(stored(folder.path("bp.db")) == count, "the cuff was asked on during the stall")
        #expect(fifo.count == 0)
        fifo.start()
        #expect(
            try await eventually(120) { fifo.count == total && stored(folder.path("bp.db")) == total },
            "\(fifo.count) and \(stored(folder.path("bp.db"))) of \(total)")
        watch.signal(SIGTERM)
        #expect([0, 143].contains(await watch.end()), "\(watch.said)")
        let pauses = watch.said.split(separator: "\n").first { $0.contains("driver and-std:") }?.contains(" 0 pauses") == false
        #expect(pauses, "\(watch.said)")
        print(
            "note: a required sink that stopped for \(Int(Self.seconds)) s: \(memory) KiB, grew by \(growth) KiB; \(count) readings taken before the cuff had to wait, all \(total) stored afterwards"
        )
    }

    @Test func optionalSink_ThatStops_DelaysNobody_AndSaysWhatItMissed() async throws {
        let folder = try Scratch()
        let fifo = try Fifo(folder.path("fifo"), isReading: false)
        let count = Int(Self.seconds * 1000)
        let cuffs = try ["a", "b"].map { try simulate($0, count: count, folder) }
        defer { for cuff in cuffs { cuff.signal(SIGKILL) } }
        #expect(try await eventually { FileManager.default.fileExists(atPath: folder.path("b")) })
        let watch = try RunningCuff(
            [
                "watch", "--no-config", "--assign", "\(folder.path("a"))=and-std", "--assign", "\(folder.path("b"))=and-std",
                "--sink", "jsonl:\(folder.path("fifo"))?", "--sink", "sqlite:\(folder.path("bp.db"))",
            ], folder: folder)
        defer { watch.signal(SIGKILL) }
        #expect(try await eventually(60) { stored(folder.path("bp.db")) > 100 }, "\(watch.said)")
        let (memory, start) = (watch.memory, Date())
        // The stalled sink is never read: both cuffs are stored as fast as they send.
        #expect(
            try await eventually(Self.seconds * 3 + 60) { stored(folder.path("bp.db")) == 2 * count }, "\(stored(folder.path("bp.db")))")
        let took = Date().timeIntervalSince(start)
        let growth = watch.memory - memory
        // Its queue is limited: 5.5 MB were measured after 10,000 readings and after 120,000.
        #expect(Sanitizer.isRunning || growth <= 8192, "memory grew by \(growth) KiB from \(memory)")
        #expect(fifo.count == 0)
        watch.signal(SIGTERM)
        _ = await watch.end(within: 30)
        #expect(watch.said.contains("missed"), "\(watch.said)")
        print(
            "note: an optional sink that never read: \(2 * count) readings of two cuffs stored in \(Int(took)) s, memory grew by \(growth) KiB"
        )
    }
}
