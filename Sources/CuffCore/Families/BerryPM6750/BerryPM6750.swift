/// Berry Medical PM6750 multi-parameter board. USB (STM32 virtual COM port) or TTL; sends what a host enabled.
///
/// Frame    `55 AA N type data… CK`   N = 2 + type and data bytes; CK = NOT(N + type + data)         documented [1][2]
/// Host     `55 AA 04 cmd arg CK`
///   `02 01` start NIBP, `02 00` stop; `09 01/02/03` adult/child/neonate                             documented [1][2]
///   `0A x` target pressure / 2, `01 03 04 07 08 0F FE FF` ECG, SpO2, temperature, waves, `FC FD` versions: not used here
/// NIBP     type 03, five data bytes, about twice a second                                           documented [1][2]
///   status, cuff / 2, systolic, mean, diastolic; pressures 0…250
///   status bits 0–1 patient; bits 2–5: 0 finished, 1 running, 2 stopped, 3 over-pressure, 4 cuff loose, 5 time-out,
///   6 error, 7 disturbed, 8 out of range, 9 initialising (commands are ignored), 10 initialised; 9, 10 wait: also [4] of a PM1200
///   The pressures mean something only with 0. There is no pulse in it.
/// Others   01 ECG wave, 02 ECG, 04 SpO2, 05 temperature, 30 and 31 beat marks, FE and FF waves: passed over  documented [2]
///
/// A finished packet, or a failed one, may be of long before the connection: it counts only after a running
/// one, and only once.
///
/// [1] elmerrocha/telsy-cab berry_decoder.py   [2] Abrunacci/berry_med, docs/protocolo_berry.md,
/// measured on a board   [3] public Python readers whose origin is not established
/// [4] luoshutu/PyGUI PM1200DataAnalysis.py
extension CuffDriver {
    /// The driver `berry-pm6750`.
    public static let berryPM6750 = CuffDriver(
        id: "berry-pm6750",
        models: ["Berry Medical PM6750", "Berry Medical PM1200"],
        summary: "board for ECG, SpO2, temperature and blood pressure; only the last is read",
        grade: .a, testedOn: .derived,
        claims: [.shared(vendor: 0x0483, product: 0x5740)],
        line: LineSettings(rate: 115_200),
        framing: "55 AA length type data check", check: "complement of the sum",
        capabilities: [.livePressure, .measure, .stop],
        unverified: [
            "the USB id: 0483:5740 is ST's for any virtual COM port, and no source names the board's",
            "how long the finished packet is repeated",
        ],
        notes: [
            "The NIBP packet has no pulse; the board tells it only with the ECG or SpO2 sensor, and that one is not read.",
            "`--option patient=adult`, `child` or `neonate` sets the patient mode before a measurement; without it the board's own stays.",
        ],
        sources: [
            "elmerrocha/telsy-cab (AGPL-3.0)", "Abrunacci/berry_med, docs/protocolo_berry.md, measured on a board",
            "public Python readers whose origin is not established", "luoshutu/PyGUI (PM1200DataAnalysis.py: a PM1200)",
        ],
        options: ["patient": "adult, child or neonate: set before a measurement"],
        startCommands: [BerryPM6750Command.start],
        makeSession: { BerryPM6750Session($0) },
        makeSimulator: { BoardSimulator<BerrySimulatedBoard>($0) },
        findFrames: { FrameReader.find(BerryPM6750Frame(), in: $0) },
        redaction: .nothing)
}

struct BerryPM6750Frame: FrameFormat {
    /// The longest documented packet has N = 10; 32 leaves room for versions, whose length no source gives.
    static let maximumN = 32
    static let maximumLength = maximumN + 2
    static let startByte: UInt8? = 0x55

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0x55, bytes.count < 2 || bytes[1] == 0xAA else { return .reject(.notAStart) }
        guard bytes.count >= 3 else { return .needMore }
        let n = Int(bytes[2])
        guard n >= 3, n <= Self.maximumN else { return .reject(.badLength) }
        guard bytes.count >= n + 2 else { return .needMore }
        let check = Checksum.onesComplement8(bytes, 2..<(n + 1))
        return bytes[n + 1] == check ? .frame(length: n + 2) : .reject(.badCheck)
    }

    /// `55 AA N body CK`, for both sides.
    static func encode(_ body: [UInt8]) -> [UInt8] {
        let counted = [UInt8(body.count + 2)] + body
        return [0x55, 0xAA] + counted + [~counted.sum8]
    }
}

enum BerryPM6750Command {
    static let start = BerryPM6750Frame.encode([0x02, 0x01])
    static let stop = BerryPM6750Frame.encode([0x02, 0x00])
    static let patients: [String: [UInt8]] = ["adult": [0x09, 0x01], "child": [0x09, 0x02], "neonate": [0x09, 0x03]]
}

struct BerryPM6750Session: FramedSession, MeasuringSession {
    /// The board's own reader waits as long [2].
    static let limit = Duration.seconds(90)
    /// NIBP packets come twice a second: a board that left out three of them is gone.
    static let silence = Duration.milliseconds(1500)
    /// ECG, its wave, SpO2, temperature, beat marks, versions, waves: none of them about the cuff.
    private static let otherChannels: Set<UInt8> = [0x01, 0x02, 0x04, 0x05, 0x30, 0x31, 0xFC, 0xFD, 0xFE, 0xFF]

    var reader = FrameReader(BerryPM6750Frame())
    /// The start is the one command with an answer: its running packets.
    var requests = Requests<Bool>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.berryPM6750.capabilities }
    var isListening: Bool { !isMeasuring && !isStopping }
    let stopCommand = BerryPM6750Command.stop
    private let patient: [UInt8]?
    private var isMeasuring = false
    private var isStopping = false
    /// A measurement is under way, so that its end will be news.
    private var isRunning = false
    /// The host started it, as its own write or the capture's showed.
    private var wasStarted = false

    init(_ context: SessionContext) {
        patient = context.options["patient"].flatMap { BerryPM6750Command.patients[$0] }.map(BerryPM6750Frame.encode)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        if bytes == BerryPM6750Command.start { wasStarted = true }
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .measure:
            isMeasuring = true
            if let patient { actions.append(.write(patient)) }
            ask(Request(true, BerryPM6750Command.start, within: .seconds(5), attempts: 1), into: &actions)
            actions.arm(.overall, Self.limit)
        case .stop:
            // It keeps sending packets, which show when it has stopped.
            isStopping = true
            stop(within: .seconds(2), into: &actions)
        default: break
        }
    }

    mutating func unanswered(_ question: Bool, into actions: inout SessionActions) { giveUp("the board did not start", into: &actions) }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        if isStopping { return finish(.noAnswer("the board did not confirm that it stopped"), into: &actions) }
        switch timer {
        case .silence where isMeasuring: giveUp("the board fell silent during the measurement", as: .lost, into: &actions)
        case .overall where isMeasuring: giveUp("no result came within 90 seconds of the start", into: &actions)
        default: break
        }
    }

    mutating func skipped(_ count: Int, _ fault: FrameFault, into actions: inout SessionActions) {
        actions.report(skipped: count, fault)
        // What was damaged may have been its packet.
        awaitNext(into: &actions)
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        // The other channels send 250 packets a second.
        let type = reader.buffer.span[range.lowerBound + 3]
        if range.count == 10, type == 0x03 {
            receive(pressures: bytes(of: range), into: &actions)
            awaitNext(into: &actions)
        } else if !Self.otherChannels.contains(type) {
            actions.ignore("a packet of no known kind", bytes(of: range))
        }
    }

    private func awaitNext(into actions: inout SessionActions) {
        if isMeasuring, isRunning, !isStopping, !isFinished { actions.arm(.silence, Self.silence) }
    }

    private mutating func receive(pressures frame: [UInt8], into actions: inout SessionActions) {
        let status = Self.status(frame.span)
        switch status {
        case 1:
            if !isRunning { actions.append(.live(.started)) }
            isRunning = true
            requests.end(into: &actions)
            actions.append(.live(.cuffPressure(.mmHg(Self.cuff(frame.span)))))
        // A board that initialises has forgotten what it was measuring.
        case 9, 10:
            guard isRunning else { return isStopping ? finish(.complete, into: &actions) : () }
            isRunning = false
            actions.append(.live(.failed(.init(.unknown, code: ShortText("\(status)")))))
            if isMeasuring || isStopping { finish(.failed("the board restarted during the measurement"), into: &actions) }
        default:
            // A result of before the start looks the same: only one after a running packet is new.
            guard isRunning else { return isStopping ? finish(.complete, into: &actions) : () }
            guard status != 0 || Self.isBelievable(frame.span) else { return actions.ignore("pressures out of their order", frame) }
            isRunning = false
            let reading = Self.reading(frame.span, origin: wasStarted ? .measurement : .push)
            wasStarted = false
            actions.append(.live(status == 2 ? .aborted : .ended))
            actions.emit(reading)
            if isMeasuring || isStopping { finish(.complete, into: &actions) }
        }
    }

    private static func status(_ frame: Span<UInt8>) -> UInt8 { (frame.byte(4) ?? 0) >> 2 & 15 }
    private static func cuff(_ frame: Span<UInt8>) -> Int { Int(frame.byte(5) ?? 0) * 2 }

    /// Zeros, or a mean between its pressures. On a bad line the start of the next packet can take the check's place, one
    /// time in 256; the packet is repeated, so that one is not needed.
    private static func isBelievable(_ frame: Span<UInt8>) -> Bool {
        guard let systolic = frame.byte(6), let mean = frame.byte(7), let diastolic = frame.byte(8) else { return false }
        return systolic == 0 && diastolic == 0 || diastolic < systolic && (mean == 0 || mean >= diastolic && mean <= systolic)
    }

    /// The end of a measurement: pressures, or the reason for having no pressures.
    static func reading(_ frame: Span<UInt8>, origin: Reading.Origin) -> Reading {
        let status = status(frame)
        let (systolic, mean, diastolic) = (Int(frame.byte(6) ?? 0), Int(frame.byte(7) ?? 0), Int(frame.byte(8) ?? 0))
        let content: Reading.Content
        if status != 0 {
            content = .failure(failures.failure(Int(status)))
        } else if systolic == 0 || diastolic == 0 || systolic > 250 || diastolic > 250 {
            content = .failure(.init(systolic > 250 || diastolic > 250 ? .outOfRange : .noValue))
        } else {
            let hasMean = mean > 0 && mean <= 250
            content = .bloodPressure(
                BloodPressure(
                    systolic: .mmHg(systolic), diastolic: .mmHg(diastolic), mean: hasMean ? .mmHg(mean) : nil,
                    meanAbsence: hasMean ? .none : .notMeasured))
        }
        return Reading(content, driver: "berry-pm6750", origin: origin, raw: RawBytes(frame))
    }

    static let failures: [Int: FailureReason] = [
        2: .stopped, 3: .overPressure, 4: .cuffLoose, 5: .timeout, 7: .movement, 8: .outOfRange,
    ]
}
