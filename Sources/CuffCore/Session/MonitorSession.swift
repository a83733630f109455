/// Whether a monitor is only listened to, and asked where it says nothing unasked, or its present result is to be read.
enum MonitorMode: Sendable { case listening, reading }

/// A session with a bedside monitor that shows its last result for as long as it is asked. A read takes that result; following,
/// nobody is asked who answers somebody else already.
protocol MonitorSession: FramedSession {
    var mode: MonitorMode { get set }
    /// Questions without an answer.
    var tries: Int { get set }
    /// While following, so long without an answer means that nobody else is asking.
    static var patience: Duration { get }
    /// How it is called where a command is refused, e.g. `a DRI monitor`.
    static var kind: String { get }
    /// The first question, and after silence the next: one more try.
    mutating func ask(into actions: inout SessionActions)
    /// Ends in order: what was asked for is called off.
    mutating func conclude(_ outcome: Outcome, into actions: inout SessionActions)
}

extension MonitorSession {
    static var retryLimit: Int { 3 }
    var hearsCommits: Bool { false }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow:
            mode = .listening
            actions.append(.arm(.poll, Self.patience))
        case .readMemory(user: nil):
            mode = .reading
            ask(into: &actions)
        case .readMemory: finish(.unsupported("\(Self.kind) has no users"), into: &actions)
        default: finish(.unsupported("\(Self.kind) is only asked for the values that it shows"), into: &actions)
        }
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (timer, mode) {
        case (.poll, .listening): ask(into: &actions)
        case (.poll, .reading):
            tries = 0
            ask(into: &actions)
        case (.response, .reading):
            if tries < Self.retryLimit { return ask(into: &actions) }
            conclude(.noAnswer("the monitor did not answer"), into: &actions)
        default: break
        }
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        finish(mode == .listening ? .complete : .noAnswer("the line ended before the monitor had answered"), into: &actions)
    }

    mutating func conclude(_ outcome: Outcome, into actions: inout SessionActions) { finish(outcome, into: &actions) }

    /// Writes the question; its answer, or following the next one, is awaited for so long.
    mutating func ask(_ question: [UInt8], within limit: Duration, again: Duration, into actions: inout SessionActions) {
        tries += 1
        actions.append(.write(question))
        actions.append(mode == .reading ? .arm(.response, limit) : .arm(.poll, again))
    }

    /// A read that found no result is over.
    mutating func settle(_ why: String, into actions: inout SessionActions) {
        guard mode == .reading else { return }
        actions.append(.report(.note(why)))
        conclude(.complete, into: &actions)
    }
}
