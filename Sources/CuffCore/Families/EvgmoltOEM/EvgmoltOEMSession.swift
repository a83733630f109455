/// The conversation with an evgmolt board: one question at a time, and a result put together from several answers.
struct EvgmoltOEMSession: FramedSession {
    private enum Mode { case listening, reading, measuring, informing, stopping }

    /// The rotation has seven places; a result that is new shows within two rounds.
    static let pollsForNews = 20
    static let pause = Duration.milliseconds(250)
    /// Longer than the board's own limit (error 11), which the source does not quantify: guess.
    static let limit = Duration.seconds(180)

    var reader = FrameReader(EvgmoltOEMFrame())
    private var mode = Mode.listening
    var isFinished = false
    private var origin = Reading.Origin.memory
    /// Questions without an answer, in a row.
    private var misses = 0
    private var polls = 0
    private var question = EvgmoltOEMCommand.poll

    private var result: EvgmoltOEMResult?
    private var wasNew = false
    /// Answers since `result` began.
    private var age = 0
    private var wasBusy = false
    /// After a stop: the last answer showed neither pressure nor a measurement.
    private var isAtRest = false
    private var idleAfterBusy = 0
    /// A start or a stop was sent, and the board has not run since: a result marked as new is that of before. Its mark may be gone
    /// with this answer, so it is given as one of the memory.
    private var awaitsRun = false

    private var serial: (high: UInt8?, low: UInt8?) = (nil, nil)
    private var version: UInt8?
    private var isIdentified = false

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        if result != nil {
            actions.append(.report(.warning("the line ended before mean and pulse of a new result were told; it is not counted")))
        }
        finish(mode == .listening ? .complete : .noAnswer("the line ended before the result"), into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow: mode = .listening
        case .readMemory:
            mode = .reading
            ask(.poll, into: &actions)
        case .information:
            mode = .informing
            ask(.poll, into: &actions)
        case .measure:
            mode = .measuring
            actions.append(.arm(.overall, Self.limit))
            ask(.start, into: &actions)
        case .stop:
            actions.append(.write([EvgmoltOEMCommand.stop.rawValue]))
            actions.append(.live(.aborted))
            // The answer to the stop, and those to the polls behind it, tell whether there is pressure left.
            mode = .stopping
            actions.append(.disarm(.overall))
            actions.append(.disarm(.response))
            actions.append(.arm(.poll, Self.pause))
            actions.append(.arm(.silence, .milliseconds(2500)))
        case .readClock, .setClock, .schedule, .clear:
            finish(.unsupported("evgmolt-oem has no command for that"), into: &actions)
        }
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard bytes.count == 1 else { return }
        switch EvgmoltOEMCommand(rawValue: bytes[0]) {
        case .start?:
            origin = .measurement
            awaitsRun = true
        case .stop?: awaitsRun = true
        default: break
        }
    }

    private mutating func ask(_ command: EvgmoltOEMCommand, into actions: inout SessionActions) {
        question = command
        actions.append(.write([command.rawValue]))
        actions.append(.arm(.response, .seconds(1)))
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        guard mode != .listening else { return }
        switch timer {
        case .poll: ask(.poll, into: &actions)
        case .response:
            misses += 1
            // Whatever arrived of the answer will not be completed by the next one.
            let left = reader.discard()
            if left > 0 { actions.report(skipped: left, .incomplete) }
            // A start is not repeated: the board may be inflating, which a poll will show.
            if misses < 5 { ask(.poll, into: &actions) } else { give(up: "the board does not answer", as: .lost, into: &actions) }
        case .silence where mode == .stopping && isAtRest: settle(into: &actions)
        case .silence where mode == .stopping: finish(.noAnswer("the board did not confirm that the cuff is empty"), into: &actions)
        case .overall: give(up: "no result came within three minutes of the start", into: &actions)
        default: break
        }
    }

    private mutating func give(up sentence: String, as reason: FailureReason = .timeout, into actions: inout SessionActions) {
        if mode == .measuring {
            actions.append(.write([EvgmoltOEMCommand.stop.rawValue]))
            actions.append(.live(.failed(Failure(reason))))
        }
        finish(.noAnswer(sentence), into: &actions)
    }

    mutating func receive(_ step: FrameStep, into actions: inout SessionActions) {
        switch step {
        case .skipped(let count, let fault): actions.report(skipped: count, fault)
        case .frame(let range):
            guard let answer = EvgmoltOEMAnswer(reader.buffer.span.extracting(range)) else {
                return actions.append(.report(.ignored("an answer of no known kind", Array(reader.buffer[range]))))
            }
            guard answer.error <= 12, answer.index <= 7 else {
                return actions.append(.report(.ignored("an error or an index that no source names", answer.bytes)))
            }
            take(answer, into: &actions)
        }
    }

    private mutating func take(_ answer: EvgmoltOEMAnswer, into actions: inout SessionActions) {
        misses = 0
        polls += 1
        if mode == .stopping { return deflate(answer, into: &actions) }
        identify(answer, into: &actions)
        follow(answer, into: &actions)
        if !isFinished { collect(answer, into: &actions) }
        guard !isFinished, mode != .listening else { return }
        actions.append(.disarm(.response))
        switch mode {
        case .informing where result == nil && (isIdentified || polls >= Self.pollsForNews):
            finish(.complete, into: &actions)
        case .reading where result == nil && polls >= Self.pollsForNews:
            actions.append(.report(.note("the board marks no result as new")))
            finish(.complete, into: &actions)
        case .measuring where awaitsRun && result == nil && polls >= Self.pollsForNews:
            give(up: "the board did not start", into: &actions)
        default: actions.append(.arm(.poll, Self.pause))
        }
    }

    /// Whether the cuff is at rest; a result that the answers show meanwhile is told to its end.
    private mutating func deflate(_ answer: EvgmoltOEMAnswer, into actions: inout SessionActions) {
        if answer.isUnderPressure { actions.append(.live(.cuffPressure(.mmHg(answer.cuff)))) }
        actions.append(.disarm(.response))
        isAtRest = !answer.isBusy
        collect(answer, into: &actions)
        if isAtRest && result == nil { finish(.complete, into: &actions) } else { actions.append(.arm(.poll, Self.pause)) }
    }

    /// The stop is over; of a result that waits, mean and pulse stay unknown.
    private mutating func settle(into actions: inout SessionActions) {
        if let result { give(result, into: &actions) }
        finish(.complete, into: &actions)
    }

    /// Pump, pressure and the end of a measurement without a result.
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
        // The error of an earlier measurement may still stand there at the start; after this one ran, it is this one's.
        if answer.error > 0 {
            wasBusy = false
            actions.append(.live(.ended))
            let content = Reading.Content.failure(Self.failure(answer.error))
            actions.emit(Reading(content, driver: "evgmolt-oem", origin: origin, raw: RawBytes(answer.bytes)))
            origin = .memory
            if mode == .measuring { finish(.complete, into: &actions) }
        } else if !answer.isNew, idleAfterBusy >= Self.pollsForNews {
            wasBusy = false
            actions.append(.live(.failed(Failure(.noValue))))
            if mode == .measuring { finish(.failed("the board stopped with neither a new result nor an error"), into: &actions) }
        }
    }

    private mutating func collect(_ answer: EvgmoltOEMAnswer, into actions: inout SessionActions) {
        let isNews = answer.isNew && !wasNew && !answer.isBusy && answer.error == 0
        wasNew = answer.isNew && !answer.isBusy
        if let begun = result, begun.fits(answer) {
            result?.take(answer)
            age += 1
        } else {
            // Another measurement began: mean and pulse of the former result will not be told any more.
            if let begun = result { give(begun, into: &actions) }
            guard isNews, !isFinished else { return }
            result = EvgmoltOEMResult(answer, isFormer: awaitsRun, origin)
            age = 0
        }
        guard let whole = result, whole.isWhole || age >= Self.pollsForNews else { return }
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

    private mutating func identify(_ answer: EvgmoltOEMAnswer, into actions: inout SessionActions) {
        switch answer.index {
        case 0: serial.high = answer.value
        case 1: serial.low = answer.value
        case 2: version = answer.value
        default: return
        }
        // Only when asked: the rotation tells it after the first readings, and one cuff must not have two names in a run.
        guard mode == .informing, !isIdentified, let high = serial.high, let low = serial.low, let version else { return }
        isIdentified = true
        let number = Int(high) << 8 | Int(low)
        actions.append(
            .identify(
                DeviceIdentity(
                    id: number == 0 ? "" : "evgmolt-\(number)", manufacturer: "evgmolt", model: "OEM NIBP",
                    serial: "\(number)", firmware: "\(version)")))
    }

    static func failure(_ code: UInt8) -> Failure {
        let reason: FailureReason =
            switch code {
            case 1: .zeroCalibration
            case 2: .noInflation
            case 3: .deflationTooFast
            case 4: .noPulse
            case 5: .weakPulse
            case 6: .deflationTooSlow
            case 7: .movement
            case 8, 9: .outOfRange
            case 10: .overPressure
            case 11: .timeout
            case 12: .wrongCuff
            default: .unknown
            }
        return Failure(reason, code: ShortText("\(code)"))
    }
}
