/// A complete agent: a blood-pressure cuff that associates, sends its configuration on request, pushes its records or keeps them in a
/// PM-store, and gives up and returns by the standard's timers. Its options are the driver's `simulatorOptions`.
struct PHDSimulator: CuffSimulator {
    enum State { case closed, unassociated, associating, configuring, operating, releasing }

    let script: SimulatorScript
    let cuff: PHDSimulatedCuff
    private var reader = FrameReader(PHDFrame())
    private(set) var state = State.closed
    private(set) var unsent: [SimulatedRecord]
    var segments: [[SimulatedRecord]]
    var clock: DeviceTime
    var invoke: UInt16 = 1
    private var awaited: UInt16?
    private var awaitedEvent: UInt16?
    private var reportNumber: UInt16 = 0
    /// Reports of the batch being sent: two if pressures and pulses are separate.
    private var reports: [[UInt8]] = []
    private var inBatch = 0
    var transfer: (segment: Int, index: Int)?
    private var attempts = 0
    private var offered = 0
    private var ended = 0

    init(_ script: SimulatorScript) {
        self.script = script
        cuff = PHDSimulatedCuff(script.options)
        clock = script.clock
        unsent = cuff.hasStore || !script.pushes ? [] : script.records
        segments = []
        if cuff.hasStore {
            let users = cuff.hasPersons ? Array(Set(script.records.map(\.user))).sorted() : [0]
            segments = users.map { user in script.records.filter { user == 0 || $0.user == user } }
        }
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        var actions: [SimulatorAction] = []
        switch event {
        case .opened:
            state = .unassociated
            associate(into: &actions)
        case .received(let bytes): receive(bytes, into: &actions)
        case .timerFired(let timer): timeOut(timer, into: &actions)
        case .closed: leave(.closed, into: &actions)
        case .receivedFeature: break
        }
        return actions
    }

    private mutating func receive(_ bytes: [UInt8], into actions: inout [SimulatorAction]) {
        reader.feed(bytes)
        while let step = reader.next() {
            guard case .frame(let range) = step else { continue }
            let apdu = Array(reader.buffer[range])
            take(apdu, into: &actions)
            reader.format.isAssociated = state == .configuring || state == .operating || state == .releasing
        }
        actions.append(reader.waiting > 0 ? .arm(.silence, .seconds(3)) : .disarm(.silence))
    }

    private mutating func associate(into actions: inout [SimulatorAction]) {
        state = .associating
        attempts += 1
        actions += [.write(cuff.associationRequest), .arm(.response, .seconds(10))]  // TOassoc
    }

    private mutating func leave(_ next: State, into actions: inout [SimulatorAction]) {
        state = next
        reader.format.isAssociated = false
        _ = reader.discard()
        awaited = nil
        reports = []
        transfer = nil
        offered = 0
        reportNumber = 0
        actions += [.disarm(.response), .disarm(.poll)]
    }

    /// The association ended without failure. A cuff that is used again associates on the same line.
    private mutating func conclude(_ note: String, into actions: inout [SimulatorAction]) {
        leave(.unassociated, into: &actions)
        ended += 1
        actions.append(.note(note))
        if ended < cuff.associations { actions.append(.arm(.overall, script.interval)) }
    }

    private var reserved: Int {
        script.pushes && !cuff.hasStore ? script.records.count * max(0, cuff.associations - ended - 1) / cuff.associations : 0
    }

    /// Everything is sent: release, or ABRT if the options ask for it.
    private mutating func end(into actions: inout [SimulatorAction]) {
        if cuff.aborts > 0, (ended + 1) % cuff.aborts == 0 {
            actions.append(.write(PHDManagerAPDU.abort(PHDAbortReason.undefined)))
            return conclude("aborted", into: &actions)
        }
        state = .releasing
        actions += [.write(PHDManagerAPDU.releaseRequest()), .arm(.response, .seconds(3))]
    }

    /// Gives up this association and returns later with the unconfirmed records.
    private mutating func giveUp(_ reason: UInt16?, into actions: inout [SimulatorAction]) {
        if let reason { actions.append(.write(PHDManagerAPDU.abort(reason))) }
        leave(.unassociated, into: &actions)
        actions += [.arm(.overall, script.interval), .note("association given up; coming back")]
    }

    private mutating func timeOut(_ timer: TimerID, into actions: inout [SimulatorAction]) {
        switch (timer, state) {
        case (.overall, .unassociated): associate(into: &actions)
        case (.response, .associating):
            // RCassoc: three tries, then the link is left alone.
            if attempts % 3 == 0 {
                giveUp(nil, into: &actions)
            } else {
                associate(into: &actions)
            }
        case (.response, .configuring): giveUp(PHDAbortReason.configurationTimeout, into: &actions)
        case (.response, .operating), (.response, .releasing): giveUp(PHDAbortReason.responseTimeout, into: &actions)
        case (.poll, .operating): push(into: &actions)
        // Half an APDU and then nothing: what follows would be taken for its rest.
        case (.silence, _):
            _ = reader.discard()
            if state == .configuring || state == .operating || state == .releasing {
                giveUp(PHDAbortReason.responseTimeout, into: &actions)
            }
        default: break
        }
    }

    private mutating func take(_ apdu: [UInt8], into actions: inout [SimulatorAction]) {
        switch apdu.span.bigEndian16(0) {
        case PHDChoice.associationResponse where state == .associating:
            attempts = 0
            switch apdu.span.bigEndian16(4) {
            case 0: operate(into: &actions)
            case 3:
                state = .configuring
                offer(into: &actions)
            default: conclude("the manager refused the association", into: &actions)
            }
        case PHDChoice.releaseRequest where state != .unassociated && state != .associating:
            actions.append(.write(PHDManagerAPDU.releaseResponse))
            conclude("the manager released", into: &actions)
        case PHDChoice.releaseResponse where state == .releasing:
            conclude("released", into: &actions)
        case PHDChoice.abort where state != .unassociated && state != .closed: giveUp(nil, into: &actions)
        case PHDChoice.presentation where state == .configuring || state == .operating:
            takePresentation(apdu, into: &actions)
        case PHDChoice.associationResponse, PHDChoice.presentation:
            if state == .operating || state == .configuring { giveUp(PHDAbortReason.undefined, into: &actions) }
        default: if state == .operating, apdu.count < 6 { giveUp(PHDAbortReason.undefined, into: &actions) }
        }
    }

    private mutating func takePresentation(_ apdu: [UInt8], into actions: inout [SimulatorAction]) {
        let bytes = apdu.span
        guard let inner = bytes.bigEndian16(4), Int(inner) == apdu.count - 6, let invoke = bytes.bigEndian16(6),
            let message = bytes.bigEndian16(8), let length = bytes.bigEndian16(10), Int(length) == apdu.count - 12
        else { return giveUp(PHDAbortReason.undefined, into: &actions) }
        switch message {
        case PHDMessage.eventReportResult: takeConfirmation(apdu, invoke, into: &actions)
        case PHDMessage.get: answerGet(bytes.bigEndian16(12) ?? 0, invoke, into: &actions)
        case PHDMessage.confirmedAction: answerAction(apdu, invoke, into: &actions)
        case PHDMessage.error, PHDMessage.rejection:
            actions.append(.note("the manager refused a report"))
            giveUp(PHDAbortReason.undefined, into: &actions)
        default: actions.append(.write(PHDManagerAPDU.rejection(invoke: invoke, PHDProblem.unrecognizedOperation)))
        }
    }

    private mutating func takeConfirmation(_ apdu: [UInt8], _ invoke: UInt16, into actions: inout [SimulatorAction]) {
        let event = apdu.span.bigEndian16(18)
        guard invoke == awaited, event == awaitedEvent else { return giveUp(PHDAbortReason.undefined, into: &actions) }
        awaited = nil
        actions.append(.disarm(.response))
        switch event {
        case PHDEvent.configuration:
            if apdu.span.bigEndian16(24) == 0 { return operate(into: &actions) }
            if offered < 2 { return offer(into: &actions) }
            actions.append(.write(PHDManagerAPDU.releaseRequest(1)))
            state = .releasing
            actions.append(.arm(.response, .seconds(3)))
        case PHDEvent.segmentData: segmentConfirmed(apdu.span.bigEndian16(32) ?? 0, into: &actions)
        default:
            reports.removeFirst(min(1, reports.count))
            if reports.isEmpty { unsent.removeFirst(min(inBatch, unsent.count)) }
            actions.append(.arm(.poll, reports.isEmpty ? script.interval : .milliseconds(1)))
        }
    }

    private mutating func operate(into actions: inout [SimulatorAction]) {
        state = .operating
        awaited = nil
        actions += [.disarm(.response), .arm(.poll, script.interval)]
    }

    private mutating func offer(into actions: inout [SimulatorAction]) {
        offered += 1
        let id: UInt16 = cuff.configurationID == 0x02BC && offered == 2 ? cuff.extendedID : cuff.configurationID
        let cuff = self.cuff
        send(into: &actions) { cuff.configurationReport(invoke: $0, id: id) }
        actions.append(.arm(.response, .seconds(10)))  // TOconfig
    }

    mutating func send(into actions: inout [SimulatorAction], _ report: (UInt16) -> [UInt8]) {
        let bytes = report(invoke)
        awaited = invoke
        awaitedEvent = bytes.span.bigEndian16(18)
        actions.append(.write(bytes))
        actions.append(.arm(.response, .seconds(3)))  // TOcer
        invoke &+= 1
    }

    private mutating func push(into actions: inout [SimulatorAction]) {
        guard awaited == nil else { return }
        if reports.isEmpty {
            guard unsent.count > reserved else {
                // An agent with a store waits for requests; others are finished.
                if !cuff.hasStore, cuff.releases { end(into: &actions) }
                return
            }
            inBatch = min(cuff.batch, unsent.count - reserved)
            reports = cuff.reportBodies(Array(unsent.prefix(inBatch)))
        }
        let body = reports[0]
        let number = reportNumber
        reportNumber &+= 1
        guard cuff.confirms else {
            actions.append(.write(cuff.report(invoke: invoke, number: number, body)))
            invoke &+= 1
            reports.removeFirst()
            if reports.isEmpty { unsent.removeFirst(min(inBatch, unsent.count)) }
            actions.append(.arm(.poll, script.interval))
            return
        }
        let cuff = self.cuff
        send(into: &actions) { cuff.report(invoke: $0, number: number, body) }
    }
}
