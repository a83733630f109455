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

extension SampleType {
    /// The types of statistics, by their words: those of series alone, and those of quantities.
    package static let statisticsWords = ["cuff_pressure", "heart_rate_variability"] + QuantityType.all.map(\.name)

    /// The type of a word; throws a usage error for an unknown one.
    package static func ofStatistics(_ word: String) throws(IngestError) -> SampleType {
        switch word {
        case "cuff_pressure": return .cuffPressure
        case "heart_rate_variability": return .heartRateVariability
        default:
            guard let type = QuantityType.named(word) else {
                throw IngestError(SelectionFault.unknownQuantity(word, known: statisticsWords))
            }
            return type.sample
        }
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

    /// Statistics of one type for each person: of readings, and of series of the same type. With `bySource` those of each cuff follow.
    package static func statistics(
        _ store: Store, _ selection: ReadingSelection, of type: SampleType, by cut: CalendarCut, bySource: Bool = false
    ) throws(IngestError) -> [(user: Int?, collection: QuantityCollection)] {
        var selection = selection
        selection.kinds = kinds(of: type)
        let isOfSeries = selection.kinds.isEmpty
        let sources = bySource ? try store.sources().sorted { $0.key < $1.key }.map(\.value.provenance) : []
        var found: [(user: Int?, collection: QuantityCollection)] = []
        func add(_ selection: ReadingSelection, _ user: Int?, _ source: Provenance?) throws(IngestError) {
            var collection = QuantityCollection(type, cut, values: QuantityType.all.first { $0.sample == type }?.values ?? [])
            collection.source = source
            try store.collect([selection], into: &collection)
            let isEmpty = collection.buckets.isEmpty && collection.leftOut == 0
            if !isEmpty || !isOfSeries && source == nil { found.append((user, collection)) }
        }
        for (user, own) in try Persons(store, selection).each(selection) {
            try add(own, user, nil)
            for source in sources
            where (own.device ?? source.device) == source.device && (own.driver ?? source.driver) == source.driver {
                var narrow = own
                (narrow.device, narrow.driver) = (source.device, source.driver)
                try add(narrow, user, source)
            }
        }
        return found
    }

    /// Statistics as text, and again each time that they have changed, until `stop` is raised. Of lines only the changed ones.
    package static func follow(
        _ store: Store, _ selection: ReadingSelection, of type: SampleType, by cut: CalendarCut, bySource: Bool, name: String,
        isTable: Bool, width: Int?, stop: StopSignal, put: (String) throws(IngestError) -> Void
    ) throws(IngestError) {
        var known: Set<Substring> = []
        try whenChanged(store, stop) { () throws(IngestError) in
            let persons = try statistics(store, selection, of: type, by: cut, bySource: bySource)
            let lines = text(persons, name: name, isTable: isTable, width: width).split(separator: "\n", omittingEmptySubsequences: false)
            let fresh = lines.filter { !known.contains($0) && (isTable || !$0.isEmpty) }
            known = Set(lines)
            if !fresh.isEmpty { try put((isTable ? lines : fresh + [""]).joined(separator: "\n")) }
        }
    }

    /// The readings that have values of the type; empty if only series have.
    static func kinds(of type: SampleType) -> Set<ReadingSelection.Kind> {
        switch type {
        case .systolic, .diastolic, .meanPressure: [.bloodPressure]
        case .heartRate: [.bloodPressure, .pulseRate, .quantity]
        case .cuffPressure, .heartRateVariability: []
        default: [.quantity]
        }
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
            if let source = person.collection.source {
                text.append(string: source.name + "\n")
            } else if Set(persons.map(\.user)).count > 1 {
                text.append(string: Persons.heading(person.user) + "\n")
            }
            person.collection.appendTable(width: width, to: &text)
        }
        return text.string
    }
}
