/// Opens, asks one question after another, and ends with END. Rules:
/// - Answers are decoded by the question that was last *sent*, whoever sent it.
/// - A question is asked at most five times; NO, damage and silence each count.
/// - An answer equal to the one before is asked for once more: it may be a late copy.
/// - Erasing comes after every record was read and committed, or not at all.
struct OmronHIDSession: FinishingSession {
    private enum State { case listening, opening, asking, pausing, committing, leaving, finished }
    private enum Goal { case memory, clock, information, erasure }

    private static let reports = CountedReports(.wholeByte)
    private static let attempts = 5
    private static let openings = 10

    private let isMES: Bool
    private var state = State.listening
    var isFinished: Bool {
        get { state == .finished }
        set { if newValue { state = .finished } }
    }
    private var goal = Goal.memory
    private var plan: [OmronQuestion] = []
    private var current = OmronQuestion.version
    private var tries = 0
    private var isConfirming = false
    private var previous: [UInt8] = []
    private var unread = 0
    private var outcome = Outcome.complete

    private var asked: OmronQuestion?
    private var askedBytes: [UInt8] = []
    private var answers = OmronAnswers()
    private var dump = DumpOccurrences()
    private var seen: [OmronQuestion: [UInt8]] = [:]
    private var emitted = 0
    private var committed = 0

    init(_ context: SessionContext) { isMES = context.options["variant"] == "mes" }

    mutating func noteCommitted(through: Int, into actions: inout SessionActions) {
        committed = max(committed, through)
        if state == .committing { eraseOnceCommitted(into: &actions) }
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        guard state == .listening || state == .leaving else {
            return finish(.noAnswer("the cuff was unplugged before it had answered everything"), into: &actions)
        }
        finish(outcome, into: &actions)
    }

    // MARK: What was asked

    /// Feature reports have two bytes, output reports eight; other programs also write output reports unpadded.
    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        if bytes.count <= 2 && askedBytes.isEmpty {
            answers.reset()
            asked = nil
            return
        }
        guard let payload = Self.reports.payload(of: bytes) else { return }
        if askedBytes.isEmpty, payload.first.map({ $0 < 0x41 || $0 > 0x5A }) ?? true {
            answers.reset()  // the zero bytes of an opening
            asked = nil
            return
        }
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
            askedBytes = []
            answers.reset()
            asked = nil
        }
    }

    // MARK: What came

    mutating func receive(_ report: [UInt8], into actions: inout SessionActions) {
        let step = answers.take(report, for: asked)
        switch step {
        case .waiting:
            if state == .asking { actions.append(.arm(.response, .seconds(1))) }
        case .notReady: break  // the opening's own timer repeats it
        case .confirmed: confirmed(into: &actions)
        case .refused: if state == .asking { retry("the cuff said NO", into: &actions) }
        case .off: if state == .leaving { finish(outcome, into: &actions) }
        case .damaged(let count, let fault):
            if state == .opening || state == .pausing { break }
            actions.report(skipped: count, fault)
            if state == .asking { retry("its answers are damaged", into: &actions) }
        case .data(let answer):
            if state == .opening || state == .pausing { break }
            guard let asked else { return actions.append(.report(.ignored("an answer to no question", answer))) }
            guard asked.accepts(answer.count) else {
                actions.append(.report(.ignored("an answer of the wrong length", answer)))
                if state == .asking { retry("its answers have the wrong length", into: &actions) }
                return
            }
            take(answer, to: asked, into: &actions)
        }
    }

    private mutating func confirmed(into actions: inout SessionActions) {
        switch state {
        case .opening:
            actions.append(.disarm(.response))
            next(into: &actions)
        case .asking where asked?.verb == .erase: next(into: &actions)
        default: break
        }
    }

    private mutating func take(_ answer: [UInt8], to asked: OmronQuestion, into actions: inout SessionActions) {
        if state == .asking && asked != current { return }
        switch asked.verb {
        case .reading, .record:
            if state == .asking, isSuspicious(answer) { return retry("it repeats itself", into: &actions) }
            emit(answer, asked, into: &actions)
        case .version:
            let text = DeviceIdentity.text(answer[3..<14])
            actions.append(.identify(DeviceIdentity(manufacturer: "Omron", model: text)))
        case .clock:
            if case .time(let time) = OmronRecord.clock(answer) { actions.append(.clock(time)) }
        case .count, .recordCount:
            guard state == .asking else { return }
            guard let count = OmronRecord.count(answer, of: asked) else {
                return retry("its count of records cannot be read", into: &actions)
            }
            previous = []
            actions.append(.report(.announced(records: count)))
            plan.insert(
                contentsOf: (0..<count).map { index in
                    let place = UInt8(truncatingIfNeeded: index)
                    return asked.bank.map { .reading(bank: $0, index: place) } ?? .record(index: place)
                }, at: 0)
        default: break
        }
        if state == .asking { next(into: &actions) }
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
            return actions.append(.report(.ignored("a record without a blood pressure", answer)))
        }
        dump.mark(&reading)
        emitted += 1
        actions.emit(reading)
    }

    // MARK: Asking

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow: return
        case .readMemory(let user):
            goal = .memory
            switch (isMES, user) {
            case (true, nil): plan = [.recordCount]
            case (true, _?): return finish(.unsupported("this variant of omron-hid knows no users"), into: &actions)
            case (false, nil): plan = [.version, .count(bank: 0), .count(bank: 1)]
            case (false, 1), (false, 2): plan = [.version, .count(bank: user == 2 ? 1 : 0)]
            case (false, _): return finish(.unsupported("omron-hid has the users 1 and 2"), into: &actions)
            }
        case .information where !isMES:
            goal = .information
            plan = [.version]
        case .readClock where isMES:
            goal = .clock
            plan = [.clock]
        case .clear(nil) where isMES:
            goal = .erasure
            plan = [.recordCount]
        case .readClock, .clear:
            return finish(.unsupported("only the variant mes of omron-hid can do that"), into: &actions)
        default: return finish(.unsupported("omron-hid has no command for that"), into: &actions)
        }
        state = .opening
        actions.append(.writeFeature(isMES ? [0, 0] : [0x74, 0xBC]))
        open(into: &actions)
    }

    private mutating func open(into actions: inout SessionActions) {
        tries += 1
        for count: UInt8 in isMES ? [7, 7] : [7, 7, 7, 7, 2] {
            actions.append(.write([count, 0, 0, 0, 0, 0, 0, 0]))
        }
        actions.append(.arm(.response, .seconds(1)))
    }

    private mutating func next(into actions: inout SessionActions) {
        tries = 0
        isConfirming = false
        if plan.isEmpty {
            guard goal == .erasure, current.verb != .erase else { return leave(into: &actions) }
            guard unread == 0 else {
                outcome = .failed("nothing was erased: \(unread) records could not be read")
                return leave(into: &actions)
            }
            state = .committing
            actions.append(.disarm(.response))
            actions.append(.arm(.overall, .seconds(60)))
            return eraseOnceCommitted(into: &actions)
        }
        current = plan.removeFirst()
        ask(into: &actions)
    }

    private mutating func eraseOnceCommitted(into actions: inout SessionActions) {
        guard committed >= emitted else { return }
        actions.append(.disarm(.overall))
        current = .erase
        tries = 0
        ask(into: &actions)
    }

    private mutating func ask(into actions: inout SessionActions) {
        state = .asking
        tries += 1
        for report in Self.reports.reports(of: current.bytes) { actions.append(.write(report)) }
        actions.append(.arm(.response, .seconds(1)))
    }

    /// A pause first, so that what is left of a damaged or late answer is not taken for the next one.
    private mutating func retry(_ reason: String, into actions: inout SessionActions) {
        answers.reset()
        if tries < Self.attempts {
            state = .pausing
            actions.append(.disarm(.response))
            actions.append(.arm(.poll, .milliseconds(200)))
            return
        }
        switch current.verb {
        case .version: break
        case .count where current.bank != 0: break  // a cuff with one memory
        case .reading, .record:
            unread += 1
            actions.append(.report(.warning("record \(Int(current.index ?? 0) + 1) was not read: \(reason)")))
        default:
            outcome = .failed("\(current.verb.rawValue) was not answered: \(reason)")
            plan = []
            goal = .memory
        }
        next(into: &actions)
    }

    private mutating func leave(into actions: inout SessionActions) {
        if unread > 0, outcome == .complete { outcome = .failed("\(unread) records could not be read") }
        state = .leaving
        for report in Self.reports.reports(of: OmronQuestion(.end, isMES ? [0x30] : [0xFF]).bytes) {
            actions.append(.write(report))
        }
        actions.append(.arm(.response, .seconds(1)))
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (state, timer) {
        case (.opening, .response) where tries < Self.openings: open(into: &actions)
        case (.opening, .response):
            finish(.noAnswer("the cuff is not ready; unplug it, plug it in again and switch it on"), into: &actions)
        case (.pausing, .poll): ask(into: &actions)
        case (.asking, .response) where tries < Self.attempts: ask(into: &actions)
        case (.asking, .response): finish(.noAnswer("the cuff did not answer \(current.verb.rawValue)"), into: &actions)
        case (.leaving, .response): finish(outcome, into: &actions)
        case (.committing, .overall):
            outcome = .aborted("nothing was erased: the readings were not stored in time")
            leave(into: &actions)
        default: break
        }
    }
}
