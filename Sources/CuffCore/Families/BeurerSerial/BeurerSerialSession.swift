/// One question, one answer, whose length and silence are all that shows damage.
struct BeurerSerialSession: RequestSession {
    private static let retryLimit = 4
    /// Answers of the wrong length before the line is given up.
    private static let excessLimit = 16
    /// Fifty bytes at 4800 bit/s.
    private static let silence = Duration.milliseconds(100)
    private struct Answered {
        var question: BeurerSerialQuestion
        var reading: Reading?
        var bytes: [UInt8]
    }

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
    /// The last answer; one more byte would show that it was longer than it may be.
    private var last: Answered?
    /// It was longer: further answers do not count before AA.
    private var isExcessive = false
    private var excesses = 0
    /// Everything was answered; silence must follow.
    private var isEnding = false
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
        believeLast(into: &actions)
        reportStrays(into: &actions)
        finishAtEnd(into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        guard command != .follow else { return }
        isReading = command != .information
        wake(into: &actions)
    }

    private mutating func wake(into actions: inout SessionActions) {
        isExcessive = false
        ask(Request(.wake, BeurerSerialQuestion.wake.bytes, within: .seconds(2), attempts: 15), into: &actions)
    }

    /// One attempt: an unanswered request is repeated after another AA.
    private mutating func ask(_ question: BeurerSerialQuestion, into actions: inout SessionActions) {
        ask(Request(question, question.bytes, within: .seconds(1), attempts: 1), into: &actions)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        reportStrays(into: &actions)
        requests.sent = BeurerSerialQuestion(bytes)
        if requests.sent == .count {
            believeLast(into: &actions)
            dump.removeAll()
        }
        isDamaged = false
    }

    private mutating func reportStrays(into actions: inout SessionActions) {
        let lost = strays + answer.count
        if lost > 0 { actions.report(skipped: lost, answer.isEmpty ? .notAStart : .incomplete) }
        strays = 0
        answer = []
    }

    private mutating func receive(_ byte: UInt8, into actions: inout SessionActions) {
        guard let question = requests.sent, !isDamaged, !isExcessive || question == .wake else {
            strays += 1
            if requests.sent == nil { doubtLast(into: &actions) }
            return
        }
        guard let length = question.length(first: answer.first ?? byte) else {
            strays += 1
            // Late bytes may precede the answer to AA; before other answers they are damage.
            isDamaged = question != .wake
            if isDamaged { doubtLast(into: &actions) }
            return
        }
        if answer.isEmpty { believeLast(into: &actions) }
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
            last = Answered(question: question, bytes: answer)
            if count == 0, isReading { return end(into: &actions) }
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
        last = Answered(question: .record(number), reading: reading, bytes: answer)
        if isReading { proceed(past: number, into: &actions) }
    }

    private mutating func proceed(past number: UInt8, into actions: inout SessionActions) {
        doubtful = nil
        doubts = 0
        if Int(number) >= count || number == 255 { return end(into: &actions) }
        proceed(to: .record(number + 1), into: &actions)
    }

    private mutating func end(into actions: inout SessionActions) {
        isEnding = true
        actions.arm(.silence, Self.silence)
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        guard isEnding, timer == .silence else { return }
        believeLast(into: &actions)
        finish(.read(unread: unread), into: &actions)
    }

    private mutating func believeLast(into actions: inout SessionActions) {
        if let last, let reading = last.reading, case .record(let number) = last.question {
            emit(reading, number, last.bytes, into: &actions)
        }
        last = nil
    }

    /// A byte came that no answer begins with: the answer before it was one byte longer than it may be.
    private mutating func doubtLast(into actions: inout SessionActions) {
        guard let last else { return }
        self.last = nil
        if last.reading != nil { actions.ignore("a record with a byte too many", last.bytes) }
        guard !isListening else { return }
        excesses += 1
        guard excesses <= Self.excessLimit else { return finish(.failed("the cuff's answers are too long"), into: &actions) }
        pending = last.question
        isExcessive = true
        guard isEnding else { return }
        isEnding = false
        actions.disarm(.silence)
        wake(into: &actions)
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
