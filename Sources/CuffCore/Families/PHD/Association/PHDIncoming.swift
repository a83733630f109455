/// What arrives from the agent, sorted into the table's events.
///
/// PRST   off 4 u16 octet-string length, 6 u16 invoke-id, 8 u16 message, 10 u16 length, 12 body
extension PHDSession {
    mutating func take(_ apdu: Span<UInt8>, into actions: inout SessionActions) {
        if processesReports, form.recognises(apdu), let invoke = apdu.bigEndian16(6) {
            noteProof(into: &actions)
            if case .some = applicant { forgetApplicant(into: &actions) }
            emitObservations(apdu, Self.reportInfo, invoke, form.handle, form.event, form.isConfirmed, into: &actions)
        } else {
            takeOther(apdu, into: &actions)
        }
    }

    /// What has not the form of the last report.
    @inline(never)
    private mutating func takeOther(_ apdu: Span<UInt8>, into actions: inout SessionActions) {
        guard apdu.count >= 4, let choice = apdu.bigEndian16(0), let length = apdu.bigEndian16(2) else {
            actions.append(.report(.skipped(bytes: apdu.count, .notAStart)))
            return perform(.violation, into: &actions)
        }
        if apdu[0] == 0x50 { return }  // a PHDC preamble: it frames transfers, which a byte stream has none of
        guard apdu.count == 4 + Int(length) else {
            actions.append(.report(.skipped(bytes: apdu.count, .badLength)))
            return perform(length > PHDFrame.largestBody ? .oversize : .violation, into: &actions)
        }
        // Any APDU after a confirmation, except ABRT, shows that the agent received it.
        if choice != PHDChoice.abort, choice != PHDChoice.associationRequest { noteProof(into: &actions) }
        // These two show that it knows of the end; anything else, that it may not.
        if doubtsAbort, choice == PHDChoice.abort || choice == PHDChoice.associationRequest {
            doubtsAbort = false
            actions.append(.disarm(.lostAbort))
        }
        forgetApplicant(into: &actions)
        switch choice {
        case PHDChoice.presentation: takePresentation(apdu, into: &actions)
        case PHDChoice.associationRequest: takeRequest(apdu, into: &actions)
        case PHDChoice.associationResponse: perform(.associationResponse, into: &actions)
        case PHDChoice.releaseRequest: perform(.releaseRequest, into: &actions)
        case PHDChoice.releaseResponse: perform(.releaseResponse, into: &actions)
        default: perform(.abort, into: &actions)
        }
    }

    private mutating func takePresentation(_ apdu: Span<UInt8>, into actions: inout SessionActions) {
        guard let invoke = apdu.bigEndian16(6) else { return perform(.unreadable, into: &actions) }
        guard let whole = Self.dataAPDU(apdu), let message = apdu.bigEndian16(8) else {
            // To an answer of the agent nothing can be answered; the request it belongs to has failed.
            if let message = apdu.bigEndian16(8), message >= 0x0200, message <= PHDMessage.rejection {
                return takeAnswer(apdu, invoke, message, isWhole: false, into: &actions)
            }
            return refuseStructure(invoke, into: &actions)
        }
        if whole < apdu.count { actions.append(.report(.ignored("the same data again within its APDU", apdu.part(whole, 12)))) }
        takeData(apdu.extracting(0..<whole), invoke, message, into: &actions)
    }

    /// Where the data APDU ends: at the end of the APDU, or where it is repeated. An A&D scale was recorded with its
    /// report twice in one PRST, under one invoke-id [D]; that is the same invocation, and has one answer.
    @inline(__always)
    static func dataAPDU(_ apdu: Span<UInt8>) -> Int? {
        guard let inner = apdu.bigEndian16(4), let length = apdu.bigEndian16(10), Int(length) &+ 6 == Int(inner) else { return nil }
        let end = 6 &+ Int(inner)
        return end == apdu.count || isRepeated(apdu, end) ? end : nil
    }

    @inline(never)
    private static func isRepeated(_ apdu: Span<UInt8>, _ end: Int) -> Bool {
        guard let again = apdu.bigEndian16(end), end + 2 + Int(again) == apdu.count, apdu.bigEndian16(end + 2) == apdu.bigEndian16(6),
            apdu.bigEndian16(end + 4) == apdu.bigEndian16(8), let rest = apdu.bigEndian16(end + 6), Int(rest) + 6 == Int(again)
        else { return false }
        return true
    }

    @inline(__always)
    private mutating func takeData(
        _ apdu: Span<UInt8>, _ invoke: UInt16, _ message: UInt16, into actions: inout SessionActions
    ) {
        switch message {
        case PHDMessage.confirmedEventReport: takeReport(apdu, invoke, isConfirmed: true, into: &actions)
        case PHDMessage.eventReport: takeReport(apdu, invoke, isConfirmed: false, into: &actions)
        case PHDMessage.get...PHDMessage.confirmedAction: perform(.invocation, invoke: invoke, into: &actions)
        case PHDMessage.eventReportResult, PHDMessage.getResult, PHDMessage.setResult, PHDMessage.actionResult,
            PHDMessage.error, PHDMessage.rejection:
            takeAnswer(apdu, invoke, message, isWhole: true, into: &actions)
        default: perform(.unknownMessage, invoke: invoke, into: &actions)
        }
    }

    mutating func refuseStructure(_ invoke: UInt16, into actions: inout SessionActions) {
        actions.append(.report(.note("an APDU whose lengths disagree gives no reading")))
        perform(.badlyStructured, invoke: invoke, into: &actions)
    }

    private mutating func takeAnswer(
        _ apdu: Span<UInt8>, _ invoke: UInt16, _ message: UInt16, isWhole: Bool, into actions: inout SessionActions
    ) {
        guard let index = pending.firstIndex(where: { $0.invoke == invoke }) else {
            if state == .operating {
                actions.append(.report(.note("the agent answered a request that was never sent (invoke-id \(invoke))")))
            }
            return perform(.strayAnswer, invoke: invoke, into: &actions)
        }
        guard let row = PHDStateTable.row(state, .answer), row.act == .complete else {
            return perform(.answer, invoke: invoke, into: &actions)
        }
        let request = pending.remove(at: index)
        if !isForeign { actions.append(.disarm(.response)) }
        noteStep(into: &actions)
        complete(request, isWhole ? message : PHDMessage.rejection, apdu, into: &actions)
        advance(into: &actions)
    }
}
