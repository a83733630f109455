import CuffCore
import Foundation
import Testing

/// Files of a cuff's bytes, without what was written to it.
@Suite struct RawBytesTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    /// The cuff's bytes of a capture.
    private func raw(_ capture: String) throws -> String {
        let text = try Data(contentsOf: CuffProcess.folder.appendingPathComponent("captures/\(capture).capture"))
        var reader = CaptureTextReader()
        var items: [CaptureItem] = []
        try reader.read(Array(text), into: &items)
        try reader.finish(into: &items)
        let bytes = items.flatMap { item -> [UInt8] in if case .fromCuff(let bytes) = item.content { bytes } else { [] } }
        let path = scratch.path("dump.bin")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// None of these bytes contains a line feed, so they could be the beginning of a line of a capture.
    @Test(arguments: ["taidoc/two-records", "and-std/last-result", "r1/asked-then-acknowledged"])
    func explain_TakesRawBytes(_ capture: String) async throws {
        let path = try raw(capture)
        let run = try await CuffProcess.run(["decode", "--driver", String(capture.prefix { $0 != "/" }), "--explain", path])
        #expect(run.status == 0, "\(run.errors)")
        // Answers of taidoc mean nothing without the requests.
        #expect(
            run.output.contains("systolic") == !capture.hasPrefix("taidoc") && run.lines.allSatisfy { $0.hasPrefix("< ") }, "\(run.output)")
    }

    @Test func explain_TakesTheBeginningOfASession() async throws {
        let path = scratch.path("dump.bin")
        let whole = try Data(contentsOf: URL(fileURLWithPath: try raw("phd/compound-with-pulse")))
        try whole.prefix(54).write(to: URL(fileURLWithPath: path))
        let run = try await CuffProcess.run(["decode", "--driver", "phd", "--explain", path])
        #expect(run.status == 0 && !run.output.isEmpty, "\(run.errors)")
    }

    @Test(arguments: [
        "taidoc/two-records", "contec-08a/three-users", "beurer-bm96/two-users-and-an-ecg", "omron-hid/two-users", "omron-eeprom/two-users",
    ])
    func answersWithoutRequests_AreOneError(_ capture: String) async throws {
        let driver = String(capture.prefix { $0 != "/" })
        let path = try raw(capture)
        let run = try await CuffProcess.run(["decode", "--driver", driver, path])
        let count = try Data(contentsOf: URL(fileURLWithPath: path)).count
        #expect(run.status == 65 && run.output.isEmpty)
        #expect(
            run.errors.hasSuffix(
                "cuff: no reading in \(count) bytes: \(driver) answers requests, and raw bytes do not contain them\n"
                    + "  fix: record both sides: cuff record DEVICE --driver \(driver) -o FILE; then cuff replay FILE\n"), "\(run.errors)")
    }

    /// The messages of a monitor answer nothing: these have no reading, and nothing is missing.
    @Test func messagesSentUnasked_LackNoRequests() async throws {
        let run = try await CuffProcess.run(["decode", "--driver", "hl7-oru", try raw("hl7-oru/other-messages-are-refused")])
        #expect(run.status == 0 && run.output.isEmpty)
        #expect(run.errors.contains("a message other than ORU^R01") && !run.errors.contains("requests"), "\(run.errors)")
    }
}
