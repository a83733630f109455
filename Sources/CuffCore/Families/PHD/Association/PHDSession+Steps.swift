/// The manager's requests in Operating, one after another: MDS attributes; then, to follow, read or clear, every PM-store: its attributes,
/// its segments, the transfer of each; then the command itself. The clock is set last, because stored stamps are in the old clock, and only
/// after its time was read. Unanswered requests are skipped: an agent that ignores GET or SET_TIME still sends readings [R].
extension PHDSession {
    mutating func advance(into actions: inout SessionActions) {
        guard state == .operating, !isPassive, !isFinished, requests.isEmpty else { return }
        if streams.areStopping { return stopNext(into: &actions) }
        guard stores.isIdle else { return }
        if !agent.isAsked { return askFacts(into: &actions) }
        if options.startsScanners, let handle = streams.nextToStart(of: configurations.current.scanners) {
            return ask(into: &actions) { PHDManagerAPDU.scanner(invoke: $0, handle: handle, isOn: true) }
        }
        if let dataRequest = options.dataRequest, let request = association.request, streams.requestsData() {
            guard dataRequest.isAllowed(by: request) else {
                actions.note("the agent says that it does not take such a data request")
                return advance(into: &actions)
            }
            if dataRequest.needsStop(request) { streams.dataRequestRuns() }
            return ask(into: &actions) { dataRequest.apdu(invoke: $0, starts: true) }
        }
        if command.wantsStores, let step = stores.next(user: command.user) { return askStore(step, into: &actions) }
        conclude(into: &actions)
    }

    /// In Operating; with the option `attributes` also before the configuration came, as Antidote's manager does [R].
    mutating func askFacts(into actions: inout SessionActions) {
        agent.noteAsked()
        ask(into: &actions) { PHDManagerAPDU.get(invoke: $0, handle: 0) }
    }

    /// Sends a request. An agent may handle only one at a time.
    mutating func ask(
        within limit: Duration = PHDSession.requestTimeout, into actions: inout SessionActions,
        _ apdu: (_ invoke: UInt16) -> [UInt8]
    ) {
        let bytes = apdu(requests.number())
        requests.note(bytes)
        write(bytes, into: &actions)
        actions.arm(.response, limit)
    }

    mutating func conclude(into actions: inout SessionActions) {
        guard state == .operating, !isPassive, requests.isEmpty, !stores.isTransferring, !isCommitDue else { return }
        switch goal {
        case .follow: return
        case .memory: if stores.isEmpty { return } else { command.outcome = command.outcome ?? stores.outcome }
        case .information: command.outcome = agent.facts == nil ? .noAnswer("the agent did not describe itself") : .complete
        case .clock: command.outcome = agent.facts?.clock == nil ? .unsupported("this agent does not give its time") : .complete
        case .setClock(let time): if command.outcome == nil { return setClock(time, into: &actions) }
        case .clear: if command.outcome == nil, clearNext(into: &actions) { return }
        }
        letGo(into: &actions)
    }

    mutating func complete(
        _ request: PHDRequest, _ message: UInt16, _ apdu: Span<UInt8>, into actions: inout SessionActions
    ) {
        let isRefusal = message == PHDMessage.error || message == PHDMessage.rejection
        let isAnswer = !isRefusal && request.isAnswered(by: message, apdu)
        if !isAnswer, !isRefusal {
            actions.warn("the agent answered with the result of another request; the answer is ignored")
        }
        if isRefusal {
            let code = apdu.bigEndian16(12) ?? 0
            actions.note("the agent refused a request (\(message == PHDMessage.error ? "error" : "rejection") \(code))")
        }
        if isAnswer, request.isAboutStore { stores.noteAnswer() }
        switch request.kind {
        case .facts: if isAnswer { receiveFacts(apdu, into: &actions) }
        case .store(let handle): stores.describe(handle, isAnswer ? apdu : apdu.extracting(0..<0))
        case .segments(let handle): receiveSegments(isAnswer ? apdu : apdu.extracting(0..<0), handle, into: &actions)
        case .trigger(let handle, let instance):
            let result = isAnswer && apdu.bigEndian16(18) == instance ? apdu.bigEndian16(20) : nil
            if let place = stores.place(handle, instance) { receiveTrigger(place, result, into: &actions) }
        case .clear(let handle): receiveClearance(handle, isAnswer, isRefusal: isRefusal, into: &actions)
        case .setTime: receiveSetTime(isAnswer, isRefusal: isRefusal, into: &actions)
        case .data: if isAnswer { receiveData(apdu, request.invoke, into: &actions) }
        case .scanner(let handle): if !isAnswer { streams.scannerFailed(handle) }
        case .other: break
        }
    }

    /// DataResponse: off 18 u32 time, 22 u16 result, 24 u16 event type, 26 u16 length, 28 the report.
    private mutating func receiveData(_ apdu: Span<UInt8>, _ invoke: UInt16, into actions: inout SessionActions) {
        guard let result = apdu.bigEndian16(22), let event = apdu.bigEndian16(24), let length = apdu.bigEndian16(26) else { return }
        guard result == 0 else {
            streams.dataRequestFailed()
            return actions.note("the agent does not give data on request (result \(result))")
        }
        guard length > 0, let shape = PHDEvent.shape(event), 28 + Int(length) == apdu.count, let handle = apdu.bigEndian16(12)
        else { return }
        let head = PHDReportHead(info: 28, invoke: invoke, handle: handle, event: event, isConfirmed: false)
        receiveObservations(apdu, head, shape, into: &actions)
    }
}
