/// A session that sends requests, one at a time, with repetitions.
public protocol RequestSession: FinishingSession {
    associatedtype Question: Equatable & Sendable
    var requests: Requests<Question> { get set }
    /// All attempts remained unanswered.
    mutating func unanswered(_ question: Question, into actions: inout SessionActions)
    /// All planned requests were answered.
    mutating func allAnswered(into actions: inout SessionActions)
    /// A timer other than the request's fired.
    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions)
}

extension RequestSession {
    /// This session has sent no request.
    public var isListening: Bool { !requests.hasAsked }

    /// Writes a request and awaits its answer.
    public mutating func ask(_ request: Request<Question>, into actions: inout SessionActions) {
        requests.begin(request, into: &actions)
    }

    /// Repeats the current request, or gives up.
    public mutating func askAgain(into actions: inout SessionActions) {
        guard let question = requests.current?.question, !requests.write(into: &actions) else { return }
        requests.end(into: &actions)
        unanswered(question, into: &actions)
    }

    /// Repeats the current request after a pause, or gives up.
    public mutating func askAgain(after pause: Duration, into actions: inout SessionActions) {
        guard let question = requests.current?.question, !requests.pause(pause, into: &actions) else { return }
        requests.end(into: &actions)
        unanswered(question, into: &actions)
    }

    /// Writes the next planned request.
    public mutating func askNext(into actions: inout SessionActions) {
        guard !requests.planned.isEmpty else {
            requests.end(into: &actions)
            return allAnswered(into: &actions)
        }
        ask(requests.planned.removeFirst(), into: &actions)
    }

    /// Starts a plan.
    public mutating func askAll(_ plan: [Request<Question>], into actions: inout SessionActions) {
        requests.planned = plan
        askNext(into: &actions)
    }

    /// Repeats an unanswered request.
    public mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        if timer == .response, requests.isAwaiting { askAgain(into: &actions) } else { ownTimeOut(timer, into: &actions) }
    }

    /// Default: complete.
    public mutating func allAnswered(into actions: inout SessionActions) { finish(.complete, into: &actions) }

    /// Default: no other timers.
    public mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {}

    /// Default: the cuff does not answer.
    public mutating func unanswered(_ question: Question, into actions: inout SessionActions) {
        finish(.noAnswer("the cuff does not answer"), into: &actions)
    }
}
