import Foundation
import Testing

/// The C programs that `Benchmarks/run` compares `cuff` with must give the same output; otherwise a rate means nothing.
@Suite(.timeLimit(.minutes(5))) struct BenchmarkTests {
    @Test(arguments: [
        ("and", "and_decode", ["decode", "-q", "--driver", "and-std"]),
        ("noise", "and_decode_fast", ["decode", "-q", "--driver", "and-std"]),
        ("phd", "phd_decode", ["decode", "-q", "--driver", "phd"]), ("capture", "and_replay", ["replay", "-q"]),
        ("pcapng", "and_pcapng", ["replay", "-q"]),
    ])
    func references_GiveTheSameOutput(_ kind: String, _ reference: String, _ arguments: [String]) async throws {
        let scratch = try Scratch()
        let made = try await CuffProcess.run(
            executable: "/bin/sh",
            [
                "-ec",
                """
                cd "$0"; cc=$(command -v cc || command -v clang)
                for program in generate \(reference); do "$cc" -O1 -w -o "$1/$program" "Benchmarks/reference/$program.c"; done
                "$1/generate" \(kind) 1000 1 >"$1/in"
                "$1/\(reference)" <"$1/in" >"$1/expected"
                """, CuffProcess.folder.path, scratch.url.path,
            ])
        #expect(made.status == 0, "\(made.errors)")
        let run = try await CuffProcess.run(arguments + [scratch.path("in")], environment: ["XDG_STATE_HOME": scratch.path("state")])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.count > 900)
        #expect(try run.output == String(contentsOfFile: scratch.path("expected"), encoding: .utf8))
    }
}
