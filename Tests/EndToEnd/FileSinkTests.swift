import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// Files of a running `cuff` that other programs change: rotation, size limits, numbers out of range.
@Suite struct FileSinkTests {
    private func lines(_ path: String) -> Int {
        ((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()).count { $0 == 0x0A }
    }

    /// As logrotate does: rename, then SIGHUP. The new file exists before anything is written to it.
    @Test func read_FollowsRotatedFiles_AfterSIGHUP() async throws {
        let folder = try Scratch()
        let simulation = try Simulation(
            driver: CuffDriver.r1, script: SimulatorScript(records: SimulatedRecord.sample(count: 1, seed: 1), interval: .milliseconds(1)))
        simulation.start()
        let (jsonl, csv) = (folder.path("bp.jsonl"), folder.path("bp.csv"))
        let reader = try RunningCuff(
            ["read", simulation.address, "--driver", "r1", "--follow", "-q", "--sink", "jsonl:\(jsonl)", "--sink", "csv:\(csv)"],
            folder: folder)
        #expect(try await eventually { lines(jsonl) == 1 && lines(csv) == 2 }, "\(reader.said)")
        for path in [jsonl, csv] { #expect(rename(path, path + ".1") == 0) }
        reader.signal(SIGHUP)
        #expect(try await eventually { access(jsonl, F_OK) == 0 && access(csv, F_OK) == 0 }, "\(reader.said)")
        #expect(reader.isRunning)
        // A reading whose file was renamed before it was synchronised is written to the new one; none is lost or changed.
        func all(_ path: String) throws -> Set<Substring> {
            try Set([path, path + ".1"].flatMap { try String(contentsOfFile: $0, encoding: .utf8).split(whereSeparator: \.isNewline) })
        }
        let (ofLines, ofTable) = (try all(jsonl), try all(csv))
        #expect(ofLines.count == 1 && ofTable.count == 2, "\(ofLines) \(ofTable)")
        reader.signal(SIGTERM)
        _ = await reader.end()
        simulation.stop()
    }

    /// A limit of the file size is a write error (EFBIG) instead of SIGXFSZ; only complete lines are written.
    @Test(
        .disabled(if: Sanitizer.isRunning, "a sanitizer's own memory is a file, which the limit concerns too"), arguments: ["jsonl", "csv"])
    func fileAtItsSizeLimit_IsSaid_AndHoldsWholeLines(_ kind: String) async throws {
        let folder = try Scratch()
        let path = folder.path("bp")
        let capture = folder.path("many.capture")
        let text = (0..<40).map { "< " + frame($0) }.joined(separator: "\n")
        try Data("# driver: and-std\n\(text)\n".utf8).write(to: URL(fileURLWithPath: capture))
        let whole = try await CuffProcess.run(["replay", capture, "--sink", "\(kind):\(folder.path("whole"))"])
        #expect(whole.status == 0, "\(whole.errors)")
        #expect(lines(folder.path("whole")) >= 40)
        let limited = try await CuffProcess.run(
            executable: "/usr/bin/prlimit", ["--fsize=3000", CuffProcess.path, "replay", capture, "--sink", "\(kind):\(path)"])
        #expect(limited.status == 74, "\(limited.status) \(limited.errors)")
        #expect(limited.errors.contains("it has reached the size that a file may have here"), "\(limited.errors)")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.isEmpty || bytes.last == 0x0A)
        let output = try await CuffProcess.run(
            executable: "/usr/bin/prlimit", ["--fsize=3000", CuffProcess.path, "capture", "convert", capture, folder.path("c.pcapng")])
        #expect(output.status == 74, "\(output.status) \(output.errors)")
        #expect(access(folder.path("c.pcapng"), F_OK) != 0)
    }

    /// A TM-2655's result with the given minute, as in captures/and-std: SYN SYN SOH 00 STX, the fields, ETX, and the XOR of the
    /// fields.
    private func frame(_ minute: Int) -> String {
        let time = "2605050\(8 + minute / 60)" + (minute % 60 < 10 ? "0" : "") + "\(minute % 60)"
        let fields = ["TM2655", time, "RB", "M", "E00", "S138", "M 97", "D 82", "P 71", "I17", "L139"].map { $0 + "\u{1E}" }.joined()
        let checked = Array(fields.utf8)
        let frame = [0x16, 0x16, 0x01, 0x30, 0x30, 0x02] + checked + [0x03, checked.reduce(0, ^)]
        return Hex.text(frame)
    }

    @Test(arguments: [
        ["watch", "--no-config", "--once", "--metrics", "70000"], ["watch", "--no-config", "--once", "--metrics", "-1"],
        ["simulate", "r1", "--tcp", "99999"], ["simulate", "r1", "--tcp", "65536"], ["simulate", "r1", "--count", "-1"],
        ["simulate", "r1", "--count", "100001"], ["simulate", "r1", "--speed", "0"], ["simulate", "r1", "--speed", "nan"],
        ["read", "tcp://127.0.0.1:65536", "--driver", "r1"], ["read", "tcp-listen://127.0.0.1:-1", "--driver", "r1"],
        ["replay", "x.capture", "--sink", "tcp:127.0.0.1:70000"],
    ])
    func numberOutOfRange_IsAUsageError(_ arguments: [String]) async throws {
        let run = try await CuffProcess.run(arguments, limit: 20)
        #expect(run.status == 64, "\(run.status) \(run.output) \(run.errors)")
        #expect(!run.errors.isEmpty)
    }
}
