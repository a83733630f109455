import CuffCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CuffIngest

/// Results of recorded bytes depend on bytes and options only, not on state folders, other runs or the time.
@Suite(.timeLimit(.minutes(10))) struct SameBytesTests {
    private struct Recording {
        var path: String
        var driver: String
        /// The cuff's bytes.
        var bytes: [UInt8]
    }

    /// Every capture of the project, and the shared vectors if present.
    private static let recordings: [Recording] = {
        let root = ProjectFolder.url
        let vectors =
            ProcessInfo.processInfo.environment["CUFF_VECTORS"]
            ?? root.deletingLastPathComponent().appendingPathComponent("shared/vectors").path
        return [root.appendingPathComponent("captures").path, vectors].flatMap { folder -> [Recording] in
            let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
            return names.sorted().filter { $0.hasSuffix(".capture") || $0.hasSuffix(".hex") }.compactMap { recording("\(folder)/\($0)") }
        }
    }()

    private static func recording(_ path: String) -> Recording? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        var source = CaptureForms.source(for: [UInt8](data))
        var items: [CaptureItem] = []
        guard (try? source.read([UInt8](data), into: &items)) != nil, (try? source.finish(into: &items)) != nil,
            let driver = source.header["driver"], CuffFamilies.named(driver) != nil
        else { return nil }
        let bytes = items.flatMap { item -> [UInt8] in
            if case .fromCuff(let bytes) = item.content { bytes } else { [] }
        }
        return Recording(path: path, driver: driver, bytes: bytes)
    }

    /// A machine with a state folder of earlier runs, and a clock.
    private struct Machine: Sendable {
        let folder = TestFolder()
        let hour: Int64

        func options(_ sinks: [SinkSpec] = []) -> (IngestOptions, MemorySink) {
            var options = IngestOptions()
            let sink = MemorySink()
            options.sinks = sinks
            if sinks.isEmpty { options.moreSinks = [sink] }
            options.memory = DriverMemory(folder: folder.file("state"))
            let now = Timestamp(milliseconds: 1_780_000_000_000 + hour * 3_600_000)
            options.clock = { [hour] in LinkTime(elapsed: .seconds(hour * 3600), wall: now) }
            return (options, sink)
        }
    }

    private static func lines(_ sink: MemorySink) -> String {
        var text = TextBuffer()
        for batch in sink.batches {
            for entry in batch.entries { ReadingLine(includesRaw: true).append(entry, device: batch.device, to: &text) }
        }
        return text.string
    }

    private static func replay(_ recording: Recording, on machine: Machine) -> String {
        let (options, sink) = machine.options()
        _ = try? Ingest.replay(paths: [recording.path], options: options)
        return lines(sink)
    }

    /// From a pipe.
    private static func decode(_ recording: Recording, on machine: Machine, isLive: Bool = false) -> String {
        let (options, sink) = machine.options()
        var ends: [Int32] = [0, 0]
        // At most the capacity of a pipe, so that writing does not block.
        guard !recording.bytes.isEmpty, recording.bytes.count <= 1 << 16, pipe(&ends) == 0 else { return "" }
        let written = recording.bytes.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
        close(ends[1])
        defer { close(ends[0]) }
        guard written == recording.bytes.count else { return "" }
        _ = try? Ingest.decode(driver: recording.driver, input: .descriptor(ends[0], name: "pipe"), isLive: isLive, options: options)
        return lines(sink)
    }

    @Test func captures_SayTheSame_OnAnyMachine_AtAnyHour_InAnyOrder() async throws {
        let recordings = Self.recordings
        #expect(recordings.count > 100)
        try await onThread {
            let one = Machine(hour: 0)
            let other = Machine(hour: 31)
            let first = recordings.map { (Self.replay($0, on: one), Self.decode($0, on: one)) }
            for (recording, said) in zip(recordings, first).reversed() {
                #expect(Self.decode(recording, on: other) == said.1, "\(recording.path)")
                #expect(Self.replay(recording, on: other) == said.0, "\(recording.path)")
            }
            for machine in [one, other] {
                #expect(!FileManager.default.fileExists(atPath: machine.folder.file("state")), "nothing is written")
            }
        }
    }

    @Test func liveBytes_HaveAReceiveTime() async throws {
        let recording = try #require(Self.recordings.first { $0.driver == "ampall-bp868f" })
        try await onThread {
            let said = Self.decode(recording, on: Machine(hour: 1), isLive: true)
            #expect(said.contains("\"received\":\"2026-05-28T21:26:40.000Z\""), "\(said)")
            #expect(!Self.decode(recording, on: Machine(hour: 1)).contains("received"))
        }
    }

    /// A configuration sent earlier by another agent of the same number has no effect.
    @Test func aRememberedConfiguration_IsNotBelieved() async throws {
        let recording = try #require(Self.recordings.first { $0.driver == "phd" && $0.path.contains("extended") })
        try await onThread {
            let clean = Machine(hour: 0)
            let used = Machine(hour: 0)
            let keys = ["config/00091ffffe000101/4000", "config/00091ffffe000101/700", "wants-clock/00091ffffe000101"]
            let memory = DriverMemory(folder: used.folder.file("state"))
            for key in keys { try memory.store("phd", key, [0x40, 0, 0, 1]) }
            #expect(Self.decode(recording, on: used) == Self.decode(recording, on: clean))
            #expect(memory.load("phd").count == keys.count)
        }
    }

    @Test func theSameFileStoredTwice_IsStoredOnce() async throws {
        let recordings = Self.recordings.filter { !$0.path.contains("/vectors/") }
        try await onThread {
            let folder = TestFolder()
            for (number, recording) in recordings.enumerated() {
                let path = folder.file("\(number).db")
                var counts: [Int] = []
                for hour in [0, 7] as [Int64] {
                    let (options, _) = Machine(hour: hour).options([SinkSpec(.sqlite, path: path)])
                    _ = try? Ingest.replay(paths: [recording.path], options: options)
                    var count = 0
                    try? Store(path, access: .read).forEach(ReadingSelection(zone: .utc)) { _, _ in
                        count += 1
                        return true
                    }
                    counts.append(count)
                }
                #expect(counts[0] == counts[1], "\(recording.path)")
            }
        }
    }
}
