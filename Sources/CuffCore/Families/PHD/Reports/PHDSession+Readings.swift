/// Converts observations to readings according to their objects' roles.
extension PHDSession {
    /// Returns whether its values are in a reading.
    @discardableResult
    mutating func place(
        _ observation: PHDObservation, _ object: PHDConfiguration.Object, _ bytes: Span<UInt8>, origin: Reading.Origin,
        sequence: UInt32?, into actions: inout SessionActions
    ) -> Bool {
        var object = object
        let term = observation.ownTerm(bytes)
        if term != 0, term != object.term {
            object.term = term
            object.role = PHDConfiguration.role(object)
        }
        if observation.isAmbiguous(bytes, object, configurations.current.metrics) {
            actions.warn("a list of object \(object.handle) has the same metric twice; neither value is taken")
        }
        let arrival = arrival(observation, bytes, origin, sequence, into: &actions)
        switch object.role {
        case .pressure:
            switch observation.pressures(bytes, object, configurations.current.metrics) {
            case .bloodPressure(let pressure):
                let reading = Self.reading(.bloodPressure(pressure), observation, bytes, arrival)
                reports.joiner.add(pressure: reading, stamp: observation.stamp)
                if observation.hasOthers(bytes, object, configurations.current.metrics) {
                    emitComponents(observation, object, bytes, arrival, .besidePressures, into: &actions)
                }
            case .failure(let failure):
                let reading = Self.reading(.failure(failure), observation, bytes, arrival)
                reports.joiner.add(failure: reading, stamp: observation.stamp)
                emitComponents(observation, object, bytes, arrival, .ofFailure, into: &actions)
            case .other: return emitQuantities(observation, object, bytes, arrival, into: &actions)
            }
        case .pressurePart where observation.isNumber:
            let part = PHDPressurePart(term: object.term, number: observation.number(bytes), unit: observation.unit(0, bytes, object))
            reports.joiner.add(part: part, stamp: observation.stamp, reading: Self.quantity(observation, object, bytes, arrival))
        case .pulse where observation.isNumber && observation.unit(0, bytes, object) == PHDMetric.beatsPerMinute:
            let number = observation.number(bytes)
            reports.joiner.add(pulse: number, flags: observation.flags(bytes), user: observation.person, stamp: observation.stamp) {
                Self.reading(.pulseRate(PulseRate(number.digits ?? Digits(0))), observation, bytes, arrival)
            }
        case .oximeterPulse
        where observation.isNumber && observation.unit(0, bytes, object) == PHDMetric.beatsPerMinute
            && observation.number(bytes).digits != nil:
            guard let digits = observation.number(bytes).digits else { return false }
            emit(Self.reading(.pulseRate(PulseRate(digits)), observation, bytes, arrival), into: &actions)
        case .pressureStatus where observation.statusBits(bytes) != nil:
            let status = observation.statusBits(bytes) ?? 0
            reports.joiner.add(.status(status), flags: observation.flags(bytes), user: observation.person, stamp: observation.stamp) {
                let quantity = Quantity(
                    partition: object.partition, term: object.term, value: nil, bits: observation.bits(bytes))
                return Self.reading(.quantity(quantity), observation, bytes, arrival)
            }
        case .none where observation.attribute == PHDAttribute.simpleSamples:
            emitWaveforms(observation, object, bytes, arrival, into: &actions)
            return false
        default:
            return emitQuantities(observation, object, bytes, arrival, into: &actions)
        }
        return true
    }

    /// Samples are live events: displayed, not stored as readings.
    private func emitWaveforms(
        _ observation: PHDObservation, _ object: PHDConfiguration.Object, _ bytes: Span<UInt8>, _ arrival: PHDArrival,
        into actions: inout SessionActions
    ) {
        let wave = configurations.current.waves.first { $0.handle == object.handle }
        guard let pieces = wave?.waveforms(object, bytes, observation.valuePlaces, clock: arrival.clock) else {
            return actions.ignore(
                "samples that the configuration does not describe", bytes.part(observation.value, min(8, observation.length)))
        }
        for piece in pieces { actions.append(.live(.waveform(piece))) }
    }

    /// How the observation came. A stamp in ticks gets the time derived from the agent's two clocks.
    private mutating func arrival(
        _ observation: PHDObservation, _ bytes: Span<UInt8>, _ origin: Reading.Origin, _ sequence: UInt32?,
        into actions: inout SessionActions
    ) -> PHDArrival {
        guard let ticks = observation.stamp.ticks else {
            return PHDArrival(origin: origin, sequence: sequence, clock: observation.stamp.clock)
        }
        let clock = agent.facts.flatMap { PHDRelativeClock($0) }?.clock(observation.stamp, bytes, isStored: origin == .memory) ?? .absent
        if reports.saysRelative() {
            let what =
                clock == .absent
                ? "its readings carry no time of day" : "the time of its readings follows from what its two clocks showed together"
            actions.note("the agent stamps with a relative clock; \(what)")
        }
        // Without a time, a pushed record would be placed at its arrival, which its stamp may contradict.
        return PHDArrival(origin: origin, sequence: sequence ?? ticks, clock: clock == .absent && origin == .push ? .unset : clock)
    }

    @inline(__always)
    private static func reading(
        _ content: Reading.Content, _ observation: PHDObservation, _ bytes: Span<UInt8>, _ arrival: PHDArrival
    ) -> Reading {
        Reading(
            content, driver: "phd", user: observation.person, flags: observation.flags(bytes), clock: arrival.clock,
            origin: arrival.origin, sequence: arrival.sequence, raw: observation.rawBytes(bytes))
    }

    private static func quantity(
        _ observation: PHDObservation, _ object: PHDConfiguration.Object, _ bytes: Span<UInt8>, _ arrival: PHDArrival
    ) -> Reading {
        var quantity = Quantity(
            partition: object.partition, term: object.term, value: nil, bits: observation.bits(bytes),
            unit: observation.unit(0, bytes, object))
        if observation.isNumber {
            let number = observation.number(bytes)
            quantity.value = number.digits
            quantity.absence = number.absence
        }
        return reading(.quantity(quantity), observation, bytes, arrival)
    }

    private mutating func emit(_ reading: Reading, into actions: inout SessionActions) {
        actions.emit(reading)
        confirmations.noteEmitted(1)
    }

    /// Values without interpretation: another agent's, a private metric, or pressures without a unit of pressure.
    @discardableResult
    private mutating func emitQuantities(
        _ observation: PHDObservation, _ object: PHDConfiguration.Object, _ bytes: Span<UInt8>, _ arrival: PHDArrival,
        into actions: inout SessionActions
    ) -> Bool {
        guard !observation.isCompound else {
            return emitComponents(observation, object, bytes, arrival, .all, into: &actions)
        }
        var own = Self.quantity(observation, object, bytes, arrival)
        own.text = observation.text(bytes)
        guard case .quantity(let quantity) = own.content,
            quantity.value != nil || quantity.absence != .none || quantity.bits != nil || own.text != nil
        else {
            actions.ignore("an observation without any value this program knows", observation.shownBytes(bytes))
            return false
        }
        emit(own, into: &actions)
        return true
    }

    private enum Components {
        case all
        /// The numbers.
        case ofFailure
        /// A pulse belongs to the pressures.
        case besidePressures
    }

    /// The components of a compound. Where the measurement itself has the same bytes, those of the components are counted from 1.
    @discardableResult
    private mutating func emitComponents(
        _ observation: PHDObservation, _ object: PHDConfiguration.Object, _ bytes: Span<UInt8>, _ arrival: PHDArrival,
        _ chosen: Components, into actions: inout SessionActions
    ) -> Bool {
        let metrics = configurations.current.metrics
        let before = confirmations.emitted
        for index in 0..<min(observation.count, chosen == .all ? PHDObservation.componentCeiling : PHDPressurePlaces.ceiling) {
            let number = observation.component(index, bytes)
            let metric = observation.metric(index, bytes, object, metrics)
            if observation.isAmbiguous(index, bytes, object, metrics) || chosen == .ofFailure && number.digits == nil { continue }
            if chosen == .besidePressures {
                if let metric, [PHDMetric.systolic, PHDMetric.diastolic, PHDMetric.mean].contains(metric) { continue }
                if metric == PHDMetric.pulseRate, observation.unit(index, bytes, object) == PHDMetric.beatsPerMinute {
                    let flags = observation.flags(bytes, component: index)
                    reports.joiner.add(pulse: number, flags: flags, user: observation.person, stamp: observation.stamp) {
                        Self.reading(.pulseRate(PulseRate(number.digits ?? Digits(0))), observation, bytes, arrival)
                    }
                    continue
                }
            }
            let quantity = Quantity(
                partition: object.partition, term: metric ?? object.term,
                value: number.digits, absence: number.absence, unit: observation.unit(index, bytes, object),
                component: UInt8(index + 1))
            var own = Self.reading(.quantity(quantity), observation, bytes, arrival)
            own.flags = observation.flags(bytes, component: index)
            own.occurrence = UInt16(index + (chosen == .all ? 0 : 1))
            emit(own, into: &actions)
        }
        return confirmations.emitted > before
    }

    /// An observation of an object that is not in the configuration; returns whether to report that. Handle 0 is the agent itself: a
    /// changed attribute. A variable report names the values, so they are kept with its metric and unit, in no partition (docs/PHD.md
    /// §11.1); those of a fixed one cannot be decoded.
    mutating func placeUnknown(
        _ observation: PHDObservation, _ apdu: Span<UInt8>, into actions: inout SessionActions
    ) -> Bool {
        if observation.handle == 0 {
            if !observation.lacksHandle { receiveUpdate(apdu, observation.raw, into: &actions) }
            return false
        }
        if observation.attribute != 0, !observation.isCut {
            let object = PHDConfiguration.Object(
                handle: observation.handle, objectClass: 0, term: observation.ownTerm(apdu), role: .quantity)
            let arrival = arrival(observation, apdu, .push, nil, into: &actions)
            emitQuantities(observation, object, apdu, arrival, into: &actions)
        } else {
            actions.ignore("values of an object that the configuration does not describe", observation.shownBytes(apdu))
        }
        return true
    }
}

extension PHDObservation {
    /// The bytes shown in a diagnostic: two lines at most.
    func shownBytes(_ bytes: Span<UInt8>) -> [UInt8] { bytes.part(raw.lowerBound, min(raw.count, 32)) }
}
