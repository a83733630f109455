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
        _ = explanation.explain(Hex.bytes(PHDVectorTests.request.replacing("02bc", with: "4000")) ?? [], fromAgent: true)
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

    /// Persons and lists are in the tree too: no byte of the report is omitted.
    @Test func reportOfPersons_ShowsItsLists() {
        let cuff = PHDSimulatedCuff(["persons": "yes"])
        let apdu = cuff.report(invoke: 1, number: 4, cuff.reportBodies(SimulatedRecord.sample(count: 2, seed: 1))[0])
        let lines = PHDExplanation.lines(apdu)
        #expect(lines.contains { $0.hasPrefix("001a  ") && $0.hasSuffix("scan-per-list: 2 items, 84 bytes") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("001e  0001 ") && $0.hasSuffix("person-id: 1") })
        #expect(lines.contains { $0.hasPrefix("0020  00020024 ") && $0.hasSuffix("obs-scan-list: 2 items, 36 bytes") })
        #expect(lines.contains { $0.hasPrefix("0024  ") && $0.contains("observation: person 1, handle 1") })
        #expect(lines.count { $0.contains("person-id: ") } == 2)
        // A value of six bytes, then its stamp.
        #expect(lines.contains { $0.hasPrefix("002c  ") && $0.contains("value: systolic") })
        #expect(lines.contains { $0.hasPrefix("0032  ") && $0.hasSuffix("time: 2026-05-05T07:31:10") })
    }

    @Test func attributes_AreReadInTheirParts() {
        func value(_ id: UInt16, _ hex: String) -> String {
            let bytes = Hex.bytes(hex) ?? []
            let apdu = PHDWriter.presentation(invoke: 1, PHDMessage.getResult, capacity: 256) {
                $0.append16(0)
                $0.list(1) { $0.attribute(id) { $0.append(bytes) } }
            }
            let line = PHDExplanation.lines(apdu).last { $0.contains("(\(PHDTree.hex16(id)))") } ?? ""
            return line.split(separator: "): ", maxSplits: 1).last.map { String($0) } ?? ""
        }
        // Serial number "SN", firmware revision "e0021.07".
        #expect(
            value(0x092D, "0002 0016 0001 0000 0002 534e 0005 0000 0008 65303032312e3037")
                == "serial number \"SN\", firmware revision \"e0021.07\"")
        #expect(value(0x0928, "0004 41434d45 0004 42502d31") == "\"ACME\", \"BP-1\"")
        #expect(value(0x0A73, "0303") == "compound-fix, 3 components")
        #expect(value(0x0A5A, "0001 0004 1007 0001").hasPrefix("4103 ") && value(0x0A5A, "0001 0004 1007 0001").hasSuffix(" version 1"))
        #expect(value(0x0991, "00001f40") == "8000 ticks")
        #expect(value(0x0991, "ffffffff") == "none")
        #expect(value(0x09E9, "00000001 00000000") == "4294967296 µs")
        let map = value(0x0A4E, "8000 0002 0020 0006 0002 4a04 0001 0001 0004 0a75 000a 0006 0002 482a 0002 0001 0004 0a4c 0002")
        #expect(map.hasPrefix("absolute time; "), "\(map)")
        #expect(map.contains("handle 1 2::18948") && map.contains("Compound-Basic-Nu-Observed-Value 10"), "\(map)")
        #expect(map.contains("; ") && map.contains("handle 2 2::18474"), "\(map)")
        // Wrong lengths are reported, not followed.
        #expect(value(0x092D, "0002 0008 0001 0000 0002 534e").contains("list"))
    }

    /// Entries are numbered within their segment, and a count is not "none".
    @Test func entries_AreNumberedInTheirSegment() {
        let answer = Hex.bytes("0001 0020 0001 0001 001a 0a4e 0016 4000 0001 0010 0006 0002 482a 0002 0001 0004 0a4c 0002") ?? []
        var segment = PHDSegment.list(answer.span, 0, answer.count, PHDConfiguration())?.first
        segment?.instance = 1
        var explanation = PHDExplanation()
        explanation.segments[1] = segment
        var tree = PHDTree()
        let bytes = Hex.bytes("0001 00000005 00000002 0000 000c 00001f40 0040 00003e80 0041") ?? []
        var offset = 0
        explanation.segmentData(bytes.span, &offset, bytes.count, &tree)
        let text = tree.lines.joined(separator: "\n")
        #expect(segment?.isDecodable == true)
        #expect(text.contains("entry 5: 8000 ticks") && text.contains("entry 6: 16000 ticks"), "\(text)")
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

/// Preambles of USB in a byte stream are frames of their own.
@Suite struct PHDCTests {
    @Test func sharedSession_GivesTheAPDUsAlone() {
        let bytes = PHDVectors.lines("phdc-preamble").flatMap(\.bytes)
        guard !bytes.isEmpty, let wanted = PHDVectors.json("phdc-preamble")?["apdus"] as? [String] else { return }
        let frames = FrameReader.find(PHDFrame(), in: bytes).ranges.map { Array(bytes[$0]) }
        #expect(frames.filter { $0[0] != 0x50 }.map { Hex.text($0, separator: "") } == wanted)
        #expect(frames.reduce(0) { $0 + $1.count } == bytes.count)
    }
}
