import Foundation
import Testing

/// A capture on a full disk; the limit of a file's size stands for it.
@Suite struct FullDiskTests {
    @Test(arguments: [["record", "--output"], ["read", "--record"]])
    func aCaptureThatCannotBeContinued_IsSaid_AndIsNoSuccess(_ words: [String]) async throws {
        let scratch = try Scratch()
        let cuff = try await SimulatedCuff("beurer-serial", ["--count", "60"], in: scratch)
        let capture = scratch.path("full.capture")
        let arguments = cuff.arguments(words[0], [words[1], capture, "--no-store"])
        let run = try await CuffProcess.run(
            executable: "/bin/bash", ["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"", CuffProcess.path] + arguments,
            environment: cuff.environment)
        #expect(run.status == 74, "\(run.status)")
        #expect(run.errors.contains("the capture is incomplete: cannot write \(capture)"), "\(run.errors)")
        // The conversation went on.
        #expect(run.objects("blood_pressure").count == 60)
        #expect(FileManager.default.fileExists(atPath: capture))
    }
}
