import CuffCore
import Foundation
import Testing

@testable import CuffClinical

/// What a person changed after an earlier export, as FHIR says it.
@Suite struct CorrectionExportTests {
    /// As `WorkedExample.corrected`, without pulse and flags if `isLess`.
    private func reading(_ origin: Reading.Origin, revision: UInt8, isLess: Bool = true) -> Reading {
        var reading = Reading(
            .bloodPressure(.mmHg(128, 82, pulse: isLess ? nil : 71)), driver: origin == .entered ? ManualEntry.driver : "phd",
            flags: isLess ? [] : [.irregularPulse], clock: .absent, origin: origin, raw: RawBytes([]))
        (reading.id, reading.measured) = (WorkedExample.corrected.id, WorkedExample.corrected.measured)
        reading.revision = revision
        return reading
    }

    private func entries(_ reading: Reading) throws -> [[String: Any]] {
        let source = Provenance(driver: reading.driver.description)
        let text = try WorkedExample.export(.fhir, [reading], from: source, [("subject", "Patient/anna")]).text
        let bundle = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return try #require(bundle?["entry"] as? [[String: Any]])
    }

    private func suffixes(_ entries: [[String: Any]]) -> [String] {
        let urls = entries.compactMap { ($0["request"] as? [String: Any])?["url"] as? String }
        return urls.map { String($0.drop { $0 != "|" }.drop { $0 != ":" }) }
    }

    /// The server has both from the first revision.
    @Test func aCorrection_TakesBackThePulseAndTheFlags() throws {
        let all = try entries(reading(.entered, revision: 1))
        #expect(suffixes(all) == ["", ":pulse", ":status"])
        #expect(all.allSatisfy { ($0["request"] as? [String: Any])?["method"] as? String == "PUT" })
        let resources = all.compactMap { $0["resource"] as? [String: Any] }
        #expect(resources.map { $0["status"] as? String } == ["corrected", "entered-in-error", "entered-in-error"])
        for one in resources {
            #expect((one["subject"] as? [String: Any])?["reference"] as? String == "Patient/anna")
            #expect(one["effectiveDateTime"] as? String == resources[0]["effectiveDateTime"] as? String)
            let tags = (one["meta"] as? [String: Any])?["tag"] as? [[String: Any]]
            #expect(tags?.map { $0["code"] as? String } == ["1"], "a later revision may have a pulse again")
        }
    }

    @Test func aRemark_IsNoReasonToKeepThem() throws {
        var remarked = reading(.entered, revision: 2)
        remarked.remarks = Remarks(stored: { $0 == .note ? "cold" : nil })
        #expect(try suffixes(entries(remarked)) == ["", ":pulse", ":status"])
    }

    @Test func whatIsStillThere_AndWhatACuffCompletes_IsNotTakenBack() throws {
        let whole = try entries(reading(.entered, revision: 1, isLess: false))
        #expect(suffixes(whole) == ["", ":pulse", ":status"])
        #expect(whole.allSatisfy { ($0["resource"] as? [String: Any])?["status"] as? String == "corrected" })
        #expect(try suffixes(entries(reading(.entered, revision: 0))) == [""])
        #expect(try suffixes(entries(reading(.push, revision: 1))) == [""])
    }

    /// It has the origin of a copy, and the driver of the original.
    @Test func aCopyOfATypedValue_IsStillTypedIn() throws {
        var copy = reading(.imported, revision: 0)
        let source = Provenance(driver: "manual")
        func text(_ exporter: Exporter, _ choices: [(String, String)] = []) throws -> String {
            try WorkedExample.export(exporter, [copy], from: source, choices).text
        }
        #expect(try text(.omh).contains(#""modality":"sensed""#))
        copy.driver = ManualEntry.driver
        #expect(try text(.omh).contains(#""modality":"self-reported""#))
        #expect(try text(.appleHealth).contains(#"key="HKWasUserEntered" value="1""#))
        #expect(try text(.fhir, [("subject", "Patient/anna")]).contains(#""performer":[{"reference":"Patient/anna"}]"#))
    }
}
