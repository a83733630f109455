import Foundation
import Glibc
import Testing

/// A signal that ends a command before its work is done is told by the exit status.
@Suite(.timeLimit(.minutes(3))) struct SignalTests {
    private let scratch: Scratch
    private var environment: [String: String] { ["XDG_STATE_HOME": scratch.path("state"), "HOME": scratch.path("home")] }

    init() throws { scratch = try Scratch() }

    /// A serial port on which nothing answers.
    private final class SilentPort {
        let descriptor: Int32
        let path: String

        init() throws {
            var (master, slave): (Int32, Int32) = (-1, -1)
            var name = [CChar](repeating: 0, count: 128)
            guard openpty(&master, &slave, &name, nil, nil) == 0 else { throw CocoaError(.fileReadUnknown) }
            close(slave)
            for (command, flag) in [(F_SETFL, O_NONBLOCK), (F_SETFD, FD_CLOEXEC)] { _ = fcntl(master, command, flag) }
            descriptor = master
            path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        deinit { close(descriptor) }

        /// Whether a request arrived since the last call.
        var isAsked: Bool {
            var bytes = [UInt8](repeating: 0, count: 256)
            return Glibc.read(descriptor, &bytes, bytes.count) > 0
        }
    }

    @Test(arguments: [
        ["read"], ["info"], ["clear", "--confirm", "erase", "--sink", "sqlite:SCRATCH.db"], ["clock", "--set", "now"],
        ["stop", "--driver", "suntech-advantage"], ["record", "--out", "SCRATCH.capture"],
    ])
    func aCommandOnASilentPort_EndsWithTheSignal(_ verb: [String]) async throws {
        for (number, status) in [(SIGINT, Int32(130)), (SIGTERM, 143)] {
            let port = try SilentPort()
            let driver = verb.contains("--driver") ? [] : ["--driver", "taidoc"]
            let options = verb.dropFirst().map {
                $0.replacingOccurrences(of: "SCRATCH", with: scratch.path("\(number)"))
            }
            let run = try SpawnedCuff([verb[0], port.path] + options + driver, environment: environment)
            #expect(try await run.prints { _ in port.isAsked }, "\(run.errors)")
            run.signal(number)
            let end = await run.end()
            #expect(end.status == status, "\(end.errors)")
        }
    }

    @Test func followingAndRecordingUntilThen_EndsWithZero() async throws {
        for verb in [["read", "--follow"], ["record", "--follow", "--out", scratch.path("followed.capture")]] {
            let port = try SilentPort()
            let run = try SpawnedCuff(
                [verb[0], port.path, "--driver", "and-std", "--verbose"] + verb.dropFirst(), environment: environment)
            // Nothing is asked: once the port is open, it is no longer hung up.
            #expect(try await run.prints { _ in isOpen(port) }, "\(run.errors)")
            run.signal(SIGTERM)
            let end = await run.end()
            #expect(end.status == 0, "\(end.errors)")
        }
    }

    private func isOpen(_ port: SilentPort) -> Bool {
        var entry = pollfd(fd: port.descriptor, events: 0, revents: 0)
        return poll(&entry, 1, 0) == 0
    }

    @Test func waitingForACuffThatConnects_EndsWithTheSignal() async throws {
        for (number, status, follows) in [(SIGINT, Int32(130), false), (SIGTERM, 143, false), (SIGTERM, 0, true)] {
            let run = try SpawnedCuff(
                ["read", "tcp-listen://127.0.0.1:0", "--driver", "and-std", "--verbose"] + (follows ? ["--follow"] : []),
                environment: environment)
            #expect(try await run.prints { $0.errors.contains("listening on") }, "\(run.errors)")
            run.signal(number)
            let end = await run.end()
            #expect(end.status == status, "\(end.errors)")
        }
    }

    /// Ctrl-C also ends the program that writes into the pipe: the end of the input and the signal come at the same time.
    @Test func aReplayWhosePipeEndsWithTheSignal_IsInterrupted() async throws {
        for round in 0..<20 {
            let fifo = scratch.path("\(round).fifo")
            #expect(mkfifo(fifo, 0o600) == 0)
            let run = try SpawnedCuff(["replay", fifo], environment: environment)
            var writer: Int32 = -1
            let isOpen = try await run.prints { _ in
                writer = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                return writer >= 0
            }
            #expect(isOpen, "\(run.errors)")
            for number in [SIGSTOP, SIGINT] { run.signal(number) }
            close(writer)
            run.signal(SIGCONT)
            let end = await run.end()
            #expect(end.status == 130 && end.errors.isEmpty, "\(end.errors)")
        }
    }

    @Test func aListThatIsWatched_EndsWithItsReader() async throws {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: CuffProcess.path)
        process.arguments = ["list", "--watch"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { kill(process.processIdentifier, SIGKILL) }
        // It listens to signals once the list is printed.
        let folder = "/proc/\(process.processIdentifier)/fd"
        let isWatching = try await eventually {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))?.contains("signalfd") == true
            }
        }
        #expect(isWatching)
        try output.fileHandleForReading.close()
        try #require(try await eventually { !process.isRunning })
        #expect(process.terminationStatus == 0)
    }

    @Test func aSimulationWhoseTerminalIsClosed_LeavesNoLink() async throws {
        let link = scratch.path("link")
        let run = try SpawnedCuff(["simulate", "and-std", "--link", link], environment: environment)
        #expect(try await run.prints { $0.output.contains("/dev/") }, "\(run.errors)")
        run.signal(SIGHUP)
        #expect(await run.end().status == 0)
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == nil)
        let idle = try await CuffProcess.run(["simulate", "and-std", "--link", link, "--tcp", "0", "--for", "1s"])
        #expect(idle.status == 64 && idle.errors.contains("--link has no effect here"), "\(idle.errors)")
    }

    @Test func aReplayThatIsCutOff_EndsWithTheSignal() async throws {
        let recorded = CuffProcess.folder.appendingPathComponent("captures/beurer-serial/two-records.capture").path
        let capture = try scratch.write(
            "late.capture", String(contentsOfFile: recorded, encoding: .utf8) + "0.0 < 00\n3600.0 < 00\n")
        for (number, status) in [(SIGINT, Int32(130)), (SIGTERM, 143)] {
            let sink = scratch.path("\(number).jsonl")
            let run = try SpawnedCuff(["replay", capture, "--speed", "real", "--sink", "jsonl:\(sink)"], environment: environment)
            #expect(try await run.prints { _ in access(sink, F_OK) == 0 }, "\(run.errors)")
            run.signal(number)
            let end = await run.end()
            #expect(end.status == status, "\(end.errors)")
        }
    }
}
