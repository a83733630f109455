import CuffClinical
import HTTPClient
import RemoteSink
import Testing

@testable import HTTPSink

@Suite struct FHIRTests {
    private static let phd =
        #"{"type":"blood_pressure","schema":1,"id":"20260507T080030-532225e78e2852a2","driver":"phd","device":"00091ffffe000101","#
        + #""systolic_kPa":16.0,"systolic_mmHg":120.01,"diastolic_kPa":10.7,"diastolic_mmHg":80.26,"pulse_per_min":66.0,"user":1,"#
        + #""flags":["improper_position"],"device_time":"2026-05-07T08:00:30","measured":"2026-05-07T08:00+02:00","origin":"push"}"#

    private static func bundle(_ lines: [String], _ profile: FHIRProfile = .core, subject: Patients = .everybody("Patient/p1")) throws
        -> JSONValue
    {
        let request = FHIRFormat(base: "https://h/fhir", subject: subject, profile: profile).request(try lines.map(reading))
        return try #require(JSONValue(parsing: Array(request.body.utf8)))
    }

    private static func entries(_ bundle: JSONValue) -> [JSONValue] { bundle["entry"]?.array ?? [] }

    @Test func profilesOfUSCore_AreClaimedForPatients() throws {
        func claimed(_ profile: FHIRProfile, _ subject: String) throws -> [String] {
            Self.entries(try Self.bundle([Self.phd], profile, subject: .everybody(subject)))
                .flatMap { $0["resource"]?["meta"]?["profile"]?.array ?? [] }.compactMap(\.string)
        }
        let (core, us) = ("http://hl7.org/fhir/StructureDefinition/", "http://hl7.org/fhir/us/core/StructureDefinition/")
        #expect(
            try claimed(.usCore, "Patient/p1") == [
                core + "bp", us + "us-core-blood-pressure", core + "heartrate", us + "us-core-heart-rate",
            ])
        #expect(try claimed(.usCore, "Group/g") == [core + "bp", core + "heartrate"])
        #expect(try claimed(.core, "Patient/p1") == [core + "bp", core + "heartrate"])
    }

    @Test func aReading_IsAPanelAPulseAndFlags() throws {
        let entries = Self.entries(try Self.bundle([Self.phd]))
        #expect(entries.map { $0["resource"]?["resourceType"]?.string } == ["Device", "Observation", "Observation", "Observation"])
        let panel = try #require(entries[1]["resource"])
        #expect(panel["effectiveDateTime"]?.string == "2026-05-07T08:00:00+02:00")
        #expect(panel["status"]?.string == "final")
        #expect(panel["subject"]?["reference"]?.string == "Patient/p1")
        #expect(panel["device"]?["reference"]?.string == entries[0]["fullUrl"]?.string)
        let systolic = panel["component"]?.array?.first?["valueQuantity"]
        #expect(systolic?["value"]?.digits == "120.01" && systolic?["code"]?.string == "mm[Hg]")
        #expect(systolic?["extension"]?.array?.first?["valueQuantity"]?["value"]?.digits == "16.0")
        #expect(panel["component"]?.array?.count == 2, "a mean that the cuff did not send is not there")
        #expect(entries[2]["resource"]?["valueQuantity"]?["value"]?.digits == "66.0")
        #expect(entries[2]["resource"]?["derivedFrom"]?.array?.first?["reference"]?.string == entries[1]["fullUrl"]?.string)
        #expect(entries[3]["resource"]?["component"]?.array?.first?["code"]?["coding"]?.array?.first?["code"]?.string == "8410608.5")
    }

    /// Computed with Python's uuid.
    @Test func names_DependOnTheReadingAlone() throws {
        let one = try reading(#"{"type":"blood_pressure","id":"20260505T073130-d33c245d2be4b540"}"#)
        #expect(FHIRTransaction.reference(ExchangeReading(one)) == "urn:uuid:dd3002dc-28d5-5661-9448-38533742ef9c")
        #expect(try Self.bundle([Self.phd]) == Self.bundle([Self.phd]))
    }

    @Test func theFirstRevision_IsCreatedUnlessItExists_ALaterOneReplaces() throws {
        let first = Self.entries(try Self.bundle([Self.phd]))[1]["request"]
        let criterion = "identifier=urn:oid:2.25.4363971277016525869136357347803134537|20260507T080030-532225e78e2852a2"
        #expect(first?["method"]?.string == "POST" && first?["url"]?.string == "Observation" && first?["ifNoneExist"]?.string == criterion)
        let second = Self.entries(try Self.bundle([Self.phd.dropLast() + #","revision":2}"#]))[2]["request"]
        #expect(second?["method"]?.string == "PUT" && second?["url"]?.string == "Observation?" + criterion + ":pulse")
    }

    @Test func criteria_AreQueryStrings() {
        #expect(FHIRCodes.criterion(system: "urn:x", value: "a+b c|d&e=f%:g-_.") == "identifier=urn:x|a%2Bb%20c%7Cd%26e%3Df%25:g-_.")
    }

    @Test func aPendingReading_IsPreliminary() throws {
        let line = Self.phd.replacingFirst(#""type":"blood_pressure""#, #""type":"pending","of":"blood_pressure""#)
        #expect(Self.entries(try Self.bundle([line]))[1]["resource"]?["status"]?.string == "preliminary")
    }

    @Test func profiles_AreClaimedForAgentsOf11073Alone() throws {
        let other = Self.phd.replacingFirst(#""driver":"phd""#, #""driver":"and-std""#).replacingFirst(
            "532225e78e2852a2", "532225e78e2852a3")
        let entries = Self.entries(try Self.bundle([Self.phd, other], .phd(FHIRGateway(name: "pi-7", version: helperVersion))))
        let panels = entries.compactMap { $0["resource"] }.filter { $0["component"]?.array?.count == 2 }
        #expect(panels.map { $0["meta"]?["profile"]?.array?.count } == [2, 1])
        #expect(panels.map { $0["extension"] != nil } == [true, false])
        #expect(
            entries.filter { $0["resource"]?["resourceType"]?.string == "Device" }.count == 2, "one cuff and one gateway for both readings")
    }

    @Test(arguments: [("invalid", "error"), ("not_available", "unknown"), ("ongoing", "unknown")])
    func aNumberThatTheCuffItselfRejects_IsNoNumber(flag: String, code: String) throws {
        let entries = Self.entries(try Self.bundle([Self.phd.replacingFirst("improper_position", flag)]))
        let component = entries[1]["resource"]?["component"]?.array?.first
        #expect(component?["valueQuantity"] == nil)
        #expect(component?["dataAbsentReason"]?["coding"]?.array?.first?["code"]?.string == code)
        #expect(entries[2]["resource"]?["valueQuantity"] == nil)
    }

    @Test func aMeanThatWasNone_IsAbsentWithItsReason() throws {
        let line = Self.phd.replacingFirst(#""user":1"#, #""mean_absent":"not_a_number""#)
        let mean = Self.entries(try Self.bundle([line]))[1]["resource"]?["component"]?.array?.last
        #expect(mean?["dataAbsentReason"]?["coding"]?.array?.first?["code"]?.string == "not-a-number")
    }

    @Test func otherQuantities_NeedAUnitOfUCUM() throws {
        let saturation =
            #"{"type":"quantity","id":"q","driver":"phd","code":"MDC_PULS_OXIM_SAT_O2","mdc":150456,"value":"97.0","unit":"%","measured":"2026-05-07T08:00Z"}"#
        let resource = Self.entries(try Self.bundle([saturation]))[0]["resource"]
        #expect(resource?["valueQuantity"]?["value"]?.digits == "97.0" && resource?["valueQuantity"]?["code"]?.string == "%")
        let format = FHIRFormat(base: "", subject: .everybody("Patient/1"), profile: .core)
        #expect(format.refusal(try reading(saturation)) == nil)
        #expect(format.refusal(try reading(saturation.replacingFirst(#""unit":"%""#, #""unit_mdc":1"#))) != nil)
    }

    @Test func eachUserSlot_HasItsOwnSubject() throws {
        let format = FHIRFormat(base: "", subject: .persons(["0": "Patient/0", "2": "Patient/2"]), profile: .core)
        #expect(format.refusal(try reading(Self.phd))?.contains("subject.1=") == true)
        #expect(format.refusal(try reading(Self.phd.replacingFirst(#""user":1"#, #""user":2"#))) == nil)
        let none = FHIRFormat(base: "", subject: .persons(["2": "Patient/2"]), profile: .core)
        #expect(none.refusal(try reading(Self.phd.replacingFirst(#""user":1,"#, "")))?.contains("subject.0=") == true)
    }

    @Test func aPerson_HasTheirOwnSubject_WhateverTheSlot() throws {
        let subject = Patients.persons(["anna": "Patient/a", "1": "Patient/1"])
        let format = FHIRFormat(base: "", subject: subject, profile: .core)
        func of(_ name: String) -> String { Self.phd.replacingFirst(#""user":1"#, #""user":1,"person":"\#(name)""#) }
        #expect(format.refusal(try reading(of("Anna"))) == nil)
        #expect(format.refusal(try reading(of("Ben")))?.contains("subject.Ben=") == true)
        let entries = Self.entries(try Self.bundle([of("Anna")], subject: subject))
        #expect(entries[1]["resource"]?["subject"]?["reference"]?.string == "Patient/a")
        let deleted =
            #"{"type":"deleted","schema":1,"id":"20260507T080030-532225e78e2852a2","revision":255,"of":"blood_pressure","#
            + #""driver":"phd","device":"00091ffffe000101","user":1,"person":"Ben","measured":"2026-05-07T08:00:30+02:00"}"#
        let ofBen = try reading(deleted)
        #expect(!format.isNothing(ofBen), "it may have been sent for the person to whom the slot was bound before")
        #expect(format.refusal(ofBen)?.contains("subject.Ben=") == true)
        let ofAnna = try reading(deleted.replacingFirst("Ben", "Anna"))
        #expect(!format.isNothing(ofAnna) && format.refusal(ofAnna) == nil)
    }

    @Test func theSameSlotOfTwoCuffs_IsNotOnePatient() throws {
        let format = FHIRFormat(base: "", subject: .persons(["1": "Patient/1", "hall:1": "Patient/h"]), profile: .core)
        func of(_ cuff: String) -> String { Self.phd.replacingFirst("00091ffffe000101", cuff) }
        #expect(format.refusal(try reading(Self.phd)) == nil)
        let reason = try #require(format.refusal(try reading(of("attic"))))
        #expect(reason.contains("`attic`") && reason.contains("subject.attic:1="), "\(reason)")
        #expect(format.refusal(try reading(of("hall"))) == nil, "it has a subject of its own")
        #expect(format.refusal(try reading(Self.phd)) == nil)
    }

    // MARK: Answers

    private static func verdict(_ status: Int, _ body: String, type: String = "application/fhir+json") throws -> Verdict {
        let format = FHIRFormat(base: "", subject: .everybody("Patient/1"), profile: .core)
        return format.verdict(HTTPAnswer(status, contentType: type, body: Array(body.utf8)), for: [try reading(phd)])
    }

    private static func response(_ statuses: [String]) -> String {
        let entries = statuses.map { #"{"response":{"status":"\#($0)"}}"# }.joined(separator: ",")
        return #"{"resourceType":"Bundle","type":"transaction-response","entry":[\#(entries)]}"#
    }

    @Test func aWholeResponse_Acknowledges() throws {
        #expect(try Self.verdict(200, Self.response(["200 OK", "201 Created", "201 Created", "201"])) == .taken)
    }

    @Test(arguments: [["201", "201", "201"], ["201", "201", "201", "500"], []]) func lessThanThat_DoesNot(statuses: [String]) throws {
        guard case .later = try Self.verdict(200, Self.response(statuses)) else {
            Issue.record("\(statuses)")
            return
        }
    }

    @Test func anOutcome_IsTold() throws {
        let outcome = #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"invalid","diagnostics":"too high"}]}"#
        #expect(try Self.verdict(422, outcome) == .content("HTTP 422: too high"))
        for status in [401, 403, 404, 412] {
            guard case .configuration(let text) = try Self.verdict(status, outcome) else {
                Issue.record("\(status)")
                continue
            }
            #expect(text.contains("too high"))
        }
    }

    @Test func newerRevisions_AreKnownByTheirTag() throws {
        let format = FHIRFormat(base: "https://h/fhir", subject: .everybody("Patient/1"), profile: .core)
        let second = try reading(Self.phd.dropLast() + #","revision":2}"#)
        let id =
            #""identifier":[{"system":"urn:oid:2.25.4363971277016525869136357347803134537","value":"20260507T080030-532225e78e2852a2"}]"#
        func answer(_ tags: [String], _ id: String = id) -> HTTPAnswer {
            let tags = tags.map { #"{"system":"urn:oid:2.25.20089031061160294151606159980085455137","code":"\#($0)"}"# }.joined(
                separator: ",")
            return HTTPAnswer(
                200, body: Array(#"{"resourceType":"Bundle","entry":[{"resource":{"meta":{"tag":[\#(tags)]},\#(id)}}]}"#.utf8))
        }
        #expect(format.question(second)?.url.hasSuffix("%7C20260507T080030-532225e78e2852a2") == true)
        #expect(format.question(try reading(Self.phd)) == nil)
        #expect(format.isSuperseded(second, by: answer(["2"])) && format.isSuperseded(second, by: answer(["1", "3"])))
        #expect(!format.isSuperseded(second, by: answer(["1"])) && !format.isSuperseded(second, by: answer([])))
        #expect(
            !format.isSuperseded(second, by: answer(["3"], #""identifier":[{"system":"x","value":"y"}]"#)),
            "a server that ignores the search")
        #expect(!format.isSuperseded(second, by: HTTPAnswer(403)))
    }
}

@Suite struct FHIRDeletionTests {
    private static let deleted =
        #"{"type":"deleted","schema":1,"id":"20260507T080030-532225e78e2852a2","revision":255,"of":"blood_pressure","driver":"phd","#
        + #""device":"00091ffffe000101","user":1,"measured":"2026-05-07T08:00+02:00","parts":["pulse_rate"]}"#
    private let format = FHIRFormat(base: "https://h/fhir", subject: .persons(["1": "Patient/p1"]), profile: .core)

    /// docs/HTTP.md, "Deletions": a conditional PUT that keeps code, subject and time, and has no number.
    @Test func aDeletedReading_IsEnteredInError_WithoutValues() throws {
        let line = try reading(Self.deleted)
        #expect(!format.isNothing(line) && format.refusal(line) == nil)
        let body = format.request([line]).body
        #expect(!body.contains("valueQuantity"))
        let entries = try #require(JSONValue(parsing: Array(body.utf8))?["entry"]?.array)
        #expect(entries.count == 2, "the panel and the pulse; it had no flags")
        let criterion = "Observation?identifier=urn:oid:2.25.4363971277016525869136357347803134537|20260507T080030-532225e78e2852a2"
        #expect(entries.map { $0["request"]?["method"]?.string } == ["PUT", "PUT"])
        #expect(entries.map { $0["request"]?["url"]?.string } == [criterion, criterion + ":pulse"])
        for entry in entries {
            #expect(entry["resource"]?["status"]?.string == "entered-in-error")
            #expect(entry["resource"]?["subject"]?["reference"]?.string == "Patient/p1")
            #expect(entry["resource"]?["effectiveDateTime"]?.string == "2026-05-07T08:00:00+02:00")
        }
        let components = try #require(entries[0]["resource"]?["component"]?.array)
        #expect(components.map { $0["code"]?["coding"]?.array?.last?["code"]?.string } == ["8480-6", "8462-4"])
        #expect(components.allSatisfy { $0["dataAbsentReason"]?["coding"]?.array?.first?["code"]?.string == "error" })
    }

    @Test(arguments: [
        (#""of":"blood_pressure""#, #""of":"measurement""#), (#","measured":"2026-05-07T08:00+02:00""#, ""),
    ])
    func ofWhatWasNeverSent_NothingIsSaid(_ old: String, _ new: String) throws {
        #expect(format.isNothing(try reading(Self.deleted.replacingFirst(old, new))))
        var state = DeliveryState(format)
        state.accept(try reading(Self.deleted.replacingFirst(old, new)))
        var answers: [Answer] = []
        #expect(state.next(&answers) == nil)
        #expect(answers == [.ok(id: "20260507T080030-532225e78e2852a2", revision: 255)])
    }
}

extension String {
    func replacingFirst(_ text: String, _ other: String) -> String {
        guard let start = indices.first(where: { self[$0...].hasPrefix(text) }) else { return self }
        return self[..<start] + other + self[index(start, offsetBy: text.count)...]
    }
}
