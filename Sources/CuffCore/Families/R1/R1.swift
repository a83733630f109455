/// "R1" family: Terumo BP-500, BR-500; Selvas (Jawon) ACCUNIQ BP500, BP210, BP250. The stored result, requested or pushed.
/// Frame      `02 body 03 SUM`     SUM: low byte of the sum of STX…ETX                    observed, self-consistent [1]…[4]
/// Host       body `05` (ENQ) asks for a result · `06` (ACK) deletes the stored one · `56` (V) asks for the version [1]
/// Result     `R1,` id(9) `,YYMMDD,HHMMSS,SSS,MMM,DDD,PPP,` reserved 4, 4, 5, 3 digits    observed [1][4]
///            newer firmware appends fields (rate-pressure product, pulse pressure)
///            The mean is *before* the diastolic. All zeros: nothing is stored.
/// BP250      `id(4),YY/MM/DD,HH/MM,SSS,MMM,DDD,PPP,` reserved…                            observed [2], one reader
/// EOT        `04` as a separate body or within one: the transfer has ended, the host acknowledges             [1]
/// BP500 answers every ENQ, with zeros when idle; some units do not answer when idle. BP210 and BP250 answer only while
/// they hold a result, erase it after 15 s, and always answer V. Terumo pushes and is not acknowledged [3].
/// A result right after opening may be an old one: one reader drops it. It is kept here, with its own time.
/// ACK, which deletes the result on the cuff, is sent only after the reading is on disk. When following nothing is written,
/// except with `poll=yes`.
/// Until the ACK the cuff answers with the same result, which is one reading; the next one after the ACK is
/// another, even with equal values and time: results have no number.
/// [1] cof9300/flutter-mtad-v1_test, lib/features/measurement/service/measurement_listener.dart
/// [2] the same, lib/features/measurement/parser/bp250_parser.dart   [3] a public Flutter reader (class SerialServer) whose
/// origin is not established   [4] andamandev32-pixel/test-terumo-bp, terumo_simulator.py
extension CuffDriver {
    /// The driver `r1`.
    public static let r1 = CuffDriver(
        id: "r1",
        models: [
            "Terumo BP-500", "Terumo BR-500", "Selvas ACCUNIQ BP500", "Selvas ACCUNIQ BP210", "Selvas ACCUNIQ BP250",
        ],
        summary: "Terumo and Selvas waiting-room cuffs: the last result, on request or pushed",
        grade: .a, testedOn: .derived,
        claims: [.shared(vendor: 0x0403, product: 0x6001)],
        line: LineSettings(rate: 38400),
        otherLines: [LineSettings(rate: 19200), LineSettings(rate: 9600), LineSettings(rate: 4800, stopBits: 2)],
        framing: "STX comma-separated text ETX SUM", check: "sum of STX…ETX, mod 256",
        capabilities: [.storedReadings, .push, .information, .forgets],
        changes: "the acknowledgement (ACK) deletes the stored result on the cuff; it is sent after the reading is on disk",
        keepingOption: "keep",
        unverified: [
            "the slash form of BP250 (one reader, no recording)",
            "the content of the answer to V",
            "the fields behind the pulse",
            "YYMMDD: three sources agree, one comment says DDMMYY",
        ],
        notes: [
            "Selvas: 38400 8N1 (BP210 on paper 4800 8N2). Terumo kiosks: 9600 or 19200 8N1.",
            "The first result after opening may be of an earlier person: look at its device time.",
            "Selvas cuffs never push: `--option poll=yes` asks once a second while following.",
        ],
        sources: [
            "cof9300/flutter-mtad-v1_test: measurement_listener.dart, bp500_parser.dart, bp250_parser.dart, usb_port_selection_dialog.dart",
            "public C# and Flutter readers whose origin is not established",
            "andamandev32-pixel/test-terumo-bp, terumo_simulator.py",
        ],
        options: [
            "poll": "yes: while following, ask (ENQ) once a second and acknowledge what is on disk",
            "keep": "yes: never acknowledge, so that the cuff keeps its result",
        ],
        simulatorOptions: ["variant": "bp500, bp250 (slash form, EOT) or terumo (pushes and takes no commands)"],
        makeSession: { R1Session($0) },
        makeSimulator: { R1Simulator($0) },
        findFrames: { FrameReader.find(R1Frame(), in: $0) },
        redaction: .r1)
}

struct R1Frame: FrameFormat {
    /// The longest known body has about 80 characters; newer firmware may append fields.
    static let maximumLength = 200
    static let startByte: UInt8? = 0x02
    static let enq: UInt8 = 0x05
    static let ack: UInt8 = 0x06
    static let eot: UInt8 = 0x04
    static let version: UInt8 = 0x56

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0x02 else { return .reject(.notAStart) }
        var sum: UInt8 = 0x02
        var index = 1
        while index < bytes.count {
            let byte = bytes[index]
            sum &+= byte
            if byte == 0x03 {
                guard index > 1 else { return .reject(.badLength) }
                guard index + 1 < bytes.count else { return .needMore }
                return bytes[index + 1] == sum ? .frame(length: index + 2) : .reject(.badCheck)
            }
            guard byte >= 0x20 && byte < 0x7F || byte == Self.enq || byte == Self.ack || byte == Self.eot else {
                return .reject(.badCharacter)
            }
            index += 1
        }
        return .needMore
    }

    static func encode(_ body: [UInt8]) -> [UInt8] {
        let frame = [0x02] + body + [0x03]
        return frame + [frame.sum8]
    }
}

enum R1Message {
    case result(Reading, endsWithEOT: Bool)
    case nothingStored
    case endOfTransfer
    /// A body of one control character or letter, normally from a host; here an echo.
    case control
    case text([UInt8])
}

struct R1Session: FramedSession, RequestSession {
    enum Question: Sendable { case result, version }

    private static let enquiry = R1Frame.encode([R1Frame.enq])
    private static let acknowledgement = R1Frame.encode([R1Frame.ack])

    var reader = FrameReader(R1Frame())
    var requests = Requests<Question>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.r1.capabilities }
    private var isPolling = false
    private var isReading = false
    private var wasAsked = false
    private var emitted = 0
    private var committed = 0
    /// The number of emissions that must be on disk before the cuff may delete its result.
    private var acknowledgeAfter: Int?
    private var awaitsEnd = false
    /// The requested result, which the cuff repeats until acknowledged.
    private var unacknowledged: Reading?
    private let polls: Bool
    private let keeps: Bool

    init(_ context: SessionContext) {
        polls = context.options["poll"] == "yes"
        keeps = context.options["keep"] == "yes"
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        if bytes == Self.enquiry { wasAsked = true }
        if bytes == Self.acknowledgement { forgotten(into: &actions) }
    }

    mutating func noteCommitted(through: Int, into actions: inout SessionActions) {
        committed = through
        acknowledge(into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow where polls:
            isPolling = true
            poll(into: &actions)
        case .readMemory:
            isReading = true
            ask(Request(.result, Self.enquiry, within: .seconds(2), attempts: 3), into: &actions)
        case .information: askVersion(into: &actions)
        default: break
        }
    }

    private mutating func askVersion(into actions: inout SessionActions) {
        ask(Request(.version, R1Frame.encode([R1Frame.version]), within: .seconds(2), attempts: 3), into: &actions)
    }

    private func poll(into actions: inout SessionActions) {
        // An answer to a request before the ACK would look like another result after it.
        if acknowledgeAfter == nil { actions.append(.write(Self.enquiry)) }
        actions.arm(.poll, .seconds(1))
    }

    mutating func unanswered(_ question: Question, into actions: inout SessionActions) {
        switch question {
        // An idle BP210 is silent to ENQ but answers V.
        case .result: askVersion(into: &actions)
        case .version where isReading:
            finish(.noAnswer("the cuff answered neither ENQ nor V; some answer only while they hold a result"), into: &actions)
        case .version: finish(.noAnswer("the cuff did not answer V"), into: &actions)
        }
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch timer {
        case .poll where isPolling: poll(into: &actions)
        case .silence where awaitsEnd:
            // BP210 and BP250 erase a result themselves; without EOT it is not acknowledged.
            awaitsEnd = false
            acknowledgeAfter = nil
            // Within those 15 s it may be repeated, recognised by its own time; without a time it counts as another.
            if unacknowledged?.clock.time == nil { forgotten(into: &actions) } else { unacknowledged = nil }
            if isReading { finish(.complete, into: &actions) }
        default: break
        }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        switch Self.message(reader.buffer.span.extracting(range), origin: wasAsked ? .memory : .push) {
        case .result(let reading, let endsWithEOT):
            wasAsked = false
            arrived(reading, endsWithEOT, into: &actions)
        case .nothingStored:
            wasAsked = false
            forgotten(into: &actions)
            if isReading, emitted == 0 { finish(.complete, into: &actions) }
        case .endOfTransfer:
            awaitsEnd = false
            actions.disarm(.silence)
            acknowledge(into: &actions)
        case .control: break
        case .text(let text):
            guard requests.question == .version else { return actions.ignore("a frame other than a result", text) }
            actions.append(.identify(DeviceIdentity(firmware: DeviceIdentity.text(text))))
            finish(.complete, into: &actions)
        }
    }

    private mutating func arrived(_ reading: Reading, _ endsWithEOT: Bool, into actions: inout SessionActions) {
        if reading.origin == .push {
            emitted += 1
            actions.emit(reading)
        } else if unacknowledged?.raw != reading.raw {
            emitted += 1
            var reading = reading
            reading.repetition = .untilAcknowledged
            unacknowledged = reading
            actions.emit(reading)
        }
        guard isReading || isPolling else { return }
        requests.end(into: &actions)
        acknowledgeAfter = emitted
        let isSlashForm = reading.raw.withBytes { $0.byte(1) != 0x52 }
        awaitsEnd = isSlashForm && !endsWithEOT
        if awaitsEnd { actions.arm(.silence, .seconds(1)) }
    }

    /// Acknowledges the result, so that the cuff deletes it, once it is on disk and the transfer complete.
    private mutating func acknowledge(into actions: inout SessionActions) {
        guard let acknowledgeAfter, committed >= acknowledgeAfter, !awaitsEnd else { return }
        self.acknowledgeAfter = nil
        if !keeps {
            forgotten(into: &actions)
            actions.append(.write(Self.acknowledgement))
        }
        if isReading { finish(.complete, into: &actions) }
    }

    /// The cuff no longer holds its result: the next one is another.
    private mutating func forgotten(into actions: inout SessionActions) {
        guard unacknowledged != nil else { return }
        unacknowledged = nil
        actions.append(.acknowledge(through: emitted))
    }
}
