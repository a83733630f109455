import Foundation
import TestSupport
import Testing

@testable import TOML

/// The cases of toml-lang/toml-test beside the checkout: `valid/*.toml` with tagged JSON, and `invalid/*.toml`.
@Suite struct TOMLTests {
    /// Cases of TOML 1.1, which this reader refuses.
    private static let newer = [
        "datetime-no-seconds", "inline-table-newline", "spec-1.1.0", "string-escape-esc", "string-hex-escape",
    ]
    private static let folder = URL(
        fileURLWithPath: ProcessInfo.processInfo.environment["CUFF_VECTORS"] ?? ProjectFolder.path("../shared/vectors")
    ).appendingPathComponent("toml")

    private static func files(_ kind: String) -> [URL] {
        let base = folder.appendingPathComponent(kind)
        let found = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        if found.isEmpty { print("note: no TOML cases at \(base.path); their tests have nothing to run") }
        return found.filter { $0.pathExtension == "toml" }.sorted { $0.path < $1.path }
    }

    private static func name(_ file: URL) -> String {
        file.deletingPathExtension().path.split(separator: "/").suffix(2).joined(separator: "-")
    }

    @Test func validFiles_HaveTheirValues() throws {
        var (held, refused) = (0, 0)
        for file in Self.files("valid") {
            let text = [UInt8](try Data(contentsOf: file))
            let wanted = try JSONSerialization.jsonObject(
                with: Data(contentsOf: file.deletingPathExtension().appendingPathExtension("json")))
            do throws(TOMLFault) {
                let differences = Self.differences(.table(try TOMLDocument(text).root), wanted, at: "")
                #expect(differences.isEmpty, "\(file.path): \(differences)")
                held += 1
            } catch {
                #expect(Self.newer.contains { Self.name(file).contains($0) }, "\(file.path):\(error.line): \(error.reason)")
                refused += 1
            }
        }
        guard held + refused > 0 else { return }
        #expect(held == 204 && refused == 10, "\(held) held, \(refused) refused")
    }

    @Test func invalidFiles_AreRefused() throws {
        let files = Self.files("invalid")
        for file in files {
            let text = [UInt8](try Data(contentsOf: file))
            #expect(throws: TOMLFault.self, "\(file.path)") { try TOMLDocument(text) }
        }
        if !files.isEmpty { #expect(files.count == 466) }
    }

    /// What the value is not, compared with tagged JSON: `{"type": "integer", "value": "1"}`.
    private static func differences(_ value: TOMLValue, _ wanted: Any, at path: String) -> [String] {
        switch (value, wanted) {
        case (.table(let table), let wanted as [String: Any]) where !(wanted["type"] is String && wanted["value"] is String):
            guard Set(table.keys) == Set(wanted.keys) else { return ["\(path): keys \(table.keys)"] }
            return table.entries.flatMap { differences($0.value, wanted[$0.key] ?? "", at: "\(path).\($0.key)") }
        case (.array(let values), let wanted as [Any]):
            guard values.count == wanted.count else { return ["\(path): \(values.count) values"] }
            return zip(values, wanted).flatMap { differences($0, $1, at: "\(path)[]") }
        case (_, let wanted as [String: Any]):
            guard let type = wanted["type"] as? String, let text = wanted["value"] as? String else { return ["\(path): \(wanted)"] }
            return isSame(value, type, text) ? [] : ["\(path): \(value) is not \(type) \(text)"]
        default: return ["\(path): \(value)"]
        }
    }

    private static func isSame(_ value: TOMLValue, _ type: String, _ text: String) -> Bool {
        switch value {
        case .string(let string): type == "string" && string == text
        case .integer(let number): type == "integer" && String(number) == text
        case .boolean(let flag): type == "bool" && String(flag) == text
        case .float(let number):
            type == "float" && (text.hasSuffix("nan") ? number.isNaN : Double(text.replacingOccurrences(of: "+inf", with: "inf")) == number)
        case .dateTime(let written): type.hasPrefix("date") || type.hasPrefix("time") ? isSameTime(written, text) : false
        case .array, .table: false
        }
    }

    /// A date and time may be written with a blank or small letters, and with more digits of a second than the JSON has.
    private static func isSameTime(_ written: String, _ text: String) -> Bool {
        func normal(_ time: String) -> String {
            var time = time.uppercased().replacingOccurrences(of: " ", with: "T")
            if let point = time.firstIndex(of: ".") {
                let digits = time[time.index(after: point)...].prefix(while: \.isNumber)
                let kept = digits.prefix(3).reversed().drop { $0 == "0" }.reversed()
                time = time[..<point] + (kept.isEmpty ? "" : "." + String(kept)) + time[digits.endIndex...]
            }
            return time
        }
        return normal(written) == normal(text)
    }

    @Test func faults_NameTheLine() {
        for (text, line) in [
            ("a = 1\nb = \n", 2), ("a = 1\n\n[x\n", 3), ("[a]\nb = 1\n[a]\n", 3), ("a = \"x\ny\"\n", 1), ("a = 1\na = 2", 2),
        ] {
            do throws(TOMLFault) {
                _ = try TOMLDocument(Array(text.utf8))
                Issue.record("\(text) was read")
            } catch { #expect(error.line == line, "\(text): \(error)") }
        }
    }

    /// Nesting and numbers of keys are bounded: neither the stack nor the time grows out of proportion.
    @Test func hostileFiles_EndSoon() throws {
        for text in [
            String(repeating: "[", count: 100_000), "a = " + String(repeating: "[", count: 100_000),
            "a = " + String(repeating: "{ b = ", count: 50_000), String(repeating: "a.", count: 50_000) + "a = 1",
        ] { #expect(throws: TOMLFault.self) { try TOMLDocument(Array(text.utf8)) } }
        let many = (0..<60_000).map { "k\($0) = 1\n" }.joined()
        let clock = ContinuousClock()
        var keys = 0
        let time = try clock.measure { keys = try TOMLDocument(Array(many.utf8)).root.keys.count }
        #expect(keys == 60_000)
        #expect(time < .seconds(20))
    }
}
