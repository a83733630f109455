/// Sorts received APDUs into the table's events.
/// PRST   off 4 u16 octet-string length, 6 u16 invoke-id, 8 u16 message, 10 u16 length, 12 body
extension PHDSession {
    @inline(__always)
    mutating func receive(_ apdu: Span<UInt8>, into actions: inout SessionActions) {
        if !receiveRepeatedReport(apdu, into: &actions) { receiveOther(apdu, into: &actions) }
    }

    @inline(never)
    private mutating func receiveOther(_ apdu: Span<UInt8>, into actions: inout SessionActions) {
        guard apdu.count >= 4, let choice = apdu.bigEndian16(0), let length = apdu.bigEndian16(2) else {
            actions.append(.report(.skipped(bytes: apdu.count, .notAStart)))
            return perform(.violation, into: &actions)
        }
        if apdu[0] == 0x50 { return }  // a PHDC preamble, which a byte stream does not need
        guard apdu.count == 4 + Int(length) else {
            actions.append(.report(.skipped(bytes: apdu.count, .badLength)))
            return perform(length > PHDFrame.largestBody ? .oversize : .violation, into: &actions)
        }
        if choice == PHDChoice.abort || choice == PHDChoice.associationRequest {
            // The agent knows of the end; after other APDUs it may not.
            if association.clearAbort() { actions.disarm(.lostAbort) }
        } else {
            noteProof(into: &actions)
        }
        forgetApplicant(into: &actions)
        switch choice {
        case PHDChoice.presentation: receivePresentation(apdu, into: &actions)
        case PHDChoice.associationRequest: receiveRequest(apdu, into: &actions)
        case PHDChoice.associationResponse: perform(.associationResponse, into: &actions)
        case PHDChoice.releaseRequest: perform(.releaseRequest, into: &actions)
        case PHDChoice.releaseResponse: perform(.releaseResponse, into: &actions)
        default: perform(.abort, into: &actions)
        }
    }

    private mutating func receivePresentation(_ apdu: Span<UInt8>, into actions: inout SessionActions) {
        guard let invoke = apdu.bigEndian16(6) else { return perform(.unreadable, into: &actions) }
        guard let whole = Self.dataAPDU(apdu), whole == apdu.count || isRepeated(apdu, whole), let message = apdu.bigEndian16(8) else {
            // The request of a damaged answer has failed.
            if let message = apdu.bigEndian16(8), message >= 0x0200, message <= PHDMessage.rejection {
                return receiveAnswer(apdu, invoke, message, isWhole: false, into: &actions)
            }
            return refuseStructure(invoke, into: &actions)
        }
        if whole < apdu.count { actions.ignore("the same data again within its APDU", apdu.part(whole, 12)) }
        let apdu = apdu.extracting(0..<whole)
        switch message {
        case PHDMessage.confirmedEventReport: receiveReport(apdu, invoke, isConfirmed: true, into: &actions)
        case PHDMessage.eventReport: receiveReport(apdu, invoke, isConfirmed: false, into: &actions)
        case PHDMessage.get...PHDMessage.confirmedAction: perform(.invocation, invoke: invoke, into: &actions)
        case PHDMessage.eventReportResult, PHDMessage.getResult, PHDMessage.setResult, PHDMessage.actionResult,
            PHDMessage.error, PHDMessage.rejection:
            receiveAnswer(apdu, invoke, message, isWhole: true, into: &actions)
        default: perform(.unknownMessage, invoke: invoke, into: &actions)
        }
    }

    /// The end of the data APDU: that of the APDU, or where it is repeated. An A&D scale was recorded with its report twice in one PRST,
    /// under one invoke-id [D]; that is one invocation, with one answer.
    static func dataAPDU(_ apdu: Span<UInt8>) -> Int? {
        guard let inner = apdu.bigEndian16(4), let length = apdu.bigEndian16(10), Int(length) + 6 == Int(inner) else { return nil }
        let end = 6 + Int(inner)
        if end == apdu.count { return end }
        guard let again = apdu.bigEndian16(end), end + 2 + Int(again) == apdu.count, apdu.bigEndian16(end + 2) == apdu.bigEndian16(6),
            apdu.bigEndian16(end + 4) == apdu.bigEndian16(8), let rest = apdu.bigEndian16(end + 6), Int(rest) + 6 == Int(again)
        else { return nil }
        return end
    }

    /// Whether the data at `place` are those before it again, or a report of the same measurements: that scale's last weight had another
    /// unit and number in the second one. Other measurements would be lost, because there is only one confirmation.
    private func isRepeated(_ apdu: Span<UInt8>, _ place: Int) -> Bool {
        let first = apdu.extracting(0..<place)
        // With its fields at the same offsets.
        let second = apdu.extracting((place - 4)..<apdu.count)
        if first.part(4, first.count - 4) == second.part(4, second.count - 4) { return true }
        let start = PHDReportHead.usualInfo + 4
        guard first.count >= start, second.count >= start, let handle = first.bigEndian16(12), handle == second.bigEndian16(12),
            let event = first.bigEndian16(18), event == second.bigEndian16(18), let shape = PHDEvent.shape(event)
        else { return false }
        let scanner = configurations.current.scanners.firstIndex { $0.handle == handle }
        var (ones, others): ([PHDObservation], [PHDObservation]) = ([], [])
        return PHDReport.read(shape, configurations.current, scanner: scanner, first, start, first.count, into: &ones)
            && PHDReport.read(shape, configurations.current, scanner: scanner, second, start, second.count, into: &others)
            && ones.count == others.count
            && zip(ones, others).allSatisfy {
                $0.handle == $1.handle && $0.person == $1.person && $0.stamp == $1.stamp && $0.stamp.tellsSeconds
            }
    }

    mutating func refuseStructure(_ invoke: UInt16, into actions: inout SessionActions) {
        actions.note("an APDU whose lengths disagree gives no reading")
        perform(.badlyStructured, invoke: invoke, into: &actions)
    }

    private mutating func receiveAnswer(
        _ apdu: Span<UInt8>, _ invoke: UInt16, _ message: UInt16, isWhole: Bool, into actions: inout SessionActions
    ) {
        guard requests.contains(invoke) else {
            if state == .operating { actions.note("the agent answered a request that was never sent (invoke-id \(invoke))") }
            return perform(.strayAnswer, invoke: invoke, into: &actions)
        }
        guard PHDStateTable.row(state, .answer)?.act == .complete, let request = requests.take(invoke) else {
            return perform(.answer, invoke: invoke, into: &actions)
        }
        if !command.isObserver { actions.disarm(.response) }
        noteStep(into: &actions)
        complete(request, isWhole ? message : PHDMessage.rejection, apdu, into: &actions)
        advance(into: &actions)
    }
}
