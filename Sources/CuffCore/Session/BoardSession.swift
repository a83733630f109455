/// What a frame of a measuring board says.
enum BoardMessage {
    /// The board confirms a start, or reports one at its own key.
    case started
    case pressure(Pressure)
    /// The measurement is over. `isFailed`: the board has no result, and its status says why.
    case ended(isFailed: Bool)
    /// A whole result, or the reason why there is none.
    case result(Reading.Content, MeasurementFlags, raw: [UInt8])
    /// The board waits for these bytes before it goes on.
    case question(answer: [UInt8])
    /// The frame belongs to another part of the board, e.g. its oximeter.
    case otherModule
}

/// How the frames of one make of measuring boards read, and its commands. A board inflates on a command, then sends its cuff pressure,
/// an end and a result; it stores nothing and has no clock.
protocol Board: Sendable {
    associatedtype Format: FrameFormat
    static var driver: DriverID { get }
    static var capabilities: Capabilities { get }
    init(_ context: SessionContext)
    var format: Format { get }
    /// What a whole, checked frame says; empty for an unknown one.
    mutating func read(_ frame: [UInt8]) -> [BoardMessage]
    /// What the host asked, as it was sent by this session or by other software.
    mutating func noteSent(_ bytes: [UInt8])
    /// A result that waits for a second frame, given without it.
    mutating func takeWaiting() -> BoardMessage?
    /// `nil` as long as it is not known how this board wants its commands.
    var start: [UInt8]? { get }
    var stop: [[UInt8]] { get }
    /// Asks for the result after an end; `nil` where it comes unasked.
    var resultQuestion: [UInt8]? { get }
    /// Asks why a measurement failed; `nil` where the board says so unasked.
    var statusQuestion: [UInt8]? { get }
}

extension Board {
    mutating func noteSent(_ bytes: [UInt8]) {}
    mutating func takeWaiting() -> BoardMessage? { nil }
    var resultQuestion: [UInt8]? { nil }
    var statusQuestion: [UInt8]? { nil }
}

/// The conversation with a measuring board: the same for every make.
struct BoardSession<Make: Board>: FramedSession {
    private enum Phase: Equatable {
        case listening
        /// A start waits until the board has shown how it wants its commands.
        case learning
        case starting, running
        /// The end was seen; the result is awaited, or asked for.
        case fetching(question: [UInt8]?)
        case stopping
    }

    /// An answer must come within this. No source gives the boards' own times: guess.
    private static var answerLimit: Duration { .seconds(3) }
    /// A running board that sends nothing for this long is lost; it sends several pressures a second.
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
    /// Between the live events `started` and `ended`.
    private var isMeasuring = false
    /// The measurement whose result comes next was seen to run.
    private var isWatched = false

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
            actions.append(.disarm(.overall))
            actions.append(.disarm(.silence))
            (phase, asked) = (.stopping, 0)
            askAgain(into: &actions)
        default: break
        }
    }

    private mutating func start(into actions: inout SessionActions) {
        actions.append(.arm(.response, Self.answerLimit))
        guard let start = board.start else { return phase = .learning }
        phase = .starting
        actions.append(.write(start))
    }

    // MARK: What the board sends

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        let frame = bytes(of: range)
        let messages = board.read(frame)
        reader.format = board.format
        if messages.isEmpty { actions.append(.report(.ignored("a frame of no known kind", frame))) }
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
        case .ended(let isFailed): end(isFailed: isFailed, into: &actions)
        case .result(let content, let flags, let raw): emit(content, flags, raw, into: &actions)
        }
        if phase == .running, !isFinished { actions.append(.arm(.silence, Self.silenceLimit)) }
    }

    private mutating func begin(into actions: inout SessionActions) {
        guard phase == .starting || phase == .listening else { return }
        isWatched = true
        if !isMeasuring { actions.append(.live(.started)) }
        isMeasuring = true
        guard phase == .starting else { return }
        phase = .running
        actions.append(.disarm(.response))
        actions.append(.arm(.overall, Self.measurementLimit))
    }

    private mutating func end(isFailed: Bool, into actions: inout SessionActions) {
        switch phase {
        case .stopping: finish(.complete, into: &actions)
        case .running:
            actions.append(.disarm(.silence))
            (phase, asked) = (.fetching(question: isFailed ? board.statusQuestion : board.resultQuestion), 0)
            askAgain(into: &actions)
        // An end before the start was acknowledged belongs to an earlier measurement.
        case .starting, .learning, .fetching: break
        case .listening: endLive(into: &actions)
        }
    }

    private mutating func endLive(into actions: inout SessionActions) {
        if isMeasuring { actions.append(.live(.ended)) }
        isMeasuring = false
    }

    /// A result that comes before the start or during a stop is of an earlier measurement. It is given all the same, because no board
    /// sends it twice; a failure is not news then.
    private mutating func emit(
        _ content: Reading.Content, _ flags: MeasurementFlags, _ raw: [UInt8], into actions: inout SessionActions
    ) {
        let isFormer = phase == .stopping || phase == .starting || phase == .learning
        if case .failure = content, isFormer { return }
        if !isFormer { endLive(into: &actions) }
        actions.emit(
            Reading(
                content, driver: Make.driver, flags: flags, origin: isWatched && !isFormer ? .measurement : .push,
                raw: RawBytes(raw.span)))
        guard !isFormer else { return }
        isWatched = false
        if phase != .listening { finish(.complete, into: &actions) }
    }

    // MARK: Timers

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (timer, phase) {
        case (.overall, .running): giveUp("the board did not finish within three minutes", as: .timeout, into: &actions)
        case (.silence, .running): giveUp("the board stopped sending during the measurement", as: .lost, into: &actions)
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
                actions.append(.live(.failed(Failure(.noResult))))
                return finish(.failed("the measurement ended without a result"), into: &actions)
            }
            if let question { actions.append(.write(question)) }
            actions.append(.arm(.response, question == nil ? Self.answerLimit : .seconds(1)))
        case .stopping:
            guard asked < Self.tries else {
                return finish(.noAnswer("the board did not confirm that it stopped"), into: &actions)
            }
            for stop in board.stop { actions.append(.write(stop)) }
            actions.append(.arm(.response, .milliseconds(700)))
        case .listening, .learning, .starting, .running: return
        }
        asked += 1
    }

    private mutating func giveUp(_ sentence: String, as reason: FailureReason, into actions: inout SessionActions) {
        for stop in board.stop { actions.append(.write(stop)) }
        actions.append(.live(.failed(Failure(reason))))
        finish(.noAnswer(sentence), into: &actions)
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        if let waiting = board.takeWaiting() { receive(waiting, into: &actions) }
        finishAtEnd(into: &actions)
    }
}
