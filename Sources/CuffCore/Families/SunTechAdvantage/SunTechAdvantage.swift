/// SunTech Medical Advantage, Advantage 2.0 and MC3-class OEM modules: start, abort, live cuff pressure, last result.
/// Host      `3A command arguments CK`        CK brings the sum of the whole packet to 0 mod 256   observed, self-consistent [1]…[4]
/// Module    `3E length data… CK`             length counts every byte of the packet
///   `20` start, adult · `56` start with live cuff pressure · `79 01 00` abort · `79 03 00` result · `79 05 00` cuff
///   pressure · `79 11 00` status · `17 lo hi` first inflation · `0C 00 01 01` close all valves · `81 …` sleep · `8A` reset
/// One byte  `3E 04 x CK`: `O` accepted, `K` finished, `B` busy, `A` aborted, `S` asleep, `E` error          [1][2][3]
/// Pressure  `3E 05 lo hi CK`, only as the answer to 79 05; other packets of five bytes exist                [1]
///           at most 300 mmHg; higher results are not accepted                                                    [3]
/// Stream    `3E 07 01 lo hi 00 CK` while measuring with 56; then `3E 19 03` and the 21 result bytes         [2], one reader
/// Result    `3E 18` systolic LE16, diastolic LE16, beats, status, 8 test codes, heart rate, spare, mean LE16, error,
///           2 spares, CK                                                                                    [1][3]
/// Errors    3 out of range, 86 aborted, 87 inflation took too long (leak, loose cuff), 88 safety time-out, 89 cuff
///           over-pressure, 90 supply or hardware, 91 safety link or zero out of range, 97 transducer out of range, 99
///           calibration data; from [3], which cites SunTech's Operations Manual rev K p. 55
/// A start is written once: a lost acknowledgement must not inflate twice. A status command with a wrong CK is published
/// (`79 10 03`): ours are computed.
/// [1] ak-git/DesktopFX (tests)   [2] hwy0606/STM32F103, HARDWARE/Usart2_Protocol/usart2_protocol.c
/// [3] aiswariyas/januity_i_modified, JanuityUI/Modules/BloodPressure.cs   [4] public C and C++ readers whose origin is not
/// established
extension CuffDriver {
    /// The driver `suntech-advantage`.
    public static let suntechAdvantage = CuffDriver(
        id: "suntech-advantage",
        models: ["SunTech Advantage OEM", "SunTech Advantage 2.0", "SunTech MC3 class"],
        summary: "SunTech OEM modules: measure with live cuff pressure, abort, last result",
        grade: .a, testedOn: .documented,
        claims: [],
        line: LineSettings(rate: 9600),
        framing: "3E, length, data, check byte", check: "sum of the packet is 0 mod 256",
        capabilities: [.storedReadings, .livePressure, .measure, .stop],
        unverified: [
            "start with live stream (56) and its result packet (one reader)",
            "the status byte and the eight test codes of a result; error codes 1, 2, 4 and 85",
            "whether a module answers an abort with A, K or O",
        ],
        notes: [
            "A module on a logic-level or RS-232 line; whichever bridge it sits on must be assigned by hand.",
            "The result carries no time and no number: the same result read twice is one reading.",
            "`--option inflation=160` sets the first inflation, in mmHg, before a start.",
        ],
        sources: [
            "ak-git/DesktopFX NIBPConverterTest, NIBPBytesInterceptorTest", "hwy0606/STM32F103, usart2_protocol.c",
            "aiswariyas/januity_i_modified, JanuityUI/Modules/BloodPressure.cs, citing SunTech Operations Manual rev K p. 55",
            "a C reader and a C++ reader, both public, whose origin is not established",
        ],
        options: [
            "inflation": "first inflation in mmHg, 100 to 240, for the next measurement",
            "stream": "yes: start with 56 and take the live stream instead of asking for the cuff pressure",
        ],
        startCommands: [[0x3A, 0x20], [0x3A, 0x56], [0x3A, 0x17], [0x3A, 0x0C]],
        makeSession: { SunTechAdvantageSession($0) },
        makeSimulator: { SunTechAdvantageSimulator($0) },
        findFrames: { FrameReader.find(SunTechPacket(), in: $0) },
        redaction: .suntechAdvantage)
}

struct SunTechPacket: FrameFormat {
    static let maximumLength = 32
    static let startByte: UInt8? = 0x3E

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0x3E else { return .reject(.notAStart) }
        guard bytes.count > 1 else { return .needMore }
        let length = Int(bytes[1])
        guard length >= 4, length <= Self.maximumLength else { return .reject(.badLength) }
        guard bytes.count >= length else { return .needMore }
        return Checksum.sum8(bytes, 0..<length) == 0 ? .frame(length: length) : .reject(.badCheck)
    }

    static func host(_ command: [UInt8]) -> [UInt8] { closed([0x3A] + command) }

    static func module(_ data: [UInt8]) -> [UInt8] { closed([0x3E, UInt8(clamping: data.count + 3)] + data) }

    private static func closed(_ packet: [UInt8]) -> [UInt8] { packet + [0 &- packet.sum8] }
}

enum SunTechCommand {
    static let start: [UInt8] = [0x20]
    static let startStream: [UInt8] = [0x56]
    static let abort: [UInt8] = [0x79, 0x01, 0x00]
    static let result: [UInt8] = [0x79, 0x03, 0x00]
    static let cuffPressure: [UInt8] = [0x79, 0x05, 0x00]

    static func inflation(_ pressure: Int) -> [UInt8] { [0x17] + [UInt8](littleEndian: [pressure]) }
}
