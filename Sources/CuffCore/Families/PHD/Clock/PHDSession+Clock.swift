extension PHDSession {
    private var device: String { association.request?.deviceID ?? "" }

    mutating func receiveFacts(_ apdu: Span<UInt8>, into actions: inout SessionActions) {
        guard let facts = PHDDeviceFacts(apdu, 14, apdu.count, device: device) else {
            return actions.note("the agent's description of itself does not parse")
        }
        // Many agents still ask for it after the clock was set.
        if !agent.isReadingBack {
            agent.note(facts)
            describeAgent(into: &actions)
            rememberClockWish(facts.wantsClock, into: &actions)
        }
        guard let clock = facts.clock else { return }
        actions.append(.clock(clock))
        guard agent.isReadingBack, !command.isObserver, case .setClock(let time) = goal else { return }
        if !time.isShown(by: clock, elapsed: agent.elapsedSeconds) {
            command.outcome = .failed("the agent's clock does not show the time that was sent")
        }
    }

    /// An event report of handle 0: changed attributes of the agent.
    mutating func receiveUpdate(_ apdu: Span<UInt8>, _ raw: Range<Int>, into actions: inout SessionActions) {
        // A fixed report would need a map, which no configuration has.
        guard raw.count > 2, let found = PHDDeviceFacts(apdu, raw.lowerBound + 2, raw.upperBound, device: device) else { return }
        agent.update(found, device: device)
        describeAgent(into: &actions)
        if found.timeCapability != nil { rememberClockWish(agent.facts?.wantsClock ?? false, into: &actions) }
        if let clock = found.clock { actions.append(.clock(clock)) }
    }

    /// For queries without a connection (`cuff doctor`).
    private mutating func rememberClockWish(_ wants: Bool, into actions: inout SessionActions) {
        if wants { actions.note("the agent asks for its clock to be set") }
        guard association.request != nil else { return }
        configurations.rememberClockWish(wants, of: device, into: &actions)
    }

    func describeAgent(into actions: inout SessionActions) {
        guard let facts = agent.facts else { return }
        var identity = facts.identity
        identity.wantsClock = facts.wantsClock
        identity.details = facts.details + PHDDeviceFacts.details(configurations.current)
        if let version = association.request?.chosenVersion, version != 1 {
            identity.details.append(DeviceIdentity.Detail(name: "protocol version", value: "\(version)"))
        }
        actions.append(.identify(identity))
    }

    mutating func setClock(_ time: DeviceTime, into actions: inout SessionActions) {
        let isBaseOffset = agent.facts?.hasBaseOffsetTime ?? false
        // The bit is about SET_TIME. An agent with base-offset time has no other clock, and refuses what it cannot do.
        if let capability = agent.facts?.timeCapability, capability & PHDTimeCapability.setClock == 0, !isBaseOffset {
            command.outcome = .unsupported("this agent's clock cannot be set")
            return letGo(into: &actions)
        }
        var now = DeviceTime(wallSeconds: time.wallSeconds + agent.elapsedSeconds)
        now.utcOffset = time.utcOffset
        guard agent.beginSetting() else { return }
        guard let bytes = isBaseOffset ? PHDStamp.bytes(baseOffset: now) : PHDStamp.bytes(absolute: now) else {
            command.outcome = .unsupported("this agent's clock needs a time with its zone")
            return letGo(into: &actions)
        }
        ask(into: &actions) {
            PHDManagerAPDU.action(
                invoke: $0, handle: 0, isBaseOffset ? PHDAction.setBaseOffsetTime : PHDAction.setTime
            ) {
                $0.append(bytes)
                if !isBaseOffset { $0.append32(0) }  // accuracy: not stated
            }
        }
    }

    mutating func receiveSetTime(_ isAnswer: Bool, isRefusal: Bool, into actions: inout SessionActions) {
        agent.noteSet()
        if isAnswer { rememberClockWish(false, into: &actions) }
        guard !command.isObserver, case .setClock = goal else { return }
        command.outcome =
            isAnswer
            ? .complete : .failed(isRefusal ? "the agent refused to set its clock" : "the agent did not say that it set its clock")
        guard isAnswer, agent.facts?.clock != nil else { return conclude(into: &actions) }
        // The last request of this association: earlier stamps are of the old clock.
        agent.readBack()
        ask(into: &actions) { PHDManagerAPDU.get(invoke: $0, handle: 0) }
    }
}
