/// A session with an evgmolt board: one request at a time; a result comes in several answers.
struct EvgmoltOEMSession: FramedSession, MeasuringSession {
    private enum Mode { case listening, reading, measuring, informing, stopping }

    /// The rotation has seven places; a new result appears within two rounds.
    static let pollsForNews = 20
    static let pause = Duration.milliseconds(250)
    /// Longer than the board's own limit (error 11), which the source does not quantify: guess.
    static let limit = Duration.seconds(180)

    var reader = FrameReader(EvgmoltOEMFrame())
    var requests = Requests<EvgmoltOEMCommand>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.evgmoltOEM.capabilities }
    var isListening: Bool { mode == .listening }
    let stopCommand = [EvgmoltOEMCommand.stop.rawValue]
    private var mode = Mode.listening
    private var origin = Reading.Origin.memory
    private var polls = 0

    private var result: EvgmoltOEMResult?
    private var wasNew = false
    private var wasBusy = false
    /// After a stop: the last answer showed neither pressure nor a measurement.
    private var isAtRest = false
    private var idleAfterBusy = 0
    private var isStarted = false
    /// After a start or stop until the board runs: a result marked as new is the former one, emitted as stored.
    private var awaitsRun = false
    private var identity = EvgmoltOEMIdentity()

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        if result != nil {
            actions.warn("the line ended before mean and pulse of a new result came; it is not counted")
        }
        finishAtEnd(into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .readMemory: mode = .reading
        case .information: mode = .informing
        // The start may clear the mark of an unread result, so it is read first.
        case .measure: mode = .measuring
        case .stop:
            // The answer to the stop and later polls show the remaining pressure.
            mode = .stopping
            stop(within: Self.pause, into: &actions)
            return actions.arm(.silence, .milliseconds(2500))
        default: return
        }
        ask(.poll, into: &actions)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard bytes.count == 1 else { return }
        switch EvgmoltOEMCommand(rawValue: bytes[0]) {
        case .start?:
            origin = .measurement
            awaitsRun = true
            isStarted = true
            polls = 0
        case .stop?: awaitsRun = true
        default: break
        }
    }

    /// A start is not repeated: the board may be inflating, which a poll will show.
    private mutating func ask(_ command: EvgmoltOEMCommand, into actions: inout SessionActions) {
        ask(Request(command, [command.rawValue], within: .seconds(1), attempts: command == .start ? 1 : 5), into: &actions)
    }

    private mutating func start(into actions: inout SessionActions) {
        actions.arm(.overall, Self.limit)
        ask(.start, into: &actions)
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch timer {
        case .response where requests.isAwaiting:
            discardIncomplete(into: &actions)
            askAgain(into: &actions)
        case .response where mode == .stopping, .poll where mode != .listening: ask(.poll, into: &actions)
        case .silence where mode == .stopping && isAtRest: settle(into: &actions)
        case .silence where mode == .stopping: finish(.noAnswer("the board did not confirm that the cuff is empty"), into: &actions)
        case .overall where mode == .measuring: giveUp("no result came within three minutes of the start", into: &actions)
        default: break
        }
    }

    mutating func unanswered(_ question: EvgmoltOEMCommand, into actions: inout SessionActions) {
        if question == .start { return ask(.poll, into: &actions) }
        if mode == .measuring, isStarted { return giveUp("the board does not answer", as: .lost, into: &actions) }
        finish(.noAnswer("the board does not answer"), into: &actions)
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        guard let answer = EvgmoltOEMAnswer(reader.buffer.span.extracting(range)) else {
            return actions.ignore("an answer of no known kind", bytes(of: range))
        }
        guard answer.error <= 12, answer.index <= 7 else {
            return actions.ignore("an error or an index that no source names", answer.bytes)
        }
        polls += 1
        if mode == .stopping { return deflate(answer, into: &actions) }
        // Only on request: the rotation sends it after the first readings, and a cuff must not have two names in a run.
        if mode == .informing, let known = identity.receive(answer) { actions.append(.identify(known)) }
        follow(answer, into: &actions)
        if !isFinished { collect(answer, into: &actions) }
        guard !isFinished, mode != .listening else { return }
        requests.end(into: &actions)
        proceed(after: answer, into: &actions)
    }

    private mutating func proceed(after answer: EvgmoltOEMAnswer, into actions: inout SessionActions) {
        switch mode {
        case .informing where result == nil && (identity.isWhole || polls >= Self.pollsForNews):
            finish(.complete, into: &actions)
        case .reading where result == nil && polls >= Self.pollsForNews:
            actions.note("the board marks no result as new")
            finish(.complete, into: &actions)
        case .measuring where !isStarted && answer.isBusy:
            finish(.failed("the board is busy; measure again when it is at rest"), into: &actions)
        case .measuring where !isStarted && result == nil: start(into: &actions)
        case .measuring where awaitsRun && result == nil && polls >= Self.pollsForNews:
            giveUp("the board did not start", into: &actions)
        default: actions.arm(.poll, Self.pause)
        }
    }

    private mutating func deflate(_ answer: EvgmoltOEMAnswer, into actions: inout SessionActions) {
        if answer.isUnderPressure { actions.append(.live(.cuffPressure(.mmHg(answer.cuff)))) }
        requests.end(into: &actions)
        isAtRest = !answer.isBusy
        collect(answer, into: &actions)
        if isAtRest && result == nil { finish(.complete, into: &actions) } else { actions.arm(.poll, Self.pause) }
    }

    /// The stop is over; mean and pulse of a waiting result stay unknown.
    private mutating func settle(into actions: inout SessionActions) {
        if let result { give(result, into: &actions) }
        finish(.complete, into: &actions)
    }

    private mutating func follow(_ answer: EvgmoltOEMAnswer, into actions: inout SessionActions) {
        if answer.isBusy {
            if !wasBusy { actions.append(.live(.started)) }
            wasBusy = true
            awaitsRun = false
            idleAfterBusy = 0
        }
        if answer.isUnderPressure || answer.isManometer { actions.append(.live(.cuffPressure(.mmHg(answer.cuff)))) }
        guard wasBusy, !answer.isBusy, result == nil else { return }
        idleAfterBusy += 1
        // At the start the error may be of an earlier measurement; after this one ran, it is this one's.
        if answer.error > 0 {
            wasBusy = false
            actions.append(.live(.ended))
            let content = Reading.Content.failure(Self.failures.failure(Int(answer.error)))
            actions.emit(Reading(content, driver: "evgmolt-oem", origin: origin, raw: RawBytes(answer.bytes)))
            origin = .memory
            if mode == .measuring { finish(.complete, into: &actions) }
        } else if !answer.isNew, idleAfterBusy >= Self.pollsForNews {
            wasBusy = false
            actions.append(.live(.failed(.init(.noValue))))
            if mode == .measuring { finish(.failed("the board stopped with neither a new result nor an error"), into: &actions) }
        }
    }

    private mutating func collect(_ answer: EvgmoltOEMAnswer, into actions: inout SessionActions) {
        let isNews = answer.isNew && !wasNew && !answer.isBusy && answer.error == 0
        wasNew = answer.isNew && !answer.isBusy
        if let begun = result, begun.fits(answer) {
            result?.receive(answer)
        } else {
            // Another measurement began: mean and pulse of the former result will not come.
            if let begun = result { give(begun, into: &actions) }
            guard isNews, !isFinished else { return }
            result = EvgmoltOEMResult(answer, isFormer: awaitsRun || mode == .measuring && !isStarted, origin)
        }
        guard let whole = result, whole.isWhole || whole.age >= Self.pollsForNews else { return }
        give(whole, into: &actions)
    }

    private mutating func give(_ whole: EvgmoltOEMResult, into actions: inout SessionActions) {
        result = nil
        if whole.isFormer { return actions.emit(whole.reading()) }
        if wasBusy { actions.append(.live(.ended)) }
        wasBusy = false
        actions.emit(whole.reading())
        origin = .memory
        if mode == .measuring || mode == .reading { finish(.complete, into: &actions) }
    }

    static let failures: [Int: FailureReason] = [
        1: .zeroCalibration, 2: .noInflation, 3: .deflationTooFast, 4: .noPulse, 5: .weakPulse, 6: .deflationTooSlow, 7: .movement,
        8: .outOfRange, 9: .outOfRange, 10: .overPressure, 11: .timeout, 12: .wrongCuff,
    ]
}
