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

    /// By default a blood pressure without further facts.
    public init(
        id: String, type: String = "blood_pressure", owner: Person = .unnamed(slot: nil, cuff: nil), time: ExchangeReading.Time? = nil
    ) {
        self.id = id
        self.type = type
        self.owner = owner
        self.time = time
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
        let pulse = (FHIRCodes.mdc, "149546", "MDC_PULS_RATE_NON_INV")
        func resource(_ suffix: String, profile: String?, _ code: JSONOutput, _ content: [(String, JSONOutput)]) -> FHIRResource {
            observation(suffix, profile, code, subject, content, references)
        }
        let none: [(String, JSONOutput)] = [("dataAbsentReason", FHIRCodes.absence("invalid"))]
        let pulseCode = FHIRCodes.concept(pulse, (FHIRCodes.loinc, "8867-4", "Heart rate"))
        switch type {
        case "blood_pressure":
            let components = [("150021", "MDC_PRESS_BLD_NONINV_SYS", "8480-6"), ("150022", "MDC_PRESS_BLD_NONINV_DIA", "8462-4")].map {
                (mdc, name, loinc) -> JSONOutput in
                [
                    "code": FHIRCodes.concept((FHIRCodes.mdc, mdc, name), (FHIRCodes.loinc, loinc, nil)),
                    "dataAbsentReason": FHIRCodes.absence("invalid"),
                ]
            }
            let panel = FHIRCodes.concept(
                (FHIRCodes.mdc, "150020", "MDC_PRESS_BLD_NONINV"),
                (FHIRCodes.loinc, "85354-9", "Blood pressure panel with all children optional"))
            var all = [resource("", profile: "bp", panel, [("component", .list(components))])]
            if hasPulse { all.append(resource(":pulse", profile: "heartrate", pulseCode, none)) }
            if hasFlags {
                let status = FHIRCodes.concept((FHIRCodes.mdc, "8410608", "MDC_BLOOD_PRESSURE_MEASUREMENT_STATUS"))
                all.append(resource(":status", profile: nil, status, none))
            }
            return all
        case "pulse_rate": return [resource(":pulse", profile: "heartrate", pulseCode, none)]
        case "quantity": return mdc.map { [resource("", profile: nil, FHIRCodes.concept((FHIRCodes.mdc, $0, code)), none)] } ?? []
        default: return []
        }
    }

    private func observation(
        _ suffix: String, _ profile: String?, _ code: JSONOutput, _ subject: String, _ content: [(String, JSONOutput)],
        _ references: FHIRReferences
    ) -> FHIRResource {
        let revision: JSONOutput = ["system": .text(FHIRCodes.revisions), "code": .text("\(Self.revision)")]
        let category = FHIRCodes.concept((FHIRCodes.terminology + "observation-category", "vital-signs", nil))
        // The profiles require a time; an extension may replace it (R4, extension data-absent-reason).
        let unknown: JSONOutput = ["extension": [["url": .text(FHIRCodes.core + "data-absent-reason"), "valueCode": "unknown"]]]
        var members: [(String, JSONOutput)] = [
            ("meta", ["profile": profile.map { [.text(FHIRCodes.core + $0)] }, "tag": [revision]]),
            ("identifier", [["system": .text(FHIRCodes.readings), "value": .text(id + suffix)]]),
            ("status", "entered-in-error"),
        ]
        if profile != nil { members.append(("category", [category])) }
        members.append(("code", code))
        members.append(("subject", ["reference": .text(subject)]))
        members.append(time.map { ("effectiveDateTime", .text($0.text)) } ?? ("_effectiveDateTime", unknown))
        return FHIRResource(
            reference: references.observation(id, suffix), id: FHIRReferences.bulkID(id, suffix),
            criterion: FHIRCodes.criterion(system: FHIRCodes.readings, value: id + suffix), type: "Observation", members: members + content)
    }
}

extension FHIRTransaction {
    /// Adds a deletion.
    /// - Throws: `ExportOmission.noPlace` or `noSubject`: why it is left out.
    public mutating func append(deleted deletion: FHIRDeletion) throws(ExportOmission) {
        guard deletion.hasObservations else { throw .noPlace(type: deletion.type) }
        guard let patient = subject.patient(of: deletion.owner) else { throw .noSubject(deletion.owner) }
        replace(with: deletion.resources(subject: patient, .transaction))
    }

    /// The suffix of its first Observation's identifier, after the reading's id.
    public static func mainSuffix(_ deletion: FHIRDeletion) -> String { deletion.mainSuffix }
}
