import CuffCore

/// A reading that a server has and that is deleted here. Its Observations stay there without values, with the status `entered-in-error`:
/// others may have used them (FHIR R4, Observation.status).
public struct FHIRDeletion: Sendable, Hashable {
    /// The id of the reading.
    public var id: String
    /// The type that it had: `blood_pressure`, `pulse_rate` or `quantity`.
    public var type: String
    /// The user slot; `nil` for readings without one.
    public var user: Int?
    /// When it was measured; `nil` where that is known no more.
    public var time: ExchangeReading.Time?
    /// Of a quantity: digits of its code in the nomenclature, and its name.
    public var mdc: String?, code: String?
    /// A blood pressure had a pulse, and flags; where that is known no more, as if it had.
    public var hasPulse = true, hasFlags = true

    /// A blood pressure of which nothing else is known.
    public init(id: String, type: String = "blood_pressure", user: Int? = nil, time: ExchangeReading.Time? = nil) {
        self.id = id
        self.type = type
        self.user = user
        self.time = time
    }

    /// The highest revision there is, so that nothing which comes late replaces it.
    public static let revision = 255

    /// What a server keeps of such readings is nothing where this is `false`.
    public var hasObservations: Bool {
        switch type {
        case "blood_pressure", "pulse_rate": true
        case "quantity": mdc != nil
        default: false
        }
    }

    /// What the identifier of the first Observation ends in.
    var mainSuffix: String { type == "pulse_rate" ? ":pulse" : "" }

    /// The Observations as they are to stand on the server; `subject` is the patient.
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
        // The profiles ask for a time, which an extension may stand for (R4, extension data-absent-reason).
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
    /// Adds that a reading is deleted. Throws why it has no place; nothing is added then.
    public mutating func append(deleted deletion: FHIRDeletion) throws(ExportOmission) {
        guard deletion.hasObservations else { throw .noPlace(type: deletion.type) }
        guard let patient = subject.reference(user: deletion.user) else { throw .noSubject(user: deletion.user) }
        replace(with: deletion.resources(subject: patient, .transaction))
    }

    /// What the identifier of the first of its Observations ends in, after the reading's id.
    public static func mainSuffix(_ deletion: FHIRDeletion) -> String { deletion.mainSuffix }
}
