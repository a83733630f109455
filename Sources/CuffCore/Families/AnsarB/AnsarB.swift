/// Ivy Vital-Guard 450C, protocol ANSAR-B: a bedside monitor that sends one message a second and takes no commands.
/// Message  `FF`, `ANSAR-B ` with its blank, 400 bytes of waves, lines of text that end with CR, `FE`     recorded: 27 messages [1]
///   waves  ECG 200, respiration 50, pleth 50, P1 50, P2 50; any value, FE, FF and 0D too                               [1]
/// Line     `NIBP=state;sys;dia;mean;pulse;label;alarm`, e.g. `NIBP=4;121;75;92;80;;`; an empty field is no value    recorded [1]
///   state  a number whose meaning is unknown
/// Others   `HR`, `RR`, `ETCO2`, `SPO2`, `T1`, `T2`; `P1=` and `P2=` are invasive, not a cuff: ignored                 [1]
/// The result is in every message until the next one: other values, in two messages, are a new determination. The time of one
/// present when the conversation began is unknown. No check: a message with an unexpected character, or with an
/// NIBP line of another form, gives no reading.
/// [1] mdpnp/mdpnp, package org.mdpnp.devices.cpc: AnsarB.java, DemoIvy450C.java, test data Ivy450C.1.data
extension CuffDriver {
    /// The driver `ansar-b`.
    public static let ansarB = CuffDriver(
        id: "ansar-b",
        models: ["Ivy Vital-Guard 450C"],
        summary: "bedside monitor that sends a message a second: each new result of the cuff",
        grade: .a, testedOn: .recordedElsewhere("mdpnp/mdpnp, test data Ivy450C.1.data: 27 messages of a Vital-Guard 450C"),
        line: LineSettings(rate: 9600),
        framing: "FF ANSAR-B, 400 wave bytes, lines of text, FE", check: nil,
        capabilities: [.push],
        unverified: [
            "the number behind NIBP= and what the label and alarm fields hold",
            "what the line shows during a measurement: values that vanish and come back are taken for another result",
        ],
        notes: [
            "A result that is there when the conversation begins has no known time: the monitor tells none.",
            "There is no check: values are believed when a second message has them too, or if the line ends after a first message.",
            "Two determinations in a row with four equal values cannot be told apart.",
            "The invasive pressures P1 and P2 are never read.",
        ],
        sources: ["mdpnp/mdpnp (BSD-2): org.mdpnp.devices.cpc AnsarB.java, DemoIvy450C.java; test data Ivy450C.1.data"],
        makeSession: { _ in AnsarBSession() },
        makeSimulator: { AnsarBSimulator($0) },
        findFrames: { FrameReader.find(AnsarBFrame(), in: $0) },
        redaction: .ansarB)
}

struct AnsarBFrame: FrameFormat {
    static let startByte: UInt8? = 0xFF
    static let end: UInt8 = 0xFE
    static let carriageReturn: UInt8 = 0x0D
    static let name: StaticString = "ANSAR-B "
    static let waves = 400
    static let text = 9 + waves
    /// The recorded messages have 152 bytes of text; longer alarms fit too.
    static let longestText = 1024
    static let maximumLength = text + longestText + 1

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0xFF else { return .reject(.notAStart) }
        switch bytes.fit(Self.name, at: 1) {
        case .no: return .reject(.notAStart)
        case .partial: return .needMore
        case .whole: break
        }
        guard bytes.count > Self.text else { return .needMore }
        let end = bytes.textRun(Self.text..<min(bytes.count, Self.maximumLength), allowing: Self.carriageReturn).end
        guard end < Self.maximumLength, let byte = bytes.byte(end) else { return .needMore }
        guard byte == Self.end else { return .reject(.badCharacter) }
        return end > Self.text && bytes[end - 1] == Self.carriageReturn ? .frame(length: end + 1) : .reject(.badLength)
    }

    /// The NIBP line of a message; `nil` unless there is exactly one.
    static func line(_ frame: Span<UInt8>) -> [UInt8]? {
        let lines = frame.part(text, frame.count - text - 1).split(separator: carriageReturn)
            .filter { $0.starts(with: "NIBP=".utf8) }
        return lines.count == 1 ? lines.first.map { Array($0) } : nil
    }
}

struct AnsarBResult: Sendable, Hashable {
    var values: [Int?]

    var isEmpty: Bool { values.allSatisfy { $0 == nil } }

    init?(_ line: [UInt8]) {
        let fields = line.dropFirst(5).split(separator: 0x3B, omittingEmptySubsequences: false).map(Array.init)
        guard fields.count == 7, (1...2).contains(fields[0].count), Self.number(fields[0]) != nil else { return nil }
        values = []
        for field in fields[1...4] {
            let number = Self.number(field)
            guard field.isEmpty || number != nil else { return nil }
            values.append(number)
        }
    }

    private static func number(_ text: [UInt8]) -> Int? { text.count <= 3 ? text.span.digits(0, text.count) : nil }

    /// The four values as sent, without state, label and alarm, which change while the result is shown.
    var text: [UInt8] { Array(values.map { $0.map { String($0) } ?? "" }.joined(separator: ";").utf8) }

    /// `nil` if systolic or diastolic is missing, or the mean is not between them, which shows damage.
    var pressure: BloodPressure? {
        guard values.count == 4, let high = values[0], let low = values[1] else { return nil }
        let pressure = BloodPressure(
            systolic: .mmHg(high), diastolic: .mmHg(low), mean: values[2].map { .mmHg($0) }, pulse: values[3].map { PulseRate($0) },
            meanAbsence: values[2] == nil ? .notMeasured : .none, pulseAbsence: values[3] == nil ? .notMeasured : .none)
        return pressure.isPlausible ? pressure : nil
    }
}
