extension PHDSession {
    mutating func receiveConfiguration(_ apdu: Span<UInt8>, _ invoke: UInt16, into actions: inout SessionActions) {
        let isEvaluated = PHDStateTable.row(state, .configurationReport)?.act == .evaluate
        perform(.configurationReport, invoke: invoke, into: &actions)
        guard isEvaluated else { return }
        guard let id = apdu.bigEndian16(22), let found = PHDConfiguration(apdu.extracting(24..<apdu.count)) else {
            return refuseStructure(invoke, into: &actions)
        }
        let offer = PHDConfigurations.Offer(invoke: invoke, id: id, bytes: apdu.part(24, apdu.count), configuration: found)
        guard found.isUsable else {
            configurations.propose(offer)
            return refuse(offer, into: &actions)
        }
        // The other manager's answer decides later.
        guard !isPassive else { return configurations.propose(offer) }
        write(PHDManagerAPDU.configurationResult(invoke: invoke, configuration: id, result: 0), into: &actions)
        accept(offer, into: &actions)
    }

    mutating func accept(_ offer: PHDConfigurations.Offer, into actions: inout SessionActions) {
        guard let request = association.request else { return }
        adopt(offer.configuration, offer.id, isFresh: true, into: &actions)
        configurations.remember(offer, key: request.memoryKey(offer.id), into: &actions)
        if isPassive {
            move(to: .operating, into: &actions)
        } else {
            perform(.configurationAccepted, into: &actions)
            noteStep(into: &actions)
            if goal == .follow { actions.arm(.idle, PHDSilence.idleTimeout) }
        }
        advance(into: &actions)
    }

    private mutating func refuse(_ offer: PHDConfigurations.Offer, into actions: inout SessionActions) {
        actions.warn("configuration \(offer.id) has no object this program can use")
        guard !isPassive else { return }
        // An empty standard configuration only names itself; the agent must send its objects (standard-config-unknown).
        let isBare = offer.id < 0x4000 && offer.configuration.objects.isEmpty
        write(
            PHDManagerAPDU.configurationResult(invoke: offer.invoke, configuration: offer.id, result: isBare ? 2 : 1), into: &actions)
        perform(.configurationRefused, into: &actions)
        let offers = configurations.refuse()
        if offers < PHDConfigurations.offerLimit {
            actions.arm(.configuration, Self.configurationTimeout)
        } else {
            actions.warn("the agent offered \(offers) configurations without a usable one")
            perform(.release, into: &actions)
        }
    }

    private var memoryKey: String? { association.request?.memoryKey(configurations.id) }

    /// Unknown objects: the agent repeats them if it has more than its standard configuration. The next association asks for it.
    mutating func noteUnknown(_ count: Int, into actions: inout SessionActions) {
        actions.warn(
            "\(count) observation\(count == 1 ? "" : "s") of an object that configuration \(configurations.id) does not describe")
        if !configurations.isFresh, !isPassive, let memoryKey { configurations.mistrust(memoryKey) }
    }

    /// Agents may reuse a configuration's number. A report that contradicts a remembered one is discarded, and the agent asked.
    mutating func refusesMemory(_ apdu: Span<UInt8>, into actions: inout SessionActions) -> Bool {
        guard configurations.isDoubtful, !isPassive, association.request != nil else { return false }
        var unfit = 0
        var known = 0
        for observation in reports.observations where observation.handle != 0 {
            guard observation.object >= 0 else {
                unfit += 1
                continue
            }
            if contradictsMemory(observation, apdu) { return mistrustConfiguration(1, into: &actions) }
            known += 1
        }
        // A report without any known object is of another configuration, not of an extended one.
        return unfit > 0 && known == 0 && mistrustConfiguration(unfit, into: &actions)
    }

    /// The same for the entries of a store: the segment describes them, but for their units.
    mutating func refusesMemory(
        entries: [PHDObservation], _ objects: [PHDConfiguration.Object], _ apdu: Span<UInt8>, into actions: inout SessionActions
    ) -> Bool {
        guard configurations.isDoubtful, !isPassive, association.request != nil else { return false }
        let isContradicted = entries.contains {
            configurations.current.index(of: $0.handle) == nil || !fitsItsUnit($0, objects[$0.object], apdu)
        }
        return isContradicted && mistrustConfiguration(1, into: &actions)
    }

    private func contradictsMemory(_ observation: PHDObservation, _ apdu: Span<UInt8>) -> Bool {
        if observation.isCut || observation.hasTrailingBytes || observation.stamp.contradictsMemory { return true }
        return !fitsItsUnit(observation, configurations.current.objects[observation.object], apdu)
    }

    private func fitsItsUnit(_ observation: PHDObservation, _ object: PHDConfiguration.Object, _ apdu: Span<UInt8>) -> Bool {
        switch object.role {
        case .pressure:
            guard case .bloodPressure(let pressure) = observation.pressures(apdu, object, configurations.current.metrics) else {
                return true
            }
            return pressure.fitsItsUnit
        case .pressurePart where object.term == PHDMetric.systolic && observation.isNumber:
            guard let unit = PHDObservation.pressureUnit(observation.unit(0, apdu, object)), let digits = observation.number(apdu).digits
            else { return true }
            let systolic = Pressure(digits, unit)
            return BloodPressure(systolic: systolic, diastolic: systolic).fitsItsUnit
        default: return true
        }
    }

    /// A configuration that does not fit is no longer trusted, and its report is not confirmed: the agent keeps it, gives up, and is asked
    /// for its configuration when it returns. Finally the agent is believed.
    mutating func mistrustConfiguration(_ undecodable: Int, into actions: inout SessionActions) -> Bool {
        actions.warn("\(undecodable) observation\(undecodable == 1 ? "" : "s") of an object that the configuration does not describe")
        guard doubtConfiguration() else { return false }
        actions.warn("configuration \(configurations.id) does not fit what the agent sends; it will be asked for again")
        configurations.endSoon()
        actions.arm(.retry, .seconds(1))
        return true
    }

    /// Asks for the configuration in the next association; `false` if that no longer helps.
    mutating func doubtConfiguration() -> Bool {
        guard !isPassive, let memoryKey else { return false }
        return configurations.doubt(memoryKey)
    }
}

extension PHDStamp {
    /// Whether the eight bytes are a time of the other calendar clock, and none of this one. An invalid stamp alone, or a clock that was
    /// never set, contradicts nothing: docs/PHD.md §1.2.
    var contradictsMemory: Bool {
        switch kind {
        case .absolute: !isOfThisProtocol && PHDStamp(kind: .baseOffset, bits: bits).isOfThisProtocol
        case .baseOffset: !isOfThisProtocol && PHDStamp(kind: .absolute, bits: bits).isOfThisProtocol
        case .none, .relative, .highResolution: false
        }
    }

    /// No agent of this protocol is older than 2000, and the seconds of base-offset time end in 2036. Zones are quarters of an hour apart.
    private var isOfThisProtocol: Bool {
        guard case .time(let time) = clock else { return false }
        return 2000..<2036 ~= time.year && (time.utcOffset ?? 0) % 15 == 0
    }
}
