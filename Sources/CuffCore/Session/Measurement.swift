/// The life of one measurement that the host asks for: started, or why not; live data; and exactly one end.
///
/// It is pure: its driver hands over what the session did and what the person did, and performs the effects. It
/// has no protocol and no clock; waiting is an effect, and its end is an event (`waitedForDeflation`, `timedOut`).
///
/// Rules:
/// - `started` or `notStarted` comes once and before everything else. `ended` comes once and last, also after
///   `notStarted`, with the reason again.
/// - A blood pressure of origin `measurement` is the result; a failure record is a failure. What comes afterwards (a
///   table of oscillations) belongs to the session, not to the measurement. A continuous cuff's result is its last beat.
/// - Asking to stop sends the cuff's stop at once and waits for the session to end. Asking again leaves.
/// - A session that ends by itself has sent the stop where one was needed; where the host ends it, the host does.
public struct Measurement: Sendable {
    /// How a measurement ended: exactly one of these is reported.
    public enum End: Sendable, Hashable {
        case result(Reading)
        /// By the person, here or on the cuff.
        case aborted
        case failed(Fault)
    }

    /// Why there is no result.
    public enum Fault: Sendable, Hashable {
        /// The driver cannot measure on demand; nothing was sent.
        case unsupported
        /// The cuff did not answer the start.
        case noAnswer(String)
        /// The cuff answered that it will not.
        case refused(String)
        /// The cuff measured and failed.
        case cuff(Failure)
        /// The line broke, or the cuff ended the conversation.
        case lost(String)
        /// It took longer than it may.
        case timedOut
        /// The measurement ended, and no result came.
        case noResult
        /// It was stopped before it started.
        case stopped

        /// The same as a failure, for the sinks; `nil` where nothing was begun.
        public var asFailure: Failure? {
            switch self {
            case .unsupported: nil
            case .noAnswer: Failure(.noAnswer)
            case .refused: Failure(.refused)
            case .cuff(let failure): failure
            case .lost: Failure(.lost)
            case .timedOut: Failure(.timeout)
            case .noResult: Failure(.noResult)
            case .stopped: Failure(.stopped)
            }
        }

        /// For a person.
        public var sentence: String {
            switch self {
            case .unsupported: "this cuff cannot be started remotely"
            case .noAnswer(let why), .refused(let why), .lost(let why): why
            case .cuff(let failure):
                "the cuff reports \(failure.reason.word.description.replacing("_", with: " "))"
                    + (failure.code.isEmpty ? "" : " (\(failure.code))")
            case .timedOut: "the measurement timed out; a stop was sent to the cuff"
            case .noResult: "the measurement ended without a result"
            case .stopped: "the measurement was stopped before it started"
            }
        }

        /// The word of `reason` in JSON.
        public var word: String {
            switch self {
            case .unsupported: "unsupported"
            case .noAnswer: "no_answer"
            case .refused: "refused"
            case .cuff(let failure): failure.reason.word.description
            case .lost: "lost"
            case .timedOut: "timeout"
            case .noResult: "no_result"
            case .stopped: "stopped"
            }
        }
    }

    /// What the driver of this value has to do, in order.
    public enum Effect: Sendable, Hashable {
        /// Tell the session.
        case command(SessionCommand)
        /// Call `waitedForDeflation` after this time, unless it has ended.
        case wait(Duration)
        /// The session is not needed any more.
        case leave
        case started
        case notStarted(Fault)
        case live(LiveEvent)
        case ended(End)
    }

    /// Where a measurement stands. It never goes back.
    public enum State: Sendable, Hashable {
        /// Asked for; the cuff has not said that it started.
        case asked
        case running
        /// Stop was sent; the cuff deflates.
        case stopping
        case ended
    }

    /// After this the cuff is left to deflate by itself: longer than any documented cuff takes to open its valve.
    public static let deflationWait = Duration.seconds(3)

    /// The time-out of a measurement: longer than any family's own limit. Without one a cuff could stay inflated.
    public static let longest = Duration.seconds(300)

    /// Where the measurement stands now.
    public private(set) var state = State.asked
    private let canStop: Bool
    /// Every beat is a reading; the last of them is the result.
    private let isContinuous: Bool
    private var latest: Reading?
    private var hasAnswered = false
    private var wasStopSent = false
    private var wasAborted = false
    private var failure: Failure?

    private init(_ capabilities: Capabilities) {
        canStop = capabilities.contains(.stop)
        isContinuous = capabilities.contains(.continuous)
    }

    /// Asks for a measurement. A driver without the capability is rejected before anything is sent.
    public static func begin(_ capabilities: Capabilities, into effects: inout [Effect]) -> Measurement {
        var measurement = Measurement(capabilities)
        guard capabilities.contains(.measure) else {
            measurement.hasAnswered = true
            effects.append(.notStarted(.unsupported))
            measurement.end(.failed(.unsupported), into: &effects)
            return measurement
        }
        effects.append(.command(.measure))
        return measurement
    }

    /// What the session did. Writes, timers and reports do not change the measurement.
    public mutating func handle(_ action: SessionAction, into effects: inout [Effect]) {
        guard state != .ended else { return }
        switch action {
        case .live(let event): handle(event, into: &effects)
        case .emit(let reading):
            guard reading.origin == .measurement, !reading.isPending else { return }
            switch reading.content {
            case .bloodPressure:
                start(into: &effects)
                if isContinuous { latest = reading } else { end(.result(reading), into: &effects) }
            case .failure(let failure):
                start(into: &effects)
                // A cuff that was stopped, by the host or on itself, reports that as an error of its own.
                let isAborted = wasStopSent || wasAborted || failure.reason == .stopped
                end(isAborted ? .aborted : .failed(.cuff(failure)), into: &effects)
            case .pulseRate, .quantity: break
            }
        case .finish(let outcome): handle(outcome, into: &effects)
        case .write, .writeFeature, .identify, .clock, .cycle, .arm, .disarm, .acknowledge, .expectRepetitions, .remember, .report: break
        }
    }

    private mutating func handle(_ event: LiveEvent, into effects: inout [Effect]) {
        switch event {
        case .started: start(into: &effects)
        case .cuffPressure, .beat, .oscillation:
            // A cuff that shows pressure has started, whether it reported that or not.
            start(into: &effects)
            effects.append(.live(event))
        case .waveform: effects.append(.live(event))
        case .ended, .recovered, .alert: break
        case .aborted: wasAborted = true
        // The host detects that a cuff is gone; no cuff reports it.
        case .failed(let failure): if failure.reason != .lost { self.failure = failure }
        }
    }

    private mutating func handle(_ outcome: Outcome, into effects: inout [Effect]) {
        let fault: Fault
        switch outcome {
        case .aborted: return finish(.aborted, or: .stopped, into: &effects)
        case .complete: fault = failure.map { .cuff($0) } ?? .noResult
        case .unsupported: fault = .unsupported
        case .noAnswer(let text): fault = hasAnswered ? failure.map { .cuff($0) } ?? .lost(text) : .noAnswer(text)
        case .failed(let text): fault = hasAnswered ? failure.map { .cuff($0) } ?? .lost(text) : .refused(text)
        }
        if wasAborted || wasStopSent { return finish(.aborted, or: .stopped, into: &effects) }
        if case .complete = outcome, failure == nil, let latest { return end(.result(latest), into: &effects) }
        finish(.failed(fault), or: fault, into: &effects)
    }

    /// The transport ended: unplugged, or the line was lost. A stop can no longer be sent.
    public mutating func lineEnded(_ reason: String, into effects: inout [Effect]) {
        guard state != .ended else { return }
        let end: End = wasAborted || wasStopSent ? .aborted : .failed(failure.map { .cuff($0) } ?? .lost(reason))
        finish(end, or: .lost(reason), into: &effects)
    }

    /// The person wants it to stop. The first call sends the stop and waits for the deflation; the second call does not wait.
    public mutating func stop(into effects: inout [Effect]) {
        guard state != .ended else { return }
        guard state != .stopping, canStop else { return leave(.aborted, or: .stopped, into: &effects) }
        sendStop(into: &effects)
        state = .stopping
        effects.append(.wait(Self.deflationWait))
    }

    /// `wait` is over.
    public mutating func waitedForDeflation(into effects: inout [Effect]) {
        guard state == .stopping else { return }
        leave(.aborted, or: .stopped, into: &effects)
    }

    /// The host's own limit for a measurement is reached.
    public mutating func timedOut(into effects: inout [Effect]) {
        guard state != .ended else { return }
        if canStop { sendStop(into: &effects) }
        leave(.failed(.timedOut), or: .timedOut, into: &effects)
    }

    private mutating func start(into effects: inout [Effect]) {
        guard !hasAnswered else { return }
        hasAnswered = true
        if state == .asked { state = .running }
        effects.append(.started)
    }

    private mutating func sendStop(into effects: inout [Effect]) {
        guard !wasStopSent else { return }
        wasStopSent = true
        effects.append(.command(.stop))
    }

    private mutating func leave(_ end: End, or fault: Fault, into effects: inout [Effect]) {
        finish(end, or: fault, into: &effects)
        effects.append(.leave)
    }

    /// Ends it; where it never started, `notStarted` comes first.
    private mutating func finish(_ end: End, or fault: Fault, into effects: inout [Effect]) {
        if !hasAnswered {
            hasAnswered = true
            effects.append(.notStarted(fault))
        }
        self.end(end, into: &effects)
    }

    private mutating func end(_ end: End, into effects: inout [Effect]) {
        guard state != .ended else { return }
        state = .ended
        effects.append(.ended(end))
    }
}
