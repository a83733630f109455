import CuffCore

/// Code systems and names of FHIR resources.
public enum FHIRCodes {
    static let mdc = "urn:iso:std:iso:11073:10101"
    static let loinc = "http://loinc.org"
    static let ucum = "http://unitsofmeasure.org"
    static let terminology = "http://terminology.hl7.org/CodeSystem/"
    static let core = "http://hl7.org/fhir/StructureDefinition/"
    static let phd = "http://hl7.org/fhir/uv/phd/StructureDefinition/"
    static let usCore = "http://hl7.org/fhir/us/core/StructureDefinition/"

    // Version-5 UUIDs of `reading`, `device`, `gateway`, `revision` in the space below, as integers (ITU-T X.667). They never
    // change: servers recognise known resources by them.
    /// The system of the identifiers of readings.
    public static let readings = "urn:oid:2.25.4363971277016525869136357347803134537"
    static let devices = "urn:oid:2.25.167225090479348985890802536612231058248"
    static let gateways = "urn:oid:2.25.56878113395054014927339309362861091977"
    /// The system of the tags that hold the revision of a reading.
    public static let revisions = "urn:oid:2.25.20089031061160294151606159980085455137"
    /// b754abc2-3c83-49ad-9746-3bda509bb012
    static let space: [UInt8] = [
        0xB7, 0x54, 0xAB, 0xC2, 0x3C, 0x83, 0x49, 0xAD, 0x97, 0x46, 0x3B, 0xDA, 0x50, 0x9B, 0xB0, 0x12,
    ]

    static func concept(_ codings: (system: String, code: String, display: String?)...) -> JSONOutput {
        [
            "coding": .list(
                codings.map { ["system": .text($0.system), "code": .text($0.code), "display": $0.display.map { .text($0) }] })
        ]
    }

    static func identifier(_ system: String, _ value: String) -> JSONOutput { [["system": .text(system), "value": .text(value)]] }

    static let panel = concept(
        (mdc, "150020", "MDC_PRESS_BLD_NONINV"), (loinc, "85354-9", "Blood pressure panel with all children optional"))
    static let systolic = concept((mdc, "150021", "MDC_PRESS_BLD_NONINV_SYS"), (loinc, "8480-6", nil))
    static let diastolic = concept((mdc, "150022", "MDC_PRESS_BLD_NONINV_DIA"), (loinc, "8462-4", nil))
    static let mean = concept((mdc, "150023", "MDC_PRESS_BLD_NONINV_MEAN"), (loinc, "8478-0", nil))
    static let pulse = concept((mdc, "149546", "MDC_PULS_RATE_NON_INV"), (loinc, "8867-4", "Heart rate"))
    static let status = concept((mdc, "8410608", "MDC_BLOOD_PRESSURE_MEASUREMENT_STATUS"))
    static let vitalSigns = concept((terminology + "observation-category", "vital-signs", nil))

    /// Words of `mean_absent` and `value_absent` as data-absent-reason.
    static func absence(_ word: String) -> JSONOutput {
        concept((terminology + "data-absent-reason", absences[word] ?? "unknown", nil))
    }

    private static let absences = [
        "not_a_number": "not-a-number", "positive_infinity": "positive-infinity", "negative_infinity": "negative-infinity",
        "not_measured": "not-performed", "not_at_this_resolution": "error", "reserved_value": "error", "invalid": "error",
    ]

    /// The UCUM code of a unit as `cuff` prints it; `nil` if it has none.
    static func unit(_ printed: String) -> String? { Nomenclature.unitTerm(printed).flatMap(Nomenclature.ucum)?.description }

    /// A search criterion is a query string: an unescaped `+` would be read as a blank and match nothing, and every retry would create
    /// another resource.
    public static func criterion(system: String, value: String) -> String { "identifier=\(escaped(system))|\(escaped(value))" }

    /// Ids of resources are `[A-Za-z0-9\-.]{1,64}` (R4, `id`); any other name becomes a UUID.
    static func resourceID(_ name: String) -> String {
        let isID = 1...64 ~= name.utf8.count && name.utf8.allSatisfy { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E }
        return isID ? name : NameUUID.string(name, in: space)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte }

    /// Percent-encoded, except ASCII letters, digits and `kept`.
    public static func escaped(_ text: String, keeping kept: String = "-._:") -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: result.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where kept.utf8.contains(byte): result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
