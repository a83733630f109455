import CuffClinical
import CuffCore

extension Store {
    /// Adds every value of the collection's type: of the selected readings, and of series. Only a style that needs the order of time
    /// keeps the values in memory.
    func collect(_ selections: [ReadingSelection], into collection: inout QuantityCollection) throws(IngestError) {
        var filled = collection
        var values: [(value: DatedValue, lasting: Duration?)] = []
        let isOrdered = collection.type.aggregation == .discreteTemporallyWeighted
        for selection in selections {
            try forEachValue(selection, &filled) { value, lasting, collection in
                if isOrdered { values.append((value, lasting)) } else { collection.add(value, lasting: lasting) }
            }
        }
        for (value, lasting) in values.sorted(by: { DatedValue.isEarlier($0.value, $1.value) }) { filled.add(value, lasting: lasting) }
        collection = filled
    }

    private func forEachValue(
        _ selection: ReadingSelection, _ collection: inout QuantityCollection,
        add: (DatedValue, Duration?, inout QuantityCollection) -> Void
    ) throws(IngestError) {
        var filled = collection
        let rule = InclusionRule(zone: selection.zone)
        var chosen: Set<Reading.ID> = []
        if !selection.kinds.isEmpty || selection.condition != nil {
            try forEach(selection) { reading, _ in
                if selection.condition != nil { chosen.insert(reading.id) }
                guard let number = Self.number(filled.type, of: reading) else { return true }
                guard let value = number.value, let time = reading.bestTime(in: selection.zone), rule.reason(reading.flags) == nil else {
                    filled.leaveOut()
                    return true
                }
                add(DatedValue(value, at: time, from: reading.id), reading.duration, &filled)
                return true
            }
        }
        // What was measured for a test or a demonstration is no person's.
        var staged: Set<Reading.ID> = []
        var everyOne = selection
        everyOne.condition = nil
        try forEachHomeReading(everyOne, rule: rule) { reading in
            if reading.exclusion == .notAPatient { staged.insert(reading.id) }
            return true
        }
        let isVariability = filled.type == .heartRateVariability
        var series = SeriesSelection(selection, kinds: isVariability ? [.heartbeats] : [.quantity])
        series.newFor = nil
        try forEachSeries(series) { stored in
            if case .quantity(let one) = stored.series, one.type != filled.type { return true }
            if selection.condition != nil { guard let owner = stored.series.reading, chosen.contains(owner) else { return true } }
            if let owner = stored.series.reading, staged.contains(owner) {
                filled.leaveOut()
                return true
            }
            switch stored.series {
            case .quantity(let one):
                one.forEachValue(in: filled.type.unit) { value, lasting in
                    if let value { add(value, lasting, &filled) } else { filled.leaveOut() }
                }
            case .heartbeats(let beats):
                if let sdnn = beats.sdnn {
                    add(DatedValue(sdnn * 1000, at: beats.start, from: beats.reading ?? .none), nil, &filled)
                } else {
                    filled.leaveOut()
                }
            case .waveform: break
            }
            return true
        }
        collection = filled
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
