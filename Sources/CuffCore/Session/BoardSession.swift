enum BoardMessage {
    /// The board confirms a start, or reports one by its own key.
    case started
    case pressure(Pressure)
    /// The measurement is over. `isFailed`: the status has the reason.
    case ended(isFailed: Bool)
    case result(Reading.Content, MeasurementFlags, raw: [UInt8])
    /// The board waits for these bytes.
    case question(answer: [UInt8])
    /// A frame of another part of the board, e.g. the oximeter.
    case otherModule
}

/// One make of measuring boards. A board inflates on a command, then sends pressures, an end and a result; it has no memory or clock.
protocol Board: Sendable {
    associatedtype Format: FrameFormat
    static var driver: DriverID { get }
    static var capabilities: Capabilities { get }
    init(_ context: SessionContext)
    var format: Format { get }
    mutating func read(_ frame: [UInt8]) -> [BoardMessage]
    /// Records a request sent by this session or by other software.
    mutating func noteSent(_ bytes: [UInt8])
    /// A result that waits for a second frame, returned without it.
    mutating func takeWaiting() -> BoardMessage?
    /// `nil` until this board's form of commands is known.
    var start: [UInt8]? { get }
    var stop: [[UInt8]] { get }
    /// A running measurement is stopped above this pressure; `nil`: by the board alone.
    var highestPressure: Int? { get }
    /// Requests the result after an end; `nil` if it comes unasked.
    var resultQuestion: [UInt8]? { get }
    /// Requests the reason of a failure; `nil` if it comes unasked.
    var statusQuestion: [UInt8]? { get }
}

extension Board {
    mutating func noteSent(_ bytes: [UInt8]) {}
    mutating func takeWaiting() -> BoardMessage? { nil }
    var highestPressure: Int? { nil }
    var resultQuestion: [UInt8]? { nil }
    var statusQuestion: [UInt8]? { nil }
}

struct BoardSession<Make: Board>: FramedSession {
    private enum Phase: Equatable {
        case listening
        /// A start waits until the board has shown its form of commands.
        case learning
        case starting, running
        /// The end was seen; the result is awaited or requested.
        case fetching(question: [UInt8]?)
        case stopping
    }

    /// The time-out of an answer. No source gives the boards' own times: guess.
    private static var answerLimit: Duration { .seconds(3) }
    /// A running board silent for this long is lost; it sends several pressures a second.
    private static var silenceLimit: Duration { .seconds(5) }
    /// Longer than any measurement; the boards' own limits are in no source: guess.
    private static var measurementLimit: Duration { .seconds(180) }
    private static var tries: Int { 3 }

    var reader: FrameReader<Make.Format>
    var isFinished = false
    var capabilities: Capabilities { Make.capabilities }
    var isListening: Bool { phase == .listening }
    private var board: Make
    private var phase = Phase.listening
    private var asked = 0
    private var isMeasuring = false
    /// The measurement of the next result was seen running.
    private var isWatched = false
    /// The result of a measurement that was seen running, until another is: it may be sent again.
    private var watchedResult: [UInt8]?

    init(_ context: SessionContext) {
        board = Make(context)
        reader = FrameReader(board.format)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) { board.noteSent(bytes) }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .measure: start(into: &actions)
        case .stop:
            actions.append(.live(.aborted))
            actions.disarm(.overall)
            actions.disarm(.silence)
            (phase, asked) = (.stopping, 0)
            askAgain(into: &actions)
        default: break
        }
    }

    private mutating func start(into actions: inout SessionActions) {
        actions.arm(.response, Self.answerLimit)
        guard let start = board.start else { return phase = .learning }
        phase = .starting
        actions.append(.write(start))
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        let frame = bytes(of: range)
        let messages = board.read(frame)
        reader.format = board.format
        if messages.isEmpty { actions.ignore("a frame of no known kind", frame) }
        for message in messages where !isFinished { receive(message, into: &actions) }
        if phase == .learning, board.start != nil { start(into: &actions) }
    }

    private mutating func receive(_ message: BoardMessage, into actions: inout SessionActions) {
        switch message {
        case .otherModule: break
        case .question(let answer): if phase != .stopping { actions.append(.write(answer)) }
        case .started: begin(into: &actions)
        case .pressure(let pressure):
            begin(into: &actions)
            actions.append(.live(.cuffPressure(pressure)))
            if phase == .running, let highest = board.highestPressure, pressure.inMmHg > Double(highest) {
                giveUp("the cuff pressure exceeded \(highest) mmHg", as: .overPressure, into: &actions)
            }
        case .ended(let isFailed): end(isFailed: isFailed, into: &actions)
        case .result(let content, let flags, let raw): emit(content, flags, raw, into: &actions)
        }
        if phase == .running, !isFinished { actions.arm(.silence, Self.silenceLimit) }
    }

    private mutating func begin(into actions: inout SessionActions) {
        guard phase == .starting || phase == .listening else { return }
        isWatched = true
        watchedResult = nil
        if !isMeasuring { actions.append(.live(.started)) }
        isMeasuring = true
        guard phase == .starting else { return }
        phase = .running
        actions.disarm(.response)
        actions.arm(.overall, Self.measurementLimit)
    }

    private mutating func end(isFailed: Bool, into actions: inout SessionActions) {
        switch phase {
        case .stopping: finish(.complete, into: &actions)
        case .running:
            actions.disarm(.silence)
            (phase, asked) = (.fetching(question: isFailed ? board.statusQuestion : board.resultQuestion), 0)
            askAgain(into: &actions)
        // An end before the start was confirmed belongs to an earlier measurement.
        case .starting, .learning, .fetching: break
        case .listening: endLive(into: &actions)
        }
    }

    private mutating func endLive(into actions: inout SessionActions) {
        if isMeasuring { actions.append(.live(.ended)) }
        isMeasuring = false
    }

    /// A result before the start or during a stop is of an earlier measurement; emitted, because it may not have been sent before.
    private mutating func emit(
        _ content: Reading.Content, _ flags: MeasurementFlags, _ raw: [UInt8], into actions: inout SessionActions
    ) {
        let isFormer = phase == .stopping || phase == .starting || phase == .learning
        if case .failure = content, isFormer { return }
        if raw == watchedResult { return }
        if !isFormer { endLive(into: &actions) }
        actions.emit(
            Reading(
                content, driver: Make.driver, flags: flags, origin: isWatched && !isFormer ? .measurement : .push,
                raw: RawBytes(raw.span)))
        guard !isFormer else { return }
        watchedResult = isWatched ? raw : nil
        isWatched = false
        if phase != .listening { finish(.complete, into: &actions) }
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (timer, phase) {
        case (.overall, .running): giveUp("the board did not finish within three minutes", as: .timeout, into: &actions)
        case (.silence, .running):
            receiveRest(into: &actions)
            if !isFinished { giveUp("the board stopped sending during the measurement", as: .lost, into: &actions) }
        case (.response, .learning), (.response, .starting):
            giveUp("the board did not answer the start", as: .timeout, into: &actions)
        case (.response, .fetching), (.response, .stopping): askAgain(into: &actions)
        default: break
        }
    }

    private mutating func askAgain(into actions: inout SessionActions) {
        switch phase {
        case .fetching(let question):
            if let waiting = board.takeWaiting() { return receive(waiting, into: &actions) }
            guard asked < (question == nil ? 1 : Self.tries) else {
                guard question == nil else { return giveUp("the board does not say what it measured", as: .lost, into: &actions) }
                actions.append(.live(.failed(.init(.noResult))))
                return finish(.failed("the measurement ended without a result"), into: &actions)
            }
            if let question { actions.append(.write(question)) }
            actions.arm(.response, question == nil ? Self.answerLimit : .seconds(1))
        case .stopping:
            guard asked < Self.tries else {
                return finish(.noAnswer("the board did not confirm that it stopped"), into: &actions)
            }
            for stop in board.stop { actions.append(.write(stop)) }
            actions.arm(.response, .milliseconds(700))
        case .listening, .learning, .starting, .running: return
        }
        asked += 1
    }

    private mutating func giveUp(_ sentence: String, as reason: FailureReason, into actions: inout SessionActions) {
        for stop in board.stop { actions.append(.write(stop)) }
        actions.append(.live(.failed(.init(reason))))
        finish(.noAnswer(sentence), into: &actions)
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        if let waiting = board.takeWaiting() { receive(waiting, into: &actions) }
        finishAtEnd(into: &actions)
    }
}
