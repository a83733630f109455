import CuffClinical
import CuffCore

extension ManualQuantity {
    /// Values that nobody has are a slip of the fingers unless the person insists.
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
    /// The number of a category's value; `nil` where it has none of this word.
    func digits(ofWord word: String) -> Digits? {
        values.first { $0.word == word }.map { Digits(mantissa: Int64($0.number)) }
    }

    /// The type of this word; throws a usage error for one that is not listed.
    package static func checked(_ name: String) throws(IngestError) -> QuantityType {
        guard let type = named(name) else {
            throw IngestError(SelectionFault.unknownQuantity(name, known: all.map(\.name)))
        }
        return type
    }
}

extension HealthRuns {
    /// Keeps a quantity that a person typed in. Answers whether it is new.
    package static func add(_ entry: ManualQuantity, zone: ZoneTable, to path: String) throws(IngestError) -> (
        reading: Reading, isNew: Bool
    ) {
        try save(entry.reading(received: HostClock.reproducibleNow(), zone: zone), to: path)
    }

    /// Keeps a hearing test that a person typed in: `250:34/27,500:30/-`. Answers whether it is new.
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

    /// Statistics of one type for each person of the selection: of its readings, and of the values of series of the same type.
    package static func statistics(
        _ store: Store, _ selection: ReadingSelection, of type: SampleType, by cut: CalendarCut
    ) throws(IngestError) -> [(user: Int?, collection: QuantityCollection)] {
        var selection = selection
        selection.kinds = kinds(of: type)
        var found: [(user: Int?, collection: QuantityCollection)] = []
        for (user, own) in try Persons(store, selection).each(selection) {
            var collection = QuantityCollection(type, cut, values: QuantityType.all.first { $0.sample == type }?.values ?? [])
            try store.collect([own], into: &collection)
            if type != .cuffPressure || !collection.buckets.isEmpty || collection.leftOut > 0 { found.append((user, collection)) }
        }
        return found
    }

    /// The readings that have values of the type; of the pressures in a cuff only series have values.
    static func kinds(of type: SampleType) -> Set<ReadingSelection.Kind> {
        switch type {
        case .systolic, .diastolic, .meanPressure: [.bloodPressure]
        case .heartRate: [.bloodPressure, .pulseRate, .quantity]
        case .cuffPressure: []
        default: [.quantity]
        }
    }

    /// Statistics of a quantity as they are printed.
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
