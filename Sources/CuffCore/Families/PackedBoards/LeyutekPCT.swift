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
        startCommands: [Leyutek.encode(0x80)],
        makeSession: { BoardSession<PackedBoard<Leyutek>>($0) },
        makeSimulator: { BoardSimulator<PackedSimulatedBoard<Leyutek>>($0) },
        findFrames: { FrameReader.find(Leyutek.frames, in: $0) },
        redaction: .nothing)
}

enum Leyutek: PackedMake {
    static var sheet: CuffDriver { .leyutekPCT }
    static let frames = PackedFrame { modules.contains($0) ? PackedFrame.maximumLength : nil }
    static let commands: UInt8 = 0x80
    static let reports: UInt8 = 0x02
    private static let cuff: UInt8 = 0x14
    private static let modules: Set<UInt8> = [0x01, 0x10, 0x11, 0x12, 0x13, cuff]

    static func encode(_ identifier: UInt8, _ data: [UInt8] = []) -> [UInt8] {
        PackedFrame.encode(cuff, ([identifier] + data).padded(to: 7))
    }
    static func content(_ frame: [UInt8]) -> ArraySlice<UInt8> { frame.first == cuff ? PackedFrame.data(frame)[...] : [] }
}
