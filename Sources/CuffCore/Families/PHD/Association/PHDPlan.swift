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
        if let badOption { return finish(.unsupported(badOption), into: &actions) }
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
        guard state == .operating, !isPassive, !isFinished, pending.isEmpty else { return }
        if isLettingGo { return stopNext(into: &actions) }
        guard transfer == nil, !isRetrying else { return }
        if !didAskFacts { return askFacts(into: &actions) }
        if startsScanners, startedScanners < configuration.scanners.count {
            let handle = configuration.scanners[startedScanners].handle
            startedScanners += 1
            runningScanners.append(handle)
            return ask(into: &actions) { PHDManagerAPDU.scanner(invoke: $0, handle: handle, isOn: true) }
        }
        if let dataRequest, !didAskData, let request {
            didAskData = true
            guard dataRequest.isAllowed(by: request) else {
                actions.append(.report(.note("the agent says that it does not take such a data request")))
                return advance(into: &actions)
            }
            runsRequest = dataRequest.needsStop(request)
            return ask(into: &actions) { dataRequest.apdu(invoke: $0, starts: true) }
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
                askSegments(stores[place], into: &actions)
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

    /// What is asked for: the wanted range where the agent can select by it, else everything.
    func selection(of store: PHDStoreState) -> PHDSelection {
        guard case .range(let range) = timeRange, store.selectsByTime, facts?.hasBaseOffsetTime != true else { return .all }
        return .range(range)
    }

    mutating func askSegments(_ store: PHDStoreState, into actions: inout SessionActions) {
        let selection = selection(of: store)
        if selection == .all, timeRange != .none, store.rounds == 0 {
            actions.append(.report(.note("the agent's store cannot be asked for a range of time, so everything is fetched")))
        }
        ask(into: &actions) { PHDManagerAPDU.action(invoke: $0, handle: store.handle, PHDAction.segmentInfo, selection.append) }
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
        letGo(into: &actions)
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
            return letGo(into: &actions)
        }
        // The command may be minutes old: an agent associates when its user wants it.
        var now = DeviceTime(wallSeconds: time.wallSeconds + elapsedSeconds)
        now.utcOffset = time.utcOffset
        guard !didSetClock else { return }
        didSetClock = true
        if isBaseOffset {
            guard let bytes = PHDStamp.bytes(baseOffset: now) else {
                outcome = .unsupported("this agent's clock needs a time with its zone")
                return letGo(into: &actions)
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

    mutating func takeSetTime(_ isAnswer: Bool, isRefusal: Bool, into actions: inout SessionActions) {
        didSetClock = true
        if isAnswer { rememberClockWish(false, into: &actions) }
        guard !isForeign, case .setClock = goal else { return }
        outcome =
            isAnswer
            ? .complete : .failed(isRefusal ? "the agent refused to set its clock" : "the agent did not say that it set its clock")
        guard isAnswer, facts?.clock != nil else { return conclude(into: &actions) }
        // What it shows now, and the last thing in this association: stamps that came before it are of the old clock.
        readsClockBack = true
        ask(into: &actions) { PHDManagerAPDU.get(invoke: $0, handle: 0) }
    }
}
