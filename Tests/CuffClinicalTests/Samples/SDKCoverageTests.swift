import CuffCore
import Foundation
import TestSupport
import Testing

/// docs/SDK-COVERAGE.md: each row names a test that exists, or says why it is not a cuff's business.
@Suite struct SDKCoverageTests {
    /// The columns of the rows that begin with a number.
    private static func rows() throws -> [[String]] {
        try String(contentsOfFile: ProjectFolder.path("docs/SDK-COVERAGE.md"), encoding: .utf8).split(separator: "\n")
            .map {
                $0.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
            }
            .filter { Int($0[0]) != nil }
    }

    private static func testFunctions() throws -> Set<String> {
        let folder = ProjectFolder.url.appendingPathComponent("Tests")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for part in text.components(separatedBy: "@Test").dropFirst() {
                guard let name = part.components(separatedBy: "func ").dropFirst().first?.prefix(while: { $0 != "(" }) else { continue }
                found.insert(String(name))
            }
        }
        return found
    }

    @Test func everyRow_HasACallAndATest_OrAReason() throws {
        let (rows, tests) = (try Self.rows(), try Self.testFunctions())
        let numbers: [String] = (1...133).map { "\($0)" }
        #expect(rows.map { $0[0] } == numbers)
        var without = 0
        for row in rows {
            try #require(row.count == 4, "\(row)")
            if row[2].hasPrefix("–") {
                without += 1
                #expect(row[2].count > 20 && row[3].isEmpty, "\(row)")
            } else {
                let name = row[3].trimmingCharacters(in: CharacterSet(charactersIn: "`"))
                #expect(tests.contains(name), "no test is called \(name): row \(row[0])")
                #expect(row[2].count > 10, "\(row)")
            }
        }
        #expect(without <= 10)
    }

    /// By the manual page, which is made from the parser.
    @Test func commandsOfRows_Exist_WithTheirOptions() throws {
        for row in try Self.rows() {
            for part in row[2].split(separator: "`") where part.hasPrefix("cuff ") {
                let words = part.split(separator: " ")
                let page = try String(contentsOfFile: ProjectFolder.path("man/cuff-\(words[1]).1"), encoding: .utf8)
                for option in words where option.hasPrefix("--") {
                    #expect(page.contains("Fl \(option.dropFirst())"), "row \(row[0]): \(part)")
                }
            }
        }
    }

    @Test func aDevice_TellsItsRevisions() {
        var device = DeviceIdentity(serial: "77")
        #expect(device.hardware == nil && device.software == nil)
        device.details = [
            DeviceIdentity.Detail(name: "production hardware revision", value: "B"),
            DeviceIdentity.Detail(name: "production software revision", value: "1.4"),
        ]
        #expect(device.hardware == "B" && device.software == "1.4" && device.udi == nil)
        device.software = "1.5"
        #expect(device.software == "1.5" && device.details.count == 2)
    }
}
