/// The validity of an OBX's value.
/// OBX-8     words, separated by `~`: DEMO, TEST, QUES, CALIB become flags; INV and NAV mean no value. DEMO recorded [8];
///           the others from IHE PCD technical framework, volume 2, appendix B.8, whose text was not read: grade C
/// OBX-11    F final, R entered and not verified, C corrected, U now final, empty: a value; P preliminary and S partial: an early one;
///           all others (X, I, N, O): no value; D deletes an earlier result, W invalidates it
///                                                                                          documented [1], R recorded [8]
/// OBR-25    C corrects all observations of the order                                      documented [1]
/// [1] of HL7ORU.swift   [8] a recorded message of a Mindray VS900 in demonstration mode
struct HL7Worth {
    private(set) var hasValue: Bool
    private(set) var flags: MeasurementFlags = []
    private(set) var standing = Reading.Reference.Standing.result

    /// `isCorrected`: the order marks its results as corrected.
    init(_ segment: HL7Segment, isCorrected: Bool = false, _ separators: HL7Separators) {
        let status = segment.field(11)
        hasValue = status.isEmpty || status.count == 1 && status.allSatisfy { "FRCUPS".utf8.contains($0) }
        switch status.count == 1 ? status.first : nil {
        case UInt8(ascii: "P"), UInt8(ascii: "S"):
            flags.insert(.earlyIndication)
            standing = .preliminary
        case UInt8(ascii: "C"): standing = .correction
        case UInt8(ascii: "D"), UInt8(ascii: "W"): standing = .withdrawal
        default: if isCorrected { standing = .correction }
        }
        let words =
            separators.repetition.map { segment.field(8).split(separator: $0) } ?? [segment.field(8)]
        for word in words {
            // From version 2.7 a word may be a code with its text and system.
            let code = String(decoding: (separators.components(word).first ?? []).prefix(16), as: UTF8.self)
            switch code.uppercased().filter({ $0 != " " }) {
            case "DEMO": flags.insert(.demoData)
            case "TEST": flags.insert(.testData)
            case "QUES": flags.insert(.questionable)
            case "CALIB": flags.insert(.calibrationOngoing)
            case "INV", "NAV": hasValue = false
            default: break
            }
        }
    }
}

/// Pressures whose code is not, or may not be, the cuff's.
enum HL7UnreadPressure {
    /// Why the pressure of this segment is not read; `nil` if it has none.
    static func reason(_ segment: HL7Segment, _ code: [[UInt8]], _ separators: HL7Separators) -> StaticName? {
        guard HL7Worth(segment, separators).hasValue, hasDigits(segment, separators) else { return nil }
        let texts = [1, 4].filter { $0 < code.count }.map { HL7Text(code[$0]) }
        let isPressure: Bool
        switch HL7Unit(separators.components(segment.field(6))) {
        case .pressure: isPressure = true
        case .perMinute: isPressure = false
        case .unstated, .other:
            isPressure = texts.contains { $0.role == .systolic || $0.role == .diastolic || $0.isOfCuff && $0.role != nil }
        }
        guard isPressure else { return nil }
        if texts.contains(where: \.isArterial) { return "an invasive pressure, which is not the cuff's" }
        return "a pressure under a code that is not known as the cuff's"
    }

    private static func hasDigits(_ segment: HL7Segment, _ separators: HL7Separators) -> Bool {
        let value = separators.components(segment.field(5))
        guard segment.field(2).elementsEqual("NM".utf8), let number = value.first, value.count == 1 else {
            return value.joined().contains { $0 &- 0x30 < 10 }
        }
        if case .value = HL7Field.number(number) { return true }
        return false
    }
}
