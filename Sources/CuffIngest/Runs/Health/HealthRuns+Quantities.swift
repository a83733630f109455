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

    /// Statistics of one type for each person: of readings, and of series of the same type. With `bySource` those of each of the person's
    /// cuffs follow.
    package static func statistics(
        _ store: Store, _ selection: ReadingSelection, of type: SampleType, by cut: CalendarCut, bySource: Bool = false
    ) throws(IngestError) -> [(person: Person, collection: QuantityCollection)] {
        var selection = selection
        selection.kinds = kinds(of: type)
        let empty = QuantityCollection(type, cut)
        let persons = try store.collect(selection, like: empty)
        if persons.isEmpty, !selection.kinds.isEmpty { return [(.unknown, empty)] }
        guard bySource else { return persons.sorted.map { (person: $0.person, collection: $0.value) } }
        let sources = try store.sources().sorted { $0.key < $1.key }.map(\.value.provenance)
        var found: [(person: Person, collection: QuantityCollection)] = []
        for (person, all) in persons.sorted {
            found.append((person, all))
            for source in sources where source.isMeant(device: selection.device, driver: selection.driver) {
                var narrow = selection
                (narrow.person, narrow.device, narrow.driver) = (person, source.device, source.driver)
                for (_, own) in try store.collect(narrow, like: empty).sorted {
                    var own = own
                    own.source = source
                    found.append((person, own))
                }
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
            let each = try statistics(store, selection, of: type, by: cut, bySource: bySource)
            let lines = text(each, name: name, isTable: isTable, width: width).split(separator: "\n", omittingEmptySubsequences: false)
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
        _ each: [(person: Person, collection: QuantityCollection)], name: String, isTable: Bool, width: Int? = nil
    ) -> String {
        let persons = Persons(each.map(\.person))
        var text = TextBuffer(capacity: 4096)
        for (index, (person, collection)) in each.enumerated() {
            guard isTable else {
                collection.appendLines(name: name, person: person, to: &text)
                continue
            }
            if index > 0 { text.append(0x0A) }
            if let heading = collection.source?.name ?? persons.neededHeading(person) { text.append(string: heading + "\n") }
            collection.appendTable(width: width, to: &text)
        }
        return text.string
    }
}
