/// `listening`: a monitor that sends nothing is asked. `reading`: its present result is read.
enum MonitorMode: Sendable { case listening, reading }

/// A session with a bedside monitor that shows its last result for as long as it is asked. A read takes that result. While
/// following, a monitor that another host already polls is not asked.
protocol MonitorSession: FramedSession, RequestSession where Question == MonitorMode {
    var mode: MonitorMode { get set }
    /// This session has asked.
    var asks: Bool { get set }
    /// While following, no answer for this long means that no other host is asking.
    static var patience: Duration { get }
    /// The question for the result, and how long a read waits for its answer.
    static var request: Request<MonitorMode> { get }
    /// While following, the question is repeated after this.
    static var interval: Duration { get }
    /// The first question, and the next one after a pause.
    mutating func ask(into actions: inout SessionActions)
    /// Ends in order: what was asked for is called off.
    mutating func conclude(_ outcome: Outcome, into actions: inout SessionActions)
}

extension MonitorSession {
    var capabilities: Capabilities { [.storedReadings, .push] }
    var hearsCommits: Bool { false }
    var isListening: Bool { mode == .listening }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        guard command != .follow else { return actions.append(.arm(.poll, Self.patience)) }
        mode = .reading
        ask(into: &actions)
    }

    mutating func ask(into actions: inout SessionActions) {
        asks = true
        guard mode == .listening else { return ask(Self.request, into: &actions) }
        for bytes in Self.request.writes { actions.append(.write(bytes)) }
        actions.append(.arm(.poll, Self.interval))
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        if timer == .poll { ask(into: &actions) }
    }

    mutating func unanswered(_ question: MonitorMode, into actions: inout SessionActions) {
        conclude(.noAnswer("the monitor did not answer"), into: &actions)
    }

    mutating func conclude(_ outcome: Outcome, into actions: inout SessionActions) { finish(outcome, into: &actions) }

    /// A read that found no result is over.
    mutating func settle(_ why: String, into actions: inout SessionActions) {
        guard mode == .reading else { return }
        actions.append(.report(.note(why)))
        conclude(.complete, into: &actions)
    }
}
