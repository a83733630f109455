import CuffCore

extension Exporter {
    /// Open mHealth bodies in the envelope of IEEE 1752.1.
    public static let omh = Exporter(
        "omh", help: "Open mHealth data points (blood-pressure 4.0, heart-rate 2.0) with the header of IEEE 1752.1, one on a line.",
        options: [.arm, .posture], writesInstants: true
    ) { (choices, context) throws(ExportFault) in
        let arm = try choices.one(.arm)
        return OMHWriter(zone: context.zone, location: arm.map { $0 + " upper arm" }, posture: try choices.one(.posture))
    }
}

extension ExportOption {
    /// No cuff says where it sits.
    static let arm = ExportOption(
        "arm", value: "side", words: ["left", "right"],
        help: "left or right: the upper arm, for readings without a noted arm (`cuff note`). Default: not exported.")
    /// The words of IEEE 1752.1.
    static let posture = ExportOption(
        "posture", value: "posture", words: ["sitting", "lying down", "standing", "semi-recumbent"],
        help: "sitting, lying down, standing or semi-recumbent: the posture, for readings without a noted one. Default: not exported.")
}

/// Data points: a header and a body each. A data point cannot name its person, nor say that its value is doubtful.
struct OMHWriter: ExportWriter {
    /// UUID version 5 of `omh` in the space of `FHIRCodes`: 5f364c42-6c55-5428-a591-1092ccab332a. It never changes: receivers recognise known data points by it.
    static let space: [UInt8] = [
        0x5F, 0x36, 0x4C, 0x42, 0x6C, 0x55, 0x54, 0x28, 0xA5, 0x91, 0x10, 0x92, 0xCC, 0xAB, 0x33, 0x2A,
    ]

    let zone: ZoneTable
    var location: String?
    var posture: String?
    /// Only tests use another one.
    var space = OMHWriter.space
    func indistinct(among persons: Persons) -> Persons { persons }

    mutating func append(
        _ reading: Reading, from provenance: Provenance, parts: ExportParts, to text: inout TextBuffer
    ) throws(ExportOmission) {
        guard parts.contains(.values) else { return }
        guard !reading.isPending else { throw .incomplete }
        if let reason = InclusionRule(zone: zone).reason(reading.flags) { throw .excluded(reason) }
        let one = ExchangeReading(reading, from: provenance, zone: zone)
        switch one.type {
        case "blood_pressure", "pulse_rate": break
        case "measurement": throw .failed
        default: throw .noPlace(type: one.type)
        }
        guard let time = one.time else { throw .timeUnknown }
        if let systolic = one.pressures.systolic.mmHg, let diastolic = one.pressures.diastolic.mmHg {
            append(
                "blood-pressure", version: "4.0", one, time,
                [
                    ("systolic_blood_pressure", ["value": .number(systolic), "unit": "mmHg"]),
                    ("diastolic_blood_pressure", ["value": .number(diastolic), "unit": "mmHg"]),
                    ("effective_time_frame", ["date_time": .text(time.text)]),
                    ("body_posture", (one.remarks?[.posture] ?? posture).map { .text($0) }),
                    ("measurement_location", (one.remarks?[.arm].map { $0 + " upper arm" } ?? location).map { .text($0) }),
                    ("descriptive_statistic", one.flags.contains("averaged") ? "average" : nil),
                ], to: &text)
        }
        if let pulse = one.pulse {
            append(
                "heart-rate", version: "2.0", one, time,
                [
                    ("heart_rate", ["value": .number(pulse), "unit": "beats/min"]),
                    ("effective_time_frame", ["date_time": .text(time.text)]),
                ], to: &text)
        }
    }

    /// What decoded the reading, as a package URL: `pkg:generic/cuff@0.2.0?driver=and-std&revision=1`.
    private static func datasheet(_ decoder: String) -> JSONOutput {
        let names = decoder.split(separator: " ").map { $0.split(separator: "/", maxSplits: 1).map { FHIRCodes.escaped(String($0)) } }
        var reference = "pkg:generic/" + (names.first ?? []).joined(separator: "@")
        if names.count > 1 { reference += "?" + zip(["driver", "revision"], names[1]).map { "\($0)=\($1)" }.joined(separator: "&") }
        return ["datasheet_type": "software", "datasheet_reference": .text(reference)]
    }

    private func append(
        _ schema: String, version: String, _ reading: ExchangeReading, _ time: ExchangeReading.Time, _ body: [(String, JSONOutput?)],
        to text: inout TextBuffer
    ) {
        let point: JSONOutput = [
            "header": [
                "uuid": .text(NameUUID.string("\(reading.id):\(schema)", in: space)),
                "schema_id": ["namespace": "omh", "name": .text(schema), "version": .text(version)],
                "source_creation_date_time": .text(time.text), "modality": reading.isEntered ? "self-reported" : "sensed",
                "external_datasheets": reading.decoder.map { [Self.datasheet($0)] },
            ],
            "body": .present(body),
        ]
        point.append(to: &text)
        text.append(0x0A)
    }
}
