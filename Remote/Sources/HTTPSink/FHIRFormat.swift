import RemoteSink

/// FHIR R4 transactions: what is sent first is created unless it exists, what completes a reading replaces it.
public struct FHIRFormat: DeliveryFormat {
    /// Whose readings they are. Never guessed: a reading of a user slot that is not named is not sent.
    public enum Subject: Sendable, Equatable {
        case everybody(String)
        /// By user slot; 0 for readings without one.
        case slots([Int: String])
    }

    private let base: String
    private let subject: Subject
    /// Claim the profiles of the Personal Health Device guide where a cuff speaks 11073, and name this gateway.
    private let gateway: String?

    /// - Parameter gateway: this computer's name, with `profile=phd`; `nil` with `profile=core`.
    public init(base: String, subject: Subject, gateway: String?) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.subject = subject
        self.gateway = gateway
    }

    /// 50 readings are some 200 resources; servers limit the time of a transaction.
    public var mostReadings: Int { 50 }

    private static let headers: [HTTPRequest.Header] = [
        .init("Content-Type", "application/fhir+json"), .init("Accept", "application/fhir+json"), .init("Prefer", "return=minimal"),
    ]

    private func reference(_ reading: ReadingLine) -> String? {
        switch subject {
        case .everybody(let reference): reference
        case .slots(let references): references[reading.user ?? 0]
        }
    }

    // MARK: Refusals

    public func refusal(_ reading: ReadingLine) -> String? {
        guard let measured = reading.measured else { return "the time of this reading is not known, and FHIR needs one" }
        guard Instant(measured) != nil else { return "`\(measured)` is not a time" }
        switch reading.type {
        case "blood_pressure":
            guard reading["systolic_mmHg"]?.digits != nil, reading["diastolic_mmHg"]?.digits != nil else {
                return "it has no systolic and diastolic pressure"
            }
        case "pulse_rate": guard reading["pulse_per_min"]?.digits != nil else { return "it has no pulse" }
        case "quantity":
            if FHIRReading(reading: reading, subject: "", device: nil, gateway: nil).resources.isEmpty {
                return "it has no value in a unit that has a UCUM code"
            }
        case "measurement": return "a measurement that failed is not an Observation"
        default: return "`\(reading.type)` has no place in FHIR here"
        }
        guard reference(reading) == nil else { return nil }
        guard let user = reading.user else { return "no subject for readings without a user slot; add subject.0=… to the address" }
        return "no subject for user slot \(user); add subject.\(user)=… to the address"
    }

    // MARK: Bundle

    public func request(_ readings: [ReadingLine]) -> HTTPRequest {
        var entries: [JSONOutput] = []
        var named: Set<String> = []
        func add(_ name: String?, _ make: () -> JSONOutput) {
            if let name, named.insert(name).inserted { entries.append(make()) }
        }
        for reading in readings {
            guard let subject = reference(reading) else { continue }
            let cuff = reading.device.map { "urn:uuid:" + NameUUID.string("device/" + $0, in: FHIRCodes.space) }
            add(cuff) { Self.device(reading.device ?? "", driver: reading.driver, name: cuff ?? "") }
            let isPHD = gateway != nil && reading.driver == "phd"
            let host = isPHD ? gateway.map { "urn:uuid:" + NameUUID.string("gateway/" + $0, in: FHIRCodes.space) } : nil
            add(host) { Self.gateway(gateway ?? "", name: host ?? "") }
            for resource in FHIRReading(reading: reading, subject: subject, device: cuff, gateway: host).resources {
                let name = FHIRReading.name(reading, resource.suffix)
                let criterion = FHIRCodes.criterion(system: FHIRCodes.readings, value: reading.id + resource.suffix)
                // A conditional create that finds a match changes nothing, so what completes a reading must replace.
                let request: JSONOutput =
                    reading.revision > 0
                    ? ["method": "PUT", "url": .text("Observation?" + criterion)]
                    : ["method": "POST", "url": "Observation", "ifNoneExist": .text(criterion)]
                entries.append(["fullUrl": .text(name), "resource": resource.body, "request": request])
            }
        }
        let bundle: JSONOutput = ["resourceType": "Bundle", "type": "transaction", "entry": .list(entries)]
        return HTTPRequest(.post, base, headers: Self.headers, body: bundle.string)
    }

    private static func device(_ device: String, driver: String, name: String) -> JSONOutput {
        let isEUI = device.utf8.count == 16 && device.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
        let system = isEUI ? "urn:oid:1.2.840.10004.1.1.1.0.0.1.0.0.1.2680" : FHIRCodes.devices
        let value = isEUI ? dashed(device) : device
        let resource: JSONOutput = [
            "resourceType": "Device",
            "identifier": [
                [
                    "type": isEUI ? FHIRCodes.concept((FHIRCodes.terminology + "ContinuaDeviceIdentifiers", "SYSID", nil)) : nil,
                    "system": .text(system), "value": .text(value),
                ]
            ],
            "deviceName": [["name": .text("cuff driver " + driver), "type": "other"]],
            "type": FHIRCodes.concept((FHIRCodes.mdc, "65573", "MDC_MOC_VMS_MDS_SIMP")),
        ]
        return entry(name, resource, FHIRCodes.criterion(system: system, value: value))
    }

    /// `00091ffffe000101` as the guide writes it: `00-09-1F-FF-FE-00-01-01`.
    private static func dashed(_ text: String) -> String {
        var result = ""
        for (index, character) in text.uppercased().enumerated() { result += (index > 0 && index % 2 == 0 ? "-" : "") + String(character) }
        return result
    }

    private static func gateway(_ host: String, name: String) -> JSONOutput {
        let resource: JSONOutput = [
            "resourceType": "Device", "meta": ["profile": [.text(FHIRCodes.phd + "PhgDevice")]],
            "identifier": [["system": .text(FHIRCodes.gateways), "value": .text(host)]],
            "manufacturer": "cuff", "modelNumber": "cuff",
            "version": [["type": FHIRCodes.concept((FHIRCodes.mdc, "531975", "MDC_ID_PROD_SPEC_SW")), "value": .text(helperVersion)]],
            "type": FHIRCodes.concept((FHIRCodes.mdc, "531981", "MDC_MOC_VMS_MDS_AHD")),
        ]
        return entry(name, resource, FHIRCodes.criterion(system: FHIRCodes.gateways, value: host))
    }

    private static func entry(_ name: String, _ resource: JSONOutput, _ criterion: String) -> JSONOutput {
        [
            "fullUrl": .text(name), "resource": resource,
            "request": ["method": "POST", "url": "Device", "ifNoneExist": .text(criterion)],
        ]
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
        guard statuses.count == entryCount(readings) else {
            return .later("the server answered for \(statuses.count) of \(entryCount(readings)) resources")
        }
        return .taken
    }

    private func entryCount(_ readings: [ReadingLine]) -> Int {
        let observations = readings.reduce(0) {
            $0 + FHIRReading(reading: $1, subject: "", device: nil, gateway: nil).resources.count
        }
        let hasGateway = gateway != nil && readings.contains { $0.driver == "phd" }
        return observations + Set(readings.compactMap(\.device)).count + (hasGateway ? 1 : 0)
    }

    /// The server's own words.
    private static func outcome(_ value: JSONValue?) -> String {
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
        let criterion = FHIRCodes.criterion(system: FHIRCodes.readings, value: reading.id + mainSuffix(reading))
        return HTTPRequest(.get, "\(base)/Observation?\(criterion.replacingBar)", headers: Self.headers)
    }

    private func mainSuffix(_ reading: ReadingLine) -> String { reading.type == "pulse_rate" ? ":pulse" : "" }

    public func isSuperseded(_ reading: ReadingLine, by answer: HTTPAnswer) -> Bool {
        guard answer.isSuccess, let value = JSONValue(parsing: answer.body), value["resourceType"]?.string == "Bundle" else { return false }
        // Servers may keep the tags of earlier versions: the highest counts.
        let identifier = reading.id + mainSuffix(reading)
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
        guard let subject = reference(reading) else { return nil }
        let url = subject.contains("://") ? subject : "\(base)/\(subject.replacingBar)"
        // Credentials go to the configured server alone.
        guard url.hasPrefix(base + "/") else { return nil }
        return HTTPRequest(.get, url, headers: Self.headers)
    }

    public func fault(_ reading: ReadingLine, diagnosed answer: HTTPAnswer) -> String? {
        guard let subject = reference(reading) else { return nil }
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

extension String {
    /// `|` stands in criteria, but in a URL only as %7C.
    fileprivate var replacingBar: String { split(separator: "|", omittingEmptySubsequences: false).joined(separator: "%7C") }
}
