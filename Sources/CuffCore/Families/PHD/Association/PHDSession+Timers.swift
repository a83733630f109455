extension PHDSession {
    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        guard !command.isObserver else { return }
        switch timer {
        case .silence, .frame:
            guard reader.waiting > 0 else { return }
            silence.forget()
            let lost = reader.discard()
            actions.report(skipped: lost, .incomplete)
            if state.isAssociated { perform(.timeout, into: &actions) }
        case .configuration: if state == .waitingForConfiguration { perform(.timeout, into: &actions) }
        case .release: if state == .disassociating { perform(.timeout, into: &actions) }
        case .holdOff: association.isHoldingOff = false
        case .proof: reports.unstamped.noteProof()
        case .response: answerMissing(into: &actions)
        case .store: transferOverdue(into: &actions)
        case .retry:
            if stores.endPause() {
                advance(into: &actions)
            } else if configurations.endDoubt() {
                perform(.abandon, into: &actions)
            }
        case .poll: if case .setClock = goal, agent.noteSecond() { actions.arm(.poll, .seconds(1)) }
        case .overall: patienceEnded(into: &actions)
        case .lostAbort: repeatAbort(into: &actions)
        case .admission: turnApplicantAway(into: &actions)
        case .idle: idleTimeOut(into: &actions)
        default: break
        }
    }

    /// The standard would always abort. This session does for the store: the agent returns and is asked again. But agents that ignore GET
    /// MDS or SET_TIME still have readings to send [R]. One that never answered about its store may, from the third association, push its
    /// readings without requests.
    private mutating func answerMissing(into actions: inout SessionActions) {
        guard let request = requests.takeFirst() else { return }
        actions.note("the agent did not answer a request in time")
        if streams.areStopping { return perform(.release, into: &actions) }
        if request.isAboutStore, stores.noteTimeout() { return perform(.timeout, into: &actions) }
        switch request.kind {
        case .store(let handle), .segments(let handle): stores.fail(handle)
        case .trigger(let handle, let instance):
            if let place = stores.place(handle, instance) { stores.update(place) { $0.progress = .failed } }
        case .clear: command.outcome = .noAnswer("the agent did not say whether it cleared its store")
        case .setTime: command.outcome = .noAnswer("the agent did not answer when its clock was to be set")
        case .facts, .data, .scanner, .other: break
        }
        advance(into: &actions)
    }

    private mutating func transferOverdue(into actions: inout SessionActions) {
        guard case .transferring(let place) = stores.phase else { return }
        actions.warn("the transfer of a segment did not end in the agent's own time")
        stopTransfer(place, into: &actions)
        resume(place, into: &actions)
        advance(into: &actions)
    }

    private mutating func idleTimeOut(into actions: inout SessionActions) {
        guard state == .operating, goal == .follow else { return }
        if silence.wasBroken() {
            actions.arm(.idle, PHDSilence.idleTimeout)
        } else {
            actions.note("the agent has been silent for half an hour; the association is released")
            letGo(into: &actions)
        }
    }
}
