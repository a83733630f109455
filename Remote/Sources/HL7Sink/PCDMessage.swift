import RemoteSink

/// A reading as a message of IHE PCD-01 (Communicate PCD Data): `ORU^R01^ORU_R01`, HL7 2.6. The same reading gives the same bytes.
///
/// MSH-10    the reading's id and revision, so that a repetition has the same one
/// MSH-15/16 `NE`, `AL`: one answer, the application's
/// MSH-21    the profile: 1.3.6.1.4.1.19376.1.6.1.1.1                                         documented [1] B.1
/// PID-3     the patient id of the address; without one there is no PID, and the receiver knows the patient by the device
/// ORC       is not sent                                                                      documented [1] B.6
/// OBR-2, 3  the reading's id, the same for all its revisions: what a correction or withdrawal refers to
/// OBX-3     codes of ISO/IEEE 11073-10101                                                    documented [1] A.1
/// OBX-4     MDS.VMD.channel.metric                                                           documented [1] A, [2]
/// OBX-6     MDC unit, with UCUM as the alternate                                             documented [1]
/// OBX-8     QUES, CALIB, TEST, DEMO: by the words of 11073-10201; grade C, as in the driver hl7-oru
/// OBX-11    F validated, P early, C a later revision, D deleted, X a device without a value, R otherwise   HL7 table 0085
/// OBX-14    when it was measured
/// OBX-18    the device: an EUI-64, or its serial number within its driver; then the program that decoded the reading
/// NTE-3     other flags, in the words of `cuff`; after OBR, because they concern the whole reading
///
/// [1] IHE PCD Technical Framework, volume 2, read as the assertions of Gazelle (DEC-Vol2, PCD-Vol2)   [2] an example of the NIST test tool
/// for IHE PCD, and GE B40 HL7 reference 2062665-001
struct PCDMessage: Sendable, Equatable {
    let controlID: String
    /// Segments end with CR.
    let text: String

    /// Throws why the reading cannot be sent.
    init(_ reading: ReadingLine, to target: HL7Target) throws(Refusal) {
        let patient = try target.patient(of: reading)
        guard let measured = reading.measured.flatMap(Instant.init) else {
            throw Refusal(text: "the reading has no known time")
        }
        let metrics = try Metric.all(of: reading)
        let time = Self.time(measured)
        let device = Self.device(reading)
        controlID = "\(reading.id).\(reading.revision)"
        var segments = [Self.header(reading, target, controlID, measured)]
        if let patient {
            // PID-5 is required; `U` is a name of no known type.
            let id = Self.components([patient, "", "", target.authority, "PI"])
            segments.append(Self.segment("PID", [3: id, 5: "^^^^^^U"]))
        }
        let order = Self.components([reading.id, target.sender])
        segments.append(Self.segment("OBR", [1: "1", 2: order, 3: order, 4: "182777000^monitoring of patient^SCT", 7: time]))
        let others = reading.flags.filter { flag in !Self.worth.contains { $0.flag == flag } && !Self.statuses.contains(flag) }
        for (number, flag) in others.enumerated() {
            segments.append(Self.segment("NTE", [1: "\(number + 1)", 3: Self.escaped(flag)]))
        }
        var observations = [
            [
                3: "528391^MDC_DEV_SPEC_PROFILE_BP^MDC", 4: "1.0.0.0", 11: "X",
                18: "\(device)~\(Self.decoder(reading))",
            ],
            [3: "70686^MDC_DEV_PRESS_BLD_NONINV_VMD^MDC", 4: "1.1.0.0", 11: "X"],
            [3: "70687^MDC_DEV_PRESS_BLD_NONINV_CHAN^MDC", 4: "1.1.1.0", 11: "X"],
        ]
        let words = Self.worth.filter { reading.flags.contains($0.flag) }.map(\.code).joined(separator: "~")
        for (number, metric) in metrics.enumerated() {
            observations.append([
                2: "NM", 3: "\(metric.code)^MDC", 4: "1.1.1.\(number + 1)", 5: metric.value, 6: metric.unit, 8: words,
                11: Self.status(reading), 14: time, 18: device,
            ])
        }
        for (number, fields) in observations.enumerated() {
            segments.append(Self.segment("OBX", fields.merging([1: "\(number + 1)"]) { $1 }))
        }
        text = segments.map { $0 + "\r" }.joined()
    }

    private static func header(_ reading: ReadingLine, _ target: HL7Target, _ controlID: String, _ measured: Instant) -> String {
        // The time of the reception, so that a repetition is the same message.
        let made = reading["received"]?.string.flatMap(Instant.init) ?? measured
        // MSH-1 is the separator itself.
        return "MSH|^~\\&"
            + segment(
                "",
                [
                    1: escaped(target.sender), 2: escaped(target.facility), 3: escaped(target.receiver),
                    4: escaped(target.receiverFacility),
                    5: time(made), 7: "ORU^R01^ORU_R01", 8: escaped(controlID), 9: "P", 10: "2.6", 13: "NE", 14: "AL", 16: "UNICODE UTF-8",
                    19: "IHE_PCD_001^IHE PCD^1.3.6.1.4.1.19376.1.6.1.1.1^ISO",
                ])
    }

    // MARK: Fields

    /// Flags that OBX-8 has words for.
    private static let worth = [
        (flag: "questionable", code: "QUES"), (flag: "calibration_ongoing", code: "CALIB"), (flag: "test_data", code: "TEST"),
        (flag: "demo_data", code: "DEMO"),
    ]
    /// Flags that OBX-11 says.
    private static let statuses = ["validated", "early_indication"]

    private static func status(_ reading: ReadingLine) -> String {
        if reading.isDeletion { return "D" }
        if reading.revision > 0 { return "C" }
        if reading.flags.contains("early_indication") { return "P" }
        return reading.flags.contains("validated") ? "F" : "R"
    }

    /// OBX-18, data type EI.
    private static func device(_ reading: ReadingLine) -> String {
        guard let name = reading.device, !name.isEmpty else { return components([reading.driver, "cuff"]) }
        // 11073 agents are named by their system id, an EUI-64.
        guard reading.driver == "phd", name.utf8.count == 16, name.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
            return components([name, reading.driver])
        }
        let id = name.uppercased()
        return components([id, "", id, "EUI-64"])
    }

    /// The program and the driver that decoded the reading, each with its version; without them, this program.
    private static func decoder(_ reading: ReadingLine) -> String {
        guard let text = reading["decoder"]?.string, !text.isEmpty else { return components(["cuff \(helperVersion)", reading.driver]) }
        return components(text.split(separator: " ", maxSplits: 1).map(String.init))
    }

    /// DTM: `20260505073320+0200`, at most four digits of a fraction.
    static func time(_ instant: Instant) -> String {
        let local = instant.text.dropLast(instant.zone.count)
        let parts = local.split(separator: ".", maxSplits: 1)
        let digits = parts[0].filter { $0.isNumber }
        let fraction = parts.count > 1 ? "." + parts[1].prefix(4) : ""
        return digits + fraction + (instant.zone == "Z" ? "+0000" : instant.zone.filter { $0 != ":" })
    }

    private static func segment(_ name: String, _ fields: [Int: String]) -> String {
        let last = fields.filter { !$0.value.isEmpty }.keys.max() ?? 0
        return ([name] + (0..<last).map { fields[$0 + 1] ?? "" }).joined(separator: "|")
    }

    static func components(_ parts: [String]) -> String {
        var parts = parts
        while parts.last?.isEmpty == true { parts.removeLast() }
        return parts.map(escaped).joined(separator: "^")
    }

    /// HL7 2.6, 2.7.1. Control characters would end a segment or a block.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "|": result += "\\F\\"
            case "^": result += "\\S\\"
            case "&": result += "\\T\\"
            case "~": result += "\\R\\"
            case "\\": result += "\\E\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
