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
        makeSession: { BoardSession<PackedBoard<IBio>>($0) },
        makeSimulator: { BoardSimulator<PackedSimulatedBoard<IBio>>($0) },
        findFrames: { FrameReader.find(IBio.frames, in: $0) },
        redaction: .nothing)
}

enum IBio: PackedMake {
    static var sheet: CuffDriver { .iBioBoard }
    static let frames = PackedFrame { lengths[$0] }
    static let commands: UInt8 = 0x55
    static let reports: UInt8 = 0x20
    private static let lengths: [UInt8: Int] = [
        0x01: 2, 0x02: 5, 0x03: 9, 0x04: 5, 0x05: 8, 0x06: 5, 0x07: 5, 0x0B: 7, 0x0C: 9, 0x10: 4, 0x11: 5, 0x12: 6, 0x13: 4, 0x15: 8,
        0x16: 5, 0x17: 7, 0x18: 7, 0x19: 4, 0x1A: 10, 0x1B: 6, 0x1C: 7, 0x20: 7, 0x21: 4, 0x22: 9, 0x23: 5, 0x24: 8,
    ]

    static func encode(_ identifier: UInt8, _ data: [UInt8]) -> [UInt8] { PackedFrame.encode(identifier, data) }
    static func content(_ frame: [UInt8]) -> ArraySlice<UInt8> { frame.prefix(1) + PackedFrame.data(frame) }
}
