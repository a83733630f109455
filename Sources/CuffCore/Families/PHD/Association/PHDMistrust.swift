/// Reports that the configuration does not describe, or describes otherwise than the agent now means.
extension PHDSession {
    /// What no object of the configuration stands for. Handle 0 is the agent itself, which tells that an attribute of its
    /// own has changed. Of anything else a variable report names the values, so they are kept with the metric and unit it
    /// gives, in no partition (docs/PHD.md §11.1); of a fixed one nothing can be known.
    mutating func placeUnknown(
        _ observation: PHDObservation, _ apdu: Span<UInt8>, into actions: inout SessionActions
    ) -> Placement {
        if observation.handle == 0 {
            if !observation.lacksHandle { takeUpdate(apdu, observation.raw, into: &actions) }
            return .done
        }
        if observation.attribute != 0, !observation.isCut {
            let object = PHDConfiguration.Object(
                handle: observation.handle, objectClass: 0, term: observation.ownTerm(apdu), role: .quantity)
            let arrival = PHDArrival(origin: .push, sequence: observation.stamp.ticks, clock: observation.stamp.clock)
            emitted += Self.emitQuantities(observation, object, [], apdu, arrival, into: &actions)
        } else {
            actions.append(
                .report(
                    .ignored(
                        "values of an object that the configuration does not describe",
                        apdu.part(observation.raw.lowerBound, min(observation.raw.count, Self.shownBytes)))))
        }
        return .unknown
    }

    /// Bytes of an observation that a diagnostic shows: two lines.
    static let shownBytes = 32

    /// Objects that the configuration does not have hold nothing up: an agent that may have said more than its standard
    /// configuration does so again in the next report. But the next association begins with being asked.
    mutating func noteUnknown(_ count: Int, into actions: inout SessionActions) {
        let what = "\(count) observation\(count == 1 ? "" : "s") of an object that configuration \(configurationID) does not describe"
        actions.append(.report(.warning(what)))
        guard !isConfigurationFresh, !isPassive, let request, mistrusted.count < Self.memoryLimit else { return }
        mistrusted.insert(request.memoryKey(configurationID))
    }

    // MARK: remembered configurations

    /// The configuration is one that an earlier association spelled out, and the agent can still be asked for it.
    @inline(__always)
    var doubtsMemory: Bool {
        // Not `request != nil`: that copies the request, and this is asked for every report.
        guard isConfigurationRemembered, !isPassive, case .some = request else { return false }
        return true
    }

    /// An agent may have another configuration under the number of a former one. So where a report contradicts what is
    /// remembered, nothing of it is taken, and the agent is asked.
    @inline(never)
    mutating func refusesMemory(_ apdu: Span<UInt8>, into actions: inout SessionActions) -> Bool {
        if form.isOfPairs {
            for index in form.pairs.indices where form.pairs[index].contradictsMemory(apdu) {
                return mistrustConfiguration(1, into: &actions)
            }
            return false
        }
        var unfit = 0
        var known = 0
        for index in form.observations.indices {
            let observation = form.observation(index, apdu)
            if observation.handle == 0 { continue }
            guard observation.object >= 0 else {
                unfit += 1
                continue
            }
            if contradictsMemory(observation, apdu) { return mistrustConfiguration(1, into: &actions) }
            known += 1
        }
        // Nothing of it is known: these are other objects, and not one more.
        return unfit > 0 && known == 0 && mistrustConfiguration(unfit, into: &actions)
    }

    private func contradictsMemory(_ observation: PHDObservation, _ apdu: Span<UInt8>) -> Bool {
        if observation.isCut || observation.hasTrailingBytes || observation.stamp.contradictsMemory { return true }
        let object = configuration.objects[observation.object]
        guard object.role == .pressure else { return false }
        if case .bloodPressure(let pressure) = observation.pressures(apdu, object, configuration.metrics) { return !pressure.fitsItsUnit }
        return false
    }

    /// A configuration that does not fit is not trusted again, and what it could not read is not confirmed: the agent
    /// keeps it, gives up, and is asked for its configuration when it comes back. One that was just spelled out is
    /// doubted twice, for its bytes may have suffered on the way; after that the agent is taken to be what it is.
    @inline(never)
    mutating func mistrustConfiguration(_ undecodable: Int, into actions: inout SessionActions) -> Bool {
        let what = "\(undecodable) observation\(undecodable == 1 ? "" : "s") of an object"
        actions.append(.report(.warning("\(what) that the configuration does not describe")))
        guard doubtConfiguration() else { return false }
        actions.append(.report(.warning("configuration \(configurationID) does not fit what the agent sends; it will be asked for again")))
        abandonsSoon = true
        actions.append(.arm(.retry, .seconds(1)))
        return true
    }

    /// The configuration is asked for in the next association; `false` where that would not help any more.
    mutating func doubtConfiguration() -> Bool {
        guard let request, !isPassive, !isConfigurationFresh || doubts < Self.doubtLimit else { return false }
        let key = request.memoryKey(configurationID)
        if isConfigurationFresh, !mistrusted.contains(key) { doubts += 1 }
        if mistrusted.count < Self.memoryLimit { mistrusted.insert(key) }
        return true
    }
}

extension PHDStamp {
    @inline(__always)
    var contradictsMemory: Bool {
        switch clock {
        case .impossible: true
        // The other of the two stamps of eight bytes read as this one: no agent of this protocol is older.
        case .time(let time): time.year < 2000
        case .absent, .unset, .derived: false
        }
    }
}
