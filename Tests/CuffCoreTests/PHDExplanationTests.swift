import Testing

@testable import CuffCore

@Suite struct PHDExplanationTests {
    private func text(_ hex: String) -> String { PHDExplanation.lines(Hex.bytes(hex) ?? []).joined(separator: "\n") }

    @Test func report_IsATreeWithOffsetsNamesAndValues() {
        let lines = PHDExplanation.lines(Hex.bytes(PHDStateTableTests.report) ?? [])
        #expect(lines.first == "0000  e700                choice: PRST")
        #expect(lines.contains("0006  004d                  invoke-id: 77"))
        #expect(lines.contains("0008  0101                  message: roiv confirmed event report"))
        #expect(lines.contains("0012  0d1d                  event-type: MDC_NOTI_SCAN_REPORT_FIXED"))
        #expect(lines.contains("001e  0001001200030006…     observation: handle 1, 2::18948 MDC_PRESS_BLD_NONINV"))
        #expect(lines.contains { $0.hasSuffix("value: systolic 118, diastolic 76, mean 90 3872 mmHg") })
        #expect(lines.contains { $0.hasSuffix("time: 2026-11-20T07:10:12") })
    }

    @Test func association_NamesItsFields() {
        let tree = text(PHDVectorTests.request)
        for part in [
            "choice: AARQ", "data-proto-id: 20601", "encoding-rules: MDER", "system-type: agent", "system-id: 00091ffffe000101",
            "dev-config-id: 700", "data-req-mode-flags: agent-initiated",
        ] {
            #expect(tree.contains(part), "\(part) not in\n\(tree)")
        }
        #expect(text("e60000020002").contains("reason: 2 response-timeout"))
    }

    @Test func configuration_IsUsedForWhatFollows() {
        var explanation = PHDExplanation()
        _ = explanation.explain(Hex.bytes(PHDVectorTests.request.replacingOccurrences("02bc", "4000")) ?? [], fromAgent: true)
        _ = explanation.explain(
            Hex.bytes("e300002c0003507900268000000080008000000000000000800000000008112233445566778800000000000000000000") ?? [],
            fromAgent: false)
        let configuration = explanation.explain(Hex.bytes(PHDStateTableTests.configuration) ?? [], fromAgent: true).joined(separator: "\n")
        #expect(configuration.contains("Attribute-Value-Map (0x0a55): Compound-Basic-Nu-Observed-Value 10, Absolute-Time-Stamp 8"))
        #expect(configuration.contains("Metric-Id-List (0x0a76): 18949, 18950, 18951"))
        let report = explanation.explain(Hex.bytes(PHDStateTableTests.report) ?? [], fromAgent: true).joined(separator: "\n")
        #expect(report.contains("systolic 118"))
    }

    @Test func storedEntries_AreReadWithTheirMap() {
        var explanation = PHDExplanation()
        var tree = ""
        for line in PHDVectors.lines("bp-pmstore-full") {
            tree += explanation.explain(line.bytes, fromAgent: line.fromCuff).joined(separator: "\n") + "\n"
        }
        guard !tree.isEmpty else { return }
        #expect(tree.contains("entry 1: 2026-11-19T21:40:30"))
        #expect(tree.contains("handle 3: irregular pulse"))
        #expect(tree.contains("status: contains first"))
        #expect(!tree.contains("malformed"))
    }

    @Test func damage_IsShownNotGuessed() {
        #expect(
            text(
                "e700003e003c0002010100360000ffffffff0d1d002cf00000000003002400010012000300060076004c005a20261120071012000002000a00402026112007101200"
            ).contains("malformed: counts and lengths of the report disagree"))
        #expect(text("e70000020000").contains("malformed: invoke-id is missing"))
        #expect(text("deadbeef").contains("choice: unknown"))
        #expect(text("de").contains("malformed"))
    }
}

extension String {
    fileprivate func replacingOccurrences(_ a: String, _ b: String) -> String {
        split(separator: a, omittingEmptySubsequences: false).joined(separator: b)
    }
}

@Suite struct PHDCTests {
    private let preamble = Hex.bytes("50686463516f535369676e6174757265 01 01 08 00") ?? []

    @Test func preamble_FramesItsTransfers() {
        var reader = PHDCReader(hasMetadata: true)
        #expect(reader.take(preamble) == .nothing)
        #expect(reader.quality == 0x08)
        #expect(reader.take([1, 2, 3]) == .data([1, 2, 3]))
        #expect(reader.take([4]) == .halt(.noPreamble))
        #expect(reader.take([5]) == .nothing)
        #expect(reader.take(preamble) == .nothing)
        #expect(reader.take([6]) == .data([6]))
    }

    @Test func withoutMetadata_EveryTransferIsData() {
        var reader = PHDCReader()
        #expect(reader.take([0xE2, 0]) == .data([0xE2, 0]))
        #expect(reader.take([]) == .nothing)
    }

    @Test func badPreambles_HaltThePipe() {
        func step(_ change: (inout [UInt8]) -> Void) -> PHDCReader.Step {
            var bytes = preamble
            change(&bytes)
            var reader = PHDCReader(hasMetadata: true)
            return reader.take(bytes)
        }
        #expect(step { $0[0] = 0x51 } == .halt(.signature))
        #expect(step { $0[16] = 0 } == .halt(.transfers))
        #expect(step { $0[17] = 2 } == .halt(.version))
        #expect(step { $0[18] = 0x03 } == .halt(.quality))
        #expect(step { $0[19] = 9 } == .halt(.signature))
        #expect(step { $0 += [] } == .nothing)
    }

    @Test func ownPreamble_IsReadAgain() {
        var reader = PHDCReader(hasMetadata: true)
        #expect(PHDCReader.preamble(transfers: 1) == preamble)
        #expect(reader.take(PHDCReader.preamble(transfers: 2, quality: 0x02)) == .nothing)
        #expect(reader.quality == 0x02)
    }

    @Test func sharedSession_GivesTheAPDUsAlone() {
        let lines = PHDVectors.lines("phdc-preamble")
        guard !lines.isEmpty, let wanted = PHDVectors.json("phdc-preamble")?["apdus"] as? [String] else { return }
        var reader = PHDCReader(hasMetadata: true)
        let data = lines.compactMap { if case .data(let bytes) = reader.take($0.bytes) { Hex.text(bytes, separator: "") } else { nil } }
        #expect(data == wanted)
    }
}
