import CuffCore

extension Exporter {
    /// FHIR R4 transactions, one on a line.
    public static let fhir = Exporter(
        "fhir", help: "FHIR R4 transactions for a clinic's server, one on a line, of up to \(FHIRTransaction.mostReadings) readings each.",
        options: [.subject, .profile, .gateway], writesInstants: true
    ) { (choices, context) throws(ExportFault) in
        let transaction = FHIRTransaction(subject: try .chosen(choices, for: "fhir"), profile: try .chosen(choices, context))
        return FHIRWriter(
            transaction: transaction, zone: context.zone, isPartial: context.isPartial, withdrawn: context.withdrawn)
    }

    /// FHIR R4 resources, one on a line, as servers import and export them in bulk.
    public static let fhirNDJSON = Exporter(
        "fhir-ndjson", help: "FHIR R4 resources, one on a line, as servers load them in bulk; one type of resource in one file.",
        options: [.subject, .profile, .gateway, .resource], writesInstants: true
    ) { (choices, context) throws(ExportFault) in
        let subject = try Patients.chosen(choices, for: "fhir-ndjson")
        if let search = subject.search { throw .conditionalReference(search) }
        return FHIRBulkWriter(
            subject: subject, profile: try .chosen(choices, context), resource: try choices.word(.resource), zone: context.zone)
    }
}

extension ExportOption {
    static let subject = ExportOption(
        "subject", value: "person=reference",
        help:
            "The patient of a person, e.g. Anna=Patient/p1; 1=… for user slot 1 without a name, kitchen:1=… for that of one cuff, 0=… for readings without a user; Patient/p1 alone for everybody."
    )
    static let profile = ExportOption(
        "profile", value: "profile", words: ["core", "us-core", "phd"],
        help: "core, us-core (also claims the profiles of US Core), or phd (IEEE 11073 cuffs: of HL7's Personal Health Device guide).")
    static let gateway = ExportOption(
        "gateway", value: "name", help: "This computer's name in resources of profile phd (default: its host name).")
    static let resource = ExportOption(
        "resource", value: "type", words: ["Observation", "Device"], help: "Observation, or Device: the cuffs that the Observations name.")
}

extension Patients {
    static func chosen(_ choices: ExportChoices, for exporter: String) throws(ExportFault) -> Patients {
        guard let subject = try Patients(choices.all(.subject)) else { throw .missing(option: "subject", exporter: exporter) }
        return subject
    }
}

extension FHIRProfile {
    static func chosen(_ choices: ExportChoices, _ context: ExportContext) throws(ExportFault) -> FHIRProfile {
        let name = try choices.one(.gateway) ?? context.host
        switch try choices.word(.profile) {
        case "phd":
            guard !name.isEmpty else { throw .missing(option: "gateway", exporter: "fhir") }
            return .phd(FHIRGateway(name: name, version: context.source.version ?? ""))
        case "us-core": return .usCore
        default: return .core
        }
    }
}

/// Whole transactions, one a line, so that a shell can send them one by one.
struct FHIRWriter: ExportWriter {
    var transaction: FHIRTransaction
    let zone: ZoneTable
    let isPartial: Bool
    let withdrawn: Set<Reading.ID>

    mutating func append(
        _ reading: Reading, from provenance: Provenance, parts: ExportParts, to text: inout TextBuffer
    ) throws(ExportOmission) {
        guard parts.contains(.values) else { return }
        guard !reading.isPending else { throw .incomplete }
        try transaction.append(
            ExchangeReading(reading, from: provenance, zone: zone), identity: provenance.identity,
            replaces: withdrawn.contains(reading.id))
        if transaction.readings == FHIRTransaction.mostReadings { flush(to: &text) }
    }

    func indistinct(among persons: Persons) -> Persons { transaction.subject.indistinct(among: persons) }

    /// Only the id of a deleted reading is known: that is enough if there is one patient for all readings. In a partial
    /// export the patient is one for the selected readings only.
    mutating func append(deleted id: Reading.ID, to text: inout TextBuffer) -> Bool {
        guard case .everybody = transaction.subject, !isPartial else { return false }
        guard (try? transaction.append(deleted: FHIRDeletion(id: id.description))) != nil else { return false }
        if transaction.readings == FHIRTransaction.mostReadings { flush(to: &text) }
        return true
    }

    mutating func end(to text: inout TextBuffer) { flush(to: &text) }

    private mutating func flush(to text: inout TextBuffer) {
        guard transaction.readings > 0 else { return }
        transaction.json.append(to: &text)
        text.append(0x0A)
        transaction = FHIRTransaction(subject: transaction.subject, profile: transaction.profile)
    }
}

/// Resources of one type, one a line, each once.
struct FHIRBulkWriter: ExportWriter {
    let subject: Patients
    let profile: FHIRProfile
    let resource: String
    let zone: ZoneTable
    /// The cuffs written so far; of clocks only the latest, because readings are in the order of time.
    var devices: Set<String> = []
    var clock = ""
    func indistinct(among persons: Persons) -> Persons { subject.indistinct(among: persons) }

    mutating func append(
        _ reading: Reading, from provenance: Provenance, parts: ExportParts, to text: inout TextBuffer
    ) throws(ExportOmission) {
        guard parts.contains(.values) else { return }
        guard !reading.isPending else { throw .incomplete }
        let all = try FHIRResources(
            ExchangeReading(reading, from: provenance, zone: zone), identity: provenance.identity, subject: subject, profile: profile,
            references: .bulk)
        for one in all.shared where one.type == resource && isNew(one) { append(one, to: &text) }
        for one in all.own where one.type == resource { append(one, to: &text) }
    }

    private mutating func isNew(_ shared: FHIRResource) -> Bool {
        if shared.type == "Device" { return devices.insert(shared.reference).inserted }
        defer { clock = shared.reference }
        return shared.reference != clock
    }

    private func append(_ resource: FHIRResource, to text: inout TextBuffer) {
        resource.withID.append(to: &text)
        text.append(0x0A)
    }
}
