import CuffCore

/// The FHIR R4 Observations of one reading: a panel of pressures, the pulse, and the flags of the cuff.
struct FHIRObservations {
    let reading: ExchangeReading
    let subject: String
    let references: FHIRReferences
    /// This computer; only with the profiles of the PHD guide.
    let gateway: FHIRGateway?
    let isUSCore: Bool

    private static let statusBits = [
        ("body_movement", "8410608.0", "body-movement"), ("cuff_loose", "8410608.1", "cuff-too-loose"),
        ("irregular_pulse", "8410608.2", "irregular-pulse"), ("pulse_over_range", "8410608.3", "pulse-over-range-limit"),
        ("pulse_under_range", "8410608.4", "pulse-under-range-limit"), ("improper_position", "8410608.5", "improper-body-position"),
    ]
    private static let interpretations = [
        ("questionable", "questionable"), ("calibration_ongoing", "calibration-ongoing"), ("early_indication", "early-indication"),
        ("validated", "validated"), ("implausible", "questionable"),
    ]

    /// The suffix of a reading's first Observation's identifier, after the reading's id.
    static func mainSuffix(_ reading: ExchangeReading) -> String { reading.type == "pulse_rate" ? ":pulse" : "" }

    /// In the order of their references. Empty if there is no Observation for the reading.
    var resources: [FHIRResource] {
        switch reading.type {
        case "blood_pressure": [panel, pulse, status].compactMap { $0 }
        case "pulse_rate": [pulse].compactMap { $0 }
        case "quantity": [quantity].compactMap { $0 }
        default: []
        }
    }

    /// Why there is no Observation for the reading; `nil` if there is one.
    static func omission(_ reading: ExchangeReading) -> ExportOmission? {
        guard reading.time != nil else { return .timeUnknown }
        switch reading.type {
        case "blood_pressure": return reading.pressures.systolic.mmHg != nil && reading.pressures.diastolic.mmHg != nil ? nil : .noValue
        case "pulse_rate": return reading.pulse != nil ? nil : .noValue
        case "quantity":
            if reading.quantity.mdc == nil || reading.quantity.value == nil && reading.quantity.absence == nil { return .noValue }
            return reading.quantity.value == nil || reading.quantity.unit.flatMap(FHIRCodes.unit) != nil
                || reading.quantity.absence != nil
                ? nil : .noUnit
        case "measurement": return .failed
        default: return .noPlace(type: reading.type)
        }
    }

    // MARK: Resources

    private var panel: FHIRResource? {
        let parts = [
            (reading.pressures.systolic, FHIRCodes.systolic), (reading.pressures.diastolic, FHIRCodes.diastolic),
            (reading.pressures.mean, FHIRCodes.mean),
        ]
        let components = parts.compactMap { value, code -> JSONOutput? in
            if let digits = value.mmHg {
                if let reason = distrusted { return ["code": code, "dataAbsentReason": reason] }
                return ["code": code, "valueQuantity": pressure(digits, kPa: value.kPa)]
            }
            guard let word = value.absence else { return nil }
            return ["code": code, "dataAbsentReason": FHIRCodes.absence(word)]
        }
        return observation(
            "", profiles: [FHIRCodes.core + "bp"] + usCore("us-core-blood-pressure"), phd: "PhdCompoundNumericObservation",
            code: FHIRCodes.panel,
            [
                ("interpretation", interpretation), ("note", note), ("bodySite", bodySite), ("component", .list(components)),
            ])
    }

    private var pulse: FHIRResource? {
        guard let digits = reading.pulse else { return nil }
        let isAlone = reading.type != "blood_pressure"
        return observation(
            ":pulse", profiles: [FHIRCodes.core + "heartrate"] + usCore("us-core-heart-rate"), phd: "PhdNumericObservation",
            code: FHIRCodes.pulse,
            value(digits, unit: "beats/minute", code: "/min")
                + (isAlone ? [("interpretation", interpretation), ("note", note)] : [("derivedFrom", ofPanel)]))
    }

    private var status: FHIRResource? {
        let flags = reading.flags
        let components = Self.statusBits.filter { flags.contains($0.0) }.map { _, code, display -> JSONOutput in
            ["code": FHIRCodes.concept((FHIRCodes.terminology + "ASN1ToHL7", code, display)), "valueBoolean": .bool(true)]
        }
        guard !components.isEmpty else { return nil }
        return observation(
            ":status", profiles: [], phd: "PhdBitsEnumerationObservation", isVital: false, code: FHIRCodes.status,
            [("derivedFrom", ofPanel), ("component", .list(components))])
    }

    private var quantity: FHIRResource? {
        guard let mdc = reading.quantity.mdc else { return nil }
        let content: [(String, JSONOutput?)]
        if let digits = reading.quantity.value, let unit = reading.quantity.unit, let code = FHIRCodes.unit(unit) {
            content = value(digits, unit: unit, code: code)
        } else if let word = reading.quantity.absence {
            content = [("dataAbsentReason", FHIRCodes.absence(word))]
        } else {
            return nil
        }
        return observation(
            "", profiles: [], phd: "PhdNumericObservation", isVital: false,
            code: FHIRCodes.concept((FHIRCodes.mdc, mdc, reading.quantity.code)),
            content + [("interpretation", interpretation), ("note", note)])
    }

    // MARK: Parts

    /// Its subject is a Patient; everything else that the profiles require is in every Observation of these kinds.
    private func usCore(_ name: String) -> [String] { isUSCore && subject.hasPrefix("Patient") ? [FHIRCodes.usCore + name] : [] }

    private func observation(
        _ suffix: String, profiles: [String], phd: String, isVital: Bool = true, code: JSONOutput, _ content: [(String, JSONOutput?)]
    ) -> FHIRResource? {
        guard let time = reading.time else { return nil }
        let profiles = profiles + (gateway == nil ? [] : [FHIRCodes.phd + phd])
        let flags = reading.flags
        let isTest = flags.contains("test_data") || flags.contains("demo_data")
        let isFirst = reading.revision == 0
        let meta: JSONOutput = [
            "profile": profiles.isEmpty ? nil : .list(profiles.map { .text($0) }),
            "security": isTest ? [["system": .text(FHIRCodes.terminology + "v3-ActReason"), "code": "HTEST"]] : nil,
            "tag": isFirst ? nil : [["system": .text(FHIRCodes.revisions), "code": .text("\(reading.revision)")]],
        ]
        var categories = isVital ? [FHIRCodes.vitalSigns] : []
        if gateway != nil {
            categories.append(FHIRCodes.concept(("http://hl7.org/fhir/uv/phd/CodeSystem/PhdObservationCategories", "phd", nil)))
        }
        let extensions = extensions + (suffix == Self.mainSuffix(reading) ? [bodyPosition].compactMap { $0 } : [])
        let head: [(String, JSONOutput?)] = [
            ("meta", profiles.isEmpty && !isTest && isFirst ? nil : meta), ("extension", extensions.isEmpty ? nil : .list(extensions)),
            ("identifier", FHIRCodes.identifier(FHIRCodes.readings, reading.id + suffix)), ("status", .text(state)),
            ("category", categories.isEmpty ? nil : .list(categories)),
            ("code", code), ("subject", ["reference": .text(subject)]), ("effectiveDateTime", .text(time.text)),
            // The person who typed a value in is its performer.
            ("performer", reading.isEntered ? [["reference": .text(subject)]] : nil),
            ("device", reading.device.map { ["reference": .text(references.cuff($0))] }),
        ]
        return FHIRResource(observation: reading.id, suffix, references, head + content)
    }

    /// R4, ObservationStatus: "corrected" if a person changed a value, "amended" if something was added after it was final. A reading that the
    /// cuff completed was not final before.
    private var state: String {
        if reading.isPending || reading.flags.contains("early_indication") { return "preliminary" }
        guard reading.revision > 0 else { return "final" }
        return reading.remarks != nil || reading.hasMetadata ? "amended" : reading.isEntered ? "corrected" : "final"
    }

    /// The posture the person stated. SNOMED CT, as in FHIR's own and national profiles; postures without a code are text.
    private var bodyPosition: JSONOutput? {
        guard let posture = reading.remarks?[.posture] else { return nil }
        let codes = [
            "sitting": ("33586001", "Sitting position"), "standing": ("10904000", "Orthostatic body position"),
            "lying down": ("102538003", "Recumbent body position"),
        ]
        let coding = codes[posture].map { code, display -> JSONOutput in
            [["system": "http://snomed.info/sct", "code": .text(code), "display": .text(display)]]
        }
        return [
            "url": .text(FHIRCodes.core + "observation-bodyPosition"),
            "valueCodeableConcept": ["coding": coding, "text": .text(posture)],
        ]
    }

    /// What decoded it, else the computer that sent it; and the check of the cuff's clock.
    private var extensions: [JSONOutput] {
        var all: [JSONOutput] = []
        let url = FHIRCodes.core + "observation-gatewayDevice"
        if let decoder = reading.decoder {
            all.append(Self.link(url, references.program(FHIRDevices.programName(decoder, on: gateway)), display: decoder))
        } else if let gateway {
            all.append(Self.link(url, references.gateway(gateway.name)))
        }
        if gateway != nil, let name = FHIRClock.name(reading) {
            all.append(Self.link(FHIRCodes.phd + "CoincidentTimeStampReference", references.clock(name)))
        }
        return all
    }

    private static func link(_ url: String, _ reference: String, display: String? = nil) -> JSONOutput {
        ["url": .text(url), "valueReference": ["reference": .text(reference), "display": display.map { .text($0) }]]
    }

    /// The vital-signs profile allows only mm[Hg]; the value of a kPa cuff is added as a translation.
    private func pressure(_ digits: String, kPa: String?) -> JSONOutput {
        [
            "value": .number(digits), "unit": "mmHg", "system": .text(FHIRCodes.ucum), "code": "mm[Hg]",
            "extension": kPa.map {
                [
                    [
                        "url": .text(FHIRCodes.core + "iso21090-PQ-translation"),
                        "valueQuantity": ["value": .number($0), "unit": "kPa", "system": .text(FHIRCodes.ucum), "code": "kPa"],
                    ]
                ]
            },
        ]
    }

    private func value(_ digits: String, unit: String, code: String) -> [(String, JSONOutput?)] {
        if let reason = distrusted { return [("dataAbsentReason", reason)] }
        return [
            ("valueQuantity", ["value": .number(digits), "unit": .text(unit), "system": .text(FHIRCodes.ucum), "code": .text(code)])
        ]
    }

    /// Set if the cuff calls its value invalid, or if the value is implausible.
    private var distrusted: JSONOutput? {
        let flags = reading.flags
        if flags.contains("implausible") { return FHIRCodes.absence("invalid") }
        return ["invalid", "not_available", "ongoing"].first { flags.contains($0) }.map(FHIRCodes.absence)
    }

    private var ofPanel: JSONOutput { [["reference": .text(references.observation(reading.id, ""))]] }

    private var interpretation: JSONOutput? {
        let flags = reading.flags
        let words = Self.interpretations.filter { flags.contains($0.0) }.map(\.1)
        let codes = words.enumerated().filter { words.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        guard !codes.isEmpty else { return nil }
        return .list(codes.map { FHIRCodes.concept(("http://hl7.org/fhir/uv/pocd/CodeSystem/measurement-status", $0, nil)) })
    }

    /// Flags without a standard code, and remarks; arm and posture have their own elements.
    private var note: JSONOutput? {
        let notes = FHIRNote.all(of: reading)
        return notes.isEmpty ? nil : .list(notes.map { ["text": .text($0.text)] })
    }

    /// SNOMED CT: 368208006 left upper arm, 368209003 right upper arm. Only a person says it, never a cuff.
    private var bodySite: JSONOutput? {
        switch reading.remarks?[.arm] {
        case "left": FHIRCodes.concept(("http://snomed.info/sct", "368208006", "Left upper arm structure"))
        case "right": FHIRCodes.concept(("http://snomed.info/sct", "368209003", "Right upper arm structure"))
        default: nil
        }
    }
}
