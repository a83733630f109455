extension PHDSession {
    /// Requests the release; the agent's answer, or silence for `releaseTimeout`, finishes. Unconfirmed readings stay in the agent.
    mutating func endInOrder(into actions: inout SessionActions) -> Bool {
        guard state.isAssociated, !isPassive, !isFinished else { return false }
        command.end()
        // No confirmation may follow the release request; the agent repeats unconfirmed reports.
        confirmations.removeAll()
        if state != .disassociating { letGo(into: &actions) }
        return true
    }

    /// Stops what was started in this association, one request after another, then requests the release.
    mutating func letGo(into actions: inout SessionActions) {
        guard state == .operating, !isPassive, streams.areRunning else { return perform(.release, into: &actions) }
        streams.beginStopping()
        if requests.isEmpty { stopNext(into: &actions) }
    }

    mutating func stopNext(into actions: inout SessionActions) {
        switch streams.nextToStop() {
        case .dataRequest: ask(into: &actions) { [options] in options.dataRequest?.apdu(invoke: $0, starts: false) ?? [] }
        case .scanner(let handle): ask(into: &actions) { PHDManagerAPDU.scanner(invoke: $0, handle: handle, isOn: false) }
        case nil: perform(.release, into: &actions)
        }
    }

    /// An association ended: normal while following; otherwise the command may have failed.
    mutating func concludeAssociation(into actions: inout SessionActions) {
        if command.isEnding {
            return finish(
                command.outcome ?? (command.hasEnd ? .aborted("the program was asked to end") : .complete), into: &actions)
        }
        guard command.isStriving else { return }
        if let outcome = command.outcome { return finish(outcome, into: &actions) }
        switch goal {
        case .memory
        where association.end == .inOrder && agent.isAsked && stores.isEmpty && !configurations.current.objects.isEmpty,
            .information where agent.facts != nil, .clock where agent.facts?.clock != nil:
            finish(.complete, into: &actions)
        // Another association may come within `patience`.
        default: if progress.isExhausted { finish(progress.outcome, into: &actions) } else { agent.setAgain() }
        }
    }
}
