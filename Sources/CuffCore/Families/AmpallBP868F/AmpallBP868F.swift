/// AMPall BP868F. Serial; pushes a result after each measurement and takes no commands.
/// Frame  `5E SSS MMM DDD PPP [A] 5E`   ASCII digits: systolic, mean, diastolic, pulse, arrhythmia   documented [1][2]
///   the same byte (`^`) opens and closes; no check, no other terminator; 12 digits [2] or 13 [1]
///   A: 1 arrhythmia [1]; 0 none: guess; any other digit is of unknown meaning
/// Stray bytes (`00 0E`) before the first caret were seen                                            observed [2]
/// A zero pressure means no value                                                                     guess
/// A lost caret costs at most one adjacent frame: the text between two carets counts only if it has 12 or 13 digits.
/// [1] a public C# class XiMPLib.xDevice.xBpMeter.AMPAll.BP868F whose origin is not established
/// [2] cof9300/flutter-mtad-v1_test, lib/features/measurement/parser/amp_bp868_parser.dart and its test (they cite
/// the vendor's paper AMP-RND-0001)
extension CuffDriver {
    package static let ampallBP868F = CuffDriver(
        id: "ampall-bp868f",
        models: ["AMPall BP868F"],
        summary: "pushes each result as 12 or 13 digits between carets",
        grade: .a, testedOn: .documented,
        line: LineSettings(rate: 9600),
        framing: "^ 12 or 13 digits ^", check: nil,
        capabilities: [.push],
        unverified: [
            "what the cuff sends when a measurement fails (zeros are taken for no value)",
            "arrhythmia digits other than 1",
        ],
        notes: ["A digit lost from a 13-digit frame cannot be told from a 12-digit frame; every reading carries a flag that says so."],
        sources: [
            "a public C# class BP868F (XiMPLib) whose origin is not established",
            "cof9300/flutter-mtad-v1_test, amp_bp868_parser.dart and its test, citing AMP-RND-0001",
        ],
        options: ["digits": "12: the simulator leaves out the arrhythmia digit"],
        makeSession: { _ in
            PushSession(AmpallBP868FFrame()) { AmpallBP868FFrame.reading($0) }
        },
        makeSimulator: { PushSimulator.ampallBP868F($0) },
        findFrames: { FrameReader.find(AmpallBP868FFrame(), in: $0) },
        redaction: .nothing)
}

struct AmpallBP868FFrame: FrameFormat {
    static let maximumLength = 15
    static let startByte: UInt8? = caret
    static let caret: UInt8 = 0x5E

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == Self.caret else { return .reject(.notAStart) }
        for index in 1..<max(1, min(bytes.count, Self.maximumLength)) {
            let byte = bytes[index]
            // An early caret opens the next frame, or closes one whose front was lost.
            if byte == Self.caret { return index >= 13 ? .frame(length: index + 1) : .reject(.badLength) }
            guard index < 14 else { return .reject(.badLength) }
            guard byte &- 0x30 < 10 else { return .reject(.badCharacter) }
        }
        return .needMore
    }

    static func reading(_ frame: Span<UInt8>) -> Reading? {
        guard let systolic = frame.digits(1, 3), let mean = frame.digits(4, 3), let diastolic = frame.digits(7, 3),
            let pulse = frame.digits(10, 3)
        else { return nil }
        var flags: MeasurementFlags = .noMeasurementCheck
        switch frame.count == maximumLength ? frame.digits(13, 1) : 0 {
        case 0: break
        case 1: flags.insert(.irregularPulse)
        default: flags.insert(.qualityNoted)
        }
        return Reading(
            .mmHg(systolic, diastolic, meanOrZero: mean, pulseOrZero: pulse), driver: "ampall-bp868f", flags: flags, origin: .push,
            raw: RawBytes(frame))
    }
}
