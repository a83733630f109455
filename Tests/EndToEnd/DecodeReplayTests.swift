import Foundation
import Testing

@Suite struct DecodeReplayTests {
    static func frame(_ systolic: Int, _ stamp: String) -> [UInt8] {
        func three(_ value: Int) -> String { String("  \(value)".suffix(3)) }
        let text =
            "TM2655\u{1E}\(stamp)\u{1E}RB\u{1E}M\u{1E}E00\u{1E}S\(three(systolic))\u{1E}M 97\u{1E}D 82\u{1E}P 71\u{1E}I17\u{1E}L139\u{1E}"
        let body: [UInt8] = [1, 0x30, 0x30, 2] + Array(text.utf8) + [3]
        return [0x16, 0x16] + body + [body.reduce(0, ^)]
    }

    @Test func decode_ReadsStandardInput() async throws {
        let bytes = Self.frame(128, "2605050731") + [0x00, 0xFF] + Self.frame(131, "2605050801")
        let run = try await CuffProcess.run(["decode", "--driver", "and-std"], input: bytes)
        #expect(run.status == 0)
        #expect(run.objects().map { $0["systolic_mmHg"] as? Int } == [128, 131])
        #expect(run.output.last == "\n")
        let dash = try await CuffProcess.run(["decode", "--driver", "and-std", "-"], input: bytes)
        #expect(dash.objects().count == 2)
    }

    @Test func decode_EndsQuietly_WhenTheReaderGoes() async throws {
        let scratch = try Scratch()
        var bytes: [UInt8] = []
        for index in 0..<20_000 {
            bytes += Self.frame(
                100 + index % 90,
                String(format: "26%02d%02d%02d%02d", index / 28 / 24 / 60 % 12 + 1, index / 24 / 60 % 28 + 1, index / 60 % 24, index % 60))
        }
        let file = scratch.path("many.bin")
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let run = try await CuffProcess.run(
            executable: "/bin/bash",
            ["-c", "\"$0\" decode --driver and-std \"$1\" | head -n 1; exit ${PIPESTATUS[0]}", CuffProcess.path, file])
        #expect(run.lines.count == 1)
        #expect(run.status == 0 || run.status == 141, "\(run.status) \(run.errors)")
        #expect(run.errors.isEmpty, "\(run.errors)")
    }

    @Test func decode_IsConstantInMemory() async throws {
        let scratch = try Scratch()
        func peak(_ frames: Int) async throws -> Int {
            let file = scratch.path("\(frames).bin")
            _ = FileManager.default.createFile(atPath: file, contents: nil)
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
            var bytes: [UInt8] = []
            for index in 0..<frames {
                bytes += Self.frame(
                    100 + index % 90,
                    String(
                        format: "%02d%02d%02d%02d%02d", index / 40320 / 12 % 90 + 10, index / 40320 % 12 + 1, index / 1440 % 28 + 1,
                        index / 60 % 24, index % 60))
                if bytes.count > 1 << 20 {
                    try handle.write(contentsOf: bytes)
                    bytes = []
                }
            }
            try handle.write(contentsOf: bytes)
            // The peak memory of the child, from the operating system.
            let timed = try await CuffProcess.run(
                executable: "/usr/bin/python3",
                [
                    "-c",
                    "import subprocess,resource,sys; subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                    CuffProcess.path, "decode", "--driver", "and-std", file,
                ])
            return Int(timed.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        }
        let small = try await peak(40_000)
        let large = try await peak(200_000)
        #expect(small > 0)
        #expect(Sanitizer.isRunning || large < small + 4096, "\(small) KiB for 2.6 MB, \(large) KiB for 12.8 MB")
    }

    @Test func replay_OfTwoSidedCapture_GivesItsReadings() async throws {
        let file = CuffProcess.folder.appendingPathComponent("captures/and-std/last-result.capture").path
        let expected = try String(contentsOfFile: file.replacingOccurrences(of: ".capture", with: ".expected.jsonl"), encoding: .utf8)
        let run = try await CuffProcess.run(["replay", file])
        #expect(run.status == 0)
        #expect(run.output == expected)
        let piped = try await CuffProcess.run(["replay", "-"], input: Array(try Data(contentsOf: URL(fileURLWithPath: file))))
        #expect(piped.output == expected)
    }

    @Test func replay_IntoFiles_DoublesNothing_WhenRunTwice() async throws {
        let scratch = try Scratch()
        let file = CuffProcess.folder.appendingPathComponent("captures/and-std/noise-between-pushes.capture").path
        let sinks = [
            "--sink", "jsonl:\(scratch.path("a.jsonl"))", "--sink", "csv:\(scratch.path("a.csv"))", "--sink",
            "sqlite:\(scratch.path("a.db"))",
        ]
        for _ in 0..<2 {
            let run = try await CuffProcess.run(["replay", file] + sinks)
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(try String(contentsOfFile: scratch.path("a.jsonl"), encoding: .utf8).split(separator: "\n").count == 2)
        #expect(try String(contentsOfFile: scratch.path("a.csv"), encoding: .utf8).split(whereSeparator: \.isNewline).count == 3)
        let rows = try await CuffProcess.run(
            executable: "/usr/bin/sqlite3",
            [scratch.path("a.db"), "select systolic_mmHg, diastolic_mmHg, device_time from readings order by 3"])
        #expect(rows.lines == ["118|76|2026-05-06T06:59", "121|77|2026-05-06T07:12"])
        for name in ["a.jsonl", "a.csv", "a.db"] {
            let mode = try FileManager.default.attributesOfItem(atPath: scratch.path(name))[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        let shown = try await CuffProcess.run(["show", "--db", scratch.path("a.db"), "--format", "jsonl"])
        #expect(
            shown.objects("blood_pressure").map { $0["systolic_mmHg"] as? Int } == [118, 121]
                || shown.objects("blood_pressure").map { $0["systolic_mmHg"] as? Int } == [121, 118])
    }
}
