/// A request to the agent that waits for its answer, ours or another manager's.
struct PHDRequest: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case facts
        case store(UInt16)
        case segments(UInt16)
        case trigger(UInt16, instance: UInt16)
        case clear(UInt16)
        case setTime
        case data
        case scanner(UInt16)
        case other
    }
    var invoke: UInt16
    var kind: Kind
    /// What its answer must repeat: the message that answers it, the object's handle, and of an action which one.
    private var answer: UInt16
    var handle: UInt16
    private var action: UInt16?

    /// Whether this is the answer to it, and not to something else under the same invoke-id.
    func isAnswered(by message: UInt16, _ apdu: Span<UInt8>) -> Bool {
        message == answer && apdu.bigEndian16(12) == handle && (action == nil || apdu.bigEndian16(14) == action)
    }

    var isAboutStore: Bool {
        switch kind {
        case .store, .segments, .trigger: true
        case .facts, .clear, .setTime, .data, .scanner, .other: false
        }
    }

    /// Reads what a data APDU asks; `nil` when it asks nothing that is answered.
    init?(_ apdu: Span<UInt8>) {
        guard let invoke = apdu.bigEndian16(6), let message = apdu.bigEndian16(8), let handle = apdu.bigEndian16(12) else { return nil }
        self.invoke = invoke
        self.handle = handle
        switch message {
        case PHDMessage.get:
            answer = PHDMessage.getResult
            kind = handle == 0 ? .facts : .store(handle)
        case PHDMessage.set, PHDMessage.confirmedSet:
            answer = PHDMessage.setResult
            kind = .scanner(handle)
        case PHDMessage.action, PHDMessage.confirmedAction:
            answer = PHDMessage.actionResult
            action = apdu.bigEndian16(14)
            switch apdu.bigEndian16(14) {
            case PHDAction.segmentInfo: kind = .segments(handle)
            case PHDAction.triggerTransfer: kind = .trigger(handle, instance: apdu.bigEndian16(18) ?? 0)
            case PHDAction.clearSegments: kind = .clear(handle)
            case PHDAction.setTime, PHDAction.setBaseOffsetTime: kind = .setTime
            case PHDAction.dataRequest: kind = .data
            default: kind = .other
            }
        default: return nil
        }
    }
}

/// Requests, their answers, and the PM-store's segments.
extension PHDSession {
    /// Sends a request and waits for its answer. An agent may be able to handle only one at a time.
    mutating func ask(
        within limit: Duration = PHDSession.requestTimeout, into actions: inout SessionActions,
        _ apdu: (_ invoke: UInt16) -> [UInt8]
    ) {
        let bytes = apdu(nextInvoke)
        nextInvoke = nextInvoke == 0xFFFF ? 1 : nextInvoke + 1
        remember(bytes)
        write(bytes, into: &actions)
        actions.append(.arm(.response, limit))
    }

    /// Notes a request whose answer will come.
    mutating func remember(_ apdu: [UInt8]) {
        guard let request = PHDRequest(apdu.span) else { return }
        pending.removeAll { $0.invoke == request.invoke }
        // Other managers may have several open; more than sixteen means that none is answered.
        if pending.count >= 16 { pending.removeFirst() }
        pending.append(request)
    }

    mutating func complete(
        _ request: PHDRequest, _ message: UInt16, _ apdu: Span<UInt8>, into actions: inout SessionActions
    ) {
        let isRefusal = message == PHDMessage.error || message == PHDMessage.rejection
        let isAnswer = !isRefusal && request.isAnswered(by: message, apdu)
        if !isAnswer, !isRefusal {
            actions.append(.report(.warning("the agent answered with the result of another request; the answer is ignored")))
        }
        if isRefusal {
            let code = apdu.bigEndian16(12) ?? 0
            actions.append(.report(.note("the agent refused a request (\(message == PHDMessage.error ? "error" : "rejection") \(code))")))
        }
        if isAnswer, request.isAboutStore { hasStoreAnswered = true }
        switch request.kind {
        case .facts:
            guard isAnswer, message == PHDMessage.getResult else { return }
            takeFacts(apdu, into: &actions)
        case .store(let handle):
            let offset = 14
            updateStore(handle) { store in
                if isAnswer, message == PHDMessage.getResult { Self.describe(&store, apdu, offset) }
                if store.progress == .unknown { store.progress = .described }
            }
        case .segments(let handle): takeSegments(isAnswer ? apdu : apdu.extracting(0..<0), handle, into: &actions)
        case .trigger(let handle, let instance):
            takeTrigger(handle, instance, isAnswer && apdu.bigEndian16(18) == instance ? apdu.bigEndian16(20) : nil, into: &actions)
        case .clear(let handle): takeClearance(handle, isAnswer, isRefusal: isRefusal, into: &actions)
        case .setTime: takeSetTime(isAnswer, isRefusal: isRefusal, into: &actions)
        case .data: if isAnswer { takeData(apdu, request.invoke, into: &actions) }
        case .scanner(let handle): if !isAnswer { runningScanners.removeAll { $0 == handle } }
        case .other: break
        }
    }

    /// An event report of handle 0: attributes of the agent that have changed.
    mutating func takeUpdate(_ apdu: Span<UInt8>, _ raw: Range<Int>, into actions: inout SessionActions) {
        // In a fixed report they are cut with a map that no configuration holds.
        guard raw.count > 2, let found = PHDDeviceFacts(apdu, raw.lowerBound + 2, raw.upperBound, device: request?.deviceID ?? "") else {
            return
        }
        var all = facts ?? PHDDeviceFacts(device: request?.deviceID ?? "")
        all.update(found)
        facts = all
        describeAgent(into: &actions)
        if found.timeCapability != nil { rememberClockWish(all.wantsClock, into: &actions) }
        if let clock = found.clock { actions.append(.clock(clock)) }
    }

    private mutating func takeFacts(_ apdu: Span<UInt8>, into actions: inout SessionActions) {
        let device = request?.deviceID ?? ""
        guard let facts = PHDDeviceFacts(apdu, 14, apdu.count, device: device) else {
            actions.append(.report(.note("the agent's description of itself does not parse")))
            return
        }
        if readsClockBack {
            // Many an agent goes on asking for its clock to be set.
            if let clock = facts.clock { actions.append(.clock(clock)) }
            return
        }
        self.facts = facts
        describeAgent(into: &actions)
        rememberClockWish(facts.wantsClock, into: &actions)
        if let clock = facts.clock { actions.append(.clock(clock)) }
    }

    /// For who asks without a connection (`cuff doctor`).
    mutating func rememberClockWish(_ wants: Bool, into actions: inout SessionActions) {
        if wants { actions.append(.report(.note("the agent asks for its clock to be set"))) }
        guard let device = request?.deviceID else { return }
        let key = SessionContext.clockWishKey(device)
        guard (memory[key] == [1]) != wants, memory.count < Self.memoryLimit || memory[key] != nil else { return }
        memory[key] = [wants ? 1 : 0]
        actions.append(.remember(key: key, value: [wants ? 1 : 0]))
    }

    /// Tells who the agent is, as far as it and its configuration have said.
    func describeAgent(into actions: inout SessionActions) {
        guard let facts else { return }
        var identity = facts.identity
        identity.wantsClock = facts.wantsClock
        identity.details = facts.details + PHDDeviceFacts.details(configuration)
        if let version = request?.chosenVersion, version != 1 {
            identity.details.append(DeviceIdentity.Detail(name: "protocol version", value: "\(version)"))
        }
        actions.append(.identify(identity))
    }

    private mutating func updateStore(_ handle: UInt16, _ change: (inout PHDStoreState) -> Void) {
        guard let index = stores.firstIndex(where: { $0.handle == handle }) else { return }
        change(&stores[index])
    }

    private static func describe(_ store: inout PHDStoreState, _ apdu: Span<UInt8>, _ start: Int) {
        var offset = start
        _ = PHDList.attributes(apdu, &offset, apdu.count) { id, at, length in
            if id == PHDAttribute.storeCapability, length == 2 { store.capability = apdu.bigEndian16(at) }
            if id == PHDAttribute.clearTimeout, length == 4 { store.clearTimeout = apdu.bigEndian32(at) }
            if id == PHDAttribute.samplePeriod, length == 4 { store.samplePeriod = apdu.bigEndian32(at) }
            return true
        }
    }

    /// The answer to SEG_GET_INFO: off 14 action, 16 length, 18 list.
    private mutating func takeSegments(_ apdu: Span<UInt8>, _ handle: UInt16, into actions: inout SessionActions) {
        guard let place = stores.firstIndex(where: { $0.handle == handle }) else { return }
        guard apdu.bigEndian16(14) == PHDAction.segmentInfo,
            let segments = PHDSegment.list(apdu, 18, apdu.count, configuration)
        else {
            stores[place].progress = .failed
            actions.append(.report(.warning("the PM-store \(handle) did not describe its segments")))
            return
        }
        stores[place].progress = .listed
        let former = stores[place].segments
        // An answer names the instance and no more: of two with one number neither can be asked for.
        var numbers: [UInt16: Int] = [:]
        for segment in segments { numbers[segment.instance, default: 0] += 1 }
        stores[place].segments = segments.map { segment in
            var segment = segment
            segment.take(stores[place])
            if numbers[segment.instance, default: 0] > 1 { segment.isDecodable = false }
            if segment.usage == 0 { segment.progress = .empty }
            // The same segment with the same count: what was fetched is still all there is.
            if let known = former.first(where: { $0.instance == segment.instance && $0.usage == segment.usage }),
                known.progress == .complete || known.progress == .failed
            {
                segment.progress = known.progress
                segment.isWhole = known.isWhole
            }
            return segment
        }
        for segment in stores[place].segments where !segment.isDecodable && segment.usage != 0 {
            actions.append(
                .report(
                    .warning(
                        numbers[segment.instance, default: 0] > 1
                            ? "two segments have the number \(segment.instance), so that neither can be asked for; they stay in the agent"
                            : "segment \(segment.instance) is laid out in a way this program cannot read; it stays in the agent")))
        }
        if stores[place].rounds > 0 { stores[place].isVerified = stores[place].nextWaiting(user: userOfGoal) == nil }
        stores[place].rounds += 1
    }

    var userOfGoal: Int? {
        switch goal {
        case .memory(let user), .clear(let user): user
        default: nil
        }
    }

    /// 0 ok, 1 no such segment, 2 try later, 3 empty, others unknown; `nil` when the agent refused.
    private mutating func takeTrigger(
        _ handle: UInt16, _ instance: UInt16, _ result: UInt16?, into actions: inout SessionActions
    ) {
        guard let place = stores.firstIndex(where: { $0.handle == handle }),
            let index = stores[place].segments.firstIndex(where: { $0.instance == instance })
        else { return }
        switch result {
        case 0:
            stores[place].segments[index].progress = .transferring
            stores[place].segments[index].next = 0
            guard !isPassive else { return }
            transfer = (place, index)
            if let usage = stores[place].segments[index].usage, usage <= 1_000_000 {
                actions.append(.report(.announced(records: Int(usage))))
            }
            let ticks = stores[place].segments[index].transferTimeout ?? 0
            // The agent's own limit, but not less than an answer may take; a minute where it gives none.
            actions.append(.arm(.store, ticks == 0 ? Self.transferTimeout : max(.milliseconds(Int64(ticks) / 8), Self.requestTimeout)))
        case 2 where stores[place].segments[index].tries < 3:
            stores[place].segments[index].tries += 1
            isRetrying = true
            if !isPassive { actions.append(.arm(.retry, .seconds(1))) }
        case 3: stores[place].segments[index].progress = .empty
        default:
            stores[place].segments[index].progress = .failed
            actions.append(.report(.warning("segment \(instance) was not transferred (result \(result.map { "\($0)" } ?? "none"))")))
        }
    }

    // MARK: other answers

    /// DataResponse: off 18 u32 time, 22 u16 result, 24 u16 event type, 26 u16 length, 28 the report.
    private mutating func takeData(_ apdu: Span<UInt8>, _ invoke: UInt16, into actions: inout SessionActions) {
        guard let result = apdu.bigEndian16(22), let event = apdu.bigEndian16(24), let length = apdu.bigEndian16(26) else { return }
        guard result == 0 else {
            runsRequest = false
            actions.append(.report(.note("the agent does not give data on request (result \(result))")))
            return
        }
        guard length > 0, let shape = PHDEvent.shape(event), 28 + Int(length) == apdu.count, let handle = apdu.bigEndian16(12)
        else { return }
        takeObservations(apdu, 28, invoke, handle, event, shape, false, into: &actions)
    }

    private mutating func takeClearance(_ handle: UInt16, _ isAnswer: Bool, isRefusal: Bool, into actions: inout SessionActions) {
        updateStore(handle) { store in
            for index in store.segments.indices where isAnswer && store.clearing.contains(store.segments[index].instance) {
                store.segments[index].progress = .cleared
            }
            store.clearing = []
        }
        guard !isForeign else { return }
        if !isAnswer {
            outcome =
                isRefusal ? .failed("the agent refused to clear its store") : .failed("the agent did not say that it cleared its store")
        }
        conclude(into: &actions)
    }
}
