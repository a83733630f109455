/// Which agents may associate, and when: everything between an AARQ and the table's row for it.
///
/// Results of the AARE (docs/PHD.md §3.3) and what leads to them here:
/// 0, 3 accepted, the configuration known or not; 4, 5, 8 what `PHDAssociationRequest.read` found; 1, 7 what the options
/// `unwanted` and `agents` say; 2 the sinks have not yet stored what came before; 6 an agent none of whose
/// configurations was of use, again and again.
extension PHDSession {
    /// How long an AARQ waits for the sinks before it is refused: half of the agent's own TOassoc. Policy.
    static let admissionTimeout = Duration.seconds(5)
    /// Associations that came to nothing because no configuration was of use, before the next one is refused. Policy: each
    /// costs the agent's battery `offerLimit` offers, and none brings a reading.
    static let uselessLimit = 3
    /// Agents counted for that; a line has one.
    private static let uselessCeiling = 64

    mutating func takeRequest(_ apdu: Span<UInt8>, into actions: inout SessionActions) {
        switch PHDAssociationRequest.read(apdu) {
        case .failure(.result(let result)):
            refuse(result, "an agent asked for an association that cannot be", into: &actions)
        case .success(let found):
            if !isPassive, let (result, why) = objection(to: found) { return refuse(result, why, into: &actions) }
            if !isPassive, !state.isAssociated, committed < emitted {
                // Accepted, it would send again what the sinks have not yet taken, time out, and come back, for ever.
                applicant = found
                return actions.append(.arm(.admission, Self.admissionTimeout))
            }
            admit(found, into: &actions)
        }
    }

    private func objection(to found: PHDAssociationRequest) -> (result: UInt16, why: String)? {
        if unwanted.contains(found.deviceID) {
            return (PHDAssociationRequest.rejectedPermanent, "agent \(found.deviceID) is among those named in the option unwanted")
        }
        if !allowed.isEmpty, !allowed.contains(found.deviceID) {
            return (PHDAssociationRequest.unauthorized, "agent \(found.deviceID) is not among those named in the option agents")
        }
        if useless[found.deviceID, default: 0] >= Self.uselessLimit {
            return (PHDAssociationRequest.rejectedUnknown, "agent \(found.deviceID) has no configuration this program can use")
        }
        return nil
    }

    private mutating func refuse(_ result: UInt16, _ why: String, into actions: inout SessionActions) {
        actions.append(.report(.note("\(why); it is refused (result \(result))")))
        effort.refusal = result
        perform(.requestUnacceptable, result: result, into: &actions)
    }

    private mutating func admit(_ found: PHDAssociationRequest, into actions: inout SessionActions) {
        request = found
        // Within an association the readings that still wait are the former agent's; it is named when it is done.
        if !state.isAssociated { identify(into: &actions) }
        perform(known(found) == nil ? .requestUnknown : .requestKnown, into: &actions)
    }

    /// Everything that was emitted is on disk now.
    mutating func admitApplicant(into actions: inout SessionActions) {
        guard let found = applicant, committed >= emitted else { return }
        forgetApplicant(into: &actions)
        admit(found, into: &actions)
    }

    /// The sinks are still not done: the agent keeps its data and asks again later.
    mutating func turnApplicantAway(into actions: inout SessionActions) {
        guard applicant != nil else { return }
        applicant = nil
        let result = PHDAssociationRequest.rejectedTransient
        actions.append(
            .report(.warning("the sinks have not stored what came before, so the agent is asked to come later (result \(result))")))
        perform(.requestUnacceptable, result: result, into: &actions)
    }

    /// Whatever the agent says next, it no longer waits for that answer.
    mutating func forgetApplicant(into actions: inout SessionActions) {
        guard applicant != nil else { return }
        applicant = nil
        actions.append(.disarm(.admission))
    }

    /// The association that ends had configurations, and none of use.
    mutating func noteUsefulness() {
        guard let device = request?.deviceID else { return }
        if !configuration.objects.isEmpty || !configuration.stores.isEmpty {
            useless[device] = nil
        } else if offers > 0, useless.count < Self.uselessCeiling || useless[device] != nil {
            useless[device, default: 0] += 1
        }
    }

    /// Names the agent whose readings come now. What waited of another one cannot be completed by this one.
    mutating func identify(into actions: inout SessionActions) {
        guard let request, request.systemID != identified else { return }
        identified = request.systemID
        joiner = PHDJoiner()
        actions.append(.identify(DeviceIdentity(id: request.deviceID)))
    }

    /// The configuration that an AARQ names, where it is built in or remembered.
    func known(_ request: PHDAssociationRequest) -> PHDConfiguration? {
        let key = request.memoryKey(request.configurationID)
        guard !asksConfiguration, !mistrusted.contains(key) else { return nil }
        if let bytes = memory[key], let configuration = PHDConfiguration(bytes), configuration.isUsable { return configuration }
        return PHDStandardConfiguration.configuration(request.configurationID)
    }
}
