/// A session that asks its cuff: one request in flight, repeated when no answer comes.
public protocol RequestSession: FinishingSession {
    /// What can be asked, in the family's own words.
    associatedtype Question: Equatable & Sendable
    /// The request in flight and those planned.
    var requests: Requests<Question> { get set }
    /// The cuff did not answer, as often as the request allowed.
    mutating func unanswered(_ question: Question, into actions: inout SessionActions)
    /// Everything that was planned has been answered.
    mutating func allAnswered(into actions: inout SessionActions)
    /// A timer other than that of the request in flight.
    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions)
}

extension RequestSession {
    /// This session has asked nothing.
    public var isListening: Bool { !requests.hasAsked }

    /// Writes a request and awaits its answer.
    public mutating func ask(_ request: Request<Question>, into actions: inout SessionActions) {
        requests.begin(request, into: &actions)
    }

    /// Writes the request in flight once more, or gives it up.
    public mutating func askAgain(into actions: inout SessionActions) {
        guard let question = requests.current?.question, !requests.write(into: &actions) else { return }
        requests.end(into: &actions)
        unanswered(question, into: &actions)
    }

    /// Writes the request in flight once more after a pause, or gives it up.
    public mutating func askAgain(after pause: Duration, into actions: inout SessionActions) {
        guard let question = requests.current?.question, !requests.pause(pause, into: &actions) else { return }
        requests.end(into: &actions)
        unanswered(question, into: &actions)
    }

    /// Asks what is planned next.
    public mutating func askNext(into actions: inout SessionActions) {
        guard !requests.planned.isEmpty else {
            requests.end(into: &actions)
            return allAnswered(into: &actions)
        }
        ask(requests.planned.removeFirst(), into: &actions)
    }

    /// The whole plan, from its first request on.
    public mutating func askAll(_ plan: [Request<Question>], into actions: inout SessionActions) {
        requests.planned = plan
        askNext(into: &actions)
    }

    /// Repeats a request that got no answer.
    public mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        if timer == .response, requests.isAwaiting { askAgain(into: &actions) } else { ownTimeOut(timer, into: &actions) }
    }

    /// The cuff has answered everything.
    public mutating func allAnswered(into actions: inout SessionActions) { finish(.complete, into: &actions) }

    /// The family has no timer of its own.
    public mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {}

    /// The cuff does not answer.
    public mutating func unanswered(_ question: Question, into actions: inout SessionActions) {
        finish(.noAnswer("the cuff does not answer"), into: &actions)
    }
}
