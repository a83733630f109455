/// Maibobo, RBP-9804, BP-88A. USB-serial (the same bytes over BLE); sends pressure, result or error unasked.
/// Frame    `CC 80` to the cuff, `AA 80` from it, then `proto len c1 c2 data… X`                        documented [1][2]
///   len = bytes c1…data; X = xor of everything after 80
///   proto: 02 in [1] (BLE), 03 in [2] (serial); both are read, 03 is sent
/// Host     `01 01 00` connect, `01 02 00` start, `01 03 00` stop                                       documented [1][2]
/// Cuff     c1 = 01 and c2 = the kind: 05 live pressure, 06 result, 07 error                            documented [1][2]
///   result  big endian at offsets of the whole frame: 13 systolic, 15 diastolic, 17 pulse               observed [1][2]
///           7…12 year − 2000, month, day, hour, minute, second in binary; 6 is 01, or 00 on a cuff whose clock was never
///           set, which shows 2014-01-01 01:01:01                                                recorded: five frames [3]
///           values of 512 and more are not a result (guess): xor does not detect every shifted byte
///   error   code at offset 6 [2]; [1] uses offset 3, which is the length: 6 is used
///           01 over-pressure, 02 signal or upper leak, 05 signal or lower leak, 06 signal or sensor, 09 deflation,
///           0F leak of the system, 10 motor                                                            documented [2]
///   live    the pressure at offset 10 [1], in `AA 80 02 08 01 05 00 00 00 00 37 00 39`                 recorded [3]
///           [2] reads offsets 6–7 big endian, where that frame has zeros
/// Line      9600; one of the clients opens it at 115200                                               observed [2][3]
/// An answer with the host's own c1 c2 acknowledges it                                                   guess from [2]
/// [1] ZackKingS/BloodPressureMeasureDemo, HiseeBtDeviceRBP9804.m, HiseeBtDeviceBP88A.m
/// [2] zrr1999/maibobo, maibobo/engine.py   [3] public clients with five recorded frames, whose origin is not established
extension CuffDriver {
    /// The driver `maibobo`.
    public static let maibobo = CuffDriver(
        id: "maibobo",
        models: ["Maibobo RBP-9804", "Maibobo BP-88A"],
        summary: "start and stop from the host; the result comes by itself",
        grade: .b, testedOn: .derived,
        line: LineSettings(rate: 9600),
        otherLines: [LineSettings(rate: 115_200)],
        framing: "AA 80 protocol length data check", check: "xor after 80",
        capabilities: [.push, .livePressure, .measure, .stop],
        unverified: [
            "live pressures of 256 mmHg and more: the one recorded frame shows one byte",
            "byte 6 of a result, other than 00 and 01",
            "the offset of the error code: one source reads the length's place",
            "the answers to connect, start and stop; the battery command, printed with a check that breaks the rule: not offered",
        ],
        notes: [
            "`--option protocol=2` writes protocol byte 02 instead of 03.",
            "The live pressure is read at offset 10, as recorded; `--option live-pressure=6` reads it where one source does, or `no`.",
        ],
        sources: [
            "ZackKingS/BloodPressureMeasureDemo", "zrr1999/maibobo, maibobo/engine.py",
            "public clients with five recorded frames, whose origin is not established",
        ],
        options: [
            "protocol": "2: the protocol byte of the BLE source instead of 3",
            "live-pressure": "6: read it at that offset, as one source does; no: tell none",
        ],
        startCommands: [MaiboboFrame.command(.start, proto: 2), MaiboboFrame.command(.start, proto: 3)],
        makeSession: { MaiboboSession($0) },
        makeSimulator: { BoardSimulator<MaiboboSimulatedCuff>($0) },
        findFrames: { FrameReader.find(MaiboboFrame(), in: $0) },
        redaction: .maibobo)
}

enum MaiboboCommand: UInt8 {
    case connect = 0x01, start = 0x02, stop = 0x03
}

struct MaiboboFrame: FrameFormat {
    /// A result has len 0F, the longest documented; frames of unknown kinds may be larger.
    static let maximumField = 32
    static let resultField = 0x0F
    static let maximumLength = maximumField + 5
    static let startByte: UInt8? = 0xAA

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0xAA, bytes.count < 2 || bytes[1] == 0x80, bytes.count < 3 || bytes[2] == 2 || bytes[2] == 3 else {
            return .reject(.notAStart)
        }
        guard bytes.count >= 4 else { return .needMore }
        let field = Int(bytes[3])
        guard field >= 2, field <= Self.maximumField else { return .reject(.badLength) }
        guard bytes.count >= 6 else { return .needMore }
        // A damaged length would wait for bytes of the frames behind it.
        guard Self.allows(field, bytes[4], bytes[5]) else { return .reject(.badLength) }
        guard bytes.count >= field + 5 else { return .needMore }
        return bytes[field + 4] == Checksum.xor8(bytes, 2..<(field + 4)) ? .frame(length: field + 5) : .reject(.badCheck)
    }

    private static func allows(_ field: Int, _ first: UInt8, _ second: UInt8) -> Bool {
        switch (first, second) {
        case (0x01, 0x06): field == resultField
        // Answers, pressures and errors: no source has all their lengths, but none is longer than a result.
        case (0x01, 0x01...0x07): field <= resultField
        default: true
        }
    }

    static func encode(_ start: UInt8, proto: UInt8, _ field: [UInt8]) -> [UInt8] {
        let counted = [proto, UInt8(field.count)] + field
        return [start, 0x80] + counted + [counted.xor8]
    }

    static func command(_ command: MaiboboCommand, proto: UInt8) -> [UInt8] {
        encode(0xCC, proto: proto, [0x01, command.rawValue, 0x00])
    }
}

struct MaiboboSession: FramedSession, MeasuringSession {
    private enum Mode { case listening, connecting, starting, measuring, stopping }

    /// Time-out of an answer; a cuff silent for three of these while it measures is gone.
    static let patience = Duration.seconds(3)

    var reader = FrameReader(MaiboboFrame())
    var requests = Requests<MaiboboCommand>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.maibobo.capabilities }
    var isListening: Bool { mode == .listening }
    var stopCommand: [UInt8] { MaiboboFrame.command(.stop, proto: proto) }
    private var mode = Mode.listening
    private var origin = Reading.Origin.push
    private let proto: UInt8
    private let liveOffset: Int?

    init(_ context: SessionContext) {
        proto = context.options["protocol"] == "2" ? 2 : 3
        switch context.options["live-pressure"] {
        case "6"?: liveOffset = 6
        case "no"?: liveOffset = nil
        default: liveOffset = 10
        }
    }

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        receiveFrames(of: bytes, into: &actions)
        if mode == .measuring, !isFinished { actions.arm(.silence, Self.patience * 3) }
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        if bytes.count == 8, bytes[0] == 0xCC, bytes[4] == 0x01, bytes[5] == MaiboboCommand.start.rawValue {
            origin = .measurement
        }
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .measure:
            mode = .connecting
            ask(.connect, attempts: 3, into: &actions)
        case .stop:
            mode = .stopping
            stop(within: .seconds(2), into: &actions)
        default: break
        }
    }

    private mutating func ask(_ command: MaiboboCommand, attempts: Int, into actions: inout SessionActions) {
        let bytes = MaiboboFrame.command(command, proto: proto)
        ask(Request(command, bytes, within: Self.patience, attempts: attempts), into: &actions)
    }

    mutating func unanswered(_ question: MaiboboCommand, into actions: inout SessionActions) {
        if question == .start { return giveUp("the cuff did not acknowledge the start", into: &actions) }
        finish(.noAnswer("the cuff did not answer the connect command"), into: &actions)
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (timer, mode) {
        case (.silence, .measuring): giveUp("the cuff fell silent during the measurement", as: .lost, into: &actions)
        case (.overall, .measuring): giveUp("no result came within three minutes of the start", into: &actions)
        // The answer to a stop is a guess; without it, it is unknown whether the cuff deflates.
        case (.response, .stopping): finish(.noAnswer("the cuff did not confirm that it stopped"), into: &actions)
        default: break
        }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        let frame = bytes(of: range)
        let kind = Self.kind(frame.span)
        switch kind {
        case 0x01? where mode == .connecting:
            mode = .starting
            ask(.start, attempts: 1, into: &actions)
        case 0x03? where mode == .stopping: finish(.complete, into: &actions)
        case 0x01?, 0x03?: break
        case 0x02?: run(into: &actions)
        case 0x05?:
            run(into: &actions)
            if let pressure = Self.pressure(frame.span, at: liveOffset) { actions.append(.live(.cuffPressure(.mmHg(pressure)))) }
        case 0x06?, 0x07?:
            guard let reading = Self.reading(frame.span, origin: origin) else {
                return actions.ignore("a result without values that can be", frame)
            }
            // No measurement ends before it was seen running: an earlier result is of a previous one, and emitted because it comes only
            // once.
            if mode == .stopping || mode == .connecting || mode == .starting && kind == 0x06 {
                if kind == 0x06, let former = Self.reading(frame.span, origin: .push), former.bloodPressure != nil { actions.emit(former) }
                return mode == .stopping ? finish(.complete, into: &actions) : ()
            }
            origin = .push
            if mode != .listening { actions.append(.live(.ended)) }
            actions.emit(reading)
            if mode != .listening { finish(.complete, into: &actions) }
        default: actions.ignore("a frame of no known kind", frame)
        }
    }

    private mutating func run(into actions: inout SessionActions) {
        guard mode == .starting else { return }
        mode = .measuring
        requests.end(into: &actions)
        // Longer than any measurement; the cuff's own limit is in no source: guess.
        actions.arm(.overall, .seconds(180))
        actions.append(.live(.started))
    }

    /// The kind of a frame; `nil` unless its first command byte is the 01 of every documented frame.
    private static func kind(_ frame: Span<UInt8>) -> UInt8? { frame.byte(4) == 0x01 ? frame.byte(5) : nil }

    private static func pressure(_ frame: Span<UInt8>, at offset: Int?) -> Int? {
        guard let offset, offset + 1 < frame.count else { return nil }
        return offset == 6 ? frame.bigEndian16(6).map(Int.init) : frame.byte(offset).map(Int.init)
    }

    /// The reading of a checked result or error frame; `nil` if it is too short or impossible.
    static func reading(_ frame: Span<UInt8>, origin: Reading.Origin) -> Reading? {
        let content: Reading.Content
        var clock = DeviceClock.absent
        if kind(frame) == 0x07 {
            guard frame.count >= 8, let code = frame.byte(6) else { return nil }
            content = .failure(failures.failure(Int(code), ShortText(Hex.upper(code).span)))
        } else {
            guard frame.count >= 20, let systolic = frame.bigEndian16(13), let diastolic = frame.bigEndian16(15),
                let pulse = frame.bigEndian16(17), systolic < 512, diastolic < 512, pulse < 512
            else { return nil }
            clock = Self.clock(frame)
            content = .mmHg(Int(systolic), Int(diastolic), pulseOrZero: Int(pulse))
        }
        return Reading(content, driver: "maibobo", clock: clock, origin: origin, raw: RawBytes(frame))
    }

    /// The time of a clock that was never set. Some of these cuffs also mark it in byte 6.
    static let neverSet: [UInt8] = [14, 1, 1, 1, 1, 1]

    private static func clock(_ frame: Span<UInt8>) -> DeviceClock {
        let time = frame.time(year: 7, month: 8, day: 9, hour: 10, minute: 11, second: 12)
        guard let time, frame.byte(6) != 0, frame.part(7, 6) != neverSet else { return .unset }
        return DeviceClock(time)
    }

    static let failures: [Int: FailureReason] = [
        0x01: .overPressure, 0x02: .leak, 0x05: .leak, 0x06: .hardware, 0x09: .hardware, 0x0F: .leak, 0x10: .hardware,
    ]
}
