/// What the timers of a conversation mean.
extension PHDSession {
    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        guard !isForeign else { return }
        switch timer {
        case .silence, .frame:
            guard reader.waiting > 0 else { return }
            supervised = nil
            let lost = reader.discard()
            actions.report(skipped: lost, .incomplete)
            if state.isAssociated {
                perform(.timeout, into: &actions)
            }
        case .configuration: if state == .waitingForConfiguration { perform(.timeout, into: &actions) }
        case .release: if state == .disassociating { perform(.timeout, into: &actions) }
        case .holdOff: isHoldingOff = false
        case .proof: unstamped.isUnproven = false
        case .response: answerMissing(into: &actions)
        case .store: transferOverdue(into: &actions)
        case .retry:
            if isRetrying {
                isRetrying = false
                advance(into: &actions)
            } else if abandonsSoon {
                abandonsSoon = false
                perform(.abandon, into: &actions)
            }
        case .poll:
            guard case .setClock = goal, !didSetClock else { return }
            elapsedSeconds += 1
            actions.append(.arm(.poll, .seconds(1)))
        case .overall: patienceEnded(into: &actions)
        case .lostAbort: repeatAbort(into: &actions)
        case .admission: turnApplicantAway(into: &actions)
        case .idle: idleTimeOut(into: &actions)
        default: break
        }
    }

    /// Strictly always a reason to abort. For the store it is: the agent comes back and is asked again. But agents that
    /// ignore GET MDS or SET_TIME still have readings to send [R], and those count more; and one that never answered
    /// about its store is, in a third association, left to push what it will.
    private mutating func answerMissing(into actions: inout SessionActions) {
        guard !pending.isEmpty else { return }
        let request = pending.removeFirst()
        actions.append(.report(.note("the agent did not answer a request in time")))
        // It is let go of all the same, and not asked again.
        if isLettingGo { return perform(.release, into: &actions) }
        if request.isAboutStore, hasStoreAnswered || storeTimeouts < 2 {
            storeTimeouts += 1
            return perform(.timeout, into: &actions)
        }
        switch request.kind {
        case .store(let handle), .segments(let handle):
            if let place = stores.firstIndex(where: { $0.handle == handle }) { stores[place].progress = .failed }
        case .trigger(let handle, let instance):
            if let place = stores.firstIndex(where: { $0.handle == handle }),
                let number = stores[place].segments.firstIndex(where: { $0.instance == instance })
            {
                stores[place].segments[number].progress = .failed
            }
        case .clear: outcome = .noAnswer("the agent did not say whether it cleared its store")
        case .setTime: outcome = .noAnswer("the agent did not answer when its clock was to be set")
        case .facts, .data, .scanner, .other: break
        }
        advance(into: &actions)
    }

    private mutating func transferOverdue(into actions: inout SessionActions) {
        guard let transfer else { return }
        actions.append(.report(.warning("the transfer of a segment did not end in the agent's own time")))
        stopTransfer(transfer.store, transfer.segment, into: &actions)
        resume(transfer.store, transfer.segment, into: &actions)
        advance(into: &actions)
    }

    private mutating func idleTimeOut(into actions: inout SessionActions) {
        guard state == .operating, goal == .follow else { return }
        if wasActive {
            wasActive = false
            actions.append(.arm(.idle, Self.idleTimeout))
        } else {
            actions.append(.report(.note("the agent has been silent for half an hour; the association is released")))
            letGo(into: &actions)
        }
    }
}
