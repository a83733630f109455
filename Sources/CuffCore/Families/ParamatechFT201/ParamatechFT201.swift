/// ParamaTech FT-201 waiting-room kiosk. Serial; pushes a result after each measurement and takes no commands.
/// Frame  `02 20 YYMMDD 20 hhmm 20 SSS 20 DDD 20 PPP 03`   26 bytes, ASCII digits, no check   observed [1] (a dump)
///   SSS systolic, DDD diastolic, PPP pulse; all zero-padded
/// Before STX  the source's table names six bytes `3F 3F 00 3F 00 00`, its dump none            documented [1]: skipped
/// After ETX   the table names one unknown byte, the dump none                                  documented [1]: skipped
/// The table also shows separators (`3F`) between the fields that neither the dump nor the code has: not read here.
/// Zero pressures mean no value, a zero date a clock that was never set                          guess
/// [1] a public C# class XiMPLib.xDevice.xBpMeter.ParamaTech.FT201 whose origin is not established
extension CuffDriver {
    /// The driver `paramatech-ft201`.
    public static let paramatechFT201 = CuffDriver(
        id: "paramatech-ft201",
        models: ["ParamaTech FT-201"],
        summary: "pushes each result with its time as one line of digits between STX and ETX",
        grade: .b, testedOn: .documented,
        line: LineSettings(rate: 4800, stopBits: 2),
        framing: "STX blank-separated digits ETX, 26 bytes", check: nil,
        capabilities: [.push],
        unverified: [
            "six bytes before STX and one after ETX, and separators within the fields, which one table names and its dump lacks",
            "what the cuff sends when a measurement fails (zeros are taken for no value)",
        ],
        sources: ["a public C# class FT201 (XiMPLib) whose origin is not established, with a dump of one result"],
        makeSession: { _ in
            PushSession(ParamatechFT201Frame()) { ParamatechFT201Frame.reading($0) }
        },
        makeSimulator: { PushSimulator.paramatechFT201($0) },
        findFrames: { FrameReader.find(ParamatechFT201Frame(), in: $0) },
        redaction: .paramatechFT201)
}

struct ParamatechFT201Frame: FrameFormat {
    static let maximumLength = 26
    static let startByte: UInt8? = stx
    static let stx: UInt8 = 0x02
    static let etx: UInt8 = 0x03

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        for index in 0..<min(bytes.count, Self.maximumLength) {
            let byte = bytes[index]
            switch index {
            case 0: if byte != Self.stx { return .reject(.notAStart) }
            case 1, 8, 13, 17, 21: if byte != 0x20 { return .reject(.badCharacter) }
            case 25: if byte != Self.etx { return .reject(.badLength) }
            default: if byte &- 0x30 >= 10 { return .reject(.badCharacter) }
            }
        }
        return bytes.count < Self.maximumLength ? .needMore : .frame(length: Self.maximumLength)
    }

    static func reading(_ frame: Span<UInt8>) -> Reading? {
        guard let time = frame.printedTime(year: 2, yearDigits: 2, month: 4, day: 6, hour: 9, minute: 11),
            let systolic = frame.digits(14, 3), let diastolic = frame.digits(18, 3), let pulse = frame.digits(22, 3)
        else { return nil }
        return Reading(
            .mmHg(systolic, diastolic, pulseOrZero: pulse), driver: "paramatech-ft201", flags: .noMeasurementCheck,
            clock: DeviceClock(orUnset: time), origin: .push, raw: RawBytes(frame))
    }
}
