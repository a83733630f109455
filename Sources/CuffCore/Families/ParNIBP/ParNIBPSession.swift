struct ParCommands: Sendable {
    static let abort: UInt8 = 0x58
    static let start = 1, manual = 3, result = 18
    /// Minutes of each automatic cycle, from command 04.
    static let cycles = [1, 2, 3, 4, 5, 10, 15, 30, 60, 90]

    let isCombi: Bool
    let sendsCR: Bool

    init(_ options: [String: String]) {
        isCombi = options["variant"] == "combi"
        sendsCR = isCombi || options["cr"] == "yes"
    }

    /// The whole command in one write, because its bytes must not be separated.
    func frame(_ number: Int) -> [UInt8] {
        let text = [0x30 + UInt8(number / 10 % 10), 0x30 + UInt8(number % 10), 0x3B, 0x3B]
        return [isCombi ? 0xFD : 0x02] + text + Hex.upper(text.sum8) + [isCombi ? 0xFE : 0x03] + (sendsCR ? [0x0D] : [])
    }

    var abort: [UInt8] { [Self.abort] + (sendsCR ? [0x0D] : []) }

    static func number(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 8, bytes[0] == 0x02 || bytes[0] == 0xFD, bytes[3] == 0x3B, bytes[4] == 0x3B else { return nil }
        return bytes.span.digits(1, 2)
    }
}

struct ParNIBPSession: FramedSession, MeasuringSession {
    private enum Mode { case listening, reading, measuring, scheduling(minutes: Int?), stopping }
    private enum Phase { case starting, running, fetching }

    /// A live frame has no check: this many make a live phase.
    private static let livePhase = 3

    var reader = FrameReader(ParFrame())
    var requests = Requests<Int>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.parNIBP.capabilities }
    var isListening: Bool { if case .listening = mode { true } else { false } }
    var stopCommand: [UInt8] { commands.abort }
    private var mode = Mode.listening
    private var phase = Phase.starting
    private var liveFrames = 0
    private var isStarted = false
    private var isEnded = false
    private var latest: ParStatus?
    private let commands: ParCommands
    private let asks: Bool

    init(_ context: SessionContext) {
        commands = ParCommands(context.options)
        asks = context.options["ask"] == "yes"
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        let isStart = ParCommands.number(bytes) == ParCommands.start
        // After an abort, the status has the former pressures.
        guard isStart || bytes == commands.abort else { return }
        isStarted = isStart
        liveFrames = 0
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .readMemory:
            mode = .reading
            askResult(into: &actions)
        case .measure:
            mode = .measuring
            ask(ParCommands.start, within: .seconds(5), attempts: 1, into: &actions)
            // Longer than message 09, the module's own time-out, which its sources do not quantify: guess.
            actions.arm(.overall, .seconds(180))
        case .stop:
            // X has no answer: the status shows when the module is at rest.
            mode = .stopping
            stop(within: .milliseconds(300), into: &actions)
        case .schedule(let schedule): obey(schedule, into: &actions)
        default: break
        }
    }

    private mutating func obey(_ schedule: ScheduleCommand, into actions: inout SessionActions) {
        switch schedule {
        case .get: mode = .scheduling(minutes: nil)
        case .off:
            mode = .scheduling(minutes: 0)
            actions.append(.write(commands.frame(ParCommands.manual)))
        case .every(let minutes):
            guard let index = ParCommands.cycles.firstIndex(of: minutes) else {
                return finish(.unsupported("the module's cycles are 1, 2, 3, 4, 5, 10, 15, 30, 60 and 90 minutes"), into: &actions)
            }
            mode = .scheduling(minutes: minutes)
            actions.append(.write(commands.frame(4 + index)))
        }
        // The module may need a moment before the request.
        actions.arm(.response, .milliseconds(500))
    }

    private mutating func ask(_ number: Int, within limit: Duration, attempts: Int, into actions: inout SessionActions) {
        ask(Request(number, commands.frame(number), within: limit, attempts: attempts), into: &actions)
    }

    private mutating func askResult(into actions: inout SessionActions) {
        let isStopping = if case .stopping = mode { true } else { false }
        ask(ParCommands.result, within: isStopping ? .milliseconds(700) : .seconds(2), attempts: 3, into: &actions)
    }

    mutating func unanswered(_ number: Int, into actions: inout SessionActions) {
        switch mode {
        case .stopping: finish(.noAnswer("the module did not confirm that it stopped"), into: &actions)
        case .measuring where number == ParCommands.start: giveUp("the module sent no cuff pressure after the start", into: &actions)
        case .measuring: giveUp("the module stopped answering", as: .lost, into: &actions)
        default: finish(.noAnswer("the module did not answer 18"), into: &actions)
        }
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (timer, mode, phase) {
        case (.overall, .measuring, _): giveUp("the module did not finish within three minutes", into: &actions)
        // Live frames ceased, and their end may have been lost: the status shows it.
        case (.silence, .measuring, .running):
            phase = .fetching
            askResult(into: &actions)
        // A moment after a stop, a cycle or a busy status.
        case (.response, .stopping, _), (.response, .scheduling, _): askResult(into: &actions)
        default: break
        }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        let frame = bytes(of: range)
        if let status = ParStatus(frame.span) {
            receive(status, frame, into: &actions)
        } else if frame.count == 10, let pressure = frame.span.digits(1, 3) {
            live(pressure, into: &actions)
        } else if frame.count == 6, frame.span.matches("999", at: 1) {
            ended(into: &actions)
        } else if frame[0] != 0x55 {
            actions.ignore("a frame other than a status", frame)
        }
    }

    private mutating func live(_ pressure: Int, into actions: inout SessionActions) {
        liveFrames += 1
        isEnded = false
        if liveFrames == 1, isStarted { actions.append(.live(.started)) }
        actions.append(.live(.cuffPressure(.mmHg(pressure))))
        switch mode {
        case .measuring: awaitLive(into: &actions)
        // It goes on: the X was lost. Sending it restarts the count.
        case .stopping where liveFrames == Self.livePhase: actions.append(.write(commands.abort))
        default: break
        }
    }

    private mutating func awaitLive(into actions: inout SessionActions) {
        phase = .running
        requests.end(into: &actions)
        actions.arm(.silence, .seconds(3))
    }

    private mutating func ended(into actions: inout SessionActions) {
        guard liveFrames > 0 else { return }
        isEnded = true
        actions.append(.live(.ended))
        switch mode {
        case .measuring:
            guard phase == .running else { return }
            phase = .fetching
            actions.disarm(.silence)
            askResult(into: &actions)
        case .listening where asks: actions.append(.write(commands.frame(ParCommands.result)))
        default: break
        }
    }

    private mutating func receive(_ status: ParStatus, _ frame: [UInt8], into actions: inout SessionActions) {
        if case .scheduling(let minutes) = mode { return settle(status, minutes, into: &actions) }
        if case .stopping = mode {
            return status.isBusy ? askAgain(after: .milliseconds(300), into: &actions) : finish(.complete, into: &actions)
        }
        if case .measuring = mode {
            guard phase == .fetching else { return }
            if status.isBusy { return awaitLive(into: &actions) }
            guard liveFrames >= Self.livePhase else { return giveUp("the module did not measure", into: &actions) }
        }
        let isNew = liveFrames >= Self.livePhase
        let content: Reading.Content? =
            status.failure.map { .failure($0) } ?? status.bloodPressure.map { .bloodPressure($0) }
        if isNew, !isEnded, !status.isBusy { actions.append(.live(.ended)) }
        // The same result fetched again is not a second measurement.
        if let content, isNew || latest.map({ !$0.hasResult(of: status) }) ?? true {
            actions.emit(
                Reading(
                    content, driver: "par-nibp", origin: isNew ? .measurement : .memory, trigger: trigger(of: status, isNew: isNew),
                    raw: RawBytes(frame)))
        }
        if status.message == 2 { actions.note("the module says: invalid command (M02)") }
        latest = status
        if !status.isBusy {
            liveFrames = 0
            isStarted = false
        }
        switch mode {
        case .reading where status.isBusy:
            finish(.failed("the module is measuring; read again when it is done"), into: &actions)
        case .reading: finish(.complete, into: &actions)
        case .measuring: finish(content == nil ? .failed("the measurement gave no result") : .complete, into: &actions)
        default: break
        }
    }

    /// With a cycle set and no start seen, the module started by its schedule: it has no button of its own (guess).
    private func trigger(of status: ParStatus, isNew: Bool) -> Reading.Trigger {
        isNew && !isStarted && status.cycle.map { $0 > 0 } == true ? .automatic : .unknown
    }

    private mutating func settle(_ status: ParStatus, _ minutes: Int?, into actions: inout SessionActions) {
        guard let cycle = status.cycle else { return finish(.failed("the module does not tell its cycle"), into: &actions) }
        actions.append(.cycle(minutes: cycle))
        if let minutes, minutes != cycle {
            finish(.failed("the module did not take the cycle"), into: &actions)
        } else {
            finish(.complete, into: &actions)
        }
    }
}

extension ParStatus {
    func hasResult(of other: ParStatus) -> Bool {
        message == other.message && systolic == other.systolic && diastolic == other.diastolic && mean == other.mean
            && rate == other.rate
    }
}
