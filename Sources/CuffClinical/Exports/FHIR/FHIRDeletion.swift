import CuffCore

/// A deleted reading that a server may have. Its Observations stay there without values, with the status `entered-in-error`, because
/// others may have used them (FHIR R4, Observation.status).
public struct FHIRDeletion: Sendable, Hashable {
    /// The id of the reading.
    public var id: String
    /// Its former type: `blood_pressure`, `pulse_rate` or `quantity`.
    public var type: String
    /// Whose it was.
    public var owner: Person
    /// When it was measured; `nil` if that is no longer known.
    public var time: ExchangeReading.Time?
    /// Of a quantity: digits of its code in the nomenclature, and its name.
    public var mdc: String?, code: String?
    /// Whether a blood pressure had a pulse, and flags; true if that is no longer known.
    public var hasPulse = true, hasFlags = true
    /// The revision of a reading that only lost these parts.
    private var correction: Int?

    /// By default a blood pressure without further facts.
    public init(
        id: String, type: String = "blood_pressure", owner: Person = .unnamed(slot: nil, cuff: nil), time: ExchangeReading.Time? = nil
    ) {
        self.id = id
        self.type = type
        self.owner = owner
        self.time = time
    }

    /// Everything that a reading of this type may have had, in the revision of the reading.
    init(removedFrom reading: ExchangeReading) {
        self.init(id: reading.id, type: reading.type, owner: reading.owner, time: reading.time)
        correction = reading.revision
    }

    /// The highest revision, so that a late older revision does not replace it.
    public static let revision = 255

    /// Whether servers store readings of this type.
    public var hasObservations: Bool {
        switch type {
        case "blood_pressure", "pulse_rate": true
        case "quantity": mdc != nil
        default: false
        }
    }

    var mainSuffix: String { type == "pulse_rate" ? ":pulse" : "" }

    /// The Observations that replace those on the server; `subject` is the patient.
    func resources(subject: String, _ references: FHIRReferences) -> [FHIRResource] {
        let reason = FHIRCodes.absence("invalid")
        func resource(_ suffix: String, profile: String?, _ code: JSONOutput, _ content: [(String, JSONOutput)]) -> FHIRResource {
            observation(suffix, profile, code, subject, content, references)
        }
        let none: [(String, JSONOutput)] = [("dataAbsentReason", reason)]
        switch type {
        case "blood_pressure":
            let components = [FHIRCodes.systolic, FHIRCodes.diastolic].map { code -> JSONOutput in
                ["code": code, "dataAbsentReason": reason]
            }
            var all = [resource("", profile: "bp", FHIRCodes.panel, [("component", .list(components))])]
            if hasPulse { all.append(resource(":pulse", profile: "heartrate", FHIRCodes.pulse, none)) }
            if hasFlags { all.append(resource(":status", profile: nil, FHIRCodes.status, none)) }
            return all
        case "pulse_rate": return [resource(":pulse", profile: "heartrate", FHIRCodes.pulse, none)]
        case "quantity": return mdc.map { [resource("", profile: nil, FHIRCodes.concept((FHIRCodes.mdc, $0, code)), none)] } ?? []
        default: return []
        }
    }

    private func observation(
        _ suffix: String, _ profile: String?, _ code: JSONOutput, _ subject: String, _ content: [(String, JSONOutput)],
        _ references: FHIRReferences
    ) -> FHIRResource {
        let revision: JSONOutput = ["system": .text(FHIRCodes.revisions), "code": .text("\(correction ?? Self.revision)")]
        // The profiles require a time; an extension may replace it (R4, extension data-absent-reason).
        let unknown: JSONOutput = ["extension": [["url": .text(FHIRCodes.core + "data-absent-reason"), "valueCode": "unknown"]]]
        let members: [(String, JSONOutput?)] = [
            ("meta", ["profile": profile.map { [.text(FHIRCodes.core + $0)] }, "tag": [revision]]),
            ("identifier", FHIRCodes.identifier(FHIRCodes.readings, id + suffix)), ("status", "entered-in-error"),
            ("category", profile == nil ? nil : [FHIRCodes.vitalSigns]), ("code", code), ("subject", ["reference": .text(subject)]),
            time.map { ("effectiveDateTime", .text($0.text)) } ?? ("_effectiveDateTime", unknown),
        ]
        // The panel is still valid. Without this reference, an import would take the part for a reading.
        let panel: JSONOutput? = correction == nil ? nil : [["reference": .text(references.observation(id, mainSuffix))]]
        return FHIRResource(observation: id, suffix, references, members + [("derivedFrom", panel)] + content)
    }
}

extension FHIRTransaction {
    /// Adds a deletion.
    /// - Throws: `ExportOmission.noPlace` or `noSubject`: why it is left out.
    public mutating func append(deleted deletion: FHIRDeletion) throws(ExportOmission) {
        guard deletion.hasObservations else { throw .noPlace(type: deletion.type) }
        guard let patient = subject.patient(of: deletion.owner) else { throw .noSubject(deletion.owner) }
        putAll(deletion.resources(subject: patient, .transaction))
        readings += 1
    }

    /// The suffix of its first Observation's identifier, after the reading's id.
    public static func mainSuffix(_ deletion: FHIRDeletion) -> String { deletion.mainSuffix }
}
