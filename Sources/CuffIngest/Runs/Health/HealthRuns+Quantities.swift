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
    package static func add(
        _ entry: ManualQuantity, of person: String? = nil, zone: ZoneTable, to path: String
    ) throws(IngestError) -> (reading: Reading, isNew: Bool) {
        try save(entry.reading(received: HostClock.reproducibleNow(), zone: zone), of: person, to: path)
    }

    /// Stores an entered hearing test: `250:34/27,500:30/-`. Returns whether it is new.
    package static func add(
        audiogram text: String, of person: String? = nil, at time: Timestamp, user: Int?, remarks: Remarks, zone: ZoneTable, to path: String
    ) throws(IngestError) -> (reading: Reading, isNew: Bool) {
        let now = HostClock.reproducibleNow()
        guard time <= Timestamp(milliseconds: now.milliseconds + 60_000) else {
            throw IngestError(SelectionFault.inTheFuture)
        }
        let user = user.map { Int32(truncatingIfNeeded: $0) }
        guard let reading = Audiogram(text)?.reading(at: time, user: user, remarks: remarks, received: now, zone: zone) else {
            throw IngestError(SelectionFault.notAnAudiogram(text))
        }
        return try save(reading, of: person, to: path)
    }

    /// Statistics of a quantity for each person: of readings, and of series of the same type.
    package static func statistics(
        _ store: Store, _ selection: ReadingSelection, of type: QuantityType, by cut: CalendarCut
    ) throws(IngestError) -> ByPerson<QuantityCollection> {
        let empty = QuantityCollection(type.sample, cut, values: type.values)
        var found = ByPerson<QuantityCollection>()
        let rule = InclusionRule(zone: selection.zone)
        var quantities = selection
        quantities.kinds = [.quantity]
        try store.forEach(quantities) { reading, provenance in
            guard QuantityType.of(reading) == type, case .quantity(let quantity) = reading.content else { return true }
            let person = selection.household.person(of: reading, device: provenance.device)
            guard let value = quantity.value, let time = reading.bestTime(in: selection.zone), rule.reason(reading.flags) == nil else {
                found[person, default: empty].leaveOut()
                return true
            }
            let dated = DatedValue(value.value, at: time, from: reading.id)
            found[person, default: empty].add(dated, lasting: reading.duration)
            return true
        }
        try addSeries(store, selection, like: empty, to: &found)
        if found.isEmpty { found[.unknown, default: empty] = empty }
        return found
    }

    /// Statistics of the pressure in the cuff during measurements, for each person; of series only.
    package static func seriesStatistics(
        _ store: Store, _ selection: ReadingSelection, of type: SampleType, by cut: CalendarCut
    ) throws(IngestError) -> ByPerson<QuantityCollection> {
        var found = ByPerson<QuantityCollection>()
        try addSeries(store, selection, like: QuantityCollection(type, cut), to: &found)
        return found
    }

    private static func addSeries(
        _ store: Store, _ selection: ReadingSelection, like empty: QuantityCollection, to found: inout ByPerson<QuantityCollection>
    ) throws(IngestError) {
        var series = SeriesSelection(selection, kinds: [.quantity])
        series.newFor = nil
        // Measurements for a test or a demonstration belong to no person.
        var staged: Set<Reading.ID> = []
        try store.forEachHomeReading(selection, rule: InclusionRule(zone: selection.zone)) { reading in
            if reading.exclusion == .notAPatient { staged.insert(reading.id) }
            return true
        }
        var filled = found
        try store.forEachSeries(series) { stored in
            guard case .quantity(let one) = stored.series, one.type == empty.type else { return true }
            if let reading = one.reading, staged.contains(reading) {
                filled[stored.person, default: empty].leaveOut()
            } else {
                filled[stored.person, default: empty].add(one)
            }
            return true
        }
        found = filled
    }

    package static func text(
        _ each: ByPerson<QuantityCollection>, name: String, isTable: Bool, width: Int? = nil
    ) -> String {
        let persons = each.persons
        var text = TextBuffer(capacity: 4096)
        for (index, (person, collection)) in each.sorted.enumerated() {
            guard isTable else {
                collection.appendLines(name: name, person: person, to: &text)
                continue
            }
            if index > 0 { text.append(0x0A) }
            if let heading = persons.neededHeading(person) { text.append(string: heading + "\n") }
            collection.appendTable(width: width, to: &text)
        }
        return text.string
    }
}
