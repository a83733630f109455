extension PHDSession {
    /// Handles a sent APDU. Our own have already counted; others show that another manager holds the conversation.
    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        if echoes.isEcho(confirmations: bytes) { return }
        var offset = 0
        while let head = bytes.span.bigEndian32(offset), offset &+ 4 &+ Int(head & 0xFFFF) <= bytes.count {
            let range = offset..<(offset &+ 4 &+ Int(head & 0xFFFF))
            offset = range.upperBound
            // Confirmations of observations do not affect the state.
            if Self.isConfirmation(bytes.span.extracting(range)) { continue }
            let apdu = Array(bytes[range])
            if !command.isObserver {
                if echoes.isEcho(apdu) { continue }
                becomeObserver(into: &actions)
            }
            follow(apdu, into: &actions)
        }
    }

    private static func isConfirmation(_ apdu: Span<UInt8>) -> Bool {
        apdu.bigEndian16(0) == PHDChoice.presentation && apdu.bigEndian16(8) == PHDMessage.eventReportResult
            && apdu.bigEndian16(18) != PHDEvent.configuration
    }

    private mutating func becomeObserver(into actions: inout SessionActions) {
        command.observe()
        echoes.removeAll()
        requests.removeAll()
        stores.endTransfer()
        for timer in Self.timers where timer != .overall && timer != .poll && timer != .holdOff { actions.disarm(timer) }
    }

    private mutating func follow(_ apdu: [UInt8], into actions: inout SessionActions) {
        guard let choice = apdu.span.bigEndian16(0) else { return }
        switch choice {
        case PHDChoice.associationResponse: followAssociation(apdu.span.bigEndian16(4), into: &actions)
        case PHDChoice.releaseRequest: if state.isAssociated { move(to: .disassociating, into: &actions) }
        case PHDChoice.releaseResponse: if state != .disassociating { move(to: .unassociated, into: &actions) }
        case PHDChoice.abort: move(to: .unassociated, into: &actions)
        case PHDChoice.presentation:
            guard apdu.span.bigEndian16(8) == PHDMessage.eventReportResult else { return requests.note(apdu) }
            guard let result = apdu.span.bigEndian16(24), let offer = configurations.takeOffer(apdu.span.bigEndian16(6)) else { return }
            if result == 0 { accept(offer, into: &actions) }
        default: break
        }
    }

    private mutating func followAssociation(_ result: UInt16?, into actions: inout SessionActions) {
        let isKnown = result == PHDAssociationRequest.accepted
        guard isKnown || result == PHDAssociationRequest.acceptedUnknownConfiguration else {
            return move(to: .unassociated, into: &actions)
        }
        if state.isAssociated { move(to: .unassociated, into: &actions) }
        identify(into: &actions)
        move(to: isKnown ? .operating : .waitingForConfiguration, into: &actions)
        guard isKnown, let request = association.request else { return }
        let configuration = known(request)
        if configuration == nil {
            actions.warn("the other manager knew configuration \(request.configurationID); this program does not")
        }
        adopt(configuration ?? PHDConfiguration(), request.configurationID, isFresh: false, into: &actions)
    }
}
