extension PHDSession {
    /// Looks up the row and performs it; acts that need more than an invoke-id are done by the caller.
    mutating func perform(
        _ input: PHDInput, invoke: UInt16 = 0, result: UInt16 = 0, into actions: inout SessionActions
    ) {
        guard let row = PHDStateTable.row(state, input) else { return }
        switch row.act {
        case .nothing, .evaluate, .confirmConfiguration, .refuseConfiguration, .process, .complete: break
        case .accept: answerRequest(PHDAssociationRequest.accepted, into: &actions)
        case .acceptUnknown: answerRequest(PHDAssociationRequest.acceptedUnknownConfiguration, into: &actions)
        case .refuse: write(PHDManagerAPDU.associationResponse(result: result, manager: options.manager), into: &actions)
        case .abort(let reason): abort(reason, into: &actions)
        case .answerRelease: write(PHDManagerAPDU.releaseResponse, into: &actions)
        case .error(let error): write(PHDManagerAPDU.error(invoke: invoke, error), into: &actions)
        case .reject(let problem): write(PHDManagerAPDU.rejection(invoke: invoke, problem), into: &actions)
        case .requestRelease: write(PHDManagerAPDU.releaseRequest(), into: &actions)
        }
        association.noteEnd(by: input)
        if case .abort = row.act, state.isAssociated, !isPassive {
            progress.beginAborts()
            association.noteAbort()
            actions.arm(.lostAbort, Self.associationTimeout)
        }
        // The agent's events count at once; ours do not in a conversation of another manager.
        switch input {
        case .releaseRequest, .releaseResponse, .abort, .transportDown: move(to: row.next, into: &actions)
        default: if !isPassive { move(to: row.next, into: &actions) }
        }
        guard !isPassive, !isFinished, row.act == .accept || row.act == .acceptUnknown else { return }
        if row.act == .accept { enterOperating(into: &actions) }
        noteStep(into: &actions)
        if row.act == .acceptUnknown {
            actions.arm(.configuration, Self.configurationTimeout)
            if options.asksFactsEarly { askFacts(into: &actions) }
        }
    }

    private mutating func answerRequest(_ result: UInt16, into actions: inout SessionActions) {
        let request = association.request
        if let version = request?.chosenVersion, version > 1, !isPassive {
            actions.note("the agent offers no protocol version below \(version); this program treats that one as version 1")
        }
        write(
            PHDManagerAPDU.associationResponse(
                result: result, manager: options.manager, version: request?.chosenVersionBit ?? 0x8000_0000),
            into: &actions)
    }

    private mutating func abort(_ reason: UInt16, into actions: inout SessionActions) {
        // Outside an association, noise or the rest of an aborted APDU may look like an APDU: at most one ABRT per `holdOff`.
        guard state.isAssociated || !association.isHoldingOff, !isPassive else { return }
        association.isHoldingOff = true
        actions.arm(.holdOff, Self.holdOff)
        write(PHDManagerAPDU.abort(reason), into: &actions)
    }

    mutating func move(to next: PHDState, into actions: inout SessionActions) {
        guard next != state else { return }
        let former = state
        association.enter(next)
        reader.format.isAssociated = next.isAssociated
        if former == .waitingForConfiguration || former == .checkingConfiguration, !command.isObserver {
            actions.disarm(.configuration)
        }
        if next == .disassociating, !command.isObserver { actions.arm(.release, Self.releaseTimeout) }
        if former.isAssociated && !next.isAssociated { leave(into: &actions) }
    }

    /// The association is over; its confirmations must not reach the next one.
    private mutating func leave(into actions: inout SessionActions) {
        confirmations.noteEmitted(reports.joiner.settleAll(into: &actions))
        leaveUnstamped(into: &actions)
        confirmations.removeAll()
        configurations.noteUsefulness(association.request?.deviceID)
        reports.leave()
        if !command.isObserver {
            if !requests.isEmpty { actions.disarm(.response) }
            actions.disarm(.release)
            if stores.isTransferring { actions.disarm(.store) }
        }
        requests.removeAll()
        stores.endTransfer()
        if command.isStriving { progress.left(inOrder: association.end == .inOrder) }
        concludeAssociation(into: &actions)
        stores.leave()
        configurations.leave()
        agent.leave()
        streams = PHDStreams()
    }

    private mutating func enterOperating(into actions: inout SessionActions) {
        guard let request = association.request, let configuration = known(request) else { return }
        adopt(configuration, request.configurationID, isFresh: false, into: &actions)
        if goal == .follow { actions.arm(.idle, PHDSilence.idleTimeout) }
        advance(into: &actions)
    }

    mutating func adopt(_ configuration: PHDConfiguration, _ id: UInt16, isFresh: Bool, into actions: inout SessionActions) {
        configurations.adopt(configuration, id, isFresh: isFresh, key: association.request?.memoryKey(id) ?? "")
        stores.begin(configuration.stores)
        reports.configurationChanged()
        if agent.facts != nil { describeAgent(into: &actions) }
    }

    mutating func write(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard !isPassive else { return }
        actions.append(.write(bytes))
        echoes.expect(bytes)
    }
}
