import CuffCore
import Foundation
import Testing

@testable import CuffClinical

/// What the profiles demand of the resources that claim them, as their definitions say it: `vitalsigns` of FHIR R4; US Core 5.0.1
/// (HL7/US-Core: us-core-vital-signs, us-core-blood-pressure, us-core-heart-rate); HL7/phd 2.0.0 (PhdBaseObservation,
/// PhdCompoundNumericObservation, PhdNumericObservation, PhdDevice).
@Suite struct ProfileTests {
    private typealias Resource = [String: Any]

    private static let loinc = "http://loinc.org"
    private static let mdc = "urn:iso:std:iso:11073:10101"
    private static let ucum = "http://unitsofmeasure.org"

    private static let readings: [Reading] = {
        var distrusted = WorkedExample.minutes
        distrusted.flags.insert(.implausible)
        var questionable = WorkedExample.corrected
        questionable.flags.insert(.questionable)
        let mean = Pressure.mmHg(97)
        let contents: [Reading.Content] = [
            .pulseRate(PulseRate(Digits(64))), .bloodPressure(BloodPressure(systolic: .mmHg(121), diastolic: .mmHg(79), mean: mean)),
        ]
        let others = contents.enumerated().map { number, content in
            let time = DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)
            var reading = Reading(content, driver: "phd", clock: .time(time), origin: .memory, raw: RawBytes([]))
            reading.id = WorkedExample.id(time, UInt64(number) + 1)
            return reading
        }
        return [WorkedExample.corrected, WorkedExample.kilopascals, WorkedExample.minutes, distrusted, questionable] + others
    }()

    private func resources(_ profile: String, _ kind: String = "Observation") throws -> [Resource] {
        let choices = [("subject", "Patient/p1"), ("profile", profile), ("resource", kind)]
        return try WorkedExample.export(.fhirNDJSON, Self.readings, choices).text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? Resource)
        }
    }

    /// All values at a path, through lists.
    private func values(_ path: String, _ resource: Any) -> [Any] {
        path.split(separator: ".").reduce([resource]) { nodes, key in
            nodes.flatMap { node -> [Any] in
                guard let found = (node as? Resource)?[String(key)] else { return [] }
                return found as? [Any] ?? [found]
            }
        }
    }

    private func texts(_ path: String, _ resource: Any) -> [String] { values(path, resource).compactMap { $0 as? String } }

    /// Those of the concepts at a path that have this coding.
    private func slice(_ path: String, _ resource: Any, _ code: String, of system: String, at concept: String = "") -> [Any] {
        values(path, resource).filter { part in
            values(concept + "coding", part).contains { texts("system", $0) == [system] && texts("code", $0) == [code] }
        }
    }

    private func expectQuantity(_ holder: Any, code: String, unit isNeeded: Bool = true) {
        let quantities = values("valueQuantity", holder)
        // vs-2, vs-3: a value, or why there is none.
        #expect(quantities.count + values("dataAbsentReason", holder).count == 1)
        for quantity in quantities {
            #expect(values("value", quantity).count == 1 && (values("value", quantity).first as? NSNumber) != nil)
            if isNeeded { #expect(texts("unit", quantity).count == 1) }
            #expect(texts("system", quantity) == [Self.ucum] && texts("code", quantity) == [code])
        }
    }

    private func claiming(_ profile: String, _ resources: [Resource]) -> [Resource] {
        resources.filter { texts("meta.profile", $0).contains { $0.hasSuffix("/StructureDefinition/" + profile) } }
    }

    // MARK: US Core

    @Test func usCore() throws {
        let all = try resources("us-core")
        let (panels, pulses) = (claiming("us-core-blood-pressure", all), claiming("us-core-heart-rate", all))
        #expect(panels.count == 6 && pulses.count == 6)
        for one in panels + pulses {
            #expect(texts("status", one).count == 1)
            #expect(slice("category", one, "vital-signs", of: "http://terminology.hl7.org/CodeSystem/observation-category").count == 1)
            #expect(texts("subject.reference", one) == ["Patient/p1"])
            // vs-1: to the day at least.
            let times = texts("effectiveDateTime", one)
            #expect(times.count == 1 && times.allSatisfy { $0.prefixMatch(of: /\d{4}-\d\d-\d\d/) != nil })
        }
        for panel in panels {
            #expect(slice("code", panel, "85354-9", of: Self.loinc).count == 1)
            #expect(values("component", panel).count >= 2)
            for code in ["8480-6", "8462-4"] {
                let found = slice("component", panel, code, of: Self.loinc, at: "code.")
                #expect(found.count == 1)
                for part in found { expectQuantity(part, code: "mm[Hg]") }
            }
        }
        for pulse in pulses {
            #expect(slice("code", pulse, "8867-4", of: Self.loinc).count == 1)
            expectQuantity(pulse, code: "/min")
        }
        // Each element that must be supported is in one of them.
        for path in ["valueQuantity.value", "dataAbsentReason"] {
            #expect(panels.contains { !values("component." + path, $0).isEmpty })
            #expect(pulses.contains { !values(path, $0).isEmpty })
        }
    }

    // MARK: Personal health devices

    @Test func personalHealthDevices() throws {
        let all = try resources("phd")
        let (panels, numbers) = (claiming("PhdCompoundNumericObservation", all), claiming("PhdNumericObservation", all))
        #expect(panels.count == 6 && numbers.count == 6)
        for one in panels + numbers {
            #expect(values("meta", one).count == 1)
            #expect(values("code.coding", one).count { texts("system", $0) == [Self.mdc] && texts("code", $0).count == 1 } == 1)
            #expect(texts("subject.reference", one).count == 1 && texts("device.reference", one).count == 1)
            #expect(texts("effectiveDateTime", one).count == 1)
            #expect(["final", "preliminary"].contains(texts("status", one).first))
            let gateway = "http://hl7.org/fhir/StructureDefinition/observation-gatewayDevice"
            let links = values("extension", one).filter { texts("url", $0) == [gateway] }
            #expect(links.count == 1 && links.allSatisfy { texts("valueReference.reference", $0).count == 1 })
            #expect(slice("category", one, "phd", of: "http://hl7.org/fhir/uv/phd/CodeSystem/PhdObservationCategories").count == 1)
            for interpretation in values("interpretation", one) {
                #expect(texts("coding.system", interpretation) == ["http://hl7.org/fhir/uv/pocd/CodeSystem/measurement-status"])
                #expect(texts("coding.code", interpretation).count == 1)
            }
        }
        #expect((panels + numbers).contains { !values("interpretation", $0).isEmpty })
        for panel in panels {
            #expect(panel.keys.allSatisfy { !$0.hasPrefix("value") })
            for part in values("component", panel) {
                #expect(values("code.coding", part).count { texts("system", $0) == [Self.mdc] && texts("code", $0).count == 1 } == 1)
                expectQuantity(part, code: "mm[Hg]", unit: false)
            }
        }
        for number in numbers { expectQuantity(number, code: "/min", unit: false) }
    }

    @Test func personalHealthDevice_DescribesItself() throws {
        let devices = claiming("PhdDevice", try resources("phd", "Device"))
        #expect(devices.count == 1)
        for device in devices {
            for path in ["manufacturer", "modelNumber"] { #expect(texts(path, device).count == 1) }
            // Version 2.0.0 of the guide; others have the code system below their own address.
            let kinds = "http://terminology.hl7.org/CodeSystem/ContinuaDeviceIdentifiers"
            let identifiers = slice("identifier", device, "SYSID", of: kinds, at: "type.")
            #expect(identifiers.flatMap { texts("system", $0) } == ["urn:oid:1.2.840.10004.1.1.1.0.0.1.0.0.1.2680"])
            #expect(identifiers.flatMap { texts("value", $0) } == ["00-09-1F-FF-FE-00-01-01"])
            #expect(slice("type", device, "65573", of: Self.mdc).count == 1)
            #expect(!values("specialization", device).isEmpty)
            for one in values("specialization", device) {
                #expect(texts("systemType.coding.system", one) == [Self.mdc] && texts("version", one).count == 1)
            }
            #expect(!values("version", device).isEmpty)
            for version in values("version", device) {
                #expect(texts("type.coding.system", version) == [Self.mdc] && texts("value", version).count == 1)
            }
        }
    }
}
