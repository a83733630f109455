/// Leyutek parameter boards (teaching kits, LY-M501 class). Frames: `PackedFrame`, always ten bytes; data: `PackedResults`.
/// The identifier names the module: `14` cuff, `10` ECG, `11` respiration, `12` temperature, `13` oximeter, `01` system. The second
/// identifier is the first data byte:                                                      documented (a dozen programs agree)
/// Board  `02` cuff pressure(2), wrong cuff, kind · `03` end: kind 1 manual 2 automatic 3 STAT, 10 error
///        `04` systolic(2), diastolic(2), mean(2) · `05` pulse(2) · `06` status, by the layout of iBio boards (guess)
/// Host   `80` start · `81` stop · `86` status · `89` last result
/// Never sent: `83` calibrate, `85` leak test, `82` period, `88` STAT.
/// Values are big endian and signed; −100 is absent. A result counts only after an observed end of kind 1 to 3.
extension CuffDriver {
    /// Driver `leyutek-pct`. Start and stop from the host, live cuff pressure, result with pulse.
    public static let leyutekPCT = CuffDriver(
        id: "leyutek-pct",
        models: ["Leyutek PCT parameter board", "Leyutek LY-M501 class board"],
        summary: "start and stop from the host, live cuff pressure; the result is asked for after the end",
        grade: .a, testedOn: .derived,
        line: LineSettings(rate: 115_200),
        framing: "module, head of eighth bits, second identifier, data, check; ten bytes", check: "sum mod 128",
        capabilities: [.push, .livePressure, .measure, .stop],
        unverified: ["the layout of the status, taken from boards with the same frames", "whether commands are acknowledged"],
        notes: ["The automatic cycle of the board is not set from here."],
        sources: ["a dozen public programs (MFC, Qt, Java, JavaScript, Python, C) whose origin is not established"],
        startCommands: [LeyutekBoard.command(0x80)],
        makeSession: { BoardSession<LeyutekBoard>($0) },
        makeSimulator: { BoardSimulator<LeyutekSimulatedBoard>($0) },
        findFrames: { FrameReader.find(LeyutekBoard.frames, in: $0) },
        redaction: .nothing)
}

struct LeyutekBoard: Board {
    static var driver: DriverID { CuffDriver.leyutekPCT.id }
    static var capabilities: Capabilities { CuffDriver.leyutekPCT.capabilities }
    static let frames = PackedFrame { modules.contains($0) ? PackedFrame.maximumLength : nil }
    private static let modules: Set<UInt8> = [0x01, 0x10, 0x11, 0x12, 0x13, 0x14]
    private static let kinds: [UInt8: PackedResults.Kind] = [
        0x02: .pressure, 0x03: .end, 0x04: .pressures, 0x05: .pulse, 0x06: .status,
    ]

    let format = Self.frames
    private var results = PackedResults()

    init(_ context: SessionContext) {}

    var start: [UInt8]? { Self.command(0x80) }
    var stop: [[UInt8]] { [Self.command(0x81)] }
    var highestPressure: Int? { results.highestPressure }
    var resultQuestion: [UInt8]? { Self.command(0x89) }
    var statusQuestion: [UInt8]? { Self.command(0x86) }

    mutating func read(_ frame: [UInt8]) -> [BoardMessage] {
        let data = PackedFrame.data(frame)
        guard frame.first == 0x14, let kind = data.first.flatMap({ Self.kinds[$0] }) else { return [.otherModule] }
        return results.read(kind, Array(data.dropFirst()), raw: frame)
    }

    mutating func takeWaiting() -> BoardMessage? { results.takeWaiting() }

    /// A frame of the cuff module: the second identifier and six data bytes.
    static func frame(_ identifier: UInt8, _ data: [UInt8]) -> [UInt8] {
        PackedFrame.encode(0x14, [identifier] + data + [UInt8](repeating: 0, count: max(0, 6 - data.count)))
    }

    static func command(_ identifier: UInt8) -> [UInt8] { frame(identifier, []) }
}

/// A PCT board: does not confirm a start; sends an end, and the result on request.
struct LeyutekSimulatedBoard: SimulatedBoard {
    static let sendsResults = false
    private static let commands: [UInt8: BoardCommand] = [0x80: .start, 0x81: .stop, 0x86: .status, 0x89: .result]

    init(_ options: [String: String]) {}

    func takeCommand(from bytes: inout [UInt8]) -> BoardCommand? {
        guard bytes.count >= 10 else { return nil }
        let frame = Array(bytes.prefix(10))
        let data = PackedFrame.data(frame)
        let isCommand = frame == PackedFrame.encode(0x14, data)
        bytes.removeFirst(isCommand ? 10 : 1)
        return isCommand ? data.first.flatMap { Self.commands[$0] } ?? .other : .other
    }

    func confirmation(of command: BoardCommand) -> [UInt8] { [] }
    func pressure(_ pressure: Int) -> [UInt8] { LeyutekBoard.frame(0x02, IBioSimulatedBoard.words([pressure]) + [0, 1]) }
    func end(of record: SimulatedRecord?) -> [UInt8] { LeyutekBoard.frame(0x03, [record?.failure == nil ? 1 : 10]) }

    func result(_ record: SimulatedRecord) -> [UInt8] {
        LeyutekBoard.frame(0x04, IBioSimulatedBoard.words([record.systolic, record.diastolic, record.mean]))
            + LeyutekBoard.frame(0x05, IBioSimulatedBoard.words([record.pulse]))
    }

    func status(_ record: SimulatedRecord?) -> [UInt8] {
        LeyutekBoard.frame(0x06, [0, 0, record?.failure == nil ? 0 : 2, 0, 0])
    }
}
