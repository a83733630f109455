import Foundation
import Testing

@Suite struct ReadmeTests {
    /// The README's table of cuffs is what the drivers say of themselves.
    @Test func tableOfCuffs_IsGenerated() async throws {
        let readme = try String(contentsOf: CuffProcess.folder.appendingPathComponent("README.md"), encoding: .utf8)
        let table = try await CuffProcess.run(["drivers", "--markdown"]).output
        #expect(!table.isEmpty)
        #expect(readme.contains(table), "run `make readme` and read what changed")
    }

    @Test func tableOfSinks_IsGenerated() async throws {
        let readme = try String(contentsOf: CuffProcess.folder.appendingPathComponent("README.md"), encoding: .utf8)
        let table = try await CuffProcess.run(["sinks", "kinds", "--markdown"]).output
        #expect(table.contains("| `sqlite:FILE` |"))
        #expect(readme.contains(table), "run `make readme` and read what changed")
    }

    @Test func tableOfAddresses_IsGenerated() async throws {
        let readme = try String(contentsOf: CuffProcess.folder.appendingPathComponent("README.md"), encoding: .utf8)
        let table = try await CuffProcess.run(["list", "--addresses", "--markdown"]).output
        #expect(table.contains("| `tcp://host:port` |"))
        #expect(readme.contains(table), "run `make readme` and read what changed")
    }

    @Test func everyVerbOfTheReadme_Exists() async throws {
        let readme = try String(contentsOf: CuffProcess.folder.appendingPathComponent("README.md"), encoding: .utf8)
        let help = try await CuffProcess.run(["--help"]).output
        var verbs: Set<String> = []
        for match in readme.matches(of: /(?m)^(?:\s*\$ )?cuff ([a-z]+)/) { verbs.insert(String(match.1)) }
        #expect(verbs.count >= 5)
        for verb in verbs { #expect(help.contains("  \(verb) "), "\(verb)") }
    }
}
