/// What went to the agent, whoever wrote it.
extension PHDSession {
    /// Live and in a recording of one side, what comes back is what this session wrote, and has already counted. An
    /// APDU that it did not write makes the conversation another manager's: from there on the state follows it.
    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        if let first = confirmations.first, first == bytes {
            confirmations.removeFirst()
            return
        }
        var offset = 0
        while let head = bytes.span.bigEndian32(offset), offset &+ 4 &+ Int(head & 0xFFFF) <= bytes.count {
            let range = offset..<(offset &+ 4 &+ Int(head & 0xFFFF))
            offset = range.upperBound
            // Confirmations of observations change nothing, whoever wrote them.
            if Self.isConfirmation(bytes.span.extracting(range)) { continue }
            let apdu = Array(bytes[range])
            if !isForeign, let index = expected.firstIndex(of: apdu) {
                expected.removeFirst(index + 1)
                continue
            }
            if !isForeign { becomeForeign(into: &actions) }
            follow(apdu, into: &actions)
        }
    }

    /// RORS to a scan report or a segment event.
    private static func isConfirmation(_ apdu: Span<UInt8>) -> Bool {
        apdu.bigEndian16(0) == PHDChoice.presentation && apdu.bigEndian16(8) == PHDMessage.eventReportResult
            && apdu.bigEndian16(18) != PHDEvent.configuration
    }

    private mutating func becomeForeign(into actions: inout SessionActions) {
        isForeign = true
        expected.removeAll()
        pending.removeAll()
        transfer = nil
        isRetrying = false
        for timer in Self.timers where timer != .overall && timer != .poll && timer != .holdOff { actions.append(.disarm(timer)) }
    }

    private mutating func follow(_ apdu: [UInt8], into actions: inout SessionActions) {
        guard let choice = apdu.span.bigEndian16(0) else { return }
        switch choice {
        case PHDChoice.associationResponse: followAssociation(apdu.span.bigEndian16(4), into: &actions)
        case PHDChoice.releaseRequest: if state.isAssociated { move(to: .disassociating, into: &actions) }
        case PHDChoice.releaseResponse: if state != .disassociating { move(to: .unassociated, into: &actions) }
        case PHDChoice.abort: move(to: .unassociated, into: &actions)
        case PHDChoice.presentation: followPresentation(apdu, into: &actions)
        default: break
        }
    }

    private mutating func followAssociation(_ result: UInt16?, into actions: inout SessionActions) {
        switch result {
        case PHDAssociationRequest.accepted:
            if state.isAssociated { move(to: .unassociated, into: &actions) }
            identify(into: &actions)
            move(to: .operating, into: &actions)
            guard let request else { return }
            if let configuration = known(request) {
                adopt(configuration, request.configurationID, isFresh: false, into: &actions)
            } else {
                actions.append(.report(.warning("the other manager knew configuration \(request.configurationID); this program does not")))
                adopt(PHDConfiguration(), request.configurationID, isFresh: false, into: &actions)
            }
        case PHDAssociationRequest.acceptedUnknownConfiguration:
            if state.isAssociated { move(to: .unassociated, into: &actions) }
            identify(into: &actions)
            move(to: .waitingForConfiguration, into: &actions)
        default: move(to: .unassociated, into: &actions)
        }
    }

    private mutating func followPresentation(_ apdu: [UInt8], into actions: inout SessionActions) {
        switch apdu.span.bigEndian16(8) {
        case PHDMessage.eventReportResult:
            guard offer?.invoke == apdu.span.bigEndian16(6), let result = apdu.span.bigEndian16(24) else { return }
            if result == 0 { acceptOffer(into: &actions) } else { offer = nil }
        default: remember(apdu)
        }
    }
}
