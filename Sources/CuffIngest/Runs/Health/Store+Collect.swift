import CuffClinical
import CuffCore

extension Store {
    /// Statistics of every value of the type of `empty`, by person: of the selected readings, and of series. Only a style that needs the
    /// order of time keeps the values in memory.
    func collect(_ selection: ReadingSelection, like empty: QuantityCollection) throws(IngestError) -> ByPerson<QuantityCollection> {
        var found = ByPerson<QuantityCollection>()
        var values: [(person: Person, value: DatedValue, lasting: Duration?)] = []
        let isOrdered = empty.type.aggregation == .discreteTemporallyWeighted
        try forEachValue(of: empty.type, selection) { person, value, lasting in
            guard let value else { return found[person, default: empty].leaveOut() }
            if isOrdered {
                values.append((person, value, lasting))
            } else {
                found[person, default: empty].add(value, lasting: lasting)
            }
        }
        for (person, value, lasting) in values.sorted(by: { DatedValue.isEarlier($0.value, $1.value) }) {
            found[person, default: empty].add(value, lasting: lasting)
        }
        return found
    }

    /// Passes every value of a type to `body`; `nil` for one that is left out.
    private func forEachValue(
        of type: SampleType, _ selection: ReadingSelection, _ body: (Person, DatedValue?, Duration?) -> Void
    ) throws(IngestError) {
        let rule = InclusionRule(zone: selection.zone)
        var chosen: Set<Reading.ID> = []
        typealias Own = (person: Person, value: DatedValue, lasting: Duration?)
        // Of each cuff, because the order of ids is that of its clock.
        var parts: [Person: [Provenance: AverageParts<Own>]] = [:]
        func pass(_ own: Own, _ isPart: Bool) {
            if isPart { body(own.person, nil, nil) } else { body(own.person, own.value, own.lasting) }
        }
        if !selection.kinds.isEmpty || selection.condition != nil {
            try forEach(selection) { reading, provenance in
                if selection.condition != nil { chosen.insert(reading.id) }
                guard let number = Self.number(type, of: reading) else { return true }
                let person = selection.household.person(of: reading, device: provenance.device)
                let time = rule.reason(reading.flags) == nil ? reading.bestTime(in: selection.zone) : nil
                guard let value = number.value, let time else {
                    body(person, nil, nil)
                    return true
                }
                let own = (person, DatedValue(value, at: time, from: reading.id), reading.duration)
                if reading.bloodPressure == nil {
                    pass(own, false)
                } else {
                    parts[person, default: [:]][provenance, default: AverageParts()].add(
                        own, at: time, source: 0, flags: reading.flags, pass: pass)
                }
                return true
            }
            // In a fixed order: sums of floating-point numbers depend on it.
            for (person, cuffs) in parts {
                for cuff in cuffs.keys.sorted(by: { "\($0.driver) \($0.device)" < "\($1.driver) \($1.device)" }) {
                    parts[person]?[cuff]?.finish(pass: pass)
                }
            }
        }
        try forEachSeriesValue(of: type, selection, chosen, body)
    }

    /// As `forEachValue`, of series; with a condition only of those that belong to a chosen reading.
    private func forEachSeriesValue(
        of type: SampleType, _ selection: ReadingSelection, _ chosen: Set<Reading.ID>, _ body: (Person, DatedValue?, Duration?) -> Void
    ) throws(IngestError) {
        // Measurements for a test or a demonstration belong to no person. A series may be stored under another source than its reading.
        var staged: Set<Reading.ID> = []
        var everyOne = selection
        (everyOne.condition, everyOne.person, everyOne.device, everyOne.driver) = (nil, nil, nil, nil)
        try forEachHomeReading(everyOne, rule: InclusionRule(zone: selection.zone)) { reading in
            if reading.exclusion == .notAPatient { staged.insert(reading.id) }
            return true
        }
        var series = SeriesSelection(selection, kinds: type == .heartRateVariability ? [.heartbeats] : [.quantity])
        series.newFor = nil
        try forEachSeries(series) { stored in
            if case .quantity(let one) = stored.series, one.type != type { return true }
            if selection.condition != nil { guard let owner = stored.series.reading, chosen.contains(owner) else { return true } }
            if let owner = stored.series.reading, staged.contains(owner) {
                body(stored.person, nil, nil)
                return true
            }
            switch stored.series {
            case .quantity(let one): one.forEachValue(in: type.unit) { body(stored.person, $0, $1) }
            case .heartbeats(let beats):
                body(stored.person, beats.sdnn.map { DatedValue($0 * 1000, at: beats.start, from: beats.reading ?? .none) }, nil)
            case .waveform: break
            }
            return true
        }
    }

    /// The number of a type in a reading, in the unit of the type; `nil` for a reading of something else.
    private static func number(_ type: SampleType, of reading: Reading) -> Number? {
        switch reading.content {
        case .bloodPressure(let pressure):
            switch type {
            case .systolic: Number(value: pressure.systolic.inMmHg)
            case .diastolic: Number(value: pressure.diastolic.inMmHg)
            case .meanPressure: pressure.mean.map { Number(value: $0.inMmHg) }
            case .heartRate: pressure.pulse.map { Number(value: $0.digits.value) }
            default: nil
            }
        case .pulseRate(let rate): type == .heartRate ? Number(value: rate.digits.value) : nil
        case .quantity(let quantity): QuantityType.of(reading)?.sample == type ? Number(value: quantity.value?.value) : nil
        case .failure: nil
        }
    }

    /// A value of the type, or the lack of one.
    private struct Number { var value: Double? }
}
