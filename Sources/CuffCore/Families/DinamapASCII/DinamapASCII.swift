/// GE Dinamap ASCII host protocol: Carescape V100, ProCare 100-400, PRO 100-400. Polled; the last determination remains.
/// Request   unit id (blank), two letters, parameters, two check characters, CR                    documented [1]
/// Check     v = 0; for each character v += c - 1F, and if v > FFF then v -= FFF; then 20 + v / 64 and 20 + v mod 64
///           self-consistent on all eight published commands [1][2]
/// Answer    the same text with its data, then CR. No source shows whether the two check characters follow:
///           both forms are accepted; with them they must agree, without them the reading has `no_measurement_check`.
/// ` NA`     status, patient (0 unknown, 1 adult, 2 neonate), type (0 normal, 1 stat), age in seconds (4 digits, 9999 =
///           none), systolic, diastolic, mean (3 digits each)                                       documented [1]
///           status 0 busy, 1 done, 3 failed, 4 pump-up time-out, 6 total time-out, 7 one-pressure time-out,
///           8 over-pressure or air left in the cuff, 9 unknown
/// ` RA`     source (2 oximeter, 3 cuff), rate (3 digits; -99 or 0 = none)                          documented [1]
/// ` RC`     another reader's heart rate, at the same offsets                                       observed [2]
/// ` NC0`    starts a determination, ` ND` cancels it                                               documented [1][2]
/// New results: the values of the former determination stay visible, also while the next one runs. After a start only an
/// age *smaller* than before makes a reading [2]; the same determination makes no second one.
/// The pulse has a separate request: a reading waits for the answer to RA, and uses the rate only if its
/// source is the cuff. If the line ends before that, it is emitted without a pulse.
/// [1] a public C# class Emr.Devices.GeV100.GeV100SerialConn whose origin is not established; it quotes GE's host
/// communications manual   [2] tnez/TK-BP, TKBPController.h and .m (University of Kentucky)
extension CuffDriver {
    /// The driver `dinamap-ascii`.
    public static let dinamapASCII = CuffDriver(
        id: "dinamap-ascii",
        models: ["GE Carescape V100", "GE ProCare 100-400", "GE/Critikon Dinamap PRO 100-400"],
        summary: "GE Dinamap monitors over their host port: last determination, start, cancel",
        grade: .a, testedOn: .derived,
        claims: [.shared(vendor: 0x0403, product: 0x6001)],
        line: LineSettings(rate: 9600),
        framing: "blank, two letters, fixed-width text, CR", check: "two characters over the text, where the monitor sends them",
        capabilities: [.storedReadings, .measure, .stop],
        unverified: [
            "whether answers carry check characters",
            "what a monitor answers to a command it refuses, and to NC0 and ND",
            "RC: read as RA is",
            "XON/XOFF",
        ],
        notes: [
            "The monitor tells how old its values are, not when they were taken; while following it must be asked by another.",
            "Oxygen saturation (OA) and temperature (TC) are asked by some readers; their answers are passed over.",
        ],
        sources: [
            "GE 2010566 Host Communications Reference Manual, as quoted in a public C# class GeV100SerialConn whose origin is not established",
            "tnez/TK-BP, TKBPController.h and .m (University of Kentucky)",
            "a public Ruby reader of a V100 whose origin is not established",
            "zidanetan/dinamap, ceteongvanness/Dinamap-BP-Machine (wrappers of a GE library)",
        ],
        simulatorOptions: ["check": "no: its answers carry no check characters"],
        startCommands: [[0x20, 0x4E, 0x43]],
        makeSession: { _ in DinamapASCIISession() },
        makeSimulator: { DinamapASCIISimulator($0) },
        findFrames: { DinamapLine.find(in: $0) },
        redaction: .nothing)
}

enum DinamapCommand: String {
    case status = " NA", heartRate = " RA", start = " NC0", cancel = " ND"

    var bytes: [UInt8] { DinamapLine.encode(Array(rawValue.utf8)) }
}

/// One line of the host port, in either direction: a blank, two capitals, text, CR.
struct DinamapLine: FrameFormat {
    /// The longest documented answer has 18 characters behind the unit; check characters and growth fit too.
    static let maximumLength = 40
    /// Status, patient, type, age; then three pressures.
    static let status: StaticString = " NA#######~~~~~~~~~"
    static let carriageReturn: UInt8 = 0x0D

    /// A whole line, or a single line-end character (some software begins with one).
    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        if bytes[0] == 0x0D || bytes[0] == 0x0A { return .frame(length: 1) }
        guard bytes[0] == 0x20 else { return .reject(.notAStart) }
        var index = 1
        // A longer line is not a frame: searching further would cost the whole chunk for each blank in it.
        while index < min(bytes.count, Self.maximumLength) {
            let byte = bytes[index]
            if byte == Self.carriageReturn {
                guard index >= 3 else { return .reject(.badLength) }
                return judge(bytes, index)
            }
            guard index < 3 ? byte >= 0x41 && byte <= 0x5A : byte >= 0x20 && byte < 0x7F else { return .reject(.badCharacter) }
            index += 1
        }
        return .needMore
    }

    /// Answers that are decoded must have their length and, if present, the right check characters.
    private func judge(_ bytes: Span<UInt8>, _ length: Int) -> FrameVerdict {
        let known = bytes.matches(" NA") ? 19 : bytes.matches(" RA") || bytes.matches(" RC") ? 7 : 0
        guard known > 0, length > 5 else { return .frame(length: length + 1) }
        guard length == known || length == known + 2 else { return .reject(.badLength) }
        if length > known, !Self.isChecked(bytes, length) { return .reject(.badCheck) }
        if known == 19, bytes.fit(Self.status) != .whole { return .reject(.badCharacter) }
        return .frame(length: length + 1)
    }

    static func isChecked(_ bytes: Span<UInt8>, _ length: Int) -> Bool {
        guard length > 2 else { return false }
        let (high, low) = check(bytes, length - 2)
        return bytes.byte(length - 2) == high && bytes.byte(length - 1) == low
    }

    static func check(_ bytes: Span<UInt8>, _ count: Int) -> (UInt8, UInt8) {
        var value = 0
        for index in 0..<min(count, bytes.count) {
            value += Int(bytes[index]) - 0x1F
            if value > 0xFFF { value -= 0xFFF }
        }
        value = max(0, value)
        return (0x20 &+ UInt8(truncatingIfNeeded: value >> 6 & 0x3F), 0x20 &+ UInt8(truncatingIfNeeded: value & 0x3F))
    }

    static func encode(_ text: [UInt8]) -> [UInt8] {
        let (high, low) = check(text.span, text.count)
        return text + [high, low, carriageReturn]
    }

    /// Lines of a kind that is read.
    static func find(in bytes: [UInt8]) -> FoundFrames {
        FrameReader.find(DinamapLine(), in: bytes) { $0.count > 6 && (DinamapDetermination($0) != nil || DinamapHeartRate($0) != nil) }
    }
}

struct DinamapDetermination: Equatable {
    var status: Int
    /// Seconds; `nil` without a determination.
    var age: Int?
    var systolic, diastolic, mean: Int?
    var isChecked: Bool

    init?(_ line: Span<UInt8>) {
        guard line.matches(" NA"), line.count == 20 || line.count == 22, let status = line.digits(3, 1),
            let age = line.digits(6, 4)
        else { return nil }
        self.status = status
        self.age = age <= 5400 ? age : nil
        systolic = line.digits(10, 3)
        diastolic = line.digits(13, 3)
        mean = line.digits(16, 3)
        isChecked = line.count == 22
    }

    func hasValues(of other: DinamapDetermination) -> Bool {
        systolic == other.systolic && diastolic == other.diastolic && mean == other.mean
    }

    func isSame(as former: DinamapDetermination) -> Bool { hasValues(of: former) && age ?? -1 >= former.age ?? 0 }

    var failure: MeasurementFailure? {
        let failures: [Int: FailureReason] = [4: .noInflation, 6: .timeout, 7: .timeout, 8: .overPressure]
        return status < 2 ? nil : failures.failure(status)
    }
}

struct DinamapHeartRate: Equatable {
    /// 2 oximeter, 3 cuff.
    var source: Int
    var rate: Int?
    var isChecked: Bool

    init?(_ line: Span<UInt8>) {
        guard line.matches(" RA") || line.matches(" RC"), line.count == 8 || line.count == 10, let source = line.digits(3, 1)
        else { return nil }
        self.source = source
        rate = line.digits(4, 3).flatMap { $0 > 0 ? $0 : nil }
        isChecked = line.count == 10
    }
}
