/// Command, acknowledgement, enquiry, answer; the number of records first, then the records.
/// - The bytes' meaning follows from what was sent, also if STX, command and ETX are sent one by one.
/// - An answer is judged as a whole when silence or the next command has ended it.
/// - If the number of records was requested, other numbers do not count.
struct VerovalDuoSession: RequestSession {
    private enum Exchange { case idle, acknowledging, accepted, answering }

    /// vdc_export waits this long before and after its ENQ.
    private static let pause = Duration.milliseconds(500)
    /// Of a command: 999 records take 26 s at 9600 bits a second. Each byte extends the wait for silence; noise must not do so for ever.
    private static let limit = Duration.seconds(40)

    var requests = Requests<VerovalDuoCommand>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.verovalDuo.capabilities }
    var users: ClosedRange<Int>? { 1...2 }
    private let countsFirst: Bool
    private var hasAnswered = false
    private var isDamaged = false

    private var exchange = Exchange.idle
    /// A command of the host in progress, without its STX.
    private var collected: [UInt8]?
    private var asked: VerovalDuoCommand? { requests.sent }
    private var isAccepted = false
    private var answer: [UInt8] = []
    private var strays = 0
    /// Each user's number of records; `.some(nil)` if the request got none.
    private var numbers: [Int: Int?] = [:]

    init(_ context: SessionContext) { countsFirst = context.options["count"] != "no" }

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        for byte in bytes where !isFinished { receive(byte, into: &actions) }
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        for byte in bytes { noteSent(byte, into: &actions) }
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        if isListening { settle(into: &actions) }
        finishAtEnd(into: &actions)
    }

    private mutating func noteSent(_ byte: UInt8, into actions: inout SessionActions) {
        switch byte {
        case VerovalDuoAnswer.start:
            settle(into: &actions)
            collected = []
            exchange = .idle
            if !isListening { actions.arm(.overall, Self.limit) }
        case VerovalDuoAnswer.end where collected != nil:
            requests.sent = VerovalDuoCommand(collected ?? [])
            collected = nil
            isAccepted = false
            exchange = .acknowledging
            if case .number(let user)? = asked { numbers[user] = .some(nil) }
        case VerovalDuoAnswer.enquiry where collected == nil:
            guard exchange != .idle else { return }
            exchange = .answering
        default:
            // No command is longer than six characters.
            guard let command = collected else { return }
            collected = command.count < 6 ? command + [byte] : nil
        }
    }

    private mutating func receive(_ byte: UInt8, into actions: inout SessionActions) {
        switch exchange {
        case .acknowledging: acknowledge(byte, into: &actions)
        case .answering where !isAccepted: acknowledge(byte, into: &actions)
        case .answering:
            if answer.count <= VerovalDuoAnswer.maximumLength { answer.append(byte) }
            actions.disarm(.response)
            actions.arm(.silence, Self.pause)
        case .idle, .accepted: strays += 1
        }
    }

    private mutating func acknowledge(_ byte: UInt8, into actions: inout SessionActions) {
        switch byte {
        case VerovalDuoAnswer.accepted:
            isAccepted = true
            if exchange == .acknowledging { exchange = .accepted }
            guard !isListening, exchange == .accepted else { return }
            actions.disarm(.response)
            actions.arm(.poll, Self.pause)
        case VerovalDuoAnswer.refused:
            exchange = .idle
            if !isListening { return finish(.failed("the cuff refused \(asked?.text ?? "the command")"), into: &actions) }
            actions.note("the cuff refused \(asked?.text ?? "a command")")
        default: strays += 1
        }
    }

    private mutating func settle(into actions: inout SessionActions) {
        let bytes = answer
        answer = []
        if strays > 0 { actions.report(skipped: strays, .notAStart) }
        strays = 0
        guard exchange == .answering, !bytes.isEmpty else { return }
        exchange = .idle
        switch asked {
        case .number(let user):
            guard let number = VerovalDuoAnswer.number(bytes) else { return damaged(bytes, into: &actions) }
            numbers[user] = number
            hasAnswered = true
            if !isListening, number > 0 { requests.planned.insert(Self.request(.records(user: user)), at: 0) }
        case .records(let user):
            guard let readings = readings(bytes, of: user) else { return damaged(bytes, into: &actions) }
            hasAnswered = true
            for reading in readings { actions.emit(reading) }
        case nil: actions.ignore("an answer to a command of no known kind", bytes)
        }
        guard !isListening else { return }
        isDamaged = false
        askNext(into: &actions)
    }

    private func readings(_ answer: [UInt8], of user: Int) -> [Reading]? {
        guard let number = numbers[user] else { return VerovalDuoAnswer.readings(answer, user: user, count: nil) }
        // The requested number did not come, so the answer may be incomplete.
        return number.flatMap { VerovalDuoAnswer.readings(answer, user: user, count: $0) }
    }

    private mutating func damaged(_ bytes: [UInt8], into actions: inout SessionActions) {
        actions.report(skipped: bytes.count, .badLength)
        guard !isListening else { return }
        isDamaged = true
        askAgain(into: &actions)
    }

    private static func request(_ command: VerovalDuoCommand) -> Request<VerovalDuoCommand> {
        Request(command, command.bytes, within: .seconds(3), attempts: 3)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        guard case .readMemory(let user) = command else { return }
        let users = user.map { [$0] } ?? [1, 2]
        askAll(users.map { Self.request(countsFirst ? .number(user: $0) : .records(user: $0)) }, into: &actions)
    }

    mutating func unanswered(_ question: VerovalDuoCommand, into actions: inout SessionActions) {
        if isDamaged { return finish(.failed("its answer did not fit the number of records, or was damaged, each time"), into: &actions) }
        guard hasAnswered else { return finish(.noAnswer("the cuff does not answer"), into: &actions) }
        finish(
            .noAnswer(
                "the cuff answered the first command only; it may want its port closed and opened between commands: "
                    + "read each user alone, with --option count=no"),
            into: &actions)
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch timer {
        case .silence: settle(into: &actions)
        case .overall: finish(.noAnswer("the cuff gave no whole answer"), into: &actions)
        case .poll where !isListening:
            actions.append(.write([VerovalDuoAnswer.enquiry]))
            actions.arm(.response, .seconds(3))
        default: break
        }
    }
}
