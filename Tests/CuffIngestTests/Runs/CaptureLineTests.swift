import CuffCore
import Foundation
import TestSupport
import Testing

@testable import CuffIngest

/// A capture's header states whether its bytes came over an unchecked serial line.
@Suite struct CaptureLineTests {
    private func flags(line: String?, driver: String = "phd", capture: String) async throws -> [Bool] {
        let folder = TestFolder()
        let source = try String(contentsOfFile: ProjectFolder.path("captures/\(driver)/\(capture).capture"), encoding: .utf8)
        let header = line.map { "# line: \($0)\n" } ?? ""
        let path = folder.write("a.capture", header + source)
        var options = IngestOptions()
        options.sinks = [SinkSpec(.jsonl, path: folder.file("a.jsonl"))]
        let settings = options
        _ = try await onThread { try Ingest.replay(paths: [path], options: settings) }
        let lines = folder.text("a.jsonl").split(separator: "\n").filter { $0.contains("\"type\":\"blood_pressure\"") }
        return lines.map { $0.contains("no_measurement_check") }
    }

    @Test func readingsOfASerialLine_SayThatNothingCheckedThem() async throws {
        let plain = try await flags(line: nil, capture: "standard-configuration")
        #expect(!plain.isEmpty && !plain.contains(true))
        let serial = try await flags(line: "115200 8N1", capture: "standard-configuration")
        #expect(serial.count == plain.count && !serial.contains(false))
        #expect(try await flags(line: "usb", capture: "standard-configuration") == plain)
    }

    @Test func aProtocolWithAChecksum_NeedsNoFlag() async throws {
        let readings = try await flags(line: "9600 8N1", driver: "r1", capture: "asked-then-acknowledged")
        #expect(!readings.isEmpty && !readings.contains(true))
    }

    @Test func recordings_NameTheirLineOnlyIfItIsSerial() throws {
        let folder = TestFolder()
        _ = try CaptureWriter(folder.file("serial.capture"), driver: .phd, line: LineSettings(rate: 115200))
        _ = try CaptureWriter(folder.file("network.capture"), driver: .phd)
        #expect(folder.text("serial.capture").contains("# line: 115200 8N1\n"))
        #expect(!folder.text("network.capture").contains("# line:"))
    }
}
