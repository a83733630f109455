import CuffClinical
import HTTPClient
import RemoteSink

extension FHIRFormat {
    /// Queries the server's metadata and each subject. Write permission is only known after the first reading.
    public var checks: [HTTPCheck] {
        let metadata = HTTPRequest(.get, "\(base)/metadata", headers: Self.headers)
        return [HTTPCheck(metadata) { Self.judge(metadata: $0, base: base) }] + subject.references.compactMap(check)
    }

    private static func judge(metadata answer: HTTPAnswer, base: String) -> CheckResult {
        let value = JSONValue(parsing: answer.body)
        guard answer.isSuccess else {
            if answer.status == 404 { return .fatal("no FHIR server at \(base) (HTTP 404 for \(base)/metadata); check the path") }
            return .failure(answer, message: outcome(value))
        }
        guard let value, value["resourceType"]?.string == "CapabilityStatement" else {
            return .fatal("\(base)/metadata is not a CapabilityStatement: is this the base address of a FHIR server?")
        }
        // 4.0 is R4, 4.3 is R4B: identical for the resources sent here.
        let version = value["fhirVersion"]?.string ?? ""
        guard version.hasPrefix("4.") else {
            return .fatal(
                "the server at \(base) uses FHIR \(version.isEmpty ? "of an unknown version" : version); R4 (4.0) is required"
            )
        }
        let interactions = (value["rest"]?.array ?? []).flatMap { $0["interaction"]?.array ?? [] }.compactMap { $0["code"]?.string }
        // A statement without system-level interactions leaves transaction support unknown.
        if !interactions.isEmpty, !interactions.contains("transaction") {
            return .fatal("the server at \(base) does not support transactions")
        }
        return .ok("a FHIR server of version \(version) answers")
    }

    private func check(_ reference: String) -> HTTPCheck? {
        guard let request = question(subject: reference) else { return nil }
        return HTTPCheck(request) { answer in
            if let fault = fault(subject: reference, diagnosed: answer) { return .fatal(fault) }
            if answer.isSuccess { return .ok("it has \(reference)") }
            if answer.status == 403 { return .ok("these credentials may not read \(reference), so it is not known whether it exists") }
            return .failure(answer, message: Self.outcome(JSONValue(parsing: answer.body)))
        }
    }
}

extension Patients {
    fileprivate var references: [String] {
        switch self {
        case .everybody(let reference): [reference]
        case .persons(let references):
            references.sorted { $0.key < $1.key }.map(\.value).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
    }
}
