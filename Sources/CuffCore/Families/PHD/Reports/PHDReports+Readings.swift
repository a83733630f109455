/// From observations to readings.
extension PHDSession {
    /// One observation to the readings it belongs to.
    mutating func place(
        _ observation: PHDObservation, _ object: PHDConfiguration.Object, _ bytes: Span<UInt8>, origin: Reading.Origin,
        sequence: UInt32?, into actions: inout SessionActions
    ) {
        var object = object
        let term = observation.ownTerm(bytes)
        if term != 0, term != object.term {
            object.term = term
            object.role = PHDConfiguration.role(object)
        }
        if observation.isAmbiguous(bytes, object, configuration.metrics) {
            actions.append(.report(.warning("a list of object \(object.handle) has the same metric twice; neither value is taken")))
        }
        let arrival = arrival(observation, bytes, origin, sequence, into: &actions)
        switch object.role {
        case .pressure:
            switch observation.pressures(bytes, object, configuration.metrics) {
            case .bloodPressure(let pressure):
                let reading = Self.reading(.bloodPressure(pressure), observation, bytes, arrival)
                joiner.add(pressure: reading, stamp: observation.stamp)
            case .failure(let failure):
                let reading = Self.reading(.failure(failure), observation, bytes, arrival)
                joiner.add(failure: reading, stamp: observation.stamp)
                emitted += Self.emitUsable(observation, object, configuration.metrics, bytes, arrival, into: &actions)
            case .other:
                emitted += Self.emitQuantities(observation, object, configuration.metrics, bytes, arrival, into: &actions)
            }
        case .pressurePart where observation.isNumber:
            let part = PHDPressurePart(term: object.term, number: observation.number(bytes), unit: observation.unit(0, bytes, object))
            joiner.add(part: part, stamp: observation.stamp, reading: Self.quantity(observation, object, bytes, arrival))
        case .pulse where observation.isNumber && observation.unit(0, bytes, object) == PHDMetric.beatsPerMinute:
            let number = observation.number(bytes)
            joiner.add(pulse: number, flags: observation.flags(bytes), user: observation.person, stamp: observation.stamp) {
                Self.reading(.pulseRate(PulseRate(number.digits ?? Digits(0))), observation, bytes, arrival)
            }
        case .oximeterPulse
        where observation.isNumber && observation.unit(0, bytes, object) == PHDMetric.beatsPerMinute
            && observation.number(bytes).digits != nil:
            guard let digits = observation.number(bytes).digits else { return }
            actions.emit(Self.reading(.pulseRate(PulseRate(digits)), observation, bytes, arrival))
            emitted += 1
        case .pressureStatus where observation.statusBits(bytes) != nil:
            let status = observation.statusBits(bytes) ?? 0
            joiner.add(status: status, flags: observation.flags(bytes), user: observation.person, stamp: observation.stamp) {
                let quantity = Quantity(
                    partition: object.partition, term: object.term, value: nil, bits: observation.bits(bytes))
                return Self.reading(.quantity(quantity), observation, bytes, arrival)
            }
        case .none where observation.attribute == PHDAttribute.simpleSamples:
            emitWaveforms(observation, object, bytes, arrival, into: &actions)
        default:
            emitted += Self.emitQuantities(observation, object, configuration.metrics, bytes, arrival, into: &actions)
        }
    }

    /// Samples are live events: they are shown, and not kept as readings.
    private func emitWaveforms(
        _ observation: PHDObservation, _ object: PHDConfiguration.Object, _ bytes: Span<UInt8>, _ arrival: PHDArrival,
        into actions: inout SessionActions
    ) {
        let wave = configuration.waves.first { $0.handle == object.handle }
        guard let pieces = wave?.waveforms(object, bytes, observation.valuePlaces, clock: arrival.clock) else {
            return actions.append(
                .report(
                    .ignored("samples that the configuration does not describe", bytes.part(observation.value, min(8, observation.length))))
            )
        }
        for piece in pieces { actions.append(.live(.waveform(piece))) }
    }

    /// How the observation came. A stamp in ticks gets the time that follows from the agent's two clocks.
    private mutating func arrival(
        _ observation: PHDObservation, _ bytes: Span<UInt8>, _ origin: Reading.Origin, _ sequence: UInt32?,
        into actions: inout SessionActions
    ) -> PHDArrival {
        guard let ticks = observation.stamp.ticks else {
            return PHDArrival(origin: origin, sequence: sequence, clock: observation.stamp.clock)
        }
        let clock = facts.flatMap { PHDRelativeClock($0) }?.clock(observation.stamp, bytes, isStored: origin == .memory) ?? .absent
        if !saidRelative {
            saidRelative = true
            let what =
                clock == .absent
                ? "its readings carry no time of day" : "the time of its readings follows from what its two clocks showed together"
            actions.append(.report(.note("the agent stamps with a relative clock; \(what)")))
        }
        return PHDArrival(origin: origin, sequence: sequence ?? ticks, clock: clock)
    }

    @inline(__always)
    private static func reading(
        _ content: Reading.Content, _ observation: PHDObservation, _ bytes: Span<UInt8>, _ arrival: PHDArrival
    ) -> Reading {
        Reading(
            content, driver: "phd", user: observation.person, flags: observation.flags(bytes), clock: arrival.clock,
            origin: arrival.origin, sequence: arrival.sequence, raw: observation.rawBytes(bytes))
    }

    /// The one value of a simple observation as it is, text apart.
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

    /// Opaque values: what another agent sends, a private metric, or pressures in no unit of pressure.
    static func emitQuantities(
        _ observation: PHDObservation, _ object: PHDConfiguration.Object, _ metrics: [UInt16], _ bytes: Span<UInt8>,
        _ arrival: PHDArrival, into actions: inout SessionActions
    ) -> Int {
        guard observation.isCompound else {
            var own = quantity(observation, object, bytes, arrival)
            own.text = observation.text(bytes)
            guard case .quantity(let quantity) = own.content,
                quantity.value != nil || quantity.absence != .none || quantity.bits != nil || own.text != nil
            else {
                actions.append(
                    .report(
                        .ignored(
                            "an observation without any value this program knows",
                            bytes.part(observation.raw.lowerBound, min(observation.raw.count, shownBytes)))))
                return 0
            }
            actions.emit(own)
            return 1
        }
        var emitted = 0
        for index in 0..<min(observation.count, PHDObservation.componentCeiling)
        where !observation.isAmbiguous(index, bytes, object, metrics) {
            let number = observation.component(index, bytes)
            let quantity = Quantity(
                partition: object.partition, term: observation.metric(index, bytes, object, metrics) ?? object.term,
                value: number.digits, absence: number.absence, unit: observation.unit(index, bytes, object),
                component: UInt8(index + 1))
            var own = reading(.quantity(quantity), observation, bytes, arrival)
            own.flags = observation.flags(bytes, component: index)
            own.occurrence = UInt16(index)
            actions.emit(own)
            emitted += 1
        }
        return emitted
    }

    /// The components of a failed measurement that are numbers all the same.
    private static func emitUsable(
        _ observation: PHDObservation, _ object: PHDConfiguration.Object, _ metrics: [UInt16], _ bytes: Span<UInt8>,
        _ arrival: PHDArrival, into actions: inout SessionActions
    ) -> Int {
        var emitted = 0
        for index in 0..<min(observation.count, PHDPressurePlaces.ceiling) {
            guard let digits = observation.component(index, bytes).digits,
                !observation.isAmbiguous(index, bytes, object, metrics)
            else { continue }
            let quantity = Quantity(
                partition: object.partition, term: observation.metric(index, bytes, object, metrics) ?? object.term,
                value: digits, unit: observation.unit(index, bytes, object), component: UInt8(index + 1))
            var own = reading(.quantity(quantity), observation, bytes, arrival)
            own.flags = observation.flags(bytes, component: index)
            own.occurrence = UInt16(index + 1)
            actions.emit(own)
            emitted += 1
        }
        return emitted
    }
}
