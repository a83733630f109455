/// Wrist and upper-arm boards with serial output: Sunrom 1437 and its clones. 3 V level; pushes each result and takes no commands.
/// Result  15 bytes: one to be skipped, `sys, dia, pulse` with three digits each and a blank after each comma, LF;
///         000…255                                                              documented [1], the same offsets in [2]
/// The memory key sends the stored results the same way, without dates                                    documented [1]
/// No check and no status, so that damage shows only in impossible text: other characters, a value above 255 or a result
/// that is not plausible are rejected. No source explains the first byte; a digit, a sign or a comma there would make
/// another systolic pressure, and is refused (guess).
/// [1] the vendor's page of part 1437   [2] some ten public Arduino sketches that read by these offsets, of no established origin
extension CuffDriver {
    package static let sunrom1437 = CuffDriver(
        id: "sunrom-1437",
        models: ["Sunrom 1437", "clones of its board"],
        summary: "wrist and upper-arm boards that push each result as three numbers",
        grade: .a, testedOn: .documented,
        line: LineSettings(rate: 9600),
        framing: "15 bytes: three numbers of three digits, LF", check: nil,
        capabilities: [.push],
        unverified: ["the byte before each result", "what the board sends when a measurement fails"],
        notes: [
            "Stored results, which the memory key sends, look like new ones: they are kept with the time of their arrival.",
            "The board's level is 3 V.",
        ],
        sources: [
            "the vendor's page of part 1437", "some ten public Arduino sketches with the same offsets, whose origin is not established",
        ],
        makeSession: { _ in PushSession(Sunrom1437Frame()) { Sunrom1437Frame.reading($0) } },
        makeSimulator: { PushSimulator.sunrom1437($0) },
        findFrames: { FrameReader.find(Sunrom1437Frame(), in: $0) },
        redaction: .nothing)
}

struct Sunrom1437Frame: FrameFormat {
    static let maximumLength = 15
    private static let shape: StaticString = "###, ###, ###\n"

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        let first = bytes[0]
        guard first &- 0x30 >= 10, first < 0x2B || first > 0x2E else { return .reject(.notAStart) }
        switch bytes.fit(Self.shape, at: 1) {
        case .no: return .reject(.badCharacter)
        case .partial: return .needMore
        case .whole: return .frame(length: Self.maximumLength)
        }
    }

    static func reading(_ frame: Span<UInt8>) -> Reading? {
        guard let systolic = frame.digits(1, 3), let diastolic = frame.digits(6, 3), let pulse = frame.digits(11, 3),
            max(systolic, diastolic, pulse) <= 255
        else { return nil }
        let pressure = BloodPressure.mmHg(systolic, diastolic, pulse: pulse)
        guard pressure.isPlausible else { return nil }
        return Reading(
            .bloodPressure(pressure), driver: "sunrom-1437", flags: .noMeasurementCheck, origin: .push, raw: RawBytes(frame))
    }
}
