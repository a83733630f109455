import Foundation
import Testing

/// The manual pages match the parser, without mandoc warnings.
@Suite struct ManualTests {
    private static let folder = CuffProcess.folder.appendingPathComponent("man")

    private static func isThere(_ program: String) -> Bool {
        ["/usr/bin/", "/bin/", "/usr/local/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
    }

    @Test func pages_AreGenerated() async throws {
        guard Self.isThere("python3") else { return print("note: python3 is not installed; the manual was not generated") }
        let scratch = try Scratch()
        let run = try await CuffProcess.run(
            executable: "/usr/bin/env", ["python3", CuffProcess.folder.path + "/.ci/manual", CuffProcess.path, scratch.path("man")])
        #expect(run.status == 0, "\(run.errors)")
        let made = try FileManager.default.contentsOfDirectory(atPath: scratch.path("man")).sorted()
        let kept = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".1") }.sorted()
        #expect(made.count > 20 && made.contains("cuff.1") && made.contains("cuff-read.1"))
        #expect(made == kept, "run `make manual`")
        for name in made {
            let text = try String(contentsOfFile: scratch.path("man") + "/" + name, encoding: .utf8)
            #expect(try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8) == text, "\(name): run `make manual`")
        }
    }

    @Test func pages_HaveNothingForMandocToComplainAbout() async throws {
        guard Self.isThere("mandoc") else { return print("note: mandoc is not installed; the manual was not checked") }
        let pages = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            .filter { $0.contains(/\.[157]$/) }.map { Self.folder.path + "/" + $0 }.sorted()
        #expect(pages.contains { $0.hasSuffix("/cuff.toml.5") } && pages.contains { $0.hasSuffix("/cuff-sink.7") })
        let run = try await CuffProcess.run(executable: "/usr/bin/env", ["mandoc", "-T", "lint"] + pages)
        // Missing pages of the system, or of this manual before it is installed, are ignored.
        let complaints = run.lines.filter { !$0.contains("referenced manual not found") && !$0.contains("outdated mandoc.db") }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test func exitStatuses_AreInTheManual() throws {
        let text = try String(contentsOf: Self.folder.appendingPathComponent("cuff.1"), encoding: .utf8)
        let source = try String(
            contentsOf: CuffProcess.folder.appendingPathComponent("Sources/cuff/System/Sentences/RunStatus+ExitCode.swift"), encoding: .utf8
        )
        let numbers = source.matches(of: /(?m)^        case \.\w+: ([0-9]+)$/).map { String($0.1) }
        #expect(numbers.count > 12)
        let told = Set(text.matches(of: /(?m)^\.It ([0-9, ]+)$/).flatMap { $0.1.split { !$0.isNumber }.map(String.init) })
        #expect(told == Set(numbers))
    }

    @Test func thePackage_HasTheProgramsVersion() async throws {
        let version = try await CuffProcess.run(["--version"]).lines[0]
        let log = try String(contentsOf: CuffProcess.folder.appendingPathComponent("debian/changelog"), encoding: .utf8)
        #expect(log.hasPrefix("cuff (\(version))"), "\(log.prefix(40))")
    }
}
