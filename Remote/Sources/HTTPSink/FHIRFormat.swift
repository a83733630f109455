import CuffClinical
import HTTPClient
import RemoteSink
import Synchronization

/// FHIR R4 transactions: a first revision is a conditional create, a later one a conditional update.
public struct FHIRFormat: DeliveryFormat {
    let base: String
    let subject: Patients
    private let profile: FHIRProfile
    private let seen = Shared()

    private final class Shared: Sendable { let value = Mutex(Patients.Seen()) }

    public init(base: String, subject: Patients, profile: FHIRProfile) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.subject = subject
        self.profile = profile
    }

    public var mostReadings: Int { FHIRTransaction.mostReadings }

    static let headers: [HTTPRequest.Header] = [
        .init("Content-Type", "application/fhir+json"), .init("Accept", "application/fhir+json"), .init("Prefer", "return=minimal"),
    ]

    private func reference(_ reading: ReadingLine) -> String? { subject.patient(of: ExchangeReading(reading).owner) }

    // MARK: Refusals

    /// Deletions of readings that could not have been sent.
    public func isNothing(_ reading: ReadingLine) -> Bool {
        guard reading.isDeletion else { return false }
        let deletion = FHIRDeletion(reading)
        return !deletion.hasObservations || deletion.time == nil
    }

    public func refusal(_ reading: ReadingLine) -> String? {
        // The reading may have been sent when it was another person's.
        if reading.isDeletion { return reference(reading) == nil ? Self.noSubject(ExchangeReading(reading).owner) : nil }
        if let measured = reading.measured, Instant(measured) == nil { return "`\(measured)` is not a time" }
        let exchange = ExchangeReading(reading)
        switch FHIRTransaction.omission(exchange, subject: subject) {
        case nil:
            return seen.value.withLock { $0.other(than: exchange.owner, in: subject) }.map { other in
                let (cuff, former) = (exchange.owner.cuff ?? "", other.cuff ?? "")
                return "`\(cuff)` and `\(former)` are cuffs of different persons and would have one patient; "
                    + "add subject.\(Household.place(cuff: cuff, slot: exchange.owner.slot))=… to the address"
            }
        case .timeUnknown: return "the reading has no known time, which FHIR requires"
        case .noValue where reading.type == "blood_pressure": return "the reading has no systolic and diastolic pressure"
        case .noValue where reading.type == "pulse_rate": return "it has no pulse"
        case .noValue, .noUnit: return "the reading has no value with a UCUM unit"
        case .failed: return "a measurement that failed is not an Observation"
        case .noSubject(let person): return Self.noSubject(person)
        default: return "`\(reading.type)` is not supported for FHIR"
        }
    }

    private static func noSubject(_ person: Person) -> String {
        switch person {
        case .named(let name): "no subject for \(name); add subject.\(name)=… to the address"
        case .unnamed(let slot?, _): "no subject for user slot \(slot); add subject.\(slot)=… to the address"
        case .unnamed(nil, _): "no subject for readings without a user slot; add subject.0=… to the address"
        }
    }

    // MARK: Bundle

    private func transaction(_ readings: [ReadingLine]) -> FHIRTransaction {
        var transaction = FHIRTransaction(subject: subject, profile: profile)
        for reading in readings {
            if reading.isDeletion {
                try? transaction.append(deleted: FHIRDeletion(reading))
            } else {
                try? transaction.append(ExchangeReading(reading))
            }
        }
        return transaction
    }

    public func request(_ readings: [ReadingLine]) -> HTTPRequest {
        HTTPRequest(.post, base, headers: Self.headers, body: transaction(readings).json.string)
    }

    // MARK: Answers

    public func verdict(_ answer: HTTPAnswer, for readings: [ReadingLine]) -> Verdict {
        let value = JSONValue(parsing: answer.body)
        guard answer.isSuccess else {
            let message = Self.outcome(value)
            switch answer.status {
            case 404, 412:
                return .configuration(
                    "HTTP \(answer.status): \(message.isEmpty ? answer.words : message); check the address, and that the server has each subject exactly once"
                )
            default: return .failure(answer, message: message)
            }
        }
        guard let value else {
            return answer.contentType?.lowercased().contains("json") == true
                ? .later("the server's answer is cut off or not JSON")
                : .configuration("HTTP \(answer.status) without JSON: is this the address of a FHIR server?")
        }
        guard value["resourceType"]?.string == "Bundle", value["type"]?.string == "transaction-response" else {
            return .configuration("the answer is not a transaction response: is this the base address of a FHIR server?")
        }
        let statuses = (value["entry"]?.array ?? []).map { $0["response"]?["status"]?.string ?? "" }
        // A transaction is all or nothing: any failed entry means that none was acknowledged.
        if let bad = statuses.firstIndex(where: { !$0.hasPrefix("2") }) {
            let text = "the server answered \(statuses[bad].isEmpty ? "without a status" : statuses[bad]) for one resource"
            return statuses[bad].hasPrefix("4") ? .content(text) : .later(text)
        }
        let sent = transaction(readings)
        // Every resource sent needs a status.
        guard sent.readings == readings.count, statuses.count == sent.count else {
            return .later("the server answered for \(statuses.count) of \(sent.count) resources")
        }
        return .taken
    }

    static func outcome(_ value: JSONValue?) -> String {
        guard value?["resourceType"]?.string == "OperationOutcome" else { return "" }
        let texts = (value?["issue"]?.array ?? []).compactMap { issue in
            issue["diagnostics"]?.string ?? issue["details"]?["text"]?.string ?? issue["code"]?.string
        }
        return texts.prefix(3).joined(separator: "; ")
    }

    // MARK: Queries

    /// A conditional update replaces any version, so a late older revision would undo a newer one.
    public func question(_ reading: ReadingLine) -> HTTPRequest? {
        guard reading.revision > 0 else { return nil }
        let criterion = FHIRCodes.criterion(system: FHIRCodes.readings, value: identifier(reading))
        return HTTPRequest(.get, "\(base)/Observation?\(criterion.replacingBar)", headers: Self.headers)
    }

    private func identifier(_ reading: ReadingLine) -> String {
        reading.id
            + (reading.isDeletion
                ? FHIRTransaction.mainSuffix(FHIRDeletion(reading)) : FHIRTransaction.mainSuffix(ExchangeReading(reading)))
    }

    public func isSuperseded(_ reading: ReadingLine, by answer: HTTPAnswer) -> Bool {
        guard answer.isSuccess, let value = JSONValue(parsing: answer.body), value["resourceType"]?.string == "Bundle" else { return false }
        // Servers may keep the tags of earlier versions; the highest revision is the current one.
        let identifier = identifier(reading)
        return (value["entry"]?.array ?? []).contains { entry in
            let resource = entry["resource"]
            let isSame = resource?["identifier"]?.array?.contains {
                $0["system"]?.string == FHIRCodes.readings && $0["value"]?.string == identifier
            }
            let tags = resource?["meta"]?["tag"]?.array ?? []
            let revisions = tags.filter { $0["system"]?.string == FHIRCodes.revisions }.compactMap { $0["code"]?.string.flatMap(Int.init) }
            return isSame == true && (revisions.max() ?? 0) >= reading.revision
        }
    }

    /// Some servers answer 400 if the patient does not exist. Without this, a misspelled subject would set every reading aside.
    public func diagnosis(_ reading: ReadingLine) -> HTTPRequest? {
        reference(reading).flatMap(question)
    }

    /// `nil` for a subject on another server.
    func question(subject: String) -> HTTPRequest? {
        let url = subject.contains("://") ? subject : "\(base)/\(subject.replacingBar)"
        // Credentials are only sent to the configured server.
        guard url.hasPrefix(base + "/") else { return nil }
        return HTTPRequest(.get, url, headers: Self.headers)
    }

    public func fault(_ reading: ReadingLine, diagnosed answer: HTTPAnswer) -> String? {
        reference(reading).flatMap { fault(subject: $0, diagnosed: answer) }
    }

    func fault(subject: String, diagnosed answer: HTTPAnswer) -> String? {
        let text = "the server does not have the subject `\(subject)`: create it, or correct the address"
        if answer.status == 404 || answer.status == 410 { return text }
        guard answer.isSuccess, subject.contains("?"), let value = JSONValue(parsing: answer.body),
            value["resourceType"]?.string == "Bundle"
        else { return nil }
        let matches = (value["entry"]?.array ?? []).filter { $0["search"]?["mode"]?.string ?? "match" == "match" }.count
        if matches == 0 { return text }
        return matches > 1 ? "the subject `\(subject)` matches several patients on the server: use Patient/ID" : nil
    }
}

extension FHIRDeletion {
    /// Reads a line of type `deleted`.
    init(_ line: ReadingLine) {
        self.init(id: line.id, type: line.formerType, owner: ExchangeReading(line).owner)
        if let instant = line.measured.flatMap(Instant.init) {
            time = ExchangeReading.Time(milliseconds: instant.milliseconds, text: instant.text)
        }
        (mdc, code) = (line["mdc"]?.digits, line["code"]?.string)
        let parts = line["parts"]?.array?.compactMap(\.string) ?? []
        (hasPulse, hasFlags) = (parts.contains("pulse_rate"), parts.contains("flags"))
    }
}

extension String {
    /// `|` separates system and value; in a URL it is %7C.
    fileprivate var replacingBar: String { split(separator: "|", omittingEmptySubsequences: false).joined(separator: "%7C") }
}
