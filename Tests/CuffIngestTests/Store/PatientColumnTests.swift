import CuffCore
import Foundation
import Testing

@testable import CuffIngest
@testable import cuff

/// A patient's number is personal data: it is stored in a column only on request, and nowhere else.
@Suite struct PatientColumnTests {
    private static func message(_ patient: String, _ minute: Int) -> String {
        let time = "2026050507\(minute)00"
        let values = [(150301, 128), (150302, 82)].map { "OBX||NM|\($0.0)^X^MDC|1.1.9.1|\($0.1)|266016^MDC_DIM_MMHG^MDC|||||F|||\(time)" }
        let text = (["MSH|^~\\&|BED|4|||\(time)||ORU^R01|\(minute)|P|2.6", "PID|\(patient)"] + values).joined(separator: "\r") + "\r"
        return "< " + Hex.text([0x0B] + Array(text.utf8) + [0x1C, 0x0D]) + "\n"
    }

    private static let capture =
        "# driver: hl7-oru\n" + message("1||MRN-7^^^H~OTHER||Doe^Jane", 10) + message("1|ALT-8|||Doe^Jane", 11)
        + message("1||||Doe^Jane", 12)

    private func options(_ folder: TestFolder, keeps: Bool) -> IngestOptions {
        var options = IngestOptions()
        options.sinks = [SinkSpec(.sqlite, path: folder.file("bp.db")), SinkSpec(.jsonl, path: folder.file("bp.jsonl"))]
        options.keepsPatients = keeps
        options.zone = .utc
        return options
    }

    private func patients(_ folder: TestFolder) throws -> [String?] {
        try column(folder.file("bp.db"), "SELECT patient FROM reading ORDER BY id")
    }

    private func expect(_ folder: TestFolder, _ expected: [String?]) throws {
        let found = try patients(folder)
        #expect(found == expected)
    }

    @Test func withoutTheSwitch_TheColumnIsEmpty_AndWithIt_HoldsTheNumberAlone() async throws {
        let folder = TestFolder()
        let path = folder.write("a.capture", Self.capture)
        _ = try await onThread { try Ingest.replay(paths: [path], options: self.options(folder, keeps: false)) }
        try expect(folder, [nil, nil, nil])
        let other = TestFolder()
        _ = try await onThread { try Ingest.replay(paths: [path], options: self.options(other, keeps: true)) }
        try expect(other, ["MRN-7", "ALT-8", nil])
        // Lines have no such key, and a later run without the option removes nothing.
        #expect(!other.lines("bp.jsonl").contains { $0.contains("MRN-7") || $0.contains("patient") })
        _ = try await onThread { try Ingest.replay(paths: [path], options: self.options(other, keeps: false)) }
        try expect(other, ["MRN-7", "ALT-8", nil])
    }

    @Test func withoutADatabase_TheSwitchIsRefused() async {
        let folder = TestFolder()
        let path = folder.write("a.capture", Self.capture)
        var options = options(folder, keeps: true)
        options.sinks.removeFirst()
        let told = options
        let error = await failure { _ = try Ingest.replay(paths: [path], options: told) }
        #expect(error?.status == .usage)
    }

    /// An earlier database is readable, and gets the column with the next write.
    @Test func anEarlierDatabase_GetsTheColumn() async throws {
        let folder = TestFolder()
        let path = folder.write("a.capture", Self.capture)
        _ = try await onThread { try Ingest.replay(paths: [path], options: self.options(folder, keeps: false)) }
        try alter(
            folder.file("bp.db"), "ALTER TABLE reading DROP COLUMN patient; DELETE FROM grdb_migrations WHERE identifier = 'patients'")
        var count = 0
        try Store(folder.file("bp.db"), access: .read).forEach(ReadingSelection(zone: .utc)) { _, _ in
            count += 1
            return true
        }
        #expect(count == 3)
        let more = folder.write("b.capture", "# driver: hl7-oru\n" + Self.message("1||MRN-9", 13))
        _ = try await onThread { try Ingest.replay(paths: [more], options: self.options(folder, keeps: true)) }
        try expect(folder, [nil, nil, nil, "MRN-9"])
    }

    @Test func anAnonymisedRecording_HasOtherNumbers() async throws {
        let folder = TestFolder()
        let path = folder.write("a.capture", Self.capture)
        let target = folder.file("to-send.capture")
        let report = try await onThread { try CaptureAnonymising.run(from: path, to: target, days: -400) }
        #expect(report.readings == 3 && report.changes[.person] != nil)
        _ = try await onThread { try Ingest.replay(paths: [target], options: self.options(folder, keeps: true)) }
        let kept = try patients(folder)
        #expect(kept.count == 3 && kept[2] == nil)
        let numbers = kept.compactMap { $0 }
        #expect(numbers.count == 2 && Set(numbers).count == 2)
        for number in numbers { #expect(number.count == 5 && number.hasPrefix("AAA-"), "\(number)") }
        let written = try String(contentsOfFile: target, encoding: .utf8).replacing(" ", with: "")
        for name in ["MRN-7", "OTHER", "ALT-8", "Doe", "Jane"] { #expect(!written.contains(Hex.text(Array(name.utf8), separator: ""))) }
    }

    @Test func aProblemReport_NamesNoPatient() async throws {
        let folder = TestFolder()
        let path = folder.write("a.capture", Self.capture)
        _ = try await onThread { try Ingest.replay(paths: [path], options: self.options(folder, keeps: true)) }
        try expect(folder, ["MRN-7", "ALT-8", nil])
        let database = folder.file("bp.db")
        let text = try await onThread { ProblemReport(version: "0", assignments: [], database: database).text() }
        #expect(text.contains("hl7-oru blood_pressure 3"), "it looked into that database")
        for name in ["MRN", "ALT-8", "Doe", "Jane"] { #expect(!text.contains(name), "\(name)") }
    }
}
