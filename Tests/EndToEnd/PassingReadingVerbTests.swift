import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// Verbs that do not read still store readings that the cuff sends.
@Suite(.timeLimit(.minutes(3))) struct PassingReadingVerbTests {
    private let scratch: Scratch
    private var database: String { scratch.path("data/cuff/readings.db") }
    init() throws { scratch = try Scratch() }

    private var kept: Int {
        get throws { FileManager.default.fileExists(atPath: database) ? try Store(database, access: .read).count() : 0 }
    }

    private func run(_ cuff: SimulatedCuff, _ verb: String, _ more: [String] = []) async throws -> CuffProcess {
        try await CuffProcess.run(
            cuff.arguments(verb, more), environment: cuff.environment.merging(["XDG_DATA_HOME": scratch.path("data")]) { $1 })
    }

    /// The module marks its result as new in one answer only.
    @Test(arguments: ["info", "stop"]) func aResultThatTheAnswersCarry_IsKept_AndNotPrinted(_ verb: String) async throws {
        let cuff = try await SimulatedCuff("evgmolt-oem", ["--count", "1"], in: scratch)
        let first = try await run(cuff, verb, verb == "info" ? ["--json"] : [])
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.objects("blood_pressure").isEmpty && first.lines.count == (verb == "info" ? 1 : 0), "\(first.output)")
        #expect(first.errors.contains("1 reading came from the cuff and is kept in sqlite:\(database)"), "\(first.errors)")
        #expect(try kept == 1)
        // No mark is left, and no file is created without readings.
        let second = try await run(cuff, verb)
        #expect(second.status == 0 && !second.errors.contains("kept"), "\(second.errors)")
        #expect(try kept == 1)
    }

    @Test func withoutAReading_NoDatabaseIsMade() async throws {
        let cuff = try await SimulatedCuff("beurer-serial", ["--count", "3"], in: scratch)
        #expect(try await run(cuff, "info").status == 0)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("data")))
    }

    @Test func aNamedSink_GetsIt() async throws {
        let cuff = try await SimulatedCuff("evgmolt-oem", ["--count", "1"], in: scratch)
        let file = scratch.path("a.jsonl")
        #expect(try await run(cuff, "info", ["--sink", "jsonl:\(file)"]).status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("\"blood_pressure\""))
        #expect(!FileManager.default.fileExists(atPath: scratch.path("data")))
    }

    @Test func record_KeepsWhatItReads_UnlessToldNotTo() async throws {
        let cuff = try await SimulatedCuff("evgmolt-oem", ["--count", "1"], in: scratch)
        #expect(try await run(cuff, "record", ["-o", scratch.path("a.capture")]).status == 0)
        #expect(try kept == 1)
        let other = try await SimulatedCuff("beurer-serial", ["--count", "3"], in: scratch, name: "other")
        #expect(try await run(other, "record", ["-o", scratch.path("b.capture"), "--no-store"]).status == 0)
        #expect(try kept == 1)
    }

    /// A cuff that only sends does not repeat what was received during identification.
    @Test func identify_KeepsWhatItHears_WhereTheDriverIsCertain() async throws {
        let port = scratch.path("port")
        let simulator = try RunningCuff(["simulate", "and-std", "--count", "60", "--every", "300ms", "--link", port], folder: scratch)
        defer { simulator.signal(SIGKILL) }
        #expect(try await eventually(60) { FileManager.default.fileExists(atPath: port) }, "\(simulator.said)")
        let run = try await CuffProcess.run(["identify", port, "--for", "4s"], environment: ["XDG_DATA_HOME": scratch.path("data")])
        #expect(run.status == 0 && run.output.hasPrefix("and-std  "), "\(run.output) \(run.errors)")
        let count = try kept
        #expect(count > 0 && run.errors.contains("received and stored in sqlite:\(database)"), "\(count) \(run.errors)")
        #expect(run.output.contains("\(count) reading"), "\(run.output)")
        // Readings are stored before a full disk or a closed pipe ends the program.
        let full = try await CuffProcess.run(
            executable: "/bin/sh", ["-c", "exec \"$0\" identify \"$1\" --for 4s >/dev/full", CuffProcess.path, port],
            environment: ["XDG_DATA_HOME": scratch.path("data")])
        #expect(full.status == 74, "\(full.errors)")
        #expect(try kept > count, "\(full.errors)")
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func identify_ThatASignalEnds_KeepsWhatItHeard(_ number: Int32, _ status: Int32) async throws {
        var (master, slave): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        try #require(openpty(&master, &slave, &name, nil, nil) == 0)
        close(slave)
        defer { close(master) }
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        let port = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let run = try SpawnedCuff(["identify", port, "--for", "600s"], environment: ["XDG_DATA_HOME": scratch.path("data")])
        // Until the port is opened it is hung up.
        var entry = pollfd(fd: master, events: 0, revents: 0)
        #expect(try await run.prints { _ in poll(&entry, 1, 0) == 0 }, "\(run.errors)")
        // The first frame may be flushed while the port is set up.
        for stamp in ["2605050731", "2605050732", "2605050733"] {
            let (frame, before) = (DecodeReplayTests.frame(128, stamp), bytesRead(by: run.identifier))
            #expect(write(master, frame, frame.count) == frame.count)
            _ = try await eventually(5) { bytesRead(by: run.identifier) >= before + frame.count }
        }
        run.signal(number)
        let end = await run.end()
        #expect(end.status == status && end.output.hasPrefix("and-std  "), "\(end.output) \(end.errors)")
        #expect(try kept > 0, "\(end.errors)")
    }

    private func bytesRead(by process: Int32) -> Int {
        let counters = (try? String(contentsOfFile: "/proc/\(process)/io", encoding: .utf8)) ?? ""
        return counters.split(separator: "\n").first.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
