/// iBio multi-parameter boards: ECG, oximeter, thermometer and cuff on one line. Frames: `PackedFrame`; data: `PackedResults`.
/// Board  `20` cuff pressure(2), wrong cuff, kind · `21` end: kind 1 manual 2 automatic 3 STAT, 10 error  documented [1][2][3]
///        `22` systolic(2), diastolic(2), mean(2) · `23` pulse(2)
///        `24` patient and state, period, error, seconds left(2)
///        error 1 cuff loose 2 leak 3 pressure 4 weak signal 5 out of range 6 motion 7 over-pressure 8 saturated 9 leak test 10 system
///        11 time-out
/// Host   `55 D5` start · `56 D6` stop · `5B DB` status · `5E DE` last result
/// Never sent: `58` calibrate, `5A` leak test, `57` period, `5D` STAT.
/// Other frames are skipped by their lengths. Values are big endian and signed; −100 is absent.
/// The board keeps its last result: one counts only after an observed end of kind 1 to 3.
/// [1] xnlengao/source_ibio, Source_ibio/ComiBio.c and ComiBio.h  [2][3] two public Qt programs whose origin is not established
extension CuffDriver {
    /// Driver `ibio-board`. Start and stop from the host, live cuff pressure, result with pulse.
    public static let iBioBoard = CuffDriver(
        id: "ibio-board",
        models: ["iBio multi-parameter board"],
        summary: "start and stop from the host, live cuff pressure; the result is asked for after the end",
        grade: .a, testedOn: .derived,
        line: LineSettings(rate: 115_200),
        framing: "identifier, head of eighth bits, data, check", check: "sum mod 128",
        capabilities: [.push, .livePressure, .measure, .stop],
        unverified: ["the names of the boards", "whether results also come unasked"],
        notes: ["The automatic cycle of the board is not set from here."],
        sources: [
            "xnlengao/source_ibio, Source_ibio/ComiBio.c, ComiBio.h", "two public Qt programs whose origin is not established",
        ],
        startCommands: [PackedFrame.encode(0x55)],
        makeSession: { BoardSession<IBioBoard>($0) },
        makeSimulator: { BoardSimulator<IBioSimulatedBoard>($0) },
        findFrames: { FrameReader.find(IBioBoard.frames, in: $0) },
        redaction: .nothing)
}

struct IBioBoard: Board {
    static var driver: DriverID { CuffDriver.iBioBoard.id }
    static var capabilities: Capabilities { CuffDriver.iBioBoard.capabilities }
    static let frames = PackedFrame { lengths[$0] }
    private static let lengths: [UInt8: Int] = [
        0x01: 2, 0x02: 5, 0x03: 9, 0x04: 5, 0x05: 8, 0x06: 5, 0x07: 5, 0x0B: 7, 0x0C: 9, 0x10: 4, 0x11: 5, 0x12: 6, 0x13: 4, 0x15: 8,
        0x16: 5, 0x17: 7, 0x18: 7, 0x19: 4, 0x1A: 10, 0x1B: 6, 0x1C: 7, 0x20: 7, 0x21: 4, 0x22: 9, 0x23: 5, 0x24: 8,
    ]
    private static let kinds: [UInt8: PackedResults.Kind] = [
        0x20: .pressure, 0x21: .end, 0x22: .pressures, 0x23: .pulse, 0x24: .status,
    ]

    let format = Self.frames
    private var results = PackedResults()

    init(_ context: SessionContext) {}

    var start: [UInt8]? { PackedFrame.encode(0x55) }
    var stop: [[UInt8]] { [PackedFrame.encode(0x56)] }
    var highestPressure: Int? { results.highestPressure }
    var resultQuestion: [UInt8]? { PackedFrame.encode(0x5E) }
    var statusQuestion: [UInt8]? { PackedFrame.encode(0x5B) }

    mutating func read(_ frame: [UInt8]) -> [BoardMessage] {
        guard let kind = frame.first.flatMap({ Self.kinds[$0] }) else { return [.otherModule] }
        return results.read(kind, PackedFrame.data(frame), raw: frame)
    }

    mutating func takeWaiting() -> BoardMessage? { results.takeWaiting() }
}

/// An iBio board: does not confirm a start; sends an end, and the result on request.
struct IBioSimulatedBoard: SimulatedBoard {
    static let sendsResults = false
    private static let commands: [UInt8: BoardCommand] = [0x55: .start, 0x56: .stop, 0x5B: .status, 0x5E: .result]

    init(_ options: [String: String]) {}

    func takeCommand(from bytes: inout [UInt8]) -> BoardCommand? {
        guard bytes.count >= 2 else { return nil }
        let isCommand = Array(bytes.prefix(2)) == PackedFrame.encode(bytes[0])
        let command = isCommand ? Self.commands[bytes[0]] ?? .other : .other
        bytes.removeFirst(isCommand ? 2 : 1)
        return command
    }

    func confirmation(of command: BoardCommand) -> [UInt8] { [] }
    func pressure(_ pressure: Int) -> [UInt8] { PackedFrame.encode(0x20, Self.words([pressure]) + [0, 1]) }
    func end(of record: SimulatedRecord?) -> [UInt8] { PackedFrame.encode(0x21, [record?.failure == nil ? 1 : 10]) }

    func result(_ record: SimulatedRecord) -> [UInt8] {
        PackedFrame.encode(0x22, Self.words([record.systolic, record.diastolic, record.mean]))
            + PackedFrame.encode(0x23, Self.words([record.pulse]))
    }

    func status(_ record: SimulatedRecord?) -> [UInt8] {
        PackedFrame.encode(0x24, [0, 0, record?.failure == nil ? 0 : 2, 0, 0])
    }

    static func words(_ values: [Int]) -> [UInt8] {
        values.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }
}
