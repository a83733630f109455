import Foundation
import Testing

@Suite struct ReadmeTests {
    @Test(arguments: [
        ("docs/CUFFS.md", ["drivers"], "| `and-std` |"), ("docs/SINKS.md", ["sinks", "kinds"], "| `sqlite:FILE` |"),
        ("docs/CUFFS.md", ["list", "--addresses"], "| `tcp://host:port` |"),
    ])
    func table_IsGenerated(_ file: String, _ verb: [String], _ row: String) async throws {
        let document = try String(contentsOf: CuffProcess.folder.appendingPathComponent(file), encoding: .utf8)
        let table = try await CuffProcess.run(verb + ["--markdown"]).output
        #expect(table.contains(row))
        #expect(document.contains(table), "run `make readme` and read what changed")
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
