/// PAR Medizintechnik NIBP2010, NIBP2020 UP and look-alikes (Sinnor N6, Abaton UN300C, NIBScan, MD-900): OEM modules.
/// Host      `02 d d ; ; h h 03`            h: sum of the four characters, two upper-case hex digits   documented [1]
///           abort is the one character `X`. One reader always appends CR [2]
///   01 start · 03 manual · 04…13 every 1 2 3 4 5 10 15 30 60 90 min · 14 manometer · 17 leak test · 18 status and result
/// Live      `02 ppp C c S s 03 0D`         cuff pressure, caution, state; unasked while measuring; *no check*  [1][2]
/// End       `02 9 9 9 03 0D`               the live phase is over; the result must be requested (18)            [1]
/// Status    `02 S s;A a;C cc;M mm;P sss ddd mmm;R rrr;T tttt;; h h 03 0D` (no blanks within), h over all before it [1]
///   S 0 self-test 1 standby 2 error 3 measuring 4 manometer 5 initialising 6 waiting for the cycle 7 leak test 8 inflating
///   9 holding · A 0 adult 1 neonate · C minutes of the cycle · P systolic, diastolic, mean · R pulse · T seconds to next
///   M 00 ok 02 invalid command 06 cuff loose 07 leak 08 pneumatic 09 time-out 10 out of range 11 movement 12 over-pressure
///     13 saturated 14 leak test failed 15 system                                                     documented [1]
/// Absent numbers are dashes or blanks. *An error frame may still carry the former pressures*: it gives no values.
/// Combi board: FD and FE stand for 02 and 03, CR behind host commands, oximeter frames `55 AA 07 … sum` in between;
///   recorded on a bench [3]
/// The bytes of one command must follow each other within about 10 ms: each is one write. A manual's example of a status
/// has a wrong sum (D2 for 40); ours are computed. The result remains after a request; it counts as new only if a
/// live phase was seen before it.
/// [1] PyMonkey81/hemodialisis_ciateq, connection/nibp_protocol.py, after NIBPWin V3.1 / Technical Description rev 2.14
/// [2] CardioArtLab/NIBP-project, tincho77/NIBP-ABATON   [3] a later tests/test_nibp_protocol.py of [1], with FD/FE frames
extension CuffDriver {
    /// The driver `par-nibp`.
    public static let parNIBP = CuffDriver(
        id: "par-nibp",
        models: [
            "PAR NIBP2010", "PAR NIBP2020 UP", "PAR combi board (FD/FE)", "Sinnor N6", "Abaton UN300C", "NIBScan", "MD-900",
        ],
        summary: "PAR OEM modules: measure with live cuff pressure, abort, automatic cycle, last result",
        grade: .a, testedOn: .documented,
        claims: [],
        line: LineSettings(rate: 4800),
        framing: "STX text ETX CR (or FD text FE CR)", check: "hexadecimal sum, over results only; live pressures have none",
        capabilities: [.storedReadings, .livePressure, .measure, .stop, .schedule, .scheduleInterval],
        unverified: [
            "message 03 (one reader takes it for ok; here it makes no reading)",
            "the caution digit of live frames",
            "the answers to 28, 29 (version) and 71 (serial number)",
        ],
        notes: [
            "The bytes of one command must follow each other within about 10 ms: do not pace them.",
            "While following nothing is asked: `--option ask=yes` asks for the result (18) when a measurement has ended.",
            "An automatic cycle goes on inflating until it is switched off: `cuff schedule DEVICE off`.",
        ],
        sources: [
            "PyMonkey81/hemodialisis_ciateq, connection/nibp_protocol.py and tests/test_nibp_protocol.py, "
                + "after NIBPWin V3.1, Technical Description 2.14",
            "CardioArtLab/NIBP-project, tincho77/NIBP-ABATON, tincho77/Abaton_bloodPresureSerialInterface",
            "three public C and C++ readers whose origin is not established",
        ],
        options: [
            "variant": "combi: FD and FE frame a command instead of 02 and 03",
            "cr": "yes: send CR behind a command",
            "ask": "yes: while following, ask for the result after a measurement",
        ],
        startCommands: [[0x30, 0x31, 0x3B, 0x3B], [0x31, 0x34, 0x3B, 0x3B], [0x31, 0x37, 0x3B, 0x3B]],
        cycles: ParCommands.cycles,
        makeSession: { ParNIBPSession($0) },
        makeSimulator: { ParNIBPSimulator($0) },
        findFrames: { ParFrame.find(in: $0) },
        redaction: .parNIBP)
}

struct ParFrame: FrameFormat {
    /// A status has 42 bytes; the undocumented version texts fit too.
    static let maximumLength = 64
    static let status: StaticString = "S#;A#;C~~;M~~;P~~~~~~~~~;R~~~;T~~~~;;%%"
    static let live: StaticString = "###C#S#"

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        switch bytes[0] {
        case 0x02: text(bytes, end: 0x03)
        case 0xFD: text(bytes, end: 0xFE)
        case 0x55: oximeter(bytes)
        default: .reject(.notAStart)
        }
    }

    private func text(_ bytes: Span<UInt8>, end: UInt8) -> FrameVerdict {
        var index = 1
        while index < bytes.count, bytes[index] != end {
            guard bytes[index] >= 0x20, bytes[index] < 0x7F else { return .reject(.badCharacter) }
            index += 1
        }
        guard index + 1 < bytes.count else { return .needMore }
        guard bytes[index + 1] == 0x0D else { return .reject(.badCharacter) }
        let content = bytes.extracting(1..<index)
        let length = index + 2
        if content.fit(Self.status) == .whole {
            guard content.count == Self.status.utf8CodeUnitCount else { return .reject(.badLength) }
            let sum = Int(Checksum.sum8(content, 0..<(content.count - 2)))
            return content.hexDigits(content.count - 2, 2) == sum ? .frame(length: length) : .reject(.badCheck)
        }
        switch content.byte(0) {
        case 0x53?, nil: return .reject(.badLength)
        case let first? where first &- 0x30 < 10:
            let isLive = content.count == Self.live.utf8CodeUnitCount && content.fit(Self.live) == .whole
            return isLive || content.count == 3 && content.matches("999") ? .frame(length: length) : .reject(.badLength)
        default: return .frame(length: length)
        }
    }

    /// Frames of a documented kind; any text between STX and ETX CR is not counted.
    static func find(in bytes: [UInt8]) -> FoundFrames {
        FrameReader.find(ParFrame(), in: bytes) { frame in
            [6, 9, 10, 42].contains(frame.count) && (frame[0] == 0x55 || frame[1] == 0x53 || frame[1] &- 0x30 < 10)
        }
    }

    /// `55 AA 07` index, status, saturation, pulse, perfusion, sum from 07: skipped.
    private func oximeter(_ bytes: Span<UInt8>) -> FrameVerdict {
        if bytes.count > 1, bytes[1] != 0xAA { return .reject(.notAStart) }
        if bytes.count > 2, bytes[2] != 0x07 { return .reject(.notAStart) }
        guard bytes.count >= 9 else { return .needMore }
        return Checksum.sum8(bytes, 2..<8) == bytes[8] ? .frame(length: 9) : .reject(.badCheck)
    }
}

struct ParStatus: Equatable {
    var state: Int
    var cycle, message: Int?
    var systolic, diastolic, mean, rate: Int?

    init?(_ frame: Span<UInt8>) {
        guard frame.count == 42, frame.fit(ParFrame.status, at: 1) == .whole, let state = frame.digits(2, 1) else { return nil }
        self.state = state
        cycle = frame.digits(8, 2)
        message = frame.digits(12, 2)
        systolic = frame.digits(16, 3)
        diastolic = frame.digits(19, 3)
        mean = frame.digits(22, 3)
        rate = frame.digits(27, 3)
    }

    /// Busy with something that ends in another status.
    var isBusy: Bool { [0, 3, 5, 8, 9].contains(state) }

    var bloodPressure: BloodPressure? {
        guard state == 1 || state == 6, message == 0, let systolic, let diastolic, systolic > 0, diastolic > 0 else { return nil }
        return .mmHg(systolic, diastolic, meanOrZero: mean ?? 0, pulseOrZero: rate ?? 0)
    }

    var failure: MeasurementFailure? {
        guard let message else { return state == 2 ? MeasurementFailure(.unknown, code: "S2") : nil }
        guard state == 2 || Self.failures[message] != nil else { return nil }
        return Self.failures.failure(message, ShortText("M" + Decimal.text(message, 2)))
    }

    private static let failures: [Int: FailureReason] = [
        6: .cuffLoose, 7: .leak, 8: .hardware, 9: .timeout, 10: .outOfRange, 11: .movement, 12: .overPressure, 13: .saturated, 14: .leak,
        15: .hardware,
    ]
}
