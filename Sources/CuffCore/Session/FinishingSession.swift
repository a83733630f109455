/// A session that finishes once and hears nothing further.
protocol FinishingSession: CuffSession {
    var isFinished: Bool { get set }
}

extension FinishingSession {
    mutating func finish(_ outcome: Outcome, into actions: inout SessionActions) {
        guard !isFinished else { return }
        isFinished = true
        actions.append(.finish(outcome))
    }
}
