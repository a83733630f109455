/// Configurations that an agent offers.
extension PHDSession {
    mutating func takeConfiguration(_ apdu: Span<UInt8>, _ invoke: UInt16, into actions: inout SessionActions) {
        guard PHDStateTable.row(state, .configurationReport)?.act == .evaluate else {
            return perform(.configurationReport, invoke: invoke, into: &actions)
        }
        perform(.configurationReport, invoke: invoke, into: &actions)
        guard let id = apdu.bigEndian16(22), let found = PHDConfiguration(apdu.extracting(24..<apdu.count)) else {
            return refuseStructure(invoke, into: &actions)
        }
        offer = Offer(invoke: invoke, id: id, bytes: apdu.part(24, apdu.count), configuration: found)
        if found.isUsable {
            guard !isPassive else { return }
            write(PHDManagerAPDU.configurationResult(invoke: invoke, configuration: id, result: 0), into: &actions)
            acceptOffer(into: &actions)
        } else {
            refuseOffer(invoke, id, found, into: &actions)
        }
    }

    mutating func acceptOffer(into actions: inout SessionActions) {
        guard let accepted = offer, let request else { return }
        offer = nil
        adopt(accepted.configuration, accepted.id, isFresh: true, into: &actions)
        let key = request.memoryKey(accepted.id)
        // Doubted, and spelled out again as it was remembered: then it is so.
        if mistrusted.remove(key) != nil, memory[key] == accepted.bytes { affirmed.insert(key) }
        if memory[key] != accepted.bytes, accepted.bytes.count <= Self.memoryCeiling, memory.count < Self.memoryLimit || memory[key] != nil
        {
            memory[key] = accepted.bytes
            actions.append(.remember(key: key, value: accepted.bytes))
        }
        if isPassive {
            move(to: .operating, into: &actions)
        } else {
            perform(.configurationAccepted, into: &actions)
            noteStep(into: &actions)
            if goal == .follow { actions.append(.arm(.idle, Self.idleTimeout)) }
        }
        advance(into: &actions)
    }

    private mutating func refuseOffer(
        _ invoke: UInt16, _ id: UInt16, _ found: PHDConfiguration, into actions: inout SessionActions
    ) {
        actions.append(.report(.warning("configuration \(id) has no object this program can use")))
        guard !isPassive else { return }
        // An empty standard configuration only names itself; the agent must spell it out (standard-config-unknown).
        let isBare = id < 0x4000 && found.objects.isEmpty
        write(PHDManagerAPDU.configurationResult(invoke: invoke, configuration: id, result: isBare ? 2 : 1), into: &actions)
        perform(.configurationRefused, into: &actions)
        offers += 1
        if offers < Self.offerLimit {
            actions.append(.arm(.configuration, Self.configurationTimeout))
        } else {
            actions.append(.report(.warning("the agent offered \(offers) configurations without a usable one")))
            perform(.release, into: &actions)
        }
    }
}
