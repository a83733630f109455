/// The manager's side of ending while an association stands.
extension PHDSession {
    /// Requests the release; the agent's answer, or the silence after `releaseTimeout`, finishes. What is not confirmed by
    /// then stays in the agent.
    mutating func endInOrder(into actions: inout SessionActions) -> Bool {
        guard state.isAssociated, !isPassive, !isFinished else { return false }
        isEnding = true
        // Behind the request for release no confirmation may follow; the agent sends again what was not confirmed.
        pendingConfirmations.removeAll()
        confirmedHead = 0
        if state != .disassociating { letGo(into: &actions) }
        return true
    }

    /// Ends what was started in this association, one request after another, and then requests the release.
    mutating func letGo(into actions: inout SessionActions) {
        guard state == .operating, !isPassive, runsRequest || !runningScanners.isEmpty else { return perform(.release, into: &actions) }
        isLettingGo = true
        if pending.isEmpty { stopNext(into: &actions) }
    }

    /// The next thing to stop; what is still unanswered comes first.
    mutating func stopNext(into actions: inout SessionActions) {
        if runsRequest, let dataRequest {
            runsRequest = false
            return ask(into: &actions) { dataRequest.apdu(invoke: $0, starts: false) }
        }
        guard let handle = runningScanners.popLast() else { return perform(.release, into: &actions) }
        ask(into: &actions) { PHDManagerAPDU.scanner(invoke: $0, handle: handle, isOn: false) }
    }

    /// An association ended. For who follows that is everyday; for who wanted something it may be the end.
    mutating func concludeAssociation(into actions: inout SessionActions) {
        if isEnding {
            return finish(outcome ?? (goal == .follow ? .complete : .aborted("the program was asked to end")), into: &actions)
        }
        guard goal != .follow, !isForeign, mayAnswer else { return }
        if let outcome { return finish(outcome, into: &actions) }
        switch goal {
        case .memory where endedInOrder && didAskFacts && stores.isEmpty && isConfigurationKnown: finish(.complete, into: &actions)
        case .information where facts != nil, .clock where facts?.clock != nil: finish(.complete, into: &actions)
        // Another association may come before patience ends.
        default: if effort.isExhausted { finish(exhaustion, into: &actions) } else { didSetClock = false }
        }
    }

    private var isConfigurationKnown: Bool { !configuration.objects.isEmpty }
}
