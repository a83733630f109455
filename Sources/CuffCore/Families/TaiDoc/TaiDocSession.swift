/// One question, one frame. Rules:
/// - An answer counts only for the question of the same command that was last sent, by any host.
/// - A record is its time and its values, both asked for the same index and user.
/// - A question is asked at most three times; clearing comes after every record was read and committed, or not at all.
/// - A record of another kind is no failure of a read, but clearing would lose it.
/// - Clearing is for all users, and whether user 0 covers them is unknown: the times of the records of users 1 to 4 must prove it.
struct TaiDocSession: FramedSession, RequestSession {
    struct Question: Equatable, Sendable {
        var command: TaiDocCommand
        var data: [UInt8] = [0, 0, 0, 0]
    }
    private struct Place: Hashable { var index: Int, user: UInt8 }

    /// The largest memory of a documented meter holds 1000 records; more than these are not believed.
    private static let mostRecords = 2000

    var reader = FrameReader(TaiDocFrame())
    var requests = Requests<Question>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.taiDoc.capabilities }
    var users: ClosedRange<Int>? { 0...4 }
    private var isErasing = false
    /// The time that was sent.
    private var wanted: DeviceTime?
    private var isCommitting = false
    private var unread = 0
    /// A record was no blood pressure, so that it is not among the readings.
    private var holdsOthers = false
    /// Before clearing: the users other than 0 are asked what they hold.
    private var isProving = false
    /// The times of each user's records, newest first.
    private var listed: [UInt8: [[UInt8]]] = [:]

    private var model = 0
    private var times: [Place: [UInt8]] = [:]
    private var given: [Place: [UInt8]] = [:]
    private var dump = DumpOccurrences()
    private var emitted = 0
    private var committed = 0

    mutating func noteCommitted(through: Int, into actions: inout SessionActions) {
        committed = max(committed, through)
        if isCommitting { clearOnceCommitted(into: &actions) }
    }

    private static func request(_ command: TaiDocCommand, _ data: [UInt8] = [0, 0, 0, 0]) -> Request<Question> {
        Request(Question(command: command, data: data), TaiDocFrame.encode(command, data), within: .seconds(1), attempts: 3)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        var plan = [Self.request(.hello)]
        switch command {
        case .readMemory(let user), .clear(let user):
            if case .clear = command {
                // 52 clears all users at once, so a single one cannot be cleared.
                guard user == nil else { return finish(.unsupported("taidoc clears all users or none"), into: &actions) }
                isErasing = true
            }
            plan += [Self.request(.model), Self.request(.count, [UInt8(clamping: user ?? 0), 0, 0, 0])]
        case .readClock: plan.append(Self.request(.clock))
        case .setClock(let time):
            guard time.isPossible, (2000...2127).contains(time.year) else {
                return finish(.unsupported("the cuff's clock goes from 2000 to 2127"), into: &actions)
            }
            wanted = time
            plan += [Self.request(.setClock, TaiDocRecord.bytes(time)), Self.request(.clock)]
        case .information: plan.append(Self.request(.model))
        default: return
        }
        askAll(plan, into: &actions)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        // In recordings of a CP2110's reports the count is before the frame.
        let bytes = bytes.first == 8 ? Array(bytes.dropFirst().prefix(8)) : bytes
        guard case .frame(let length)? = bytes.isEmpty ? nil : TaiDocFrame().verdict(on: bytes.span),
            length == bytes.count,
            bytes[6] == 0xA3, let command = TaiDocCommand(rawValue: bytes[1])
        else {
            requests.sent = nil
            return
        }
        requests.sent = Question(command: command, data: Array(bytes[2..<6]))
        if command == .count {
            times = [:]
            given = [:]
            dump = DumpOccurrences()
        }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        let frame = bytes(of: range)
        // A3: the host's own frame, echoed by an adapter.
        if frame[6] == 0xA3 { return }
        guard frame[6] == 0xA5, let asked = requests.sent, let command = TaiDocCommand(rawValue: frame[1]) else {
            return actions.ignore("an answer to no question", frame)
        }
        let data = Array(frame[2..<6])
        let isGreeting = asked.command == .hello && [.hello, .model, .communicate].contains(command)
        guard command == asked.command || isGreeting else { return actions.ignore("an answer to another question", frame) }
        guard requests.acceptsAnswer || !requests.isAwaiting else { return }
        requests.sent = nil
        switch command {
        case .model:
            // Asked again between equal questions, so that a late answer to one is not taken for the other's.
            if isProving { break }
            model = Int(data[0]) | Int(data[1]) << 8
            actions.append(
                .identify(
                    DeviceIdentity(manufacturer: "TaiDoc", model: "TD-" + Hex.text([data[1], data[0]], separator: ""))))
            if model >> 12 == 4, requests.planned.contains(where: { $0.question.command == .count }) {
                return finish(.failed("this is a glucose meter"), into: &actions)
            }
        case .clock:
            let time = TaiDocRecord.clock(data).time
            if let time { actions.append(.clock(time)) }
            if let wanted, time.map({ !wanted.isShown(by: $0) }) ?? true {
                return finish(.failed("the cuff's clock does not show the time that was sent"), into: &actions)
            }
        case .count:
            let count = Int(data[0]) | Int(data[1]) << 8
            if isProving {
                planTimes(count, asked.data[0], into: &actions)
            } else if requests.isAwaiting {
                planRecords(count, asked.data[0], into: &actions)
            }
        case .recordTime:
            let place = Self.place(asked)
            times[place] = data
            if isErasing { listed[place.user, default: []].append(data) }
        case .recordValues: receive(values: data, Self.place(asked), into: &actions)
        case .hello, .communicate, .setClock, .clear: break
        }
        if requests.isAwaiting { askNext(into: &actions) }
    }

    private static func place(_ question: Question) -> Place {
        Place(index: Int(question.data[0]) | Int(question.data[1]) << 8, user: question.data[3])
    }

    private mutating func planRecords(_ count: Int, _ user: UInt8, into actions: inout SessionActions) {
        let believed = min(count, Self.mostRecords)
        requests.planned = (0..<believed).flatMap { index -> [Request<Question>] in
            let data = [UInt8](littleEndian: [index]) + [0, user]
            return [Self.request(.recordTime, data), Self.request(.recordValues, data)]
        }
        unread = count - believed
        actions.append(.report(.announced(records: believed)))
    }

    private mutating func planTimes(_ count: Int, _ user: UInt8, into actions: inout SessionActions) {
        guard count <= listed[0, default: []].count else { return refuseToClear(into: &actions) }
        let times = (0..<count).flatMap { [Self.request(.model), Self.request(.recordTime, [UInt8](littleEndian: [$0]) + [0, user])] }
        requests.planned.insert(contentsOf: times, at: 0)
    }

    private mutating func receive(values: [UInt8], _ place: Place, into actions: inout SessionActions) {
        guard let time = times[place] else {
            unread += 1
            return actions.ignore("values of a record whose time did not come", values)
        }
        guard given[place] != time + values else { return }
        given[place] = time + values
        switch TaiDocRecord.reading(time: time, values: values, model: model, user: place.user) {
        case .other(let why):
            holdsOthers = true
            actions.ignore(why, time + values)
        case .unreadable(let why):
            unread += 1
            actions.ignore(why, time + values)
        case .bloodPressure(var reading):
            dump.mark(&reading)
            emitted += 1
            actions.emit(reading)
        }
    }

    mutating func allAnswered(into actions: inout SessionActions) {
        guard isErasing, requests.current?.question.command != .clear else {
            return finish(.read(unread: unread), into: &actions)
        }
        guard unread == 0 else {
            return finish(.failed("nothing was cleared: \(unread) of the records could not be read"), into: &actions)
        }
        guard !holdsOthers else {
            return finish(.failed("nothing was cleared: the cuff also holds records other than blood pressures"), into: &actions)
        }
        guard isProving else {
            isProving = true
            return askAll((1...4).flatMap { [Self.request(.model), Self.request(.count, [$0, 0, 0, 0])] }, into: &actions)
        }
        guard wasAllRead else { return refuseToClear(into: &actions) }
        isCommitting = true
        actions.arm(.overall, .seconds(60))
        clearOnceCommitted(into: &actions)
    }

    /// The records of users 1 to 4 are those of user 0, each once; or the cuff ignores the user.
    private var wasAllRead: Bool {
        let all = listed[0, default: []]
        let users = (1...4).map { listed[$0, default: []] }
        if users.allSatisfy({ $0 == all }) { return true }
        // Records without a time are not told apart.
        return all.allSatisfy { TaiDocRecord.clock($0).time != nil }
            && users.joined().sorted { $0.lexicographicallyPrecedes($1) } == all.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private mutating func refuseToClear(into actions: inout SessionActions) {
        finish(.failed("nothing was cleared: the records of users 1 to 4 may not be those that were read"), into: &actions)
    }

    private mutating func clearOnceCommitted(into actions: inout SessionActions) {
        guard committed >= emitted else { return }
        isCommitting = false
        actions.disarm(.overall)
        ask(Self.request(.clear), into: &actions)
    }

    mutating func unanswered(_ question: Question, into actions: inout SessionActions) {
        // The readers over BLE begin without a hello, so a cuff may not know it.
        if question.command == .hello, !requests.planned.isEmpty { return askNext(into: &actions) }
        finish(
            .noAnswer(isProving && question.command != .clear ? "nothing was cleared: the cuff did not answer" : "the cuff did not answer"),
            into: &actions)
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        if isCommitting, timer == .overall {
            finish(.aborted("nothing was cleared: the readings were not stored in time"), into: &actions)
        }
    }
}
