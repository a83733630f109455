import Foundation
import TestSupport
import Testing

/// The articles of the libraries: their code is part of the example program, which is compiled.
@Suite struct ArticleTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: ProjectFolder.path(path), encoding: .utf8)
    }

    @Test func codeOfArticles_IsInTheExample() throws {
        let module = "CuffIngest"
        let folder = "Sources/\(module)/\(module).docc"
        let names = try FileManager.default.contentsOfDirectory(atPath: ProjectFolder.path(folder)).filter { $0.hasSuffix(".md") }
        let examples = try ["main", "Database", "FolderSink"].map { try Self.text("Examples/Sources/EmbeddingExample/\($0).swift") }
        var blocks = 0
        for name in names {
            for block in try Self.text("\(folder)/\(name)").components(separatedBy: "```swift\n").dropFirst() {
                let code = try #require(block.components(separatedBy: "```").first)
                #expect(examples.contains { $0.contains(code) }, "\(name): \(code)")
                blocks += 1
            }
        }
        #expect(blocks >= 8)
        let root = try Self.text("\(folder)/\(module).md")
        for name in names where name != "\(module).md" { #expect(root.contains("<doc:\(name.dropLast(3))>"), "\(name) is in no list") }
    }
}
