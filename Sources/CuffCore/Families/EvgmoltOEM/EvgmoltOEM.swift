/// evgmolt OEM NIBP board. Serial; answers one-byte requests with ten bytes, one of them a rotating value.
/// Host    `A0` poll, `A1` start, `A2` stop, `AC` manometer on, `AD` manometer off                   documented [1]
/// Answer  `echo SYS DIA cuff status error settings index value SUM`   SUM = sum of the nine mod 256  documented [1]
///   status  bit 0 pump, 1 valve, 2 measuring, 5 pulse seen, 6 new result, 7 adds 256 to cuff;
///           low three bits 100 calibrating, 111 inflating, 110 measuring
///   settings bit 4 manometer
///   index   0, 1 serial number high, low; 2 version; 4 mode; 5 start pressure; 6 mean; 7 pulse
///   error   1 zero calibration, 2 no inflation, 3 deflates too fast, 4 no pulse, 5 pulse too weak, 6 deflates too slowly,
///           7 artefacts, 8 systolic too high, 9 diastolic too low, 10 over-pressure, 11 too long, 12 wrong cuff
/// SYS and DIA are in every answer, also long after their measurement: only the new-result bit marks a new one. Mean
/// and pulse come in later answers; those before the bit belong to the previous measurement.
/// That an answer or a start clears the bit, and that mean and pulse are the new ones as soon as it is set: guess. So a result
/// with the bit is read before a start is sent.
/// The published reader computes SUM and does not enforce it; this driver does.
/// [1] evgmolt/OEM_NIBP: Form1.cs, OEM_NIBP_Status.cs, enums/{Mask,CMD,Errors,AdditionalByteIs}.cs
extension CuffDriver {
    /// The driver `evgmolt-oem`.
    public static let evgmoltOEM = CuffDriver(
        id: "evgmolt-oem",
        models: ["evgmolt OEM NIBP board"],
        summary: "board that is polled: its last result while it is new, live cuff pressure, start and stop",
        grade: .b, testedOn: .derived,
        line: LineSettings(rate: 115_200),
        framing: "ten bytes, the first echoes the question", check: "sum of nine bytes",
        capabilities: [.storedReadings, .livePressure, .measure, .stop, .information],
        changes: "the new-result mark may be cleared by reading it (guess)",
        unverified: [
            "whether the new-result mark is cleared by an answer or by the next start",
            "whether mean and pulse are the new ones as soon as the mark is set",
            "the manometer commands: not offered",
        ],
        notes: [
            "Only a result that is still marked as new is read; an older one cannot be told from one read before.",
            "Whatever is asked of the board, a result marked as new is given: the answer may have cleared its mark.",
            "Before a start the board is polled, and a result that is still marked as new is given: the start may clear its mark.",
        ],
        sources: ["evgmolt/OEM_NIBP (Form1.cs, OEM_NIBP_Status.cs, enums)"],
        startCommands: [[EvgmoltOEMCommand.start.rawValue], [EvgmoltOEMCommand.manometerOn.rawValue]],
        makeSession: { _ in EvgmoltOEMSession() },
        makeSimulator: { EvgmoltOEMSimulator($0) },
        findFrames: { FrameReader.find(EvgmoltOEMFrame(), in: $0) },
        redaction: .evgmoltOEM)
}

enum EvgmoltOEMCommand: UInt8 {
    case poll = 0xA0, start = 0xA1, stop = 0xA2, manometerOn = 0xAC, manometerOff = 0xAD
}

struct EvgmoltOEMFrame: FrameFormat {
    static let maximumLength = 10

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard EvgmoltOEMCommand(rawValue: bytes[0]) != nil else { return .reject(.notAStart) }
        guard bytes.count >= Self.maximumLength else { return .needMore }
        return bytes[9] == Checksum.sum8(bytes, 0..<9) ? .frame(length: Self.maximumLength) : .reject(.badCheck)
    }
}

struct EvgmoltOEMAnswer {
    var bytes: [UInt8]
    var systolic, diastolic, cuff: Int
    var status, error, settings, index, value: UInt8

    init?(_ frame: Span<UInt8>) {
        guard frame.count == EvgmoltOEMFrame.maximumLength else { return nil }
        bytes = frame.array
        systolic = Int(frame[1])
        diastolic = Int(frame[2])
        status = frame[4]
        cuff = Int(frame[3]) + (frame[4] & 0x80 != 0 ? 256 : 0)
        error = frame[5]
        settings = frame[6]
        index = frame[7]
        value = frame[8]
    }

    var isNew: Bool { status & 0x40 != 0 }
    var isBusy: Bool { status & 7 == 4 || isUnderPressure }
    var isUnderPressure: Bool { status & 7 == 7 || status & 7 == 6 }
    var isManometer: Bool { settings & 0x10 != 0 }
}

struct EvgmoltOEMResult {
    private(set) var raw: [UInt8]
    let systolic: Int
    let diastolic: Int
    private(set) var mean: Int?
    private(set) var pulse: Int?
    private let origin: Reading.Origin
    /// The result precedes the start or stop that was sent.
    let isFormer: Bool
    private(set) var age = 0

    init(_ answer: EvgmoltOEMAnswer, isFormer: Bool, _ origin: Reading.Origin) {
        self.isFormer = isFormer
        self.origin = isFormer ? .memory : origin
        raw = answer.bytes
        systolic = answer.systolic
        diastolic = answer.diastolic
        receiveField(answer)
    }

    var isWhole: Bool { mean != nil && pulse != nil }

    func fits(_ answer: EvgmoltOEMAnswer) -> Bool {
        answer.systolic == systolic && answer.diastolic == diastolic && !answer.isBusy && answer.error == 0
    }

    mutating func receive(_ answer: EvgmoltOEMAnswer) {
        let had = (mean, pulse)
        age += 1
        receiveField(answer)
        if had != (mean, pulse) { raw += answer.bytes }
    }

    private mutating func receiveField(_ answer: EvgmoltOEMAnswer) {
        if answer.index == 6, mean == nil { mean = Int(answer.value) }
        if answer.index == 7, pulse == nil { pulse = Int(answer.value) }
    }

    func reading() -> Reading {
        var content = Reading.Content.mmHg(systolic, diastolic, meanOrZero: mean ?? 0, pulseOrZero: pulse ?? 0)
        if case .bloodPressure(var pressure) = content {
            // Nothing is known of a value that did not come.
            if mean == nil { pressure.meanAbsence = .none }
            if pulse == nil { pressure.pulseAbsence = .none }
            content = .bloodPressure(pressure)
        }
        return Reading(content, driver: "evgmolt-oem", origin: origin, raw: RawBytes(raw))
    }
}

/// Serial number and version, sent in parts by the rotation.
struct EvgmoltOEMIdentity {
    private var high, low, version: UInt8?

    var isWhole: Bool { high != nil && low != nil && version != nil }

    mutating func receive(_ answer: EvgmoltOEMAnswer) -> DeviceIdentity? {
        let wasWhole = isWhole
        switch answer.index {
        case 0: high = answer.value
        case 1: low = answer.value
        case 2: version = answer.value
        default: break
        }
        guard !wasWhole, let high, let low, let version else { return nil }
        let number = Int(high) << 8 | Int(low)
        return DeviceIdentity(
            id: number == 0 ? "" : "evgmolt-\(number)", manufacturer: "evgmolt", model: "OEM NIBP", serial: "\(number)",
            firmware: "\(version)")
    }
}
