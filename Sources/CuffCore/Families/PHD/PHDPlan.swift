/// What this manager asks of an agent, in which order, and when it is done.
///
/// In Operating, one request after another: MDS attributes; then, for who follows, reads or clears, every PM-store:
/// its attributes, its segments, the transfer of each; then what was commanded. The clock is set last of all, because
/// stored stamps are in the old clock, and only after the clock's own time was read.
/// A request that is never answered is passed over: an agent that ignores GET or SET_TIME still sends readings [R].
extension PHDSession {
    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow: goal = .follow
        case .readMemory(let user): goal = .memory(user: user)
        case .information: goal = .information
        case .readClock: goal = .clock
        case .setClock(let time): goal = .setClock(time)
        case .clear(let user): goal = .clear(user: user)
        case .measure, .stop, .schedule:
            return finish(.unsupported("an IEEE 11073 agent measures when its own button is pressed"), into: &actions)
        }
        mayAnswer = true
        guard goal != .follow else { return advance(into: &actions) }
        actions.append(.arm(.overall, effort.patience))
        if case .setClock = goal {
            elapsedSeconds = 0
            actions.append(.arm(.poll, .seconds(1)))
        }
        advance(into: &actions)
    }

    var wantsStores: Bool {
        switch goal {
        case .follow, .memory, .clear: true
        case .information, .clock, .setClock: false
        }
    }

    /// Takes the next step of the plan, if nothing is under way.
    mutating func advance(into actions: inout SessionActions) {
        guard state == .operating, !isPassive, !isFinished, pending.isEmpty, transfer == nil, !isRetrying else { return }
        if !didAskFacts { return askFacts(into: &actions) }
        if startsScanners, startedScanners < configuration.scanners.count {
            let handle = configuration.scanners[startedScanners].handle
            startedScanners += 1
            return ask(into: &actions) { PHDManagerAPDU.startScanner(invoke: $0, handle: handle) }
        }
        if asksData, !didAskData, request?.allowsDataRequest == true {
            didAskData = true
            return ask(into: &actions) {
                PHDManagerAPDU.action(invoke: $0, handle: 0, PHDAction.dataRequest) {
                    $0.append16(1)  // data-req-id
                    $0.append16(0x8880)  // start, scope all, single response
                    $0.append32(0)
                    $0.append16(0xFFFF)
                    $0.append32(0)
                    $0.append16(0)
                }
            }
        }
        if wantsStores, advanceStores(into: &actions) { return }
        conclude(into: &actions)
    }

    /// In Operating; with the option `attributes` also before the configuration came, as Antidote's manager does [R].
    mutating func askFacts(into actions: inout SessionActions) {
        didAskFacts = true
        ask(into: &actions) { PHDManagerAPDU.get(invoke: $0, handle: 0) }
    }

    /// Whether a store gave something to ask.
    private mutating func advanceStores(into actions: inout SessionActions) -> Bool {
        for place in stores.indices {
            let handle = stores[place].handle
            switch stores[place].progress {
            case .unknown:
                ask(into: &actions) { PHDManagerAPDU.get(invoke: $0, handle: handle) }
                return true
            case .described:
                askSegments(handle, into: &actions)
                return true
            case .listed:
                guard let number = stores[place].nextWaiting(user: userOfGoal) else { continue }
                let instance = stores[place].segments[number].instance
                ask(into: &actions) {
                    PHDManagerAPDU.action(invoke: $0, handle: handle, PHDAction.triggerTransfer) { $0.append16(instance) }
                }
                return true
            case .failed: continue
            }
        }
        return false
    }

    private mutating func askSegments(_ handle: UInt16, into actions: inout SessionActions) {
        ask(into: &actions) {
            PHDManagerAPDU.action(invoke: $0, handle: handle, PHDAction.segmentInfo, PHDManagerAPDU.selection(nil))
        }
    }

    /// Everything was asked and nothing is under way: do what was commanded, or let the agent go.
    mutating func conclude(into actions: inout SessionActions) {
        guard state == .operating, !isPassive, pending.isEmpty, transfer == nil, !isCommitDue else { return }
        switch goal {
        case .follow: return
        case .memory: if stores.isEmpty { return } else { outcome = outcome ?? transferOutcome }
        case .information: outcome = facts == nil ? .noAnswer("the agent did not describe itself") : .complete
        case .clock: outcome = facts?.clock == nil ? .unsupported("this agent does not tell its time") : .complete
        case .setClock(let time): if outcome == nil { return setClock(time, into: &actions) }
        case .clear: if outcome == nil { if clearNext(into: &actions) { return } }
        }
        perform(.release, into: &actions)
    }

    var transferOutcome: Outcome {
        let failed =
            stores.contains { $0.progress == .failed }
            || stores.contains { store in
                store.segments.contains { $0.progress == .failed || $0.progress == .waiting && !$0.isDecodable }
            }
        return failed ? .failed("a part of the agent's store could not be fetched") : .complete
    }

    private mutating func setClock(_ time: DeviceTime, into actions: inout SessionActions) {
        let isBaseOffset = facts?.hasBaseOffsetTime ?? false
        // set-clock is about SET_TIME. An agent with base-offset time has no other clock, and refuses what it cannot do.
        if let capability = facts?.timeCapability, capability & PHDTimeCapability.setClock == 0, !isBaseOffset {
            outcome = .unsupported("this agent's clock cannot be set")
            return perform(.release, into: &actions)
        }
        // The command may be minutes old: an agent associates when its user wants it.
        var now = DeviceTime(wallSeconds: time.wallSeconds + elapsedSeconds)
        now.utcOffset = time.utcOffset
        guard !didSetClock else { return }
        didSetClock = true
        if isBaseOffset {
            guard let bytes = PHDStamp.bytes(baseOffset: now) else {
                outcome = .unsupported("this agent's clock needs a time with its zone")
                return perform(.release, into: &actions)
            }
            return ask(into: &actions) {
                PHDManagerAPDU.action(invoke: $0, handle: 0, PHDAction.setBaseOffsetTime) { $0.append(bytes) }
            }
        }
        ask(into: &actions) {
            PHDManagerAPDU.action(invoke: $0, handle: 0, PHDAction.setTime) {
                $0.append(PHDStamp.bytes(absolute: now))
                $0.append32(0)  // accuracy: not stated
            }
        }
    }

    /// Clears what was fetched completely, is on disk, and did not grow meanwhile. Answers whether something was asked.
    private mutating func clearNext(into actions: inout SessionActions) -> Bool {
        guard !stores.isEmpty else {
            outcome = .unsupported("this agent has no store to clear")
            return false
        }
        for place in stores.indices where !stores[place].isCleared {
            let store = stores[place]
            guard store.progress == .listed else {
                outcome = .failed("the agent's store could not be read, so it was not cleared")
                return false
            }
            let complete = store.segments.filter { $0.progress == .complete }.map(\.instance)
            guard !complete.isEmpty else {
                stores[place].isCleared = true
                if store.segments.contains(where: { $0.progress == .failed || !$0.isDecodable }) {
                    outcome = .failed("a part of the agent's store could not be fetched, so that part was not cleared")
                    return false
                }
                continue
            }
            if !store.isVerified {
                // Readings may have been added while these were fetched: look again, right before.
                guard store.rounds <= 3 else {
                    outcome = .failed("the agent's store kept growing, so it was not cleared")
                    return false
                }
                askSegments(store.handle, into: &actions)
                return true
            }
            let isWhole = store.segments.allSatisfy { $0.progress == .complete || $0.progress == .empty || $0.progress == .cleared }
            guard store.clearsByList || isWhole else {
                outcome = .failed("not every segment could be fetched, and the agent clears only all of them")
                return false
            }
            let ticks = store.clearTimeout ?? 0
            let part = store.clearsByList ? Array(complete.prefix(Self.selectionLimit)) : complete
            stores[place].clearing = part
            ask(within: max(.milliseconds(Int64(ticks) / 8), Self.requestTimeout), into: &actions) {
                PHDManagerAPDU.action(
                    invoke: $0, handle: store.handle, PHDAction.clearSegments,
                    PHDManagerAPDU.selection(store.clearsByList ? part : nil))
            }
            return true
        }
        outcome = .complete
        return false
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

    // MARK: timers

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
            perform(.release, into: &actions)
        }
    }
}
