import Foundation
import Testing

/// Starts with too little memory end in time, with a message.
@Suite struct StarvedTests {
    private func shell(_ script: String, _ arguments: [String] = []) async throws -> CuffProcess {
        try await CuffProcess.run(executable: "/bin/bash", ["-c", script, "bash", CuffProcess.path] + arguments, limit: 20)
    }

    @Test(arguments: [
        "decode --driver and-std <&-", "decode --driver and-std - <&-", "replay - <&-", "identify <&-", "capture convert - - <&-",
        "decode --driver phd --explain <&-", "average - <&-",
    ])
    func aClosedInput_IsNotReadAsSomethingElse(_ command: String) async throws {
        let run = try await shell("exec \"$1\" \(command)")
        #expect(run.status != 137 && run.status != 0, "\(run.status) \(run.errors)")
        #expect(run.errors.hasPrefix("cuff: ") || run.errors.hasPrefix("Error: "), "\(run.errors)")
    }

    @Test func aClosedOutput_IsAnError_AndHitsNoOtherFile() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("a.capture", "# driver: and-std\n< 00\n")
        let run = try await shell("exec \"$1\" capture convert \"$2\" - >&-", [path])
        #expect(run.status != 0 && run.status != 137 && run.errors.contains("cannot"), "\(run.status) \(run.errors)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "# driver: and-std\n< 00\n")
    }

    @Test(arguments: [5, 12, 13, 20, 31, 40]) func fewOpenFiles_AreEnoughOrSaidToBeTooFew(_ limit: Int) async throws {
        let scratch = try Scratch()
        let path = try scratch.write("a.capture", "# driver: and-std\n0.0 < 00\n")
        for command in ["replay \"$2\"", "show --db /nonexistent", "watch --once --no-config --no-store --sink stdout"] {
            let run = try await shell("ulimit -n \(limit); exec \"$1\" \(command)", [path])
            #expect(run.status < 124 && (limit >= 32 || run.status == 71), "\(command): \(run.status) \(run.errors)")
            #expect(run.errors.contains("ulimit -n") == (limit < 32), "\(run.errors)")
        }
    }

    /// From the least memory with which the program is loaded, up to enough.
    @Test(arguments: [100, 120, 140, 160, 200, 300, 500])
    func littleAddressSpace_EitherRunsOrSaysSo(_ megabytes: Int) async throws {
        let scratch = try Scratch()
        let path = try scratch.write("a.capture", "# driver: and-std\n0.0 < 00\n1.0 < 01\n")
        for command in ["replay \"$2\"", "identify \"$2\"", "watch --once --no-config --no-store --sink stdout"] {
            let run = try await shell("ulimit -v $(($3 * 1024)); exec \"$1\" \(command)", [path, "\(megabytes)"])
            #expect(run.status < 128, "\(command): \(run.status) \(run.errors)")
            if run.status == 71 { #expect(run.errors.contains("ulimit -v"), "\(run.errors)") }
            if run.status == 127 { #expect(run.errors.contains("shared librar"), "\(run.errors)") }
        }
    }
}
