/// The table of states, and what its rows do.
extension PHDSession {
    /// Looks the row up and does what it says; acts that need more than an invoke-id are done by the caller.
    mutating func perform(
        _ input: PHDInput, invoke: UInt16 = 0, result: UInt16 = 0, into actions: inout SessionActions
    ) {
        guard let row = PHDStateTable.row(state, input) else { return }
        switch row.act {
        case .nothing, .evaluate, .confirmConfiguration, .refuseConfiguration, .process, .complete: break
        case .accept:
            answerRequest(PHDAssociationRequest.accepted, into: &actions)
        case .acceptUnknown:
            answerRequest(PHDAssociationRequest.acceptedUnknownConfiguration, into: &actions)
        case .refuse: write(PHDManagerAPDU.associationResponse(result: result, manager: manager), into: &actions)
        case .abort(let reason): abort(reason, into: &actions)
        case .answerRelease: write(PHDManagerAPDU.releaseResponse, into: &actions)
        case .error(let error): write(PHDManagerAPDU.error(invoke: invoke, error), into: &actions)
        case .reject(let problem): write(PHDManagerAPDU.rejection(invoke: invoke, problem), into: &actions)
        case .requestRelease: write(PHDManagerAPDU.releaseRequest(), into: &actions)
        }
        endedInOrder = input == .releaseRequest || input == .releaseResponse
        wasBrokenByAgent = [.abort, .requestKnown, .requestUnknown, .requestUnacceptable].contains(input)
        if case .abort = row.act, state.isAssociated, !isPassive {
            effort.aborts = 0
            doubtsAbort = true
            actions.append(.arm(.lostAbort, Self.associationTimeout))
        }
        // What the agent did counts at once; what only we did, not in a conversation that is not ours.
        switch input {
        case .releaseRequest, .releaseResponse, .abort, .transportDown: move(to: row.next, into: &actions)
        default: if !isPassive { move(to: row.next, into: &actions) }
        }
        guard !isPassive, !isFinished else { return }
        if row.act == .accept { enterOperating(into: &actions) }
        if row.act == .accept || row.act == .acceptUnknown { noteStep(into: &actions) }
        if row.act == .acceptUnknown {
            actions.append(.arm(.configuration, Self.configurationTimeout))
            if asksFactsEarly { askFacts(into: &actions) }
        }
    }

    private mutating func answerRequest(_ result: UInt16, into actions: inout SessionActions) {
        if let version = request?.chosenVersion, version > 1, !isPassive {
            let what = "the agent offers no protocol version below \(version), which this program takes to be as version 1 is"
            actions.append(.report(.note(what)))
        }
        write(
            PHDManagerAPDU.associationResponse(result: result, manager: manager, version: request?.chosenVersionBit ?? 0x8000_0000),
            into: &actions)
    }

    private mutating func abort(_ reason: UInt16, into actions: inout SessionActions) {
        // Outside an association noise may look like an APDU, and so may the rest of what broke one off: it gets one
        // ABRT in a quarter of a second at most.
        guard state.isAssociated || !isHoldingOff, !isPassive else { return }
        isHoldingOff = true
        actions.append(.arm(.holdOff, Self.holdOff))
        write(PHDManagerAPDU.abort(reason), into: &actions)
    }

    mutating func move(to next: PHDState, into actions: inout SessionActions) {
        guard next != state else { return }
        let former = state
        state = next
        reader.format.isAssociated = next.isAssociated
        if former == .waitingForConfiguration || former == .checkingConfiguration, !isForeign {
            actions.append(.disarm(.configuration))
        }
        if next == .disassociating, !isForeign { actions.append(.arm(.release, Self.releaseTimeout)) }
        if former.isAssociated && !next.isAssociated { leave(into: &actions) }
    }

    /// The association is over. What it promised is void: no confirmation may reach the next one.
    private mutating func leave(into actions: inout SessionActions) {
        emitted += joiner.settleAll(into: &actions)
        leaveUnstamped(into: &actions)
        pendingConfirmations.removeAll(keepingCapacity: true)
        confirmedHead = 0
        offer = nil
        noteUsefulness()
        offers = 0
        reportNumber = nil
        let wasAsking = !pending.isEmpty
        pending.removeAll(keepingCapacity: true)
        if !isForeign {
            if wasAsking { actions.append(.disarm(.response)) }
            actions.append(.disarm(.release))
            if transfer != nil { actions.append(.disarm(.store)) }
        }
        transfer = nil
        isRetrying = false
        abandonsSoon = false
        if isStriving { effort.left(inOrder: endedInOrder) }
        concludeAssociation(into: &actions)
        stores.removeAll(keepingCapacity: true)
        configuration = PHDConfiguration()
        facts = nil
        readsClockBack = false
        didAskFacts = false
        didAskData = false
        startedScanners = 0
        runningScanners = []
        runsRequest = false
        isLettingGo = false
    }

    mutating func enterOperating(into actions: inout SessionActions) {
        guard let request, let configuration = known(request) else { return }
        adopt(configuration, request.configurationID, isFresh: false, into: &actions)
        if !isForeign, goal == .follow { actions.append(.arm(.idle, Self.idleTimeout)) }
        advance(into: &actions)
    }

    mutating func adopt(_ configuration: PHDConfiguration, _ id: UInt16, isFresh: Bool, into actions: inout SessionActions) {
        self.configuration = configuration
        configurationID = id
        isConfigurationFresh = isFresh
        let key = request?.memoryKey(id) ?? ""
        let isDoubtful = memory[key] != nil ? !affirmed.contains(key) : PHDDeviceType.configuration(id)?.isRecorded == false
        isConfigurationRemembered = !isFresh && isDoubtful
        stores = configuration.stores.map { PHDStoreState($0) }
        saidRelative = false
        if facts != nil { describeAgent(into: &actions) }
    }

    /// Writes an APDU that may change the state; it is expected back as `sent`.
    mutating func write(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard !isPassive else { return }
        actions.append(.write(bytes))
        // An association costs a handful; a stream of a thousand in one chunk still comes back before this is reached.
        if expected.count >= 8192 { expected.removeAll(keepingCapacity: true) }
        expected.append(bytes)
    }

    /// Sends every confirmation whose readings are on disk; those that are due together leave in one write, as on any
    /// stream of bytes.
    mutating func confirm(into actions: inout SessionActions) {
        if unstamped.isOutstanding { acknowledgeUnstamped(into: &actions) }
        while confirmedHead < pendingConfirmations.count, pendingConfirmations[confirmedHead].through <= committed {
            let first = confirmedHead
            while confirmedHead < pendingConfirmations.count, pendingConfirmations[confirmedHead].through <= committed,
                pendingConfirmations[confirmedHead].segment == nil,
                (confirmedHead &- first) &* PHDManagerAPDU.confirmationLength < Self.writeLimit
            {
                if isStriving { effort.confirmed(pendingConfirmations[confirmedHead].digest) }
                confirmedHead &+= 1
            }
            if confirmedHead > first {
                if !isPassive {
                    let written = PHDManagerAPDU.confirmations(pendingConfirmations[first..<confirmedHead])
                    if confirmations.count >= Self.echoLimit { confirmations.removeAll(keepingCapacity: true) }
                    confirmations.append(written)
                    actions.append(.write(written))
                }
            } else {
                let next = pendingConfirmations[confirmedHead]
                confirmedHead += 1
                guard !isPassive, let segment = next.segment else { continue }
                if isStriving { effort.confirmed(next.digest) }
                actions.append(.write(segment.confirmation(invoke: next.invoke, handle: next.handle, status: 0x0080)))
                segmentConfirmed(segment, into: &actions)
            }
        }
        if confirmedHead == pendingConfirmations.count {
            pendingConfirmations.removeAll(keepingCapacity: true)
            confirmedHead = 0
        }
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        if let step = reader.finish(), case .skipped(let count, let fault) = step { actions.report(skipped: count, fault) }
        wasBrokenByAgent = false
        move(to: .disconnected, into: &actions)
        guard !isFinished else { return }
        finish(goal == .follow ? .complete : .noAnswer("the line ended before the agent had told everything"), into: &actions)
    }
}
