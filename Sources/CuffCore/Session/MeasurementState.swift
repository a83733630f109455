/// The state machine of one requested measurement: started, or why not; live data; exactly one end. Its driver passes the session's actions
/// and the user's requests, and performs the effects, including waits (`waitedForDeflation`, `timedOut`).
/// - `started` or `notStarted` comes once and first. `ended` comes once and last, also after `notStarted`, with the same reason.
/// - A blood pressure of origin `measurement` is the result; a failure record is a failure. Later data (a table of oscillations) belongs to
///   the session. A continuous cuff's result is its last beat.
/// - A stop request sends the cuff's stop at once and waits for the session to end; a second request does not wait.
/// - `aborted` is confirmed. A stop that the cuff did not confirm is a failure, because the pressure may still rise.
/// - A session that ends itself has sent any necessary stop; if the host ends it, the host does.
public struct MeasurementState: Sendable {
    /// The end of a measurement; exactly one is reported.
    public enum End: Sendable, Hashable {
        case result(Reading)
        /// By the user, here or on the cuff; the cuff has stopped.
        case aborted
        case failed(Fault)
    }

    /// Why there is no result.
    public enum Fault: Sendable, Hashable {
        /// The driver cannot measure on demand; nothing was sent.
        case unsupported
        case noAnswer(String)
        case refused(String)
        case cuff(MeasurementFailure)
        /// The session gave up and sent a stop, which the cuff did not confirm.
        case givenUp(MeasurementFailure, String)
        /// The line broke, or the cuff ended the conversation.
        case lost(String)
        case timedOut
        case noResult
        case stopped

        /// The fault as a failure, for the sinks; `nil` if nothing was started.
        public var asFailure: MeasurementFailure? {
            switch self {
            case .unsupported: nil
            case .noAnswer: MeasurementFailure(.noAnswer)
            case .refused: MeasurementFailure(.refused)
            case .cuff(let failure), .givenUp(let failure, _): failure
            case .lost: MeasurementFailure(.lost)
            case .timedOut: MeasurementFailure(.timeout)
            case .noResult: MeasurementFailure(.noResult)
            case .stopped: MeasurementFailure(.stopped)
            }
        }

        /// A sentence for the user.
        public var sentence: String {
            switch self {
            case .unsupported: "this cuff cannot be started remotely"
            case .noAnswer(let why), .refused(let why), .lost(let why), .givenUp(_, let why): why
            case .cuff(let failure):
                "the cuff reports \(failure.reason.word.description.replacing("_", with: " "))"
                    + (failure.code.isEmpty ? "" : " (\(failure.code))")
            case .timedOut: "the measurement timed out; a stop was sent to the cuff"
            case .noResult: "the measurement ended without a result"
            case .stopped: "the measurement was stopped before it started"
            }
        }

        /// The word of `reason` in JSON.
        public var word: String { asFailure?.reason.word.description ?? "unsupported" }
    }

    /// An action of the driver; performed in order.
    public enum Effect: Sendable, Hashable {
        case command(SessionCommand)
        /// Call `waitedForDeflation` after this time, unless the measurement has ended.
        case wait(Duration)
        /// The session is no longer needed.
        case leave
        case started
        case notStarted(Fault)
        case live(LiveEvent)
        case ended(End)
    }

    /// The state of a measurement; it only advances.
    public enum State: Sendable, Hashable {
        /// Requested; the cuff has not confirmed the start.
        case asked
        case running
        /// Stop was sent; the cuff deflates.
        case stopping
        case ended
    }

    /// Time for the cuff to deflate: longer than any documented cuff takes to open its valve.
    public static let deflationWait = Duration.seconds(3)

    /// The time limit of a measurement, longer than any family's own. Without one a cuff could stay inflated.
    public static let longest = Duration.seconds(300)

    /// The present state.
    public private(set) var state = State.asked
    private let canStop: Bool
    /// Every beat is a reading; the last of them is the result.
    private let isContinuous: Bool
    private var latest: Reading?
    private var hasAnswered = false
    private var wasStopSent = false
    private var wasAborted = false
    private var failure: MeasurementFailure?

    private init(_ capabilities: Capabilities) {
        canStop = capabilities.contains(.stop)
        isContinuous = capabilities.contains(.continuous)
    }

    /// Requests a measurement. A driver without the capability is rejected before anything is sent.
    public static func begin(_ capabilities: Capabilities, into effects: inout [Effect]) -> MeasurementState {
        var measurement = MeasurementState(capabilities)
        guard capabilities.contains(.measure) else {
            measurement.hasAnswered = true
            effects.append(.notStarted(.unsupported))
            measurement.end(.failed(.unsupported), into: &effects)
            return measurement
        }
        effects.append(.command(.measure))
        return measurement
    }

    /// Handles an action of the session. Writes, timers and reports have no effect.
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
                // A stopped cuff reports the stop as an error of its own.
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
            // Pressure shows that the cuff has started, even if it did not report that.
            start(into: &effects)
            effects.append(.live(event))
        case .waveform: effects.append(.live(event))
        case .ended, .recovered, .alert: break
        // After a stop, sessions report what they sent, not what the cuff did.
        case .aborted: if !wasStopSent { wasAborted = true }
        // Loss of a cuff is detected by the host; no cuff reports it.
        case .failed(let failure): if failure.reason != .lost { self.failure = failure }
        }
    }

    private mutating func handle(_ outcome: Outcome, into effects: inout [Effect]) {
        if wasStopSent, case .noAnswer(let text) = outcome { return finish(.failed(.noAnswer(text)), or: .noAnswer(text), into: &effects) }
        let fault: Fault
        switch outcome {
        case .aborted: return finish(.aborted, or: .stopped, into: &effects)
        case .complete: fault = failure.map { .cuff($0) } ?? .noResult
        case .unsupported: fault = .unsupported
        case .noAnswer(let text): fault = hasAnswered ? failure.map { .givenUp($0, text) } ?? .lost(text) : .noAnswer(text)
        case .failed(let text): fault = hasAnswered ? failure.map { .cuff($0) } ?? .lost(text) : .refused(text)
        }
        if wasAborted || wasStopSent { return finish(.aborted, or: .stopped, into: &effects) }
        if case .complete = outcome, failure == nil, let latest { return end(.result(latest), into: &effects) }
        finish(.failed(fault), or: fault, into: &effects)
    }

    /// The transport ended; a stop can no longer be sent.
    public mutating func lineEnded(_ reason: String, into effects: inout [Effect]) {
        guard state != .ended else { return }
        let end: End = wasAborted ? .aborted : .failed(wasStopSent ? .lost(reason) : failure.map { .cuff($0) } ?? .lost(reason))
        finish(end, or: .lost(reason), into: &effects)
    }

    /// Stops on the user's request. The first call sends the stop and waits for deflation; the second does not wait.
    public mutating func stop(into effects: inout [Effect]) {
        guard state != .ended else { return }
        guard canStop else { return leave(.aborted, or: .stopped, into: &effects) }
        guard state != .stopping else { return leaveUnconfirmed(into: &effects) }
        sendStop(into: &effects)
        state = .stopping
        effects.append(.wait(Self.deflationWait))
    }

    /// The `wait` is over.
    public mutating func waitedForDeflation(into effects: inout [Effect]) {
        guard state == .stopping else { return }
        leaveUnconfirmed(into: &effects)
    }

    /// The host's time limit was reached.
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

    private mutating func leaveUnconfirmed(into effects: inout [Effect]) {
        let fault = Fault.noAnswer("the cuff did not confirm that it stopped")
        leave(.failed(fault), or: fault, into: &effects)
    }

    private mutating func leave(_ end: End, or fault: Fault, into effects: inout [Effect]) {
        finish(end, or: fault, into: &effects)
        effects.append(.leave)
    }

    /// Ends the measurement; sends `notStarted` first if it never started.
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

extension MeasurementState.End {
    /// A start may have been sent, and nothing shows that the cuff has stopped: another stop must be sent.
    package var mayStillRun: Bool {
        switch self {
        case .failed(.lost), .failed(.noAnswer), .failed(.timedOut), .failed(.givenUp): true
        case .result, .aborted, .failed: false
        }
    }

    /// Nothing was started. An earlier measurement may still be running.
    package var hasStartedNothing: Bool {
        switch self {
        case .failed(.unsupported), .failed(.refused), .failed(.stopped): true
        case .result, .aborted, .failed: false
        }
    }
}
