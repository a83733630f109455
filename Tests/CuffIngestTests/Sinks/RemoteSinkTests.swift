import CuffCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(5))) struct RemoteSinkTests {
    /// Records its input and arguments, and acknowledges each line.
    private static let helper = #"""
        #!/bin/sh
        echo "$# $1" >> "$0.arguments"
        echo ready 1
        while read -r line; do
            echo "$line" >> "$0.got"
            id=${line#*\"id\":\"}
            echo "ok ${id%%\"*} 0"
        done
        """#

    private func install(_ name: String, in folder: TestFolder) {
        #expect(throws: Never.self) { try TestProgram.write(Self.helper, to: folder.file(name)) }
    }

    private func open(_ spec: String, _ folder: TestFolder) throws -> any ReadingSink {
        var context = SinkContext()
        context.outbox = folder.file("bp.db")
        context.helpers = folder.path
        return try SinkSpec(spec).open(context)
    }

    /// Addresses of the helpers.
    @Test(arguments: [
        ("mqtt://nurse@127.0.0.1:1883/?gateway=g&prefix=cuff&discovery=homeassistant", "cuff-sink-mqtt"),
        ("mqtts://broker/?cafile=/etc/ca.pem", "cuff-sink-mqtt"), ("postgres://me@db/ward?sslmode=verify-full", "cuff-sink-postgres"),
        ("postgresql:///ward", "cuff-sink-postgres"), ("influx+https://h/?org=O&bucket=B", "cuff-sink-http"),
        ("influx+http://u@h/?db=N", "cuff-sink-http"), ("fhir+https://h/base?subject.1=Patient/7&profile=phd", "cuff-sink-http"),
        ("fhir+http://[::1]:8080/r4?subject=Patient/7", "cuff-sink-http"), ("https://h:8443/in/@me", "cuff-sink-http"),
        ("hl7+tcp://127.0.0.1:2575/?sender=pi-7&patient.1=4711", "cuff-sink-hl7"), ("hl7+tls://cis.example", "cuff-sink-hl7"),
        ("http://127.0.0.1:8080/in", "cuff-sink-http"), ("carrier-pigeon:loft:7", "cuff-sink-carrier-pigeon"),
    ])
    func address_IsGivenWholeToTheHelperOfItsScheme(_ address: String, _ program: String) async throws {
        let folder = TestFolder()
        install(program, in: folder)
        let spec = try SinkSpec(address)
        #expect(spec.isDurable && spec.isRequired && "\(spec)" == address)
        let sink = try open(address + "?", folder)
        #expect(sink.isDurable)
        #expect(try sink.write(.sample(0..<5)) == 0)
        try await onThread { try sink.close() }
        #expect(folder.lines("\(program).arguments") == ["1 \(address)"])
        #expect(folder.lines("\(program).got").count == 5)
        let row = try #require(try SinkOverview(database: folder.file("bp.db")).rows.first { $0.sink == address })
        #expect(row.pending == 0 && row.isDurable)
    }

    @Test func missingHelper_IsSaid_WithWhatWasLookedForAndWhere() {
        let folder = TestFolder()
        let known = #expect(throws: IngestError.self) { try open("mqtts://broker/", folder) }
        #expect(known?.status == .unavailable)
        #expect(known?.why == "cuff-sink-mqtt is neither in \(folder.path) nor on PATH")
        let unknown = #expect(throws: IngestError.self) { try open("sqlit:bp.db", folder) }
        #expect(unknown?.status == .usage)
        #expect(unknown?.why.contains("cuff-sink-sqlit is neither in \(folder.path) nor on PATH") == true)
        guard case SinkFault.noHelper(_, _, _, _, let nearest, _)? = unknown?.fault else { return #expect(Bool(false)) }
        #expect(nearest == "sqlite")
    }

    @Test(arguments: [
        "mqtt://nurse:s3same@broker/", "postgres://me:s3same@db/ward", "postgres:///ward?password=s3same", "mqtts://a:s3/same@broker/",
        "influx+https://h/?org=O&token=s3same", "fhir+https://h/base?access_token=s3same", "https://h/in?api_key=s3same",
        "https://h/in?pass%77ord=s3same", "https://h/in?a=b&PassWd=s3same", "pigeon:me:s3same@loft", "mqtt://u:s3?same@broker/?",
        // Home Assistant, Microsoft Teams, Azure.
        "http://127.0.0.1:8123/api/webhook/a1f09b3c5d7e86420f1e2d3c4b5as3",
        "https://x.webhook.example/webhookb2/0c4e1a4e-31f2-4b5c-9d0a-7f6e5d4c3b2a@1b2c3d4e/IncomingWebhook/s3f4",
        "https://h/t/IncomingWebhook/0f1e2d3c4b5a69788796a5b4c3d2e1s3/0c4e1a4e", "https://h/webhooks/s3-0c4e1a4e",
        "https://h/in?sv=1&sig=s3o7CqYb", "https://h/in?code=s3o7CqYbs3o7CqYbs3o7CqYbs3o7CqYbs3o7CqYb", "https://h/in?key=s3o7CqYb",
        "https://h/in?Authorization=s3", "https://h/in?%6Bey=s3o7CqYb",
    ])
    func secretInAnAddress_IsRefused_AndNotRepeated(_ address: String) {
        let error = #expect(throws: IngestError.self) { try SinkSpec(address) }
        #expect(error?.status == .usage)
        #expect(error?.description.contains("s3") == false, "\(error?.description ?? "")")
        guard case SinkFault.secretInAddress? = error?.fault else { return #expect(Bool(false)) }
    }

    @Test(arguments: ["fhir+https://h/base?client=x&tokenurl=https://h/oauth", "https://h/in?code=8480-6&key=short"])
    func addressWithoutASecret_IsTaken(_ address: String) throws {
        #expect(try SinkSpec(address).description == address)
    }
}
