import Foundation
import TestSupport
import Testing

/// The articles of the libraries: their code is part of the examples, which are compiled.
@Suite struct ArticleTests {
    private static func files(_ folder: String, _ suffix: String) throws -> [String: String] {
        let root = URL(fileURLWithPath: ProjectFolder.path(folder))
        let found = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var texts: [String: String] = [:]
        for case let file as URL in found where file.lastPathComponent.hasSuffix(suffix) {
            texts[file.lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        return texts
    }

    @Test(arguments: [
        ("CuffCore", ["WriteADriver"]), ("CuffClinical", ["Series", "Statistics"]),
        ("CuffIngest", ["BytesOfYourOwn", "EmbedInAServer", "Follow", "Measure", "PlugIn", "StoreAndQuery", "WriteASink"]),
    ])
    func codeOfArticles_IsInTheExamples(_ module: String, _ articles: [String]) throws {
        let texts = try Self.files("Sources/\(module)/\(module).docc", ".md")
        #expect(texts.keys.sorted() == (articles + [module]).map { "\($0).md" }.sorted())
        let examples = try Self.files("Examples", ".swift").values
        let root = try #require(texts["\(module).md"])
        for article in articles {
            #expect(root.contains("<doc:\(article)>"), "\(article) is in no list")
            let blocks = texts["\(article).md"]?.components(separatedBy: "```swift\n").dropFirst() ?? []
            #expect(!blocks.isEmpty, "\(article) has no code")
            for block in blocks {
                let code = try #require(block.components(separatedBy: "```").first)
                #expect(examples.contains { $0.contains(code) }, "\(article): \(code)")
            }
        }
    }
}
