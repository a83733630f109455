import CuffClinical
import CuffCore

extension ManualQuantity {
    /// Impossible values are refused unless `force`.
    package static func checked(
        _ name: String, _ text: String, at time: Timestamp, lasting duration: Duration?, user: Int?, remarks: Remarks, force: Bool
    ) throws(IngestError) -> ManualQuantity {
        let type = try QuantityType.checked(name)
        guard let value = type.values.isEmpty ? ReadingCursor.digits(text) : type.digits(ofWord: text) else {
            let isNumber = type.values.isEmpty
            throw IngestError(
                isNumber ? SelectionFault.notANumber(text) : .notAValue(text, of: name, known: type.values.map(\.word)))
        }
        let unit = Nomenclature.unit(type.unit)?.description ?? ""
        guard type.plausible.contains(value.value) || force else {
            throw IngestError(SelectionFault.implausibleQuantity(name, text: text, unit: unit))
        }
        guard time <= Timestamp(milliseconds: HostClock.reproducibleNow().milliseconds + 60_000) else {
            throw IngestError(SelectionFault.inTheFuture)
        }
        if let duration, duration < .seconds(1) || duration >= type.sample.longest {
            throw IngestError(SelectionFault.lastsTooLong)
        }
        return ManualQuantity(
            type, value, at: time, lasting: duration, user: user.map { Int32(truncatingIfNeeded: $0) }, remarks: remarks)
    }
}

extension QuantityType {
    /// The number of a category's value; `nil` for an unknown word.
    func digits(ofWord word: String) -> Digits? {
        values.first { $0.word == word }.map { Digits(mantissa: Int64($0.number)) }
    }

    /// Throws a usage error for an unknown type.
    package static func checked(_ name: String) throws(IngestError) -> QuantityType {
        guard let type = named(name) else {
            throw IngestError(SelectionFault.unknownQuantity(name, known: all.map(\.name)))
        }
        return type
    }
}

extension HealthRuns {
    /// Stores an entered quantity. Returns whether it is new.
    package static func add(_ entry: ManualQuantity, zone: ZoneTable, to path: String) throws(IngestError) -> (
        reading: Reading, isNew: Bool
    ) {
        try save(entry.reading(received: HostClock.reproducibleNow(), zone: zone), to: path)
    }

    /// Stores an entered hearing test: `250:34/27,500:30/-`. Returns whether it is new.
    package static func add(
        audiogram text: String, at time: Timestamp, user: Int?, remarks: Remarks, zone: ZoneTable, to path: String
    ) throws(IngestError) -> (reading: Reading, isNew: Bool) {
        let now = HostClock.reproducibleNow()
        guard time <= Timestamp(milliseconds: now.milliseconds + 60_000) else {
            throw IngestError(SelectionFault.inTheFuture)
        }
        let user = user.map { Int32(truncatingIfNeeded: $0) }
        guard let reading = Audiogram(text)?.reading(at: time, user: user, remarks: remarks, received: now, zone: zone) else {
            throw IngestError(SelectionFault.notAnAudiogram(text))
        }
        return try save(reading, to: path)
    }

    /// Statistics of a quantity for each person: of readings, and of series of the same type.
    package static func statistics(
        _ store: Store, _ selection: ReadingSelection, of type: QuantityType, by cut: CalendarCut
    ) throws(IngestError) -> [(user: Int?, collection: QuantityCollection)] {
        var selection = selection
        selection.kinds = [.quantity]
        var found: [(user: Int?, collection: QuantityCollection)] = []
        for (user, own) in try Persons(store, selection).each(selection) {
            var collection = QuantityCollection(type.sample, cut, values: type.values)
            let rule = InclusionRule(zone: selection.zone)
            try store.forEach(own) { reading, _ in
                guard QuantityType.of(reading) == type, case .quantity(let quantity) = reading.content else { return true }
                guard let value = quantity.value, let time = reading.bestTime(in: selection.zone), rule.reason(reading.flags) == nil else {
                    collection.leaveOut()
                    return true
                }
                collection.add(DatedValue(value.value, at: time, from: reading.id), lasting: reading.duration)
                return true
            }
            try addSeries(store, own, to: &collection)
            found.append((user, collection))
        }
        return found
    }

    /// Statistics of the pressure in the cuff during measurements, for each person; of series only.
    package static func seriesStatistics(
        _ store: Store, _ selection: ReadingSelection, of type: SampleType, by cut: CalendarCut
    ) throws(IngestError) -> [(user: Int?, collection: QuantityCollection)] {
        var found: [(user: Int?, collection: QuantityCollection)] = []
        for (user, own) in try Persons(store, selection, kinds: []).each(selection) {
            var collection = QuantityCollection(type, cut)
            try addSeries(store, own, to: &collection)
            if !collection.buckets.isEmpty || collection.leftOut > 0 { found.append((user, collection)) }
        }
        return found
    }

    private static func addSeries(
        _ store: Store, _ selection: ReadingSelection, to collection: inout QuantityCollection
    ) throws(IngestError) {
        var series = SeriesSelection(selection, kinds: [.quantity])
        series.newFor = nil
        // Measurements for a test or a demonstration belong to no person.
        var staged: Set<Reading.ID> = []
        try store.forEachHomeReading(selection, rule: InclusionRule(zone: selection.zone)) { reading in
            if reading.exclusion == .notAPatient { staged.insert(reading.id) }
            return true
        }
        var filled = collection
        try store.forEachSeries(series) { stored in
            guard case .quantity(let one) = stored.series, one.type == filled.type else { return true }
            if let reading = one.reading, staged.contains(reading) { filled.leaveOut() } else { filled.add(one) }
            return true
        }
        collection = filled
    }

    package static func text(
        _ persons: [(user: Int?, collection: QuantityCollection)], name: String, isTable: Bool, width: Int? = nil
    ) -> String {
        var text = TextBuffer(capacity: 4096)
        for (index, person) in persons.enumerated() {
            guard isTable else {
                person.collection.appendLines(name: name, user: person.user, to: &text)
                continue
            }
            if index > 0 { text.append(0x0A) }
            if persons.count > 1 { text.append(string: Persons.heading(person.user) + "\n") }
            person.collection.appendTable(width: width, to: &text)
        }
        return text.string
    }
}
