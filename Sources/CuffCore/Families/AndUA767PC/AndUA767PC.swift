/// A&D UA-767PC. Serial; pushes a result after each measurement.
/// Result  `CC PP DD RR UU`  ten ASCII hexadecimal characters, two per value, no delimiter, no check   observed [1][2]
///   CC 80 good; 81, 82, 83 other states                                                             documented [2]
///   PP systolic minus diastolic; DD diastolic; RR pulse                                              observed [1][2]
///   UU mean arterial pressure                                                                        guess: in no source,
///      but it fits all three known results: 152/76 has 96, 105/76 has 82, 98/66 has 76                          [1][2]
/// Example `804C4C4960`: 152/76, mean 96, pulse 73                                                    documented [2]
/// Nothing in the bytes marks a beginning or an end: a result is the text between two silences. Several results
/// without a silence between them (a file of plain bytes) are read only if every ten characters form one.
/// Upper-case digits only, as in the example; that the cuff never writes lower case is a guess.
/// [1] videntity/python-omhe, omhe/hardware/bloodpressure_a_and_d_UA767PC/bloodpressure.py (it opens with XON/XOFF)
/// [2] public JavaScript readers (object UA767) whose origin is not established
extension CuffDriver {
    /// The driver `and-ua767pc`.
    public static let andUA767PC = CuffDriver(
        id: "and-ua767pc",
        models: ["A&D UA-767PC"],
        summary: "pushes each result as ten hexadecimal characters",
        grade: .b, testedOn: .documented,
        line: LineSettings(rate: 9600),
        framing: "ten hexadecimal characters between silences", check: nil,
        capabilities: [.push],
        unverified: [
            "the last two characters: taken for the mean pressure where they lie between the two pressures, a guess that fits all three known results",
            "what the states 81, 82 and 83 mean: each is told as a failed measurement with its code",
            "commands to open and close the communication port, which one source lists and none uses",
        ],
        sources: [
            "videntity/python-omhe bloodpressure.py",
            "public JavaScript readers (object UA767) whose origin is not established",
        ],
        makeSession: { _ in AndUA767PCSession() },
        makeSimulator: { PushSimulator.andUA767PC($0) },
        findFrames: { AndUA767PCSession.find(in: $0) },
        redaction: .nothing)
}

struct AndUA767PCSession: FinishingSession {
    static let length = 10
    /// Fifty results: far more than are sent without a pause.
    static let maximumBurst = 500
    /// Ten characters take 11 ms at 9600; USB adapters delay bytes by up to 16 ms. How long the cuff may pause within a result is a guess.
    static let silence = Duration.milliseconds(300)

    private var burst = Burst(limit: Self.maximumBurst)
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.andUA767PC.capabilities }

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        burst.append(bytes)
        actions.arm(.silence, Self.silence)
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        if timer == .silence { settle(into: &actions) }
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        settle(into: &actions)
        finish(.complete, into: &actions)
    }

    private mutating func settle(into actions: inout SessionActions) {
        guard let bytes = burst.take(into: &actions) else { return }
        if let readings = Self.readings(bytes.span) {
            for reading in readings { actions.emit(reading) }
        } else {
            actions.report(skipped: bytes.count, bytes.count % Self.length == 0 ? .badCharacter : .badLength)
        }
    }

    /// The results of one burst; `nil` for other text. One bad character invalidates all, because there is no check or delimiter.
    static func readings(_ burst: Span<UInt8>) -> [Reading]? {
        guard burst.count % length == 0 else { return nil }
        var readings: [Reading] = []
        for start in stride(from: 0, to: burst.count, by: length) {
            guard let reading = reading(burst.extracting(start..<(start + length))) else { return nil }
            readings.append(reading)
        }
        return readings
    }

    static func reading(_ text: Span<UInt8>) -> Reading? {
        for index in text.indices where text[index] >= 0x61 { return nil }
        guard let code = text.hexDigits(0, 2), let difference = text.hexDigits(2, 2), let diastolic = text.hexDigits(4, 2),
            let pulse = text.hexDigits(6, 2), let last = text.hexDigits(8, 2), code >= 0x80, code <= 0x83
        else { return nil }
        let content: Reading.Content
        if code != 0x80 {
            content = .failure(.init(.unknown, code: ShortText(text.extracting(0..<2))))
        } else if diastolic == 0 {
            content = .failure(.init(.noValue))
        } else {
            var pressure = BloodPressure.mmHg(difference + diastolic, diastolic, pulseOrZero: pulse)
            // A value other than a mean would hardly lie between the two, and is dropped.
            if diastolic...(difference + diastolic) ~= last { pressure.mean = .mmHg(last) }
            content = .bloodPressure(pressure)
        }
        return Reading(content, driver: "and-ua767pc", flags: .noMeasurementCheck, origin: .push, raw: RawBytes(text))
    }

    static func find(in bytes: [UInt8]) -> FoundFrames {
        guard bytes.count <= maximumBurst, let readings = readings(bytes.span), !readings.isEmpty else { return FoundFrames() }
        let length = bytes.count / readings.count
        return FoundFrames((0..<readings.count).map { $0 * length..<($0 + 1) * length })
    }
}
