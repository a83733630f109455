import CuffCore
import Foundation
import Testing

/// A short capture with a gap of years costs neither time nor memory.
@Suite struct GapTests {
    private func run(_ arguments: [String]) async throws -> CuffProcess {
        // 4 GB of address space: a list of idle turns would need more.
        try await CuffProcess.run(
            executable: "/bin/bash", ["-c", "ulimit -v 4000000; exec \"$@\"", "bash", CuffProcess.path] + arguments, limit: 20)
    }

    @Test(arguments: ["intellivue", "ge-dri", "ge-unity", "phd", "and-std", "omron-hbp"])
    func everyReader_PassesOverAGap(_ driver: String) async throws {
        let scratch = try Scratch()
        for gap in ["1766000000", "99999999999.9", "4611686018427387904"] {
            let path = try scratch.write("a.capture", "# driver: \(driver)\n0.0 < c0\n\(gap) < c0\n1.0 < c0\n")
            var writer = PcapngWriter(start: Timestamp(milliseconds: 1_780_000_000_000))
            var header = CaptureHeader()
            header.fields = [("driver", driver)]
            var bytes = writer.head(header)
            let last: Int64 = Double(gap).flatMap { Int64(exactly: ($0 * 1e6).rounded()) } ?? Int64.max / 2
            for time: Int64 in [0, last, 1_000_000] {
                writer.append(CaptureItem(time: time, .fromCuff([0xC0])), to: &bytes)
            }
            let pcapng = scratch.path("a.pcapng")
            try Data(bytes).write(to: URL(fileURLWithPath: pcapng))
            for file in [path, pcapng] {
                for verb in [
                    ["replay", file, "--driver", driver], ["identify", file], ["decode", "--driver", driver, file],
                    ["capture", "convert", file, scratch.path("out-\(UUID().uuidString).capture")],
                ] {
                    let run = try await run(verb)
                    #expect(run.status < 128, "\(verb) \(gap): \(run.status) \(run.errors)")
                }
            }
        }
    }

    /// The output is not read, and the input does not end.
    @Test func aSignal_EndsAReplay_WhoseOutputIsNotRead() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("a.capture", "# driver: and-std\n" + (0..<20_000).map(Self.result).joined())
        let run = try await CuffProcess.run(
            executable: "/bin/bash",
            [
                "-c",
                "mkfifo \"$2/f\"; exec 3<>\"$2/f\"; \"$1\" replay \"$3\" >&3 & head -c 1 <&3 >\"$2/one\"; "
                    + "kill -TERM $!; wait $!; echo $?", "bash", CuffProcess.path, scratch.url.path, path,
            ], limit: 90)
        #expect(["0", "143"].contains(run.lines.last ?? ""), "\(run.output) \(run.errors)")
    }

    /// The result of a TM-2655P, from the documented layout, each with another time and pulse.
    private static func result(_ number: Int) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let time = "26" + two(number / 40_320 % 12 + 1) + two(number / 1440 % 28 + 1) + two(number / 60 % 24) + two(number % 60)
        let parts = [time, "RB", "M", "E00", "S128", "M097", "D082", "P0" + two(40 + number % 60), "I18", "L000"]
        var bytes: [UInt8] = [0x01, 0x30, 0x30, 0x02]
        bytes += Array("TM2655\u{1E}".utf8)
        for part in parts { bytes += Array("\(part)\u{1E}".utf8) }
        bytes.append(0x03)
        let check = bytes.reduce(0, ^)
        let hex = ([0x16, 0x16] + bytes + [check]).map { byte in byte < 16 ? "0\(String(byte, radix: 16))" : String(byte, radix: 16) }
        return "< \(hex.joined(separator: " "))\n"
    }
}
