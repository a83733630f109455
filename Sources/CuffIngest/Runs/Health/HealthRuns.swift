import CuffClinical
import CuffCore

package struct PersonStatistics: Sendable {
    package var person: Person
    package var collection: StatisticsCollection
    package var table: StatisticsTable
}

/// The verbs on stored readings. Each reads the database once and holds no more than its result needs.
public enum HealthRuns {
    /// Statistics of the selected blood pressures for each person, with the sources by row number. The time-weighted style sorts the
    /// points in memory; all others hold only buckets. The range is widened to whole buckets if they are stretches of time.
    package static func statisticsOfEach(
        _ store: Store, _ selection: ReadingSelection, by cut: CalendarCut, style: AggregationStyle = .discreteArithmetic,
        options: StatisticsCollection.Options = [], excludesDisturbed: Bool = false
    ) throws(IngestError) -> [PersonStatistics] {
        let rule = InclusionRule(zone: selection.zone, excludesDisturbed: excludesDisturbed)
        let empty = StatisticsCollection(cut, options: options)
        var found = ByPerson<StatisticsCollection>()
        let known = try store.sources()
        let order = known.keys.sorted()
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($0.element, $0.offset) })
        var points: [(Person, ReadingPoint, Int)] = []
        var hasAverages = false
        func take(_ verdict: InclusionRule.Verdict, _ source: Int64, _ person: Person) {
            switch verdict {
            case .excluded(let reason): found[person, default: empty].exclude(reason)
            case .counts(let point):
                if point.flags.contains(.averaged) { hasAverages = true }
                let place = places[source] ?? order.count
                if style == .discreteTemporallyWeighted {
                    points.append((person, point, place))
                } else {
                    found[person, default: empty].add(point, source: place)
                }
            }
        }
        let selection = widened(selection, cut)
        try store.forEachPoint(selection, rule: rule, take)
        if hasAverages {
            // Again, without the inflations in the averages.
            (found, points) = (ByPerson(), [])
            try store.forEachOwnPoint(selection, rule: rule, take)
        }
        points.sort { ReadingPoint.isEarlier($0.1, $1.1) }
        for (person, point, place) in points { found[person, default: empty].add(point, source: place) }
        if found.isEmpty { found[.unknown, default: empty] = empty }
        let sources = order.compactMap { known[$0]?.provenance }
        return found.sorted.map { person, collection in
            PersonStatistics(
                person: person, collection: collection, table: StatisticsTable(style: style, sources: sources, person: person))
        }
    }

    static func widened(_ selection: ReadingSelection, _ cut: CalendarCut) -> ReadingSelection {
        var selection = selection
        // Partial buckets would have wrong extremes: the first and the last one are completed.
        selection.since = selection.since.map { cut.interval(of: cut.key(at: $0))?.lowerBound ?? $0 }
        selection.until = selection.until.map { until in
            guard let last = cut.interval(of: cut.key(at: until)), last.lowerBound < until else { return until }
            return last.upperBound
        }
        return selection
    }

    package static func plot(_ store: Store, _ selection: ReadingSelection, style: RangePlot.Style) throws(IngestError) -> String {
        let each = try statisticsOfEach(store, selection, by: CalendarCut(.day, zone: selection.zone))
        let persons = Persons(each.map(\.person))
        var text = TextBuffer()
        for (index, one) in each.enumerated() {
            if index > 0 { text.append(0x0A) }
            if let heading = persons.neededHeading(one.person) { text.append(string: heading + "\n") }
            RangePlot(one.collection, style: style).append(to: &text)
            for note in one.collection.leftOutNotes { text.append(string: TextTable.folded(note, width: style.width) + "\n") }
        }
        return text.string
    }

    /// How readings are listed: columns, tab-separated lines or JSON Lines.
    package enum Listing: String, Sendable, CaseIterable {
        case table, plain, jsonl

        /// Defaults to a table for a terminal, else plain lines.
        package init(_ name: String?, isTerminal: Bool) throws(IngestError) {
            guard let form = Listing(rawValue: name ?? (isTerminal ? "table" : "plain")) else {
                throw IngestError(SelectionFault.unknownFormat(name ?? "", known: Listing.allCases.map(\.rawValue)))
            }
            self = form
        }
    }

    /// Prints the selected readings; `withEarlier` prints the previous values of each before it.
    package static func list(
        _ store: Store, _ selection: ReadingSelection, as form: Listing, withEarlier: Bool = false, unixTimes: Bool = false,
        placesTimes: Bool = false, to output: OutputFile,
        finishes: Bool = true
    ) throws(IngestError) {
        let text = try BufferedOutput(output)
        let time = PrintedTime(zone: selection.zone, isPlaced: placesTimes)
        if form == .table { text.buffer.append(string: ReadingTable.header) }
        let earlier = withEarlier ? try store.earlier(selection) : [:]
        try store.forEach(selection) { reading, provenance in
            for (old, until) in earlier[reading.id] ?? [] {
                var old = old
                old.person = selection.household.person(of: old, device: provenance.device).name
                appendLine(of: old, provenance, until: until)
            }
            // Single readings are shown with everything that is known of them.
            append(
                reading, provenance, time, as: form, unixTimes, namesDecoder: !selection.ids.isEmpty, to: &text.buffer)
            return try text.flush()
        }
        try output.append(&text.buffer)
        if finishes { try output.finish() }

        func appendLine(of reading: Reading, _ provenance: Provenance, until: String) {
            var line = TextBuffer(capacity: 512)
            append(reading, provenance, time, as: form, unixTimes, to: &line)
            switch form {
            case .table: text.buffer.append(string: line.string.dropLast() + "  (replaced \(until))\n")
            case .jsonl: text.buffer.append(string: line.string.dropLast(2) + ",\"replaced\":\"\(until)\"}\n")
            case .plain: text.buffer.append(string: line.string.dropLast() + "\t\(until)\n")
            }
        }
    }

    /// How times are printed, JSON apart.
    private struct PrintedTime {
        var zone: ZoneTable
        /// In the zone; else as stored.
        var isPlaced: Bool

        func placed(_ reading: Reading) -> Reading {
            guard isPlaced, let measured = reading.measured else { return reading }
            var reading = reading
            reading.measuredOffset = Int16(truncatingIfNeeded: zone.offset(at: measured.seconds) / 60)
            return reading
        }
    }

    private static func append(
        _ reading: Reading, _ provenance: Provenance, _ printed: PrintedTime, as form: Listing, _ unixTimes: Bool,
        namesDecoder: Bool = false, to text: inout TextBuffer
    ) {
        let start = text.count
        let zone = printed.zone
        switch form {
        case .table:
            let isOfAnotherZone = !printed.isPlaced && reading.isOfAnotherZone(than: zone)
            ReadingTable.append(printed.placed(reading), showsOffset: isOfAnotherZone, to: &text)
            if namesDecoder, let decoder = reading.decoder { text.append(string: "  read with \(decoder)\n") }
        case .jsonl:
            guard unixTimes, let time = reading.bestTime(in: zone) else {
                return ReadingLine().append(reading, device: provenance.device, to: &text)
            }
            var line = TextBuffer(capacity: 512)
            ReadingLine().append(reading, device: provenance.device, to: &line)
            return text.append(string: line.string.dropLast(2) + ",\"measured_unix_s\":\(time.seconds)}\n")
        case .plain: PlainLine.append(printed.placed(reading), provenance, zone: zone, to: &text)
        }
        TerminalText.clean(&text, from: start)
    }

    /// Stores an entered reading of a person. Returns whether it is new. An existing one still gets the remarks.
    package static func add(
        _ entry: ManualEntry, of person: String? = nil, zone: ZoneTable, to path: String
    ) throws(IngestError) -> (reading: Reading, isNew: Bool) {
        try save(entry.reading(received: HostClock.reproducibleNow(), zone: zone), of: person, to: path)
    }

    static func save(_ reading: Reading, of person: String?, to path: String) throws(IngestError) -> (reading: Reading, isNew: Bool) {
        let store = try Store(path, access: .write)
        let (readings, new) = try store.keep(entered: [reading], of: person)
        try store.close()
        return (readings[0], new > 0)
    }
}
