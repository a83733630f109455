import Foundation
import Testing

@testable import CuffCore

/// The `must` sentences of the shared descriptions, with the test of each. Sentences without a test, and tests of missing sentences, fail
/// here.
@Suite struct PHDMustTests {
    /// Vector, sentence and test; tests without a suite are below.
    static let proofs: [(vector: String, sentence: String, test: String)] = [
        ("and-ua767pbtc-2012", "pressure and pulse arrive in different scan reports: correlate on timestamp", "separateReports_AreJoined"),
        ("and-ua767pbtc-2012", "several stored readings batched in one report (same handle repeated)", "separateReports_AreJoined"),
        (
            "and-uc321pbtc-scale-kg", "a weight is not a blood pressure: no BP reading, keep as neighbour observation",
            "PHDVectorTests.weights_AreNoBloodPressure_AndTheirUnitIsTheReports"
        ),
        (
            "and-uc321pbtc-scale-kg", "Unit-Code in a variable report overrides the configured unit",
            "PHDVectorTests.weights_AreNoBloodPressure_AndTheirUnitIsTheReports"
        ),
        ("antidote-config-std-unknown-loop", "same cap", "configurationLoops_AreEnded"),
        (
            "antidote-config-unsupported-loop", "cap the number of configuration offers (recommended 5) then release or abort",
            "configurationLoops_AreEnded"
        ),
        (
            "antidote-settime-ignored",
            "a confirmed action that is never answered must not stop readings from being received; time the action out (3 s) and decide: this document recommends NOT aborting for SET_TIME",
            "PHDVectorTests.unansweredSetTime_DoesNotStopReadings"
        ),
        (
            "antidote-spo2-0190-extra-bytes",
            "observation data longer than the attribute-value-map: do not shift into the next observation",
            "PHDVectorTests.trailingBytes_AreFlaggedAndNotShifted"
        ),
        (
            "antidote-spo2-0190-extra-bytes", "recommended: keep the mapped prefix, flag \"trailing bytes\"",
            "PHDVectorTests.trailingBytes_AreFlaggedAndNotShifted"
        ),
        ("antidote-spo2-scanners", "no RORS for the unconfirmed ones", "PHDVectorTests.groupedReports_AreCutWithTheScannersMap"),
        (
            "antidote-spo2-scanners", "grouped report decoded with the scanner Scan-Handle-Attr-Val-Map",
            "PHDVectorTests.groupedReports_AreCutWithTheScannersMap"
        ),
        (
            "antidote-unacked-report-blocks", "acknowledge quickly: persist, then RORS, well inside 3 s",
            "acknowledgement_IsTheCommitsOwnAnswer"
        ),
        (
            "antidote-weightscale", "handle 3 is not in the configuration: keep handle 1, count handle 3 as undecodable",
            "PHDVectorTests.handleOutsideTheConfiguration_IsCountedNotRead"
        ),
        (
            "bp-mpfixed-two-persons", "same time stamp, different person: two readings; 0xFFFF = unknown person",
            "PHDVectorTests.twoPersons_AreTwoReadings"
        ),
        (
            "bp-mpfixed-vendor-metric", "unknown private metric (2::0xF0AA) is carried as an opaque observation",
            "PHDVectorTests.privateMetric_IsOpaque"
        ),
        ("bp-pmstore-full", "3 data events, 5 entries, one of them all-NaN (failed measurement)", "wholeStore_IsFourReadingsAndAFailure"),
        (
            "bp-pmstore-full", "confirm reply = 12 bytes: instance, index, count echoed, status 0x0080",
            "PHDClauseTests.everyAPDU_IsAsTheTableHasIt"
        ),
        ("bp-pmstore-full", "SEG_CLR only after every entry is durable", "PHDStoreTests.nothingIsCleared_BeforeEveryEntryIsOnDisk"),
        ("bp-pmstore-retry-abort", "2 distinct readings (entries 0,1), not 4", "PHDVectorTests.repeatedSegmentEvents_AreTwoReadings"),
        (
            "bp-pmstore-retry-abort", "after agent-abort no SEG_CLR",
            "PHDClauseTests.transferThatTheAgentBrokeOff_IsBegunAgain_TwiceAtMost"
        ),
        ("bp-pmstore-retry-abort", "trigger results 3 and 1 are not fatal", "refusedTriggers_AreNotFatal"),
        (
            "bp-scanvar-kpa-status", "unit override kPa for that observation only (the next one is mmHg again)",
            "PHDVectorTests.unitOverride_LastsForOneObservation"
        ),
        ("bp-scanvar-kpa-status", "FLOAT compound (0A74) as well as SFLOAT compound (0A75)", "bothCompounds_AreRead"),
        ("bp-scanvar-kpa-status", "measurement-status questionable", "PHDVectorTests.unitOverride_LastsForOneObservation"),
        ("bp-scanvar-kpa-status", "status enumeration: irregular-pulse", "PHDVectorTests.unitOverride_LastsForOneObservation"),
        ("bp-scanvar-kpa-status", "unknown attribute 0x1234 ignored", "bothCompounds_AreRead"),
        ("bp-service-errors", "an unknown invoke-id in ROER/RORJ: ignore or abort, no crash", "unknownInvokeID_IsIgnored"),
        (
            "bp-settime",
            "keep the device time stamp as received and record the clock offset seen at GET (device 2000-01-01T00:00:07 vs receive time)",
            "PHDVectorTests.deviceClock_IsToldWhenTheAgentWasAsked"
        ),
        ("bp-special-values", "special values never become numbers", "PHDVectorTests.failedMeasurement_IsAnEventAndConfirmed"),
        (
            "bp-special-values",
            "a report without a usable value is still confirmed, and yields an event \"measurement failed\"",
            "PHDVectorTests.failedMeasurement_IsAnEventAndConfirmed"
        ),
        ("bp-special-values", "all-zero time = no time stamp", "PHDVectorTests.failedMeasurement_IsAnEventAndConfirmed"),
        (
            "fsl-scale-bad-bcd", "invalid BCD time: keep the value, mark the time stamp invalid, still confirm",
            "PHDVectorTests.invalidTime_IsStillConfirmed"
        ),
        (
            "malformed-opentele-lengths", "produce no reading",
            "PHDVectorTests.otherMalformedSessions_GiveNoReading_AndAreNotConfirmed"
        ),
        (
            "malformed-opentele-lengths",
            "answer RORJ badly-structured-apdu (2) for invoke-id 0x1000 or abort; never read past the APDU",
            "PHDVectorTests.otherMalformedSessions_GiveNoReading_AndAreNotConfirmed"
        ),
        ("malformed-universaal-10408", "no reading", "PHDVectorTests.otherMalformedSessions_GiveNoReading_AndAreNotConfirmed"),
        ("nonin-onyx-unconfirmed", "send NO response to the unconfirmed report", "PHDVectorTests.unconfirmedReports_GetNoAnswer"),
        ("novopen-xdrip-session", "FLOAT 0x007FFFFF = NaN: no value", "notANumber_IsNoValue_InOneEventThatIsFirstAndLast"),
        ("novopen-xdrip-session", "first+last status in one event", "notANumber_IsNoValue_InOneEventThatIsFirstAndLast"),
        ("universaal-bp-10407", "manager answers with encoding-rules 0x8000 only", "encodingRules_AreMDERAlone"),
    ]

    @Test func everySentence_HasItsProof() throws {
        guard let folder = PHDVectors.folder else { return }
        var sentences: Set<String> = []
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where file.hasSuffix(".expected.json") {
            let name = String(file.dropLast(".expected.json".count))
            let table = try #require(PHDVectors.json(name), "\(name)")
            for sentence in table["must"] as? [String] ?? [] { sentences.insert("\(name): \(sentence)") }
        }
        let proved = Set(Self.proofs.map { "\($0.vector): \($0.sentence)" })
        #expect(sentences.count == 39 && proved.count == Self.proofs.count)
        #expect(sentences == proved, "unproved: \(sentences.subtracting(proved)), gone: \(proved.subtracting(sentences))")
    }

    /// The named tests exist in this folder's sources.
    @Test func everyProof_IsATest() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        for proof in Self.proofs {
            let parts = proof.test.split(separator: ".")
            let file = parts.count == 2 ? "\(parts[0]).swift" : "PHDMustTests.swift"
            let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            #expect(text.contains("func \(parts[parts.count - 1])("), "\(proof.test)")
        }
    }

    /// The recorded conversation, both sides of it.
    private func recorded(_ name: String) -> [Reading]? {
        let lines = PHDVectors.lines(name)
        guard !lines.isEmpty else { return nil }
        var session = PHDSession(SessionContext())
        var readings: [Reading] = []
        for line in lines {
            for action in session.handle(line.fromCuff ? .received(line.bytes) : .sent(line.bytes)) {
                if case .emit(let reading) = action { readings.append(reading) }
            }
        }
        return readings
    }

    @Test func separateReports_AreJoined() {
        guard let readings = recorded("and-ua767pbtc-2012") else { return }
        let whole = readings.filter { !$0.isPending }.compactMap(\.bloodPressure)
        #expect(whole.count == 3)
        #expect(whole.map { $0.systolic.digits.mantissa }.sorted() == [103, 108, 109])
        #expect(whole.allSatisfy { $0.pulse != nil })
        // The two of one report were pending together, before their pulses.
        #expect(readings.prefix(2).allSatisfy { $0.isPending })
    }

    @Test(arguments: ["antidote-config-std-unknown-loop", "antidote-config-unsupported-loop"])
    func configurationLoops_AreEnded(_ name: String) {
        let lines = PHDVectors.lines(name).filter(\.fromCuff)
        guard lines.count > 1 else { return }
        var manager = PHDVectorTests.Manager()
        manager.play(.received(lines[0].bytes))
        // The recorded agent repeats the offer as long as it is refused.
        for _ in 0..<20 where manager.session.state == .waitingForConfiguration { manager.play(.received(lines[1].bytes)) }
        let refusals = manager.writes.filter { $0.hasPrefix("e7000016") && !$0.hasSuffix("0000") }
        #expect(refusals.count <= PHDConfigurations.offerLimit)
        #expect(manager.session.state == .operating || manager.writes.last == "e40000020000")
    }

    @Test func acknowledgement_IsTheCommitsOwnAnswer() {
        var manager = PHDVectorTests.Manager()
        manager.commits = false
        manager.take(PHDVectorTests.request)
        manager.writes = []
        manager.take(PHDStateTableTests.report)
        #expect(manager.readings.count == 1 && manager.writes.isEmpty)
        // The confirmation is written in the event of the commit.
        manager.play(.committed(through: 1))
        #expect(manager.writes.first == "e70000120010004d0201000a0000ffffffff0d1d0000")
    }

    @Test func wholeStore_IsFourReadingsAndAFailure() {
        guard let readings = recorded("bp-pmstore-full") else { return }
        #expect(readings.filter { $0.bloodPressure != nil }.count == 4)
        #expect(readings.filter { if case .failure(let failure) = $0.content { failure.reason == .noValue } else { false } }.count == 1)
        #expect(PHDVectors.lines("bp-pmstore-full").filter { $0.fromCuff && $0.bytes.span.bigEndian16(18) == 0x0D21 }.count == 3)
    }

    @Test(arguments: [UInt16(1), 3])
    func refusedTriggers_AreNotFatal(_ result: UInt16) {
        let cuff = PHDSimulatedCuff(["store": "yes"])
        let segments = SimulatedRecord.sample(count: 2, seed: 1).map { [$0] }
        var manager = PHDVectorTests.Manager(.readMemory(user: nil))
        manager.play(.received(cuff.associationRequest))
        manager.play(.received(cuff.configurationReport(invoke: 1, id: 0x4000)))
        manager.play(.received(cuff.description(invoke: 1, clock: DeviceTime(year: 2026, month: 5, day: 5))))
        manager.play(.received(cuff.storeDescription(invoke: 2, segments: segments)))
        manager.play(.received(cuff.segmentInfo(invoke: 3, segments: segments)))
        manager.play(.received(cuff.triggerResult(invoke: 4, instance: 1, result)))
        // The next segment, in the same association.
        #expect(manager.session.state == .operating && manager.writes.last?.hasSuffix("0c1c00020002") == true)
        manager.play(.received(cuff.triggerResult(invoke: 5, instance: 2, 0)))
        manager.play(.received(cuff.segmentData(invoke: 9, instance: 2, segments[1], 0..<1)))
        #expect(manager.readings.count == 1 && manager.writes.last == "e40000020000")
    }

    @Test func bothCompounds_AreRead() {
        guard let readings = recorded("bp-scanvar-kpa-status") else { return }
        let lines = PHDVectors.lines("bp-scanvar-kpa-status").filter(\.fromCuff).map { Hex.text($0.bytes, separator: "") }
        #expect(
            lines.contains { $0.contains("0a740010") } && lines.contains { $0.contains("0a75000a") }
                && lines.contains { $0.contains("1234") })
        #expect(Set(readings.compactMap(\.bloodPressure).map { $0.systolic.digits }) == [Digits(mantissa: 157, exponent: -1), Digits(120)])
    }

    @Test func unknownInvokeID_IsIgnored() {
        let lines = PHDVectors.lines("bp-service-errors").filter(\.fromCuff)
        guard lines.count > 4 else { return }
        var manager = PHDVectorTests.Manager()
        for line in lines.dropLast() { manager.play(.received(line.bytes)) }
        #expect(manager.session.state == .operating && !manager.writes.contains { $0.hasPrefix("e6") })
        manager.take(PHDStateTableTests.report)
        #expect(manager.readings.count == 1)
    }

    @Test func notANumber_IsNoValue_InOneEventThatIsFirstAndLast() {
        guard let readings = recorded("novopen-xdrip-session") else { return }
        let doses = readings.compactMap { if case .quantity(let quantity) = $0.content, quantity.term == 13313 { quantity } else { nil } }
        #expect(doses.count == 3)
        #expect(doses.map { $0.value?.value } == [3, doses[1].value?.value, nil] && doses[2].absence == .notANumber)
        #expect(PHDVectors.lines("novopen-xdrip-session").contains { $0.fromCuff && $0.bytes.span.bigEndian16(32) == 0xC000 })
    }

    @Test func encodingRules_AreMDERAlone() {
        guard let first = PHDVectors.lines("universaal-bp-10407").first(where: \.fromCuff) else { return }
        var manager = PHDVectorTests.Manager()
        manager.play(.received(first.bytes))
        let answer = Hex.bytes(manager.writes.first ?? "") ?? []
        #expect(answer.count == 48 && Array(answer[14..<16]) == [0x80, 0x00])
    }
}
