import Foundation
import Testing

@Suite struct IdentifyVerbTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A result of a TM-2655P, from the documented layout.
    private static let frame =
        "16 16 01 30 30 02 54 4d 32 36 35 35 1e 32 36 30 35 30 35 30 37 33 31 1e 52 42 1e 4d 1e 45 30 30 1e 53 31 32 38 1e 4d 30 39 37 1e "
        + "44 30 38 32 1e 50 30 37 31 1e 49 31 38 1e 4c 30 30 30 1e 03"

    private static var result: String {
        let bytes = frame.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        let check = bytes.dropFirst(2).reduce(0, ^)
        return "< \(frame) \(String(check, radix: 16))\n"
    }

    @Test func aCapture_IsWhatItsHeaderSays_AndHasNoLine() async throws {
        let path = try scratch.write("a.capture", "# driver: and-std\n" + Self.result)
        let run = try await CuffProcess.run(["identify", path])
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("and-std  the capture's header says so; 1 reading, 1 frame (checked)"), "\(run.output)")
        #expect(run.output.split(separator: "\n").count == 1)
        let json = try await CuffProcess.run(["identify", path, "--json"])
        #expect(json.output.contains(#""driver":"and-std","by":"header""#) && json.output.contains(#""readings":1"#), "\(json.output)")
        for text in [run.output, json.output] { #expect(!text.contains("8N1") && !text.contains("lines"), "\(text)") }
    }

    @Test func aHeaderThatIsWrong_IsContradictedByTheBytes() async throws {
        for (name, words) in [("acme-1", "no such driver"), ("omron-hbp", "its bytes show nothing of it")] {
            let path = try scratch.write("a.capture", "# driver: \(name)\n" + Self.result)
            let run = try await CuffProcess.run(["identify", path])
            #expect(run.status == 0)
            let lines = run.output.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].hasPrefix("\(name)  ") && lines[0].contains(words), "\(run.output)")
            #expect(lines.last?.hasPrefix("and-std  1 reading") == true, "\(run.output)")
        }
    }

    @Test func withoutAHeader_TheBytesDecide_OrNothingIsNamed() async throws {
        let path = try scratch.write("a.capture", "# cuff: unknown\n" + Self.result)
        let run = try await CuffProcess.run(["identify", path])
        #expect(run.status == 0 && run.output.hasPrefix("and-std  1 reading"), "\(run.output)")
        #expect(!run.output.contains("8N1"))
        let noise = try scratch.write("b.capture", "# cuff: unknown\n< 00 01 80 7f 33\n")
        let none = try await CuffProcess.run(["identify", noise])
        #expect(none.status == 1)
        #expect(none.output == "5 bytes fit no family\n", "\(none.output)")
    }

    @Test func aDeviceThatCannotBeOpened_IsSaidAsByOtherVerbs() async throws {
        for (device, words) in [
            ("tcp://127.0.0.1:1", "cannot reach tcp://127.0.0.1:1: connection refused"), ("ttyUSB99", "there is no device /dev/ttyUSB99"),
        ] {
            let run = try await CuffProcess.run(["identify", device])
            #expect(run.status == 69 && run.output.isEmpty && run.errors.contains(words), "\(run.output) \(run.errors)")
        }
        let file = try await CuffProcess.run(["identify", scratch.path("no.capture")])
        #expect(file.status == 66 && file.errors.contains("`-` reads standard input"), "\(file.errors)")
    }

    @Test func aPort_IsListenedTo_WithItsLine() async throws {
        let port = scratch.path("port")
        let simulator = try RunningCuff(["simulate", "and-std", "--count", "60", "--every", "300ms", "--link", port], folder: scratch)
        defer { simulator.signal(SIGKILL) }
        #expect(try await eventually(60) { FileManager.default.fileExists(atPath: port) }, "\(simulator.said)")
        let run = try await CuffProcess.run(["identify", port, "--for", "5s"])
        #expect(run.output.hasPrefix("and-std  ") && run.output.contains("line 9600 8N1"), "\(run.output) \(run.errors)")
        #expect(run.status == 0)
    }
}
