/// Which agents may associate, and when. Results of the AARE (docs/PHD.md §3.3) and their reasons: 0, 3 accepted, the configuration known
/// or not; 4, 5, 8 from `PHDAssociationRequest.read`; 1, 7 the options `unwanted` and `agents`; 2 earlier readings are not yet stored; 6 an
/// agent without a usable configuration, several times in a row.
extension PHDSession {
    /// How long an AARQ waits for the sinks before it is refused: half of the agent's TOassoc. Policy.
    static let admissionTimeout = Duration.seconds(5)

    mutating func receiveRequest(_ apdu: Span<UInt8>, into actions: inout SessionActions) {
        switch PHDAssociationRequest.read(apdu) {
        case .failure(.result(let result)):
            refuse(result, "an agent asked for an association that cannot be accepted", into: &actions)
        case .success(let found):
            if !isPassive, let (result, why) = objection(to: found.deviceID) { return refuse(result, why, into: &actions) }
            if !isPassive, !state.isAssociated, confirmations.isCommitOutstanding {
                // If accepted, it would repeat what the sinks have not stored, time out, and return, endlessly.
                association.hold(found)
                return actions.arm(.admission, Self.admissionTimeout)
            }
            admit(found, into: &actions)
        }
    }

    private func objection(to device: String) -> (result: UInt16, why: String)? {
        if let objection = options.objection(to: device) { return objection }
        guard configurations.isUseless(device) else { return nil }
        return (PHDAssociationRequest.rejectedUnknown, "agent \(device) has no configuration this program can use")
    }

    private mutating func refuse(_ result: UInt16, _ why: String, into actions: inout SessionActions) {
        actions.note("\(why); it is refused (result \(result))")
        progress.noteRefusal(result)
        perform(.requestUnacceptable, result: result, into: &actions)
    }

    private mutating func admit(_ found: PHDAssociationRequest, into actions: inout SessionActions) {
        association.begin(found)
        // Within an association the waiting readings are the former agent's; the new one is identified afterwards.
        if !state.isAssociated { identify(into: &actions) }
        perform(known(found) == nil ? .requestUnknown : .requestKnown, into: &actions)
    }

    mutating func admitApplicant(into actions: inout SessionActions) {
        guard !confirmations.isCommitOutstanding, let found = association.takeApplicant() else { return }
        actions.disarm(.admission)
        admit(found, into: &actions)
    }

    /// The sinks are still busy: the agent keeps its data and asks again later.
    mutating func turnApplicantAway(into actions: inout SessionActions) {
        guard association.takeApplicant() != nil else { return }
        let result = PHDAssociationRequest.rejectedTransient
        actions.warn("earlier readings are not stored yet, so the agent is asked to come later (result \(result))")
        perform(.requestUnacceptable, result: result, into: &actions)
    }

    /// Another APDU came: the agent no longer waits for an AARE.
    @inline(__always)
    mutating func forgetApplicant(into actions: inout SessionActions) {
        if association.takeApplicant() != nil { actions.disarm(.admission) }
    }

    /// Identifies the present agent. Incomplete readings of another one cannot be completed by it.
    mutating func identify(into actions: inout SessionActions) {
        guard let identity = association.newAgent() else { return }
        reports.joiner = PHDJoiner()
        actions.append(.identify(identity))
    }

    /// The built-in or remembered configuration named by an AARQ.
    func known(_ request: PHDAssociationRequest) -> PHDConfiguration? {
        options.asksConfiguration ? nil : configurations.known(request.configurationID, key: request.memoryKey(request.configurationID))
    }
}
