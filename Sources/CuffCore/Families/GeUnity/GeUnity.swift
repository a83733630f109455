/// GE Dash, Solar and Eagle monitors over their auxiliary serial port. Polled; without framing, and with an unknown check.
/// Head      60 bytes, big-endian: 0 destination (6), 6 source (6), 12 function (2), 14 sub-function (2), 16 version (2),
///           18 sequence (2), 20 request or response (2), 22 process (2), 24 location name (32), 56 return status (2),
///           58 data count (2); then the data and two bytes of check                                 documented [1]
/// Request   function 202, sub-function 35, version 1, no data, check F4 CC: 62 bytes, sent as printed    documented [2]
/// Answer    function 201, sub-function 20; data: alarm state, level, audio, admission, number of parameters, graph
///           status, one byte each; then 68 bytes for each parameter                                 documented [1]
/// Parameter update (10: code, code, status (2), three values (2 each)), extended (14), limits (20), messages (10),
///           more (10), type, code, position, port. The values belong to type and code at the end    documented [1]
/// Cuff      type 10 or 57: mean, systolic, diastolic in mmHg. Type 2 is invasive                    documented [1]
/// Absent    -32768 invalid, -32767 missing, … -32762 no pulse, -32761 sensor failure                documented [1]
/// Check     unknown: neither a usual CRC-16 nor a sum, tried on the one printed request. Readings have
///           `no_measurement_check`; the lengths of a message and the order of values must be consistent
/// The data count includes the six bytes and all parameters: guess; [1] reads it so, and other lengths are refused.
/// New results: the last result remains; other values are another determination. The first one may be old.
/// [1] mdpnp/mdpnp devices/ge/serial/GESerial.java and DemoGESerial.java (BSD-2-Clause); it counts 67 bytes a parameter and
/// reads 68   [2] mindleaving/patient-monitor-datalogger GEDash/GeDashCommunicator.cs (MIT)
extension CuffDriver {
    /// The driver `ge-unity`.
    public static let geUnity = CuffDriver(
        id: "ge-unity",
        models: ["GE Dash", "GE Solar", "GE Eagle (auxiliary serial port)"],
        summary: "GE Dash, Solar and Eagle monitors: the cuff's last result, unchecked",
        grade: .b, testedOn: .derived,
        line: LineSettings(rate: 9600),
        framing: "head of 60 bytes with lengths, parameters of 68 bytes, two bytes of check", check: nil,
        capabilities: [.storedReadings, .push],
        unverified: [
            "the check: its rule is unknown (it is no CRC-16 of the usual kinds and no sum), so it is passed over: guess",
            "the data count: taken for the number of bytes of the data; a message with another one is refused",
            "the pulse of the cuff: the sources name none, and none is read",
            "the meaning of the update's status word",
        ],
        notes: [
            "Only one request is known with its check. It is the only thing that is ever sent, as it was printed, and only to a "
                + "port that was assigned to this driver; no other question is possible.",
            "`read` believes values that come twice; while following each is taken as it comes, and says that it was not checked.",
            "A message whose lengths disagree, or whose values are not diastolic, mean, systolic in ascending order, is refused.",
            "The monitor does not say when a result was determined: what stands there at first is kept without a time.",
            "Two determinations in a row with equal values cannot be told apart.",
            "An invasive pressure (type 2) is no cuff and gives no reading.",
        ],
        sources: [
            "mdpnp/mdpnp, devices/ge/serial/GESerial.java and DemoGESerial.java (BSD-2-Clause)",
            "mindleaving/patient-monitor-datalogger, PatientMonitorDataLogger/GEDash/GeDashCommunicator.cs (MIT)",
        ],
        makeSession: { _ in GeUnitySession() },
        makeSimulator: { GeUnitySimulator($0) },
        findFrames: { FrameReader.find(GeUnityFrame(), in: $0) },
        redaction: .geUnity)
}

/// One answer: a head, parameters, two bytes of unknown check.
struct GeUnityFrame: FrameFormat {
    static let headLength = 60
    static let summaryLength = 6
    static let parameterLength = 68
    static let maximumLength = headLength + summaryLength + 255 * parameterLength + 2

    /// The one request whose check is known [2].
    static let request: [UInt8] = ([0x40].padded(to: 13) + [202, 0, 35, 0, 1]).padded(to: 49) + [1].padded(to: 11) + [0xF4, 0xCC]

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        // Function and sub-function follow two addresses, which no source has for a monitor.
        for (offset, byte) in [(12, 0), (13, 201), (14, 0), (15, 20)] as [(Int, UInt8)] {
            guard let found = bytes.byte(offset) else { return .needMore }
            guard found == byte else { return .reject(.notAStart) }
        }
        guard bytes.count > Self.headLength + 4, let count = bytes.bigEndian16(58) else { return .needMore }
        let length = Self.summaryLength + Self.parameterLength * Int(bytes[Self.headLength + 4])
        guard Int(count) == length else { return .reject(.badLength) }
        let whole = Self.headLength + length + 2
        return bytes.count < whole ? .needMore : .frame(length: whole)
    }

    /// The cuff's values in an answer, from the first of the parameters 10 and 57 with values; `nil` without a cuff.
    static func result(in answer: Span<UInt8>) -> GeUnityResult? {
        guard let count = answer.byte(headLength + 4) else { return nil }
        var absent: GeUnityResult?
        for index in 0..<Int(count) {
            let start = headLength + summaryLength + index * parameterLength
            guard let result = GeUnityResult(answer, at: start) else { continue }
            if !result.isAbsent { return result }
            absent = absent ?? result
        }
        return absent
    }
}

struct GeUnityResult: Equatable, Sendable {
    /// This value and lower ones are reasons for a missing value.
    static let lastSpecial: Int16 = -32761
    /// The highest pressure of any documented cuff is 300 mmHg: beyond this it is damage.
    static let highest: Int16 = 400

    var mean, systolic, diastolic: Int16?
    /// The three values, type and code, which are constant while the result is shown.
    var raw: RawBytes

    init?(_ answer: Span<UInt8>, at start: Int) {
        guard let mean = answer.bigEndian16(start + 4), let systolic = answer.bigEndian16(start + 6),
            let diastolic = answer.bigEndian16(start + 8), let type = answer.byte(start + 64), let code = answer.byte(start + 65),
            type == 10 || type == 57
        else { return nil }
        self.mean = Self.value(mean)
        self.systolic = Self.value(systolic)
        self.diastolic = Self.value(diastolic)
        raw = RawBytes([UInt8](bigEndian: [mean, systolic, diastolic].map { Int($0) }) + [type, code])
    }

    private static func value(_ word: UInt16) -> Int16? {
        let value = Int16(bitPattern: word)
        return value > lastSpecial ? value : nil
    }

    var isAbsent: Bool { systolic == nil || diastolic == nil }

    var bloodPressure: BloodPressure? {
        guard let systolic, let diastolic, diastolic > 0, diastolic < systolic, systolic <= Self.highest,
            mean.map({ $0 >= diastolic && $0 <= systolic }) ?? true
        else { return nil }
        return BloodPressure(
            systolic: .mmHg(Int(systolic)), diastolic: .mmHg(Int(diastolic)), mean: mean.map { .mmHg(Int($0)) },
            meanAbsence: mean == nil ? .notMeasured : .none)
    }
}
