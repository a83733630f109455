/// A cuff module of unknown make whose frames begin with FA and a length.
/// Frame   `FA` len module kind id seq(4) data… check; len counts all of it, 10 to 28               documented [1][2]
///         module 02 cuff (01 ECG, 03 oximeter); kind 01 command, 02 question, 03 answer, 04 unasked
///         check: low byte of the sum of everything before it, FA included [1] (20 of 22 printed frames) or without FA [2] (3 of 3).
///         The two always differ: the first valid frame shows which one the module uses, and nothing is sent before.
///         seq: zeros [1], `2F 00 00 00` [2]; answers carry it back
/// Module  `04 81` asks for a handshake, answered `01 01` · `03 80` acknowledgement                 documented [1][2]
///         `04 84` cuff pressure(2), wrong cuff, state · `04 86` operation, end status (0 done), then the result is requested
///         `03 83` systolic(2), diastolic(2), mean(2), pulse(2), patient, error, state, result state; from offset 9 on, little endian
/// Host    start `01 02` [1] or `01 21` [2], stop `01 20` [1], result `02 03`
/// A result with an error other than 0 is not a reading; the meaning of the numbers is not public.
/// A result counts only after an end that was seen here: the module keeps it, and other programs may ask twice.
/// [1] a public STM32 program  [2] a public Arduino program; neither origin is established, and neither names the maker
extension CuffDriver {
    /// Driver `fa-nibp`. Start and stop from the host, live cuff pressure, result on request.
    public static let faNIBP = CuffDriver(
        id: "fa-nibp",
        models: ["OEM module with FA frames (maker unknown)"],
        summary: "start and stop from the host, live cuff pressure; the result is asked for after the end",
        grade: .b, testedOn: .documented,
        line: LineSettings(rate: 115_200),
        otherLines: [LineSettings(rate: 4800)],
        framing: "FA length module kind id sequence data check", check: "sum, with or without FA: learned from the first good frame",
        capabilities: [.push, .livePressure, .measure, .stop],
        unverified: [
            "the maker", "which start belongs to which module: 02 is sent where FA is summed, 21 where it is not, as the two programs do",
            "the stop on modules that do not sum FA: only one of the programs has it", "the meaning of the error numbers",
        ],
        notes: [
            "Nothing is sent before the module has sent a good frame, except by `stop`, which is then sent in both forms."
        ],
        sources: ["a public STM32 program and a public Arduino program whose origin is not established"],
        startCommands: [
            FaFrame(sumsHead: true).command(0x02), FaFrame(sumsHead: false).command(0x21),
        ],
        makeSession: { BoardSession<FaBoard>($0) },
        makeSimulator: { BoardSimulator<FaSimulatedBoard>($0) },
        findFrames: { FrameReader.find(FaFrame(), in: $0) },
        redaction: .nothing)
}

struct FaFrame: FrameFormat {
    static let maximumLength = 28
    static let startByte: UInt8? = 0xFA
    /// Whether the check includes the first byte; `nil` until a frame has shown it.
    var sumsHead: Bool?

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0xFA else { return .reject(.notAStart) }
        guard bytes.count >= 4 else { return .needMore }
        let length = Int(bytes[1])
        guard (10...Self.maximumLength).contains(length) else { return .reject(.badLength) }
        guard (1...3).contains(bytes[2]), (1...4).contains(bytes[3]) else { return .reject(.badCharacter) }
        guard bytes.count >= 5 else { return .needMore }
        // A damaged length would wait for bytes of the frames behind it.
        if let known = Self.length(bytes[2], bytes[3], bytes[4]), known != length { return .reject(.badLength) }
        guard bytes.count >= length else { return .needMore }
        let sum = Checksum.sum8(bytes, 1..<(length - 1))
        let isGood = (sumsHead != false && sum &+ 0xFA == bytes[length - 1]) || (sumsHead != true && sum == bytes[length - 1])
        return isGood ? .frame(length: length) : .reject(.badCheck)
    }

    /// The documented length of a frame of the cuff module; `nil` for all others.
    private static func length(_ module: UInt8, _ kind: UInt8, _ id: UInt8) -> Int? {
        switch (module, kind, id) {
        case (0x02, 0x04, 0x81): 10
        case (0x02, 0x03, 0x80): 11
        case (0x02, 0x04, 0x86): 12
        case (0x02, 0x04, 0x84): 14
        case (0x02, 0x03, 0x83): 22
        default: nil
        }
    }

    func frame(_ kind: UInt8, _ id: UInt8, _ data: [UInt8] = []) -> [UInt8] {
        let sequence: [UInt8] = [sumsHead == true ? 0 : 0x2F, 0, 0, 0]
        let counted = [0xFA, UInt8(10 + data.count), 0x02, kind, id] + sequence + data
        return counted + [sumsHead == true ? counted.sum8 : counted.sum8 &- 0xFA]
    }

    func command(_ id: UInt8) -> [UInt8] { frame(0x01, id) }
}

struct FaBoard: Board {
    static var driver: DriverID { CuffDriver.faNIBP.id }
    static var capabilities: Capabilities { CuffDriver.faNIBP.capabilities }
    private(set) var format = FaFrame()
    private var isHandshakeOpen = false
    private var isStartSent = false
    /// The status of an end whose result has not come.
    private var endStatus: UInt8?

    init(_ context: SessionContext) {}

    var start: [UInt8]? {
        guard let sumsHead = format.sumsHead, !isHandshakeOpen else { return nil }
        return format.command(sumsHead ? 0x02 : 0x21)
    }
    var stop: [[UInt8]] { (format.sumsHead.map { [$0] } ?? [true, false]).map { FaFrame(sumsHead: $0).command(0x20) } }
    var resultQuestion: [UInt8]? { format.frame(0x02, 0x03) }
    var statusQuestion: [UInt8]? { resultQuestion }

    mutating func noteSent(_ bytes: [UInt8]) {
        let isCommand = bytes.span.byte(0) == 0xFA && bytes.span.byte(2) == 0x02 && bytes.span.byte(3) == 0x01
        if isCommand, let id = bytes.span.byte(4), id == 0x02 || id == 0x21 { isStartSent = true }
    }

    mutating func read(_ frame: [UInt8]) -> [BoardMessage] {
        if format.sumsHead == nil { format.sumsHead = frame.dropLast().reduce(0, &+) == frame.last }
        let bytes = frame.span
        guard bytes.byte(2) == 0x02 else { return [.otherModule] }
        isHandshakeOpen = false
        switch (bytes.byte(3), bytes.byte(4)) {
        case (0x04, 0x81):
            isHandshakeOpen = true
            return [.question(answer: format.command(0x01))]
        case (0x03, 0x80):
            defer { isStartSent = false }
            return [isStartSent ? .started : .otherModule]
        case (0x04, 0x84) where frame.count >= 12: return bytes.littleEndian16(9).map { [.pressure(.mmHg(Int($0)))] } ?? []
        case (0x04, 0x86) where frame.count >= 12:
            endStatus = bytes.byte(10)
            return [.ended(isFailed: endStatus != 0)]
        case (0x03, 0x83) where frame.count >= 20:
            guard let endStatus else { return [.otherModule] }
            self.endStatus = nil
            return [.result(Self.content(bytes, endStatus), [], raw: frame)]
        default: return []
        }
    }

    /// After an end with another status than 0 the pressures may be those of an earlier measurement.
    private static func content(_ bytes: Span<UInt8>, _ endStatus: UInt8) -> Reading.Content {
        func value(_ offset: Int) -> Int { bytes.littleEndian16(offset).map(Int.init) ?? 0 }
        if let error = bytes.byte(18), error != 0 { return .failure(.init(.unknown, code: ShortText(String(error)))) }
        if endStatus != 0 { return .failure(.init(.unknown, code: ShortText(String(endStatus)))) }
        return .mmHg(value(9), value(11), meanOrZero: value(13), pulseOrZero: value(15))
    }
}

/// Requests the handshake when the line opens. `sum: head`: the check includes FA.
struct FaSimulatedBoard: SimulatedBoard {
    static let sendsResults = false
    static let commandLength = 10
    private let format: FaFrame

    init(_ options: [String: String]) { format = FaFrame(sumsHead: options["sum"] == "head") }

    var greeting: [UInt8] { format.frame(0x04, 0x81) }

    func command(_ frame: [UInt8]) -> BoardCommand? {
        guard case .frame(10) = format.verdict(on: frame.span) else { return nil }
        switch (frame[3], frame[4]) {
        case (0x01, 0x02) where format.sumsHead == true, (0x01, 0x21) where format.sumsHead == false: return .start
        case (0x01, 0x20): return .stop
        case (0x02, 0x03): return .result
        default: return .other
        }
    }

    func confirmation(of command: BoardCommand) -> [UInt8] { command == .result ? [] : format.frame(0x03, 0x80, [0x07]) }
    func pressure(_ pressure: Int) -> [UInt8] { format.frame(0x04, 0x84, [UInt8](littleEndian: [pressure]) + [0, 0]) }
    func end(of record: SimulatedRecord?) -> [UInt8] { format.frame(0x04, 0x86, [0, 0]) }

    func result(_ record: SimulatedRecord) -> [UInt8] {
        let values = record.failure == nil ? [record.systolic, record.diastolic, record.mean, record.pulse] : [0, 0, 0, 0]
        return format.frame(0x03, 0x83, [UInt8](littleEndian: values) + [1, record.failure == nil ? 0 : 6, 0, 0])
    }
}
