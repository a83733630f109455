import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(3))) struct RecordVerbTests {
    private let scratch: Scratch
    private var environment: [String: String] { ["XDG_STATE_HOME": scratch.path("state"), "HOME": scratch.path("home")] }
    init() throws { scratch = try Scratch() }

    @Test func cuffsThatCall_AreFollowed_IntoAFileEach() async throws {
        let file = scratch.path("day.pcapng")
        let run = try SpawnedCuff(
            ["record", "tcp-listen://127.0.0.1:0", "--driver", "and-std", "--follow", "--verbose", "-o", file], environment: environment)
        #expect(try await run.prints { $0.errors.contains("listening on") }, "\(run.errors)")
        let port = run.errors.split(separator: "listening on tcp-listen://127.0.0.1:").last?.prefix { $0.isNumber } ?? ""
        for number in 1...2 {
            let cuff = try SpawnedCuff(
                ["simulate", "and-std", "--connect", "tcp://127.0.0.1:\(port)", "--count", "1", "--seed", "\(number)", "--every", "100ms"])
            #expect(try await run.prints { $0.output.split(separator: "\n").count >= number }, "\(run.errors)")
            cuff.signal(SIGTERM)
            _ = await cuff.end()
            #expect(try await run.prints { $0.errors.split(separator: " left").count > number }, "\(run.errors)")
        }
        run.signal(SIGTERM)
        let end = await run.end()
        #expect(end.status == 0, "\(end.errors)")
        for name in ["day.pcapng", "day-2.pcapng"] {
            let bytes = [UInt8](FileManager.default.contents(atPath: scratch.path(name)) ?? Data())
            #expect(bytes.starts(with: [0x0A, 0x0D, 0x0D, 0x0A]), "\(name)")
            #expect(try await CuffProcess.run(["replay", scratch.path(name)]).objects("blood_pressure").count > 0, "\(name)")
        }
    }

    /// The corrected command can use the name.
    @Test(arguments: [
        "/dev/ttyUSB99 --driver taidoc", "tcp://127.0.0.1:1 --driver taidoc", "tcp-listen://127.0.0.1:0 --driver phd --timeout 1s",
        "tcp-listen://192.0.2.1:6024 --driver phd",
    ])
    func aDeviceThatIsNotThere_LeavesNoCapture(_ words: String) async throws {
        let file = scratch.path("a.capture")
        let run = try await CuffProcess.run(
            ["record"] + words.split(separator: " ").map(String.init) + ["-o", file], environment: environment)
        #expect(run.status == (words.contains("--timeout") ? 124 : 69), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func aCaptureWithoutAName_IsRefused() async throws {
        for (name, words) in [("-", "to standard output"), ("", "its name is empty")] {
            let run = try await CuffProcess.run(["record", "/dev/ttyUSB99", "--driver", "taidoc", "-o", name], environment: environment)
            #expect(run.status == 64 && run.errors.contains(words), "\(run.errors)")
            #expect(access("-", F_OK) != 0)
        }
    }
}
