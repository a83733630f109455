/// One question, one frame. Rules:
/// - An answer counts only for the question of the same command that was last sent, whoever sent it.
/// - A record is its time and its values, both asked for the same index and user.
/// - A question is asked at most three times; clearing comes after every record was read and committed, or not at all.
struct TaiDocSession: FramedSession {
    private enum State { case listening, asking, committing, finished }
    private enum Goal { case memory, erasure, clock, setting, information }
    private struct Question: Equatable {
        var command: TaiDocCommand
        var data: [UInt8] = [0, 0, 0, 0]
    }
    private struct Place: Hashable { var index: Int, user: UInt8 }

    private static let attempts = 3

    var reader = FrameReader(TaiDocFrame())
    private var state = State.listening
    var isFinished: Bool {
        get { state == .finished }
        set { if newValue { state = .finished } }
    }
    private var goal = Goal.memory
    private var plan: [Question] = []
    private var current = Question(command: .hello)
    private var tries = 0
    private var unread = 0

    private var asked: Question?
    private var model = 0
    private var times: [Place: [UInt8]] = [:]
    private var given: [Place: [UInt8]] = [:]
    private var dump = DumpOccurrences()
    private var emitted = 0
    private var committed = 0

    mutating func receive(_ step: FrameStep, into actions: inout SessionActions) {
        switch step {
        case .skipped(let count, let fault): actions.report(skipped: count, fault)
        case .frame(let range): take(Array(reader.buffer[range]), into: &actions)
        }
    }

    mutating func noteCommitted(through: Int, into actions: inout SessionActions) {
        committed = max(committed, through)
        if state == .committing { clearOnceCommitted(into: &actions) }
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        guard state == .listening else {
            return finish(.noAnswer("the line ended before the cuff had answered everything"), into: &actions)
        }
        receiveRest(into: &actions)
        finish(.complete, into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow: return
        case .readMemory(let user), .clear(let user):
            // 52 clears all users at once, so a single one cannot be cleared.
            if case .clear = command {
                guard user == nil else {
                    return finish(.unsupported("taidoc clears all users or none"), into: &actions)
                }
                goal = .erasure
            }
            guard (0...4).contains(user ?? 0) else {
                return finish(.unsupported("taidoc has the users 1 to 4"), into: &actions)
            }
            plan = [Question(command: .model), Question(command: .count, data: [UInt8(user ?? 0), 0, 0, 0])]
        case .readClock:
            goal = .clock
            plan = [Question(command: .clock)]
        case .setClock(let time):
            guard time.isPossible, (2000...2127).contains(time.year) else {
                return finish(.unsupported("the cuff's clock goes from 2000 to 2127"), into: &actions)
            }
            goal = .setting
            // What it shows afterwards is told, as it is where it is only asked.
            plan = [Question(command: .setClock, data: TaiDocRecord.bytes(time)), Question(command: .clock)]
        case .information:
            goal = .information
            plan = [Question(command: .model)]
        default: return finish(.unsupported("taidoc has no command for that"), into: &actions)
        }
        plan.insert(Question(command: .hello), at: 0)
        next(into: &actions)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard case .frame(let length)? = bytes.isEmpty ? nil : TaiDocFrame().verdict(on: bytes.span),
            length == bytes.count,
            bytes[6] == 0xA3, let command = TaiDocCommand(rawValue: bytes[1])
        else {
            asked = nil
            return
        }
        asked = Question(command: command, data: Array(bytes[2..<6]))
        if command == .count {
            times = [:]
            given = [:]
            dump = DumpOccurrences()
        }
    }

    private mutating func take(_ frame: [UInt8], into actions: inout SessionActions) {
        // A3: the host's own frame, echoed by an adapter.
        if frame[6] == 0xA3 { return }
        guard frame[6] == 0xA5, let asked, let command = TaiDocCommand(rawValue: frame[1]) else {
            return actions.append(.report(.ignored("an answer to no question", frame)))
        }
        let data = Array(frame[2..<6])
        let isGreeting = asked.command == .hello && [.hello, .model, .communicate].contains(command)
        guard command == asked.command || isGreeting else {
            return actions.append(.report(.ignored("an answer to another question", frame)))
        }
        if state == .asking && asked != current { return }
        self.asked = nil
        switch command {
        case .model:
            model = Int(data[0]) | Int(data[1]) << 8
            actions.append(
                .identify(
                    DeviceIdentity(manufacturer: "TaiDoc", model: "TD-" + Hex.text([data[1], data[0]], separator: ""))))
            if model >> 12 == 4, state == .asking, goal == .memory || goal == .erasure {
                return finish(.failed("this is a glucose meter"), into: &actions)
            }
        case .clock: if case .time(let time) = TaiDocRecord.clock(data) { actions.append(.clock(time)) }
        case .count: if state == .asking { planRecords(Int(data[0]) | Int(data[1]) << 8, asked.data[0], into: &actions) }
        case .recordTime: times[Self.place(asked)] = data
        case .recordValues: takeValues(data, Self.place(asked), into: &actions)
        case .hello, .communicate, .setClock, .clear: break
        }
        if state == .asking { next(into: &actions) }
    }

    private static func place(_ question: Question) -> Place {
        Place(index: Int(question.data[0]) | Int(question.data[1]) << 8, user: question.data[3])
    }

    /// The largest memory of a documented meter holds 1000 records; more than 2000 are not believed.
    private mutating func planRecords(_ count: Int, _ user: UInt8, into actions: inout SessionActions) {
        plan = (0..<min(count, 2000)).flatMap { index -> [Question] in
            let data = [UInt8(index & 0xFF), UInt8(index >> 8), 0, user]
            return [Question(command: .recordTime, data: data), Question(command: .recordValues, data: data)]
        }
        unread = max(0, count - 2000)
        actions.append(.report(.announced(records: min(count, 2000))))
    }

    private mutating func takeValues(_ values: [UInt8], _ place: Place, into actions: inout SessionActions) {
        guard let time = times[place] else {
            return actions.append(.report(.ignored("values of a record whose time did not come", values)))
        }
        guard given[place] != time + values else { return }
        given[place] = time + values
        switch TaiDocRecord.reading(time: time, values: values, model: model, user: place.user) {
        case .other(let why): actions.append(.report(.ignored(why, time + values)))
        case .bloodPressure(var reading):
            dump.mark(&reading)
            emitted += 1
            actions.emit(reading)
        }
    }

    private mutating func next(into actions: inout SessionActions) {
        tries = 0
        guard plan.isEmpty else {
            current = plan.removeFirst()
            return ask(into: &actions)
        }
        guard goal == .erasure, current.command != .clear else {
            return finish(unread == 0 ? .complete : .failed("\(unread) records were not read"), into: &actions)
        }
        guard unread == 0 else {
            return finish(.failed("nothing was cleared: \(unread) records were not read"), into: &actions)
        }
        state = .committing
        actions.append(.disarm(.response))
        actions.append(.arm(.overall, .seconds(60)))
        clearOnceCommitted(into: &actions)
    }

    private mutating func clearOnceCommitted(into actions: inout SessionActions) {
        guard committed >= emitted else { return }
        actions.append(.disarm(.overall))
        current = Question(command: .clear)
        ask(into: &actions)
    }

    private mutating func ask(into actions: inout SessionActions) {
        state = .asking
        tries += 1
        actions.append(.write(TaiDocFrame.encode(current.command, current.data)))
        actions.append(.arm(.response, .seconds(1)))
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (state, timer) {
        // Setting and clearing are not repeated after the last of three; asking is.
        case (.asking, .response) where tries < Self.attempts: ask(into: &actions)
        // The readers over BLE begin without a hello, so a cuff may not know it.
        case (.asking, .response) where current.command == .hello && !plan.isEmpty: next(into: &actions)
        case (.asking, .response): finish(.noAnswer("the cuff did not answer"), into: &actions)
        case (.committing, .overall):
            finish(.aborted("nothing was cleared: the readings were not stored in time"), into: &actions)
        default: break
        }
    }
}
