/// Opens, asks one question after another, and ends with END. Rules:
/// - Answers are decoded by the question that was last *sent*, by any host.
/// - A question is asked at most five times; NO, damage and silence each count.
/// - An answer equal to the one before is asked for once more: it may be a late copy.
/// - Erasing comes after every record was read and committed, or not at all.
struct OmronHIDSession: RequestSession {
    /// What the session asks the cuff: to be opened, or one of the protocol's questions.
    enum Question: Equatable, Sendable { case open, ask(OmronQuestion) }

    private static let reports = CountedReports(.wholeByte)

    private let isMES: Bool
    var requests = Requests<Question>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.omronHID.capabilities }
    var users: ClosedRange<Int>? { 1...2 }
    private var isErasing = false
    private var isCommitting = false
    private var isConfirming = false
    private var previous: [UInt8] = []
    private var unread = 0
    private var outcome = Outcome.complete

    private var askedBytes: [UInt8] = []
    private var answers = OmronAnswers()
    private var dump = DumpOccurrences()
    private var seen: [OmronQuestion: [UInt8]] = [:]
    private var readings = (emitted: 0, committed: 0)

    init(_ context: SessionContext) { isMES = context.options["variant"] == "mes" }

    mutating func noteCommitted(through: Int, into actions: inout SessionActions) {
        readings.committed = max(readings.committed, through)
        if isCommitting { eraseOnceCommitted(into: &actions) }
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        if isLeaving { finish(outcome, into: &actions) } else { finishAtEnd(into: &actions) }
    }

    /// What was sent last, where it was a question of the protocol.
    private var asked: OmronQuestion? {
        get { if case .ask(let question)? = requests.sent { question } else { nil } }
        set { requests.sent = newValue.map { .ask($0) } }
    }

    /// The question whose answer this session awaits now.
    private var current: OmronQuestion? {
        if !requests.isPaused, case .ask(let question)? = requests.question { question } else { nil }
    }

    private var isLeaving: Bool { current?.verb == .end }
    /// A question's answer is awaited, other than that of the last one.
    private var isAsking: Bool { current != nil && !isLeaving }

    // MARK: Questions that were sent

    /// Feature reports have two bytes, output reports eight; other programs also write output reports unpadded.
    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        if bytes.count <= 2 && askedBytes.isEmpty { return forgetQuestion() }
        guard let payload = Self.reports.payload(of: bytes) else { return }
        // The zero bytes of an opening.
        if askedBytes.isEmpty, payload.first.map({ $0 < 0x41 || $0 > 0x5A }) ?? true { return forgetQuestion() }
        askedBytes += payload
        if let question = OmronQuestion(askedBytes) {
            askedBytes = []
            answers.reset()
            asked = question
            if question.verb == .count || question.verb == .recordCount {
                dump = DumpOccurrences()
                seen = [:]
            }
        } else if payload.count < 7 || askedBytes.count > 16 {
            forgetQuestion()
        }
    }

    private mutating func forgetQuestion() {
        askedBytes = []
        answers.reset()
        asked = nil
    }

    // MARK: Answers

    mutating func receive(_ report: [UInt8], into actions: inout SessionActions) {
        // Until then only late answers arrive.
        let isIdle = requests.question == .open || requests.isPaused
        switch answers.take(report, for: asked) {
        case .waiting: if isAsking { actions.arm(.response, .seconds(1)) }
        case .notReady: break  // the opening's own timer repeats it
        case .confirmed: if requests.question == .open || current?.verb == .erase && asked?.verb == .erase { next(into: &actions) }
        case .refused: if isAsking { retry("the cuff said NO", into: &actions) }
        case .off: if isLeaving { finish(outcome, into: &actions) }
        case .damaged(let count, let fault):
            if isIdle { break }
            actions.report(skipped: count, fault)
            if isAsking { retry("its answers are damaged", into: &actions) }
        case .data(let answer):
            if isIdle { break }
            guard let asked else { return actions.ignore("an answer to no question", answer) }
            guard asked.accepts(answer.count) else {
                actions.ignore("an answer of the wrong length", answer)
                if isAsking { retry("its answers have the wrong length", into: &actions) }
                return
            }
            receive(answer, to: asked, into: &actions)
        }
    }

    private mutating func receive(_ answer: [UInt8], to asked: OmronQuestion, into actions: inout SessionActions) {
        if isAsking, asked != current { return }
        switch asked.verb {
        case .reading, .record:
            if isAsking, isSuspicious(answer) { return retry("it repeats itself", into: &actions) }
            emit(answer, asked, into: &actions)
        case .version:
            let text = DeviceIdentity.text(answer[3..<14])
            actions.append(.identify(DeviceIdentity(manufacturer: "Omron", model: text)))
        case .clock:
            if case .time(let time) = OmronRecord.clock(answer) { actions.append(.clock(time)) }
        case .count, .recordCount:
            guard isAsking else { return }
            guard let count = OmronRecord.count(answer, of: asked) else {
                return retry("its count of records cannot be read", into: &actions)
            }
            previous = []
            actions.append(.report(.announced(records: count)))
            let records = (0..<count).map { index in
                let place = UInt8(truncatingIfNeeded: index)
                return Self.request(asked.bank.map { .reading(bank: $0, index: place) } ?? .record(index: place))
            }
            requests.planned.insert(contentsOf: records, at: 0)
        default: break
        }
        if isAsking { next(into: &actions) }
    }

    private mutating func isSuspicious(_ answer: [UInt8]) -> Bool {
        defer { previous = answer }
        guard answer == previous, !isConfirming else { return false }
        isConfirming = true
        return true
    }

    private mutating func emit(_ answer: [UInt8], _ asked: OmronQuestion, into actions: inout SessionActions) {
        guard seen[asked] != answer else { return }
        seen[asked] = answer
        guard var reading = OmronRecord.reading(answer, of: asked) else {
            unread += 1
            return actions.ignore("a record without a blood pressure", answer)
        }
        dump.mark(&reading)
        readings.emitted += 1
        actions.emit(reading)
    }

    // MARK: Asking

    private static func request(_ question: OmronQuestion, attempts: Int = 5) -> Request<Question> {
        Request(.ask(question), reports.reports(of: question.bytes), within: .seconds(1), attempts: attempts)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .readMemory(nil) where isMES: requests.planned = [Self.request(.recordCount)]
        case .readMemory where isMES: return finish(.unsupported("this variant of omron-hid knows no users"), into: &actions)
        case .readMemory(let user):
            let banks: [UInt8] = user.map { [$0 == 2 ? 1 : 0] } ?? [0, 1]
            requests.planned = [Self.request(.version)] + banks.map { Self.request(.count(bank: $0)) }
        case .information where !isMES: requests.planned = [Self.request(.version)]
        case .readClock where isMES: requests.planned = [Self.request(.clock)]
        case .clear(nil) where isMES:
            isErasing = true
            requests.planned = [Self.request(.recordCount)]
        case .information: return finish(.unsupported("the variant mes of omron-hid cannot do that"), into: &actions)
        case .readClock, .clear: return finish(.unsupported("only the variant mes of omron-hid can do that"), into: &actions)
        default: return
        }
        actions.append(.writeFeature(isMES ? [0, 0] : [0x74, 0xBC]))
        let zeros: [UInt8] = isMES ? [7, 7] : [7, 7, 7, 7, 2]
        ask(Request(.open, zeros.map { [$0, 0, 0, 0, 0, 0, 0, 0] }, within: .seconds(1), attempts: 10), into: &actions)
    }

    private mutating func next(into actions: inout SessionActions) {
        isConfirming = false
        askNext(into: &actions)
    }

    mutating func allAnswered(into actions: inout SessionActions) {
        guard isErasing, requests.current?.question != .ask(.erase) else { return leave(into: &actions) }
        guard unread == 0 else {
            outcome = .failed("nothing was erased: \(unread) records could not be read")
            return leave(into: &actions)
        }
        isCommitting = true
        actions.arm(.overall, .seconds(60))
        eraseOnceCommitted(into: &actions)
    }

    private mutating func eraseOnceCommitted(into actions: inout SessionActions) {
        guard readings.committed >= readings.emitted else { return }
        isCommitting = false
        actions.disarm(.overall)
        ask(Self.request(.erase), into: &actions)
    }

    /// A pause first, so that the rest of a damaged or late answer is not taken for the next one.
    private mutating func retry(_ reason: String, into actions: inout SessionActions) {
        answers.reset()
        guard let current, !requests.pause(.milliseconds(200), into: &actions) else { return }
        switch current.verb {
        case .version: break
        case .count where current.bank != 0: break  // a cuff with one memory
        case .reading, .record:
            unread += 1
            actions.warn("record \(Int(current.index ?? 0) + 1) was not read: \(reason)")
        default:
            outcome = .failed("\(current.verb.rawValue) was not answered: \(reason)")
            requests.planned = []
            isErasing = false
        }
        next(into: &actions)
    }

    private mutating func leave(into actions: inout SessionActions) {
        if unread > 0, outcome == .complete { outcome = .failed("\(unread) records could not be read") }
        ask(Self.request(OmronQuestion(.end, isMES ? [0x30] : [0xFF]), attempts: 1), into: &actions)
    }

    mutating func unanswered(_ question: Question, into actions: inout SessionActions) {
        switch question {
        case .open: finish(.noAnswer("the cuff is not ready; unplug it, plug it in again and switch it on"), into: &actions)
        case .ask(let question) where question.verb == .end: finish(outcome, into: &actions)
        case .ask(let question): finish(.noAnswer("the cuff did not answer \(question.verb.rawValue)"), into: &actions)
        }
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        guard isCommitting, timer == .overall else { return }
        isCommitting = false
        outcome = .aborted("nothing was erased: the readings were not stored in time")
        leave(into: &actions)
    }
}
