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

    /// A stranger finds every document by following links.
    @Test func everyDocument_IsReachedFromTheReadme() throws {
        let root = CuffProcess.folder.standardizedFileURL
        var found: Set<String> = []
        var waiting = ["README.md"]
        while let name = waiting.popLast() {
            guard found.insert(name).inserted, name.hasSuffix(".md") else { continue }
            let file = root.appendingPathComponent(name)
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /\]\(([^)#: ]+)(?:#[^)]*)?\)/) {
                let target = file.deletingLastPathComponent().appendingPathComponent(String(match.1)).standardizedFileURL.path
                #expect(FileManager.default.fileExists(atPath: target), "\(name) links to \(match.1)")
                if target.hasPrefix(root.path + "/") { waiting.append(String(target.dropFirst(root.path.count + 1))) }
            }
        }
        var documents = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
        for folder in ["docs", "docs/decisions"] {
            let names = try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            documents += names.filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }
        #expect(documents.count > 60)
        #expect(Set(documents).subtracting(found).sorted() == [])
        for picture in ["docs/pictures/page.png", "docs/pictures/terminal.svg"] { #expect(found.contains(picture)) }
    }

    @Test func theReadme_IsShort() throws {
        let readme = try String(contentsOf: CuffProcess.folder.appendingPathComponent("README.md"), encoding: .utf8)
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 200)
        let changes = try String(contentsOf: CuffProcess.folder.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
        let short = try #require(changes.firstMatch(of: /(?s)In short:\n(.*?)In detail:/)).1
        #expect((1...15).contains(short.split(separator: "\n").count), "the short list of the newest version")
    }
}
