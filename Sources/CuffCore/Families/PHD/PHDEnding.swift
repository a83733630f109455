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
        if state != .disassociating { perform(.release, into: &actions) }
        return true
    }
}
