/// `listening`: a silent monitor is polled. `reading`: its present result is read.
enum MonitorMode: Sendable { case listening, reading }

/// A session with a bedside monitor, which a read polls for its last result. A follower does not poll a monitor polled by another host.
protocol MonitorSession: FramedSession, RequestSession where Question == MonitorMode {
    var mode: MonitorMode { get set }
    var asks: Bool { get set }
    /// While following, no answer for this long means that no other host polls.
    static var patience: Duration { get }
    static var request: Request<MonitorMode> { get }
    static var interval: Duration { get }
    mutating func ask(into actions: inout SessionActions)
    /// Ends in order: cancels what was requested.
    mutating func conclude(_ outcome: Outcome, into actions: inout SessionActions)
}

extension MonitorSession {
    var capabilities: Capabilities { [.storedReadings, .push] }
    var hearsCommits: Bool { false }
    var isListening: Bool { mode == .listening }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        guard command != .follow else { return actions.arm(.poll, Self.patience) }
        mode = .reading
        ask(into: &actions)
    }

    mutating func ask(into actions: inout SessionActions) {
        asks = true
        guard mode == .listening else { return ask(Self.request, into: &actions) }
        for bytes in Self.request.writes { actions.append(.write(bytes)) }
        actions.arm(.poll, Self.interval)
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        if timer == .poll { ask(into: &actions) }
    }

    mutating func unanswered(_ question: MonitorMode, into actions: inout SessionActions) {
        conclude(.noAnswer("the monitor did not answer"), into: &actions)
    }

    mutating func conclude(_ outcome: Outcome, into actions: inout SessionActions) { finish(outcome, into: &actions) }

    mutating func settle(_ why: String, into actions: inout SessionActions) {
        guard mode == .reading else { return }
        actions.note(why)
        conclude(.complete, into: &actions)
    }
}
