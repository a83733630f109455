/// The conversation with a PAR module.
struct ParCommands: Sendable {
    static let abort: UInt8 = 0x58
    static let start = 1, manual = 3, result = 18
    /// Minutes of each automatic cycle, from command 04 on.
    static let cycles = [1, 2, 3, 4, 5, 10, 15, 30, 60, 90]

    let isCombi: Bool
    let sendsCR: Bool

    init(_ options: [String: String]) {
        isCombi = options["variant"] == "combi"
        sendsCR = isCombi || options["cr"] == "yes"
    }

    /// The whole command: one write, because its bytes must not come apart.
    func frame(_ number: Int) -> [UInt8] {
        let text = [0x30 + UInt8(number / 10 % 10), 0x30 + UInt8(number % 10), 0x3B, 0x3B]
        return [isCombi ? 0xFD : 0x02] + text + Hex.upper(text.sum8) + [isCombi ? 0xFE : 0x03] + (sendsCR ? [0x0D] : [])
    }

    var abort: [UInt8] { [Self.abort] + (sendsCR ? [0x0D] : []) }

    /// The number in a command, if it is one of either variant.
    static func number(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 8, bytes[0] == 0x02 || bytes[0] == 0xFD, bytes[3] == 0x3B, bytes[4] == 0x3B else { return nil }
        return bytes.span.digits(1, 2)
    }
}

/// The conversation with a PAR module.
struct ParNIBPSession: FramedSession {
    private enum Mode { case listening, reading, measuring, scheduling(minutes: Int?), stopping }
    private enum Phase { case starting, running, fetching }

    private static let retryLimit = 3
    /// A live frame has no check: so many make a live phase.
    private static let livePhase = 3

    var reader = FrameReader(ParFrame())
    private var mode = Mode.listening
    private var phase = Phase.starting
    var isFinished = false
    private var tries = 0
    /// Live frames since the last result, or since the start that was sent.
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
        if ParCommands.number(bytes) == ParCommands.start {
            isStarted = true
            liveFrames = 0
        }
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        if case .listening = mode { return finish(.complete, into: &actions) }
        finish(.noAnswer("the line ended before the module had answered"), into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow: mode = .listening
        case .readMemory(user: nil):
            mode = .reading
            askResult(into: &actions)
        case .readMemory: finish(.unsupported("a PAR module has no users"), into: &actions)
        case .measure:
            mode = .measuring
            actions.append(.write(commands.frame(ParCommands.start)))
            actions.append(.arm(.response, .seconds(5)))
            // Longer than message 09, the module's own time-out, which its sources do not quantify: guess.
            actions.append(.arm(.overall, .seconds(180)))
        case .stop:
            actions.append(.write(commands.abort))
            actions.append(.live(.aborted))
            // X has no answer of its own: the status tells when the module is at rest.
            mode = .stopping
            tries = 0
            actions.append(.disarm(.overall))
            actions.append(.disarm(.silence))
            actions.append(.arm(.response, .milliseconds(300)))
        case .schedule(let schedule): obey(schedule, into: &actions)
        default: finish(.unsupported("par-nibp has no command for that"), into: &actions)
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
        // The module may need a moment: the question comes with the timer.
        tries = 0
        actions.append(.arm(.response, .milliseconds(500)))
    }

    private mutating func askResult(into actions: inout SessionActions) {
        tries += 1
        actions.append(.write(commands.frame(ParCommands.result)))
        if case .stopping = mode { return actions.append(.arm(.response, .milliseconds(700))) }
        actions.append(.arm(.response, .seconds(2)))
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (timer, mode, phase) {
        case (.overall, .measuring, _): giveUp("the module did not finish within three minutes", into: &actions)
        case (.response, .measuring, .starting): giveUp("the module sent no cuff pressure after the start", into: &actions)
        // Live frames ceased, and their end may have been lost: the status tells.
        case (.silence, .measuring, .running):
            phase = .fetching
            tries = 0
            askResult(into: &actions)
        case (.response, .listening, _): break
        case (.response, _, _):
            if tries < Self.retryLimit { return askResult(into: &actions) }
            if case .stopping = mode { return finish(.noAnswer("the module did not confirm that it stopped"), into: &actions) }
            if case .measuring = mode { return giveUp("the module stopped answering", as: .lost, into: &actions) }
            finish(.noAnswer("the module did not answer 18"), into: &actions)
        default: break
        }
    }

    private mutating func giveUp(_ why: String, as reason: FailureReason = .timeout, into actions: inout SessionActions) {
        actions.append(.write(commands.abort))
        actions.append(.live(.failed(Failure(reason))))
        finish(.noAnswer(why), into: &actions)
    }

    mutating func receive(_ step: FrameStep, into actions: inout SessionActions) {
        guard case .frame(let range) = step else {
            if case .skipped(let count, let fault) = step { actions.report(skipped: count, fault) }
            return
        }
        let frame = Array(reader.buffer[range])
        let status = ParStatus(frame.span)
        if let status {
            take(status, frame, into: &actions)
        } else if frame.count == 10, let pressure = frame.span.digits(1, 3) {
            live(pressure, into: &actions)
        } else if frame.count == 6, frame.span.matches("999", at: 1) {
            ended(into: &actions)
        } else if frame[0] != 0x55 {
            actions.append(.report(.ignored("a frame other than a status", frame)))
        }
    }

    private mutating func live(_ pressure: Int, into actions: inout SessionActions) {
        liveFrames += 1
        isEnded = false
        if liveFrames == 1, isStarted { actions.append(.live(.started)) }
        actions.append(.live(.cuffPressure(.mmHg(pressure))))
        guard case .measuring = mode else { return }
        phase = .running
        actions.append(.disarm(.response))
        actions.append(.arm(.silence, .seconds(3)))
    }

    private mutating func ended(into actions: inout SessionActions) {
        guard liveFrames > 0 else { return }
        isEnded = true
        actions.append(.live(.ended))
        switch mode {
        case .measuring:
            guard phase == .running else { return }
            phase = .fetching
            tries = 0
            actions.append(.disarm(.silence))
            askResult(into: &actions)
        case .listening where asks: actions.append(.write(commands.frame(ParCommands.result)))
        default: break
        }
    }

    private mutating func take(_ status: ParStatus, _ frame: [UInt8], into actions: inout SessionActions) {
        if case .scheduling(let minutes) = mode { return settle(status, minutes, into: &actions) }
        // The pressures of a status after an abort are the former ones.
        if case .stopping = mode {
            return status.isBusy ? actions.append(.arm(.response, .milliseconds(300))) : finish(.complete, into: &actions)
        }
        if case .measuring = mode {
            guard phase == .fetching else { return }
            if status.isBusy {
                phase = .running
                actions.append(.disarm(.response))
                return actions.append(.arm(.silence, .seconds(3)))
            }
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
        if status.message == 2 { actions.append(.report(.note("the module says: invalid command (M02)"))) }
        latest = status
        if !status.isBusy {
            liveFrames = 0
            isStarted = false
        }
        switch mode {
        case .reading where status.isBusy:
            finish(.failed("the module is measuring; read again when it is done"), into: &actions)
        case .reading: finish(.complete, into: &actions)
        case .measuring:
            if content == nil {
                finish(.failed("the measurement gave no result"), into: &actions)
            } else {
                finish(.complete, into: &actions)
            }
        default: break
        }
    }

    /// With a cycle set and no start seen, the module began by itself: it has no button of its own (guess).
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
