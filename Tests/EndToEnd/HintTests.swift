import CuffIngest
import Foundation
import Testing

@testable import cuff

/// A fault that a person reads says what to do. `Sources/cuff/System/Sentences` holds the words of every fault; these tests read its text, so
/// that a new fault or a new case without a hint does not go unseen.
@Suite struct HintTests {
    /// Cases of which nobody can mend anything, each with the reason.
    private static let withoutHint: [String: String] = [
        "FileFault.outputClosed": "the reader of a pipe has left: the run ends quietly, as asked",
        "PrintFault.interrupted": "the person stopped it",
        "RunFault.ended": "what the session said last is all that is known",
        "RunEnding.sinkDidNotClose": "everything is stored",
        "RunEnding.measurementStopped": "a person or a program asked for it",
        "RunEnding.stoppedByOther": "it was asked for",
        "RunEnding.noResult": "the cuff's own reason is all that is known",
        "RunEnding.session": "what the session said last is all that is known",
        "ConfigurationFault.refused": "the parser's own sentence says what to write",
        "ConfigurationFault.wrongType": "the sentence says what is to stand there",
    ]

    private static func texts(_ folder: String) throws -> [String: String] {
        let place = CuffProcess.folder.appendingPathComponent(folder)
        var texts: [String: String] = [:]
        let files = try #require(FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            texts[file.lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        return texts
    }

    /// `FileFault.outputClosed`, `TransportFault.default`: the cases of a text of Swift whose hint is empty.
    private static func emptyHints(_ text: String) -> [String] {
        var type = ""
        var empty: [String] = []
        for line in text.split(separator: "\n") {
            if let match = line.firstMatch(of: /^extension (?:\w+\.)?(\w+): Hinted/) { type = String(match.1) }
            guard let match = line.firstMatch(of: /^\s*(?:case (.+)|(default)): ""$/) else { continue }
            let patterns = match.1.map { $0.split(separator: ",") } ?? [".default"]
            empty += patterns.compactMap { $0.firstMatch(of: /\.(\w+)/) }.map { "\(type).\($0.1)" }
        }
        return empty
    }

    @Test func everyCase_SaysWhatToDo() throws {
        let texts = try Self.texts("Sources/cuff/System/Sentences")
        #expect(texts.count >= 8)
        let empty = texts.values.flatMap(Self.emptyHints)
        #expect(Set(empty) == Set(Self.withoutHint.keys), "write what a person can do, or why nothing, in HintTests")
    }

    @Test func emptyHints_AreSeen() {
        let text = """
            extension XFault: Hinted {
                var hint: String {
                    switch self {
                    case .a, .b(_, let x): ""
                    case .c: "do this"
                        default: ""
            """
        #expect(Self.emptyHints(text) == ["XFault.a", "XFault.b", "XFault.default"])
    }

    /// A kind of fault that a layer has and for which nobody wrote words.
    @Test func everyFault_HasItsWords() throws {
        let declared = try Self.texts("Sources/CuffIngest").values.flatMap { text in
            text.matches(of: /(?:public|package) (?:enum|struct) (\w+): Fault\b/).map { String($0.1) }
        }
        let hinted = try Self.texts("Sources/cuff").values.flatMap { text in
            text.matches(of: /extension (?:\w+\.)?(\w+): Hinted/).map { String($0.1) }
        }
        #expect(declared.count >= 10)
        #expect(Set(declared).subtracting(hinted).isEmpty, "an extension in Sources/cuff/System/Sentences is missing")
    }

    /// A hint is an instruction of one or two sentences: in lower case at its start, without a full stop at its end.
    @Test func hints_AreOfOneForm() throws {
        for (name, text) in try Self.texts("Sources/cuff/System/Sentences") where name.hasSuffix("+Hint.swift") {
            for match in text.matches(of: /(?m)^\s*(?:case .+|default): "([^"\\]+)"$/) {
                let hint = match.1
                #expect(!hint.hasSuffix("."), "\(name): \(hint)")
                #expect(hint.first?.isUppercase != true || hint.hasPrefix("START"), "\(name): \(hint)")
            }
        }
    }
}
