import CuffIngest
import Foundation
import Glibc
import Testing

@testable import cuff

/// Every fault shown to users has a hint. `Sources/cuff/System/Sentences` contains the texts of all faults; these tests parse its
/// source, so that a fault or case without a hint is noticed.
@Suite struct HintTests {
    /// Cases that the user cannot fix, each with the reason.
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
        "ConfigurationFault.wrongType": "the sentence says what to write",
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

    /// `FileFault.outputClosed`, `TransportFault.default`: cases with an empty hint in Swift source.
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

    /// Health data is not made readable for everybody.
    @Test func aFileOfAnother_IsNotOpenedToAll() {
        for path in ["/home/ben/readings.db", Store.serviceFile] {
            for fault: any Hinted in [StoreFault.accessDenied(path), FileFault.unreadable(path, errno: EACCES)] {
                #expect(!fault.hint.contains("chmod") && !fault.hint.isEmpty, "\(fault.hint)")
            }
        }
        #expect(StoreFault.accessDenied(Store.serviceFile).hint.hasSuffix("or: sudo cuff show --db /var/lib/cuff/readings.db"))
    }

    /// The words of a condition are those of what is shown.
    @Test(arguments: [
        ("max>=180", false, "add --type quantity_series"), ("systolc>=135", false, "write e.g. --where \"systolic>=135\""),
        ("systolic>=135", true, "write e.g. --where \"max>=180\""),
    ])
    func aCondition_IsAnsweredWithOneThatWorks(_ text: String, _ isOfSeries: Bool, _ hint: String) {
        do throws(IngestError) {
            if isOfSeries { _ = try SeriesCondition(text) } else { _ = try ReadingCondition(text) }
            Issue.record("\(text) was accepted")
        } catch { #expect(error.hint == hint) }
    }

    /// A hint is one or two sentences, starting in lower case and without a final full stop.
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
