import CuffClinical
import RemoteSink

/// FHIR R4 transactions: what is sent first is created unless it exists, what completes a reading replaces it.
public struct FHIRFormat: DeliveryFormat {
    let base: String
    let subject: FHIRSubject
    /// Claim the profiles of the Personal Health Device guide where a cuff speaks 11073, and name this gateway.
    private let gateway: String?

    /// - Parameter gateway: this computer's name, with `profile=phd`; `nil` with `profile=core`.
    public init(base: String, subject: FHIRSubject, gateway: String?) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.subject = subject
        self.gateway = gateway
    }

    /// As many as make one transaction.
    public var mostReadings: Int { FHIRTransaction.mostReadings }

    static let headers: [HTTPRequest.Header] = [
        .init("Content-Type", "application/fhir+json"), .init("Accept", "application/fhir+json"), .init("Prefer", "return=minimal"),
    ]

    private func reference(_ reading: ReadingLine) -> String? { subject.reference(user: reading.user) }

    // MARK: Refusals

    /// What could not be sent is not there.
    public func isNothing(_ reading: ReadingLine) -> Bool {
        guard reading.isDeletion else { return false }
        let deletion = FHIRDeletion(reading)
        return !deletion.hasObservations || deletion.time == nil || reference(reading) == nil
    }

    public func refusal(_ reading: ReadingLine) -> String? {
        if reading.isDeletion { return nil }
        if let measured = reading.measured, Instant(measured) == nil { return "`\(measured)` is not a time" }
        switch FHIRTransaction.omission(ExchangeReading(reading), subject: subject) {
        case nil: return nil
        case .timeUnknown: return "the time of this reading is not known, and FHIR needs one"
        case .noValue where reading.type == "blood_pressure": return "it has no systolic and diastolic pressure"
        case .noValue where reading.type == "pulse_rate": return "it has no pulse"
        case .noValue, .noUnit: return "it has no value in a unit that has a UCUM code"
        case .failed: return "a measurement that failed is not an Observation"
        case .noSubject(let user?): return "no subject for user slot \(user); add subject.\(user)=… to the address"
        case .noSubject(nil): return "no subject for readings without a user slot; add subject.0=… to the address"
        default: return "`\(reading.type)` has no place in FHIR here"
        }
    }

    // MARK: Bundle

    private func transaction(_ readings: [ReadingLine]) -> FHIRTransaction {
        var transaction = FHIRTransaction(
            subject: subject, gateway: gateway.map { FHIRGateway(name: $0, version: helperVersion) })
        // What has no place was refused before.
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
            let said = Self.outcome(value)
            switch answer.status {
            case 404, 412:
                return .configuration(
                    "HTTP \(answer.status): \(said.isEmpty ? answer.words : said); check the address, and that the server has each subject exactly once"
                )
            default: return .failure(answer, said: said)
            }
        }
        guard let value else {
            return answer.contentType?.lowercased().contains("json") == true
                ? .later("the server's answer is cut off or no JSON")
                : .configuration("HTTP \(answer.status) without JSON: is this the address of a FHIR server?")
        }
        guard value["resourceType"]?.string == "Bundle", value["type"]?.string == "transaction-response" else {
            return .configuration("the server did not answer a transaction: is this the base address of a FHIR server?")
        }
        let statuses = (value["entry"]?.array ?? []).map { $0["response"]?["status"]?.string ?? "" }
        // A transaction is all or nothing. A server that says otherwise has not acknowledged this one.
        if let bad = statuses.firstIndex(where: { !$0.hasPrefix("2") }) {
            let text = "the server answered \(statuses[bad].isEmpty ? "without a status" : statuses[bad]) for a part"
            return statuses[bad].hasPrefix("4") ? .content(text) : .later(text)
        }
        let sent = transaction(readings)
        // What was not sent is not acknowledged.
        guard sent.readings == readings.count, statuses.count == sent.count else {
            return .later("the server answered for \(statuses.count) of \(sent.count) resources")
        }
        return .taken
    }

    /// The server's own words.
    static func outcome(_ value: JSONValue?) -> String {
        guard value?["resourceType"]?.string == "OperationOutcome" else { return "" }
        let texts = (value?["issue"]?.array ?? []).compactMap { issue in
            issue["diagnostics"]?.string ?? issue["details"]?["text"]?.string ?? issue["code"]?.string
        }
        return texts.prefix(3).joined(separator: "; ")
    }

    // MARK: Questions

    /// A conditional update replaces whatever is there, so an older revision that comes late would undo a newer one.
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
        // Servers may keep the tags of earlier versions: the highest counts.
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

    /// Some servers answer 400 where the patient does not exist; then every reading would be set aside for a misspelled subject.
    public func diagnosis(_ reading: ReadingLine) -> HTTPRequest? {
        reference(reading).flatMap(question)
    }

    /// `nil` for a subject elsewhere.
    func question(subject: String) -> HTTPRequest? {
        let url = subject.contains("://") ? subject : "\(base)/\(subject.replacingBar)"
        // Credentials go to the configured server alone.
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
        return matches > 1 ? "the server has several of the subject `\(subject)`: name one by its id" : nil
    }
}

extension FHIRDeletion {
    /// The facts of a line of type `deleted`.
    init(_ line: ReadingLine) {
        self.init(id: line.id, type: line.formerType, user: line.user)
        if let instant = line.measured.flatMap(Instant.init) {
            time = ExchangeReading.Time(milliseconds: instant.milliseconds, text: instant.text)
        }
        (mdc, code) = (line["mdc"]?.digits, line["code"]?.string)
        let parts = line["parts"]?.array?.compactMap(\.string) ?? []
        (hasPulse, hasFlags) = (parts.contains("pulse_rate"), parts.contains("flags"))
    }
}

extension String {
    /// `|` stands in criteria, but in a URL only as %7C.
    fileprivate var replacingBar: String { split(separator: "|", omittingEmptySubsequences: false).joined(separator: "%7C") }
}
