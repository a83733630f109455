/// Creative Medical / Lepu PC-100, PC-200, PC-300: spot monitors with a cuff, an oximeter, an ECG and more on one line.
/// Frame    `AA 55` token len data… check; len counts what follows it, check included     documented [1][2]
///          check: CRC-8/MAXIM over everything before it; holds on 24 of 25 printed frames  observed [1][2]
/// Both     `40 01` start, also when the monitor's own key was pressed · `40 02` stopped or ended      documented [1][2]
///          the monitor repeats a command it accepts
/// Monitor  `42 01 a b` cuff pressure ((a & 0F) << 8) + b; a bit 4 heart beat, bits 6–7 patient mode   documented [1][2]
///          `43 01 a b m d p` systolic ((a & 0F) << 8) + b, mean m, diastolic d, pulse p; a bit 7 irregular pulse  documented [1][2]
///          `43 02 e` error e; the texts of its four lists are not public                   documented [1][2]
///          `FF 03` requests the time; its answer is not documented and not sent
/// Never sent: `40 04` (pressure calibration), `40 03` (patient mode).
/// A systolic or diastolic of 0 means no value (guess: both programs display it).
/// [1] a public C# command-line reader  [2] the maker's C# demonstration "Spot_check"; the origin of either copy is not established
extension CuffDriver {
    /// Driver `creative-pc300`. Start and stop from the host, live cuff pressure; results come unasked.
    public static let creativePC300 = CuffDriver(
        id: "creative-pc300",
        models: ["Creative Medical PC-100", "Creative Medical PC-200", "Creative Medical PC-300", "Lepu PC-300"],
        summary: "start and stop from the host, live cuff pressure; results come unasked",
        grade: .a, testedOn: .documented,
        line: LineSettings(rate: 115_200),
        framing: "AA 55 token length data check", check: "CRC-8/MAXIM",
        capabilities: [.push, .livePressure, .measure, .stop],
        unverified: [
            "whether the end (40 02) comes before or after the result",
            "the texts of the error codes: the monitor's own byte is kept",
            "whether a result is sent again",
        ],
        notes: [
            "The maker's Bluetooth dongle shows a serial port and wants text commands first; connect it with the maker's program, then read.",
            "Frames of the oximeter, ECG and thermometer on the same line are passed over.",
        ],
        sources: [
            "two public C# programs (a command-line reader and the maker's demonstration Spot_check), whose origin is not established"
        ],
        startCommands: [CreativeFrame.start],
        makeSession: { BoardSession<CreativeBoard>($0) },
        makeSimulator: { BoardSimulator<CreativeSimulatedBoard>($0) },
        findFrames: { FrameReader.find(CreativeFrame(), in: $0) },
        redaction: .nothing)
}

struct CreativeFrame: FrameFormat {
    /// `AA 55` token len and 255 counted bytes, the most that len can say.
    static let maximumLength = 259
    static let startByte: UInt8? = 0xAA
    static let start = encode(0x40, [0x01])
    static let stop = encode(0x40, [0x02])

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0xAA, bytes.count < 2 || bytes[1] == 0x55 else { return .reject(.notAStart) }
        guard bytes.count >= 4 else { return .needMore }
        let length = Int(bytes[3]) + 4
        guard length >= 6 else { return .reject(.badLength) }
        guard bytes.count >= 5 else { return .needMore }
        // A damaged length would wait for bytes of the frames behind it.
        if let known = Self.length(bytes[2], bytes[4]), known != length { return .reject(.badLength) }
        guard bytes.count >= length else { return .needMore }
        return Checksum.crc8Maxim(bytes, 0..<(length - 1)) == bytes[length - 1] ? .frame(length: length) : .reject(.badCheck)
    }

    /// The documented length of a frame of the cuff; `nil` for all others.
    private static func length(_ token: UInt8, _ kind: UInt8) -> Int? {
        switch (token, kind) {
        case (0x40, 0x01), (0x40, 0x02): 6
        case (0x40, 0x03), (0x43, 0x02): 7
        case (0x42, 0x01): 8
        case (0x43, 0x01): 11
        default: nil
        }
    }

    static func encode(_ token: UInt8, _ data: [UInt8]) -> [UInt8] {
        let counted = [0xAA, 0x55, token, UInt8(data.count + 1)] + data
        return counted + [Checksum.crc8Maxim(counted.span, 0..<counted.count)]
    }
}

struct CreativeBoard: Board {
    static var driver: DriverID { CuffDriver.creativePC300.id }
    static var capabilities: Capabilities { CuffDriver.creativePC300.capabilities }
    let format = CreativeFrame()

    init(_ context: SessionContext) {}

    var start: [UInt8]? { CreativeFrame.start }
    var stop: [[UInt8]] { [CreativeFrame.stop] }

    mutating func read(_ frame: [UInt8]) -> [BoardMessage] {
        let bytes = frame.span
        func pressure(_ offset: Int) -> Int? { bytes.bigEndian16(offset).map { Int($0 & 0x0FFF) } }
        switch (bytes.byte(2), bytes.byte(4), frame.count) {
        case (0x40, 0x01, _): return [.started]
        case (0x40, 0x02, _): return [.ended(isFailed: false)]
        case (0x42, 0x01, 8): return pressure(5).map { [.pressure(.mmHg($0))] } ?? []
        case (0x43, 0x01, 11):
            guard let systolic = pressure(5), let first = bytes.byte(5), let mean = bytes.byte(7), let diastolic = bytes.byte(8),
                let pulse = bytes.byte(9)
            else { return [] }
            let content = Reading.Content.mmHg(systolic, Int(diastolic), meanOrZero: Int(mean), pulseOrZero: Int(pulse))
            return [.result(content, first & 0x80 != 0 ? .irregularPulse : [], raw: frame)]
        case (0x43, 0x02, 7):
            let code = Hex.upper(bytes.byte(5) ?? 0)
            return [.result(.failure(.init(.unknown, code: ShortText(code.span))), [], raw: frame)]
        case (0x40, _, _), (0x42, _, _), (0x43, _, _): return []
        default: return [.otherModule]
        }
    }
}

/// Repeats start and stop, and sends its result before the end.
struct CreativeSimulatedBoard: SimulatedBoard {
    static let sendsResults = true
    static let commandLength = 6

    init(_ options: [String: String]) {}

    func command(_ bytes: [UInt8]) -> BoardCommand? {
        bytes == CreativeFrame.start ? .start : bytes == CreativeFrame.stop ? .stop : nil
    }

    func confirmation(of command: BoardCommand) -> [UInt8] { command == .start ? CreativeFrame.start : [] }
    func pressure(_ pressure: Int) -> [UInt8] { CreativeFrame.encode(0x42, [0x01, UInt8(pressure >> 8 & 0x0F), UInt8(pressure & 255)]) }
    func end(of record: SimulatedRecord?) -> [UInt8] { CreativeFrame.stop }

    func result(_ record: SimulatedRecord) -> [UInt8] {
        if record.failure != nil { return CreativeFrame.encode(0x43, [0x02, 0x81]) }
        let irregular: UInt8 = record.flags.contains(.irregularPulse) ? 0x80 : 0
        let values = [record.systolic & 255, record.mean, record.diastolic, record.pulse].map { UInt8(clamping: $0) }
        return CreativeFrame.encode(0x43, [0x01, UInt8(record.systolic >> 8 & 0x0F) | irregular] + values)
    }
}
