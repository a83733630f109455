/// Beurer BM58 and BM65, the older ones with a serial bridge inside (Andon KD-001 class): the stored readings of one user.
/// Host      Cuff                                             all: documented by four readers, [1]…[4]
/// `AA`      `55`                                             every ≈2 s until it answers
/// `A4`      32 bytes of text                                 the model
/// `A2`      1 byte                                           number of records
/// `A3 n`    9 bytes, or `A9` if there is no such record      n from 1
/// Record    `AC s d p M D h m Y`                             s = systolic - 25, d = diastolic - 25, p pulse, Y = year - 2000
/// The HID model has flags in the top bits of month, day and year. The serial readers decode none,
/// so month has 4 bits, day 5, year 7, and the rest is ignored: guess.
/// Answers have no framing and no check: the length follows from the *sent* request. A lost byte
/// is recovered only by a time-out and a new `AA`; an impossible record (date, or systolic below
/// diastolic) is requested again, and accepted if it comes twice. Unsolicited bytes are skipped.
/// [1] DaveDavenport/BPM   [2] McKael/gobm65   [3] curzon01/bm58   [4] atbrask/BM65DataDownloader
extension CuffDriver {
    /// The driver `beurer-serial`.
    public static let beurerSerial = CuffDriver(
        id: "beurer-serial",
        models: ["Beurer BM58 (PL2303)", "Beurer BM65 (PL2303)", "Andon KD-001 class"],
        summary: "Beurer BM58, BM65 with a serial bridge: stored readings of the user shown on the cuff",
        grade: .a, testedOn: .derived,
        claims: [.shared(vendor: 0x067B, product: 0x2303)],
        line: LineSettings(rate: 4800),
        framing: "none: the length of an answer follows from the question", check: nil,
        capabilities: [.storedReadings, .information], needsRequests: true,
        unverified: [
            "what the top bits of month, day and year mean (flags on the HID relative)",
            "the content of the 32 bytes of description",
        ],
        notes: [
            "The user is chosen on the cuff; the records do not say whose they are.",
            "Bytes of the cuff alone say nothing: a recording needs both sides.",
        ],
        preparation: "connect it, switch it on, choose the user, and press MEM until the display shows PC mode",
        sources: [
            "DaveDavenport/BPM, McKael/gobm65, curzon01/bm58, atbrask/BM65DataDownloader (four readers that agree)",
            "beep-projects/bpconnect (its serial path is untested)",
        ],
        options: ["verify": "yes: ask for every record twice and believe equal answers only"],
        simulatorOptions: ["asleep": "questions it sleeps through before it answers (0)"],
        makeSession: { BeurerSerialSession($0) },
        makeSimulator: { BeurerSerialSimulator($0) },
        decodeRecord: { record, _ in BeurerSerialSession.reading(record.span) },
        redaction: .beurerSerial)
}

enum BeurerSerialQuestion: Equatable, Sendable {
    case wake, describe, count
    case record(UInt8)

    init?(_ bytes: [UInt8]) {
        switch bytes {
        case [0xAA]: self = .wake
        case [0xA4]: self = .describe
        case [0xA2]: self = .count
        default:
            guard bytes.count == 2, bytes[0] == 0xA3 else { return nil }
            self = .record(bytes[1])
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .wake: [0xAA]
        case .describe: [0xA4]
        case .count: [0xA2]
        case .record(let number): [0xA3, number]
        }
    }

    func length(first: UInt8) -> Int? {
        switch self {
        case .wake: first == 0x55 ? 1 : nil
        case .describe: 32
        case .count: 1
        case .record: first == 0xAC ? 9 : first == 0xA9 ? 1 : nil
        }
    }
}

struct BeurerSerialSession: RequestSession {
    private static let retryLimit = 4

    var requests = Requests<BeurerSerialQuestion>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.beurerSerial.capabilities }
    private var isReading = false
    private var answer: [UInt8] = []
    /// The answer began wrongly; its bytes are skipped until the time-out.
    private var isDamaged = false
    private var strays = 0

    /// How often the request after AA went unanswered.
    private var retries = 0
    private var pending = BeurerSerialQuestion.describe
    private var count = 0
    /// Counted records that the cuff did not give.
    private var unread = 0
    private var doubtful: [UInt8]?
    private var doubts = 0
    /// The records of this dump by number, to detect equal and repeated ones.
    private var dump: [UInt8: [UInt8]] = [:]
    private let verifies: Bool

    init(_ context: SessionContext) { verifies = context.options["verify"] == "yes" }

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        for byte in bytes { receive(byte, into: &actions) }
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        reportStrays(into: &actions)
        finishAtEnd(into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        guard command != .follow else { return }
        isReading = command != .information
        wake(into: &actions)
    }

    private mutating func wake(into actions: inout SessionActions) {
        ask(Request(.wake, BeurerSerialQuestion.wake.bytes, within: .seconds(2), attempts: 15), into: &actions)
    }

    /// One attempt: an unanswered request is repeated after another AA.
    private mutating func ask(_ question: BeurerSerialQuestion, into actions: inout SessionActions) {
        ask(Request(question, question.bytes, within: .seconds(1), attempts: 1), into: &actions)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        reportStrays(into: &actions)
        requests.sent = BeurerSerialQuestion(bytes)
        if requests.sent == .count { dump.removeAll() }
        isDamaged = false
    }

    private mutating func reportStrays(into actions: inout SessionActions) {
        let lost = strays + answer.count
        if lost > 0 { actions.report(skipped: lost, answer.isEmpty ? .notAStart : .incomplete) }
        strays = 0
        answer = []
    }

    private mutating func receive(_ byte: UInt8, into actions: inout SessionActions) {
        guard let question = requests.sent, !isDamaged else {
            strays += 1
            return
        }
        guard let length = question.length(first: answer.first ?? byte) else {
            strays += 1
            // Late bytes may precede the answer to AA; before other answers they are damage.
            isDamaged = question != .wake
            return
        }
        answer.append(byte)
        guard answer.count == length else { return }
        let whole = answer
        answer = []
        requests.sent = nil
        requests.end(into: &actions)
        settle(question, whole, into: &actions)
    }

    private mutating func settle(_ question: BeurerSerialQuestion, _ answer: [UInt8], into actions: inout SessionActions) {
        switch question {
        case .wake: if !isListening { ask(pending, into: &actions) }
        case .describe:
            actions.append(.identify(DeviceIdentity(model: DeviceIdentity.text(answer))))
            if !isListening, !isReading { return finish(.complete, into: &actions) }
            proceed(to: .count, into: &actions)
        case .count:
            count = Int(answer.first ?? 0)
            if count == 0, isReading { return finish(.complete, into: &actions) }
            if isReading { actions.append(.report(.announced(records: count))) }
            proceed(to: .record(1), into: &actions)
        case .record(let number): settle(record: number, answer, into: &actions)
        }
    }

    private mutating func settle(record number: UInt8, _ answer: [UInt8], into actions: inout SessionActions) {
        guard answer.count == 9, let reading = Self.reading(answer.span) else {
            guard isReading else { return }
            // A9 within the count from A2 may be a damaged request; twice it is an answer.
            guard doubtful == answer else {
                doubtful = answer
                return ask(.record(number), into: &actions)
            }
            unread += 1
            return proceed(past: number, into: &actions)
        }
        let isSure = reading.clock.time != nil && !reading.flags.contains(.implausible) && !verifies
        if isReading, !isSure, doubtful != answer {
            doubtful = answer
            doubts += 1
            guard doubts <= Self.retryLimit else {
                return finish(.failed("record \(number) came differently each time it was asked for"), into: &actions)
            }
            return ask(.record(number), into: &actions)
        }
        emit(reading, number, answer, into: &actions)
        if isReading { proceed(past: number, into: &actions) }
    }

    private mutating func proceed(past number: UInt8, into actions: inout SessionActions) {
        doubtful = nil
        doubts = 0
        if Int(number) >= count || number == 255 { return finish(.read(unread: unread), into: &actions) }
        proceed(to: .record(number + 1), into: &actions)
    }

    private mutating func emit(
        _ reading: Reading, _ number: UInt8, _ record: [UInt8], into actions: inout SessionActions
    ) {
        guard dump[number] != record else { return }
        var reading = reading
        reading.repetition = .inDump
        reading.occurrence = UInt16(dump.values.count { $0 == record })
        dump[number] = record
        actions.emit(reading)
    }

    private mutating func proceed(to question: BeurerSerialQuestion, into actions: inout SessionActions) {
        guard !isListening else { return }
        retries = 0
        pending = question
        ask(question, into: &actions)
    }

    mutating func unanswered(_ question: BeurerSerialQuestion, into actions: inout SessionActions) {
        guard question != .wake else {
            return finish(.noAnswer("the cuff did not answer AA: is PC mode on its display?"), into: &actions)
        }
        retries += 1
        if pending == .describe, retries > 1, isReading {
            // The description is optional; the readings are needed.
            pending = .count
            retries = 0
        }
        guard retries <= Self.retryLimit else { return finish(.noAnswer("the cuff stopped answering"), into: &actions) }
        wake(into: &actions)
    }

    static func reading(_ record: Span<UInt8>) -> Reading? {
        guard record.count == 9, record[0] == 0xAC else { return nil }
        let time = DeviceTime(
            year: 2000 + Int(record[8] & 0x7F), month: Int(record[4] & 0x0F), day: Int(record[5] & 0x1F),
            hour: Int(record[6]), minute: Int(record[7]))
        return Reading(
            .mmHg(Int(record[1]) + 25, Int(record[2]) + 25, pulseOrZero: Int(record[3])),
            driver: "beurer-serial", flags: .noMeasurementCheck, clock: DeviceClock(time), origin: .memory,
            raw: RawBytes(record))
    }
}
