import CuffClinical
import CuffCore
import Glibc

/// What the verbs over stored readings do. Each reads the database once and keeps no more than its answer needs.
public enum HealthRuns {
    /// Statistics for each person of the selection. Ranges are widened to whole buckets, so a person is looked for in these.
    public static func statisticsOfEach(
        _ store: Store, _ selection: ReadingSelection, by cut: CalendarCut, style: AggregationStyle = .discreteArithmetic,
        options: StatisticsCollection.Options = [], excludesDisturbed: Bool = false
    ) throws(IngestError) -> [(user: Int?, collection: StatisticsCollection, table: StatisticsTable)] {
        let wide = widened(selection, cut)
        var found: [(user: Int?, collection: StatisticsCollection, table: StatisticsTable)] = []
        for (user, own) in try Persons(store, wide, kinds: [.bloodPressure]).each(selection) {
            let (collection, table) = try statistics(
                store, own, by: cut, style: style, options: options, excludesDisturbed: excludesDisturbed, user: user)
            found.append((user, collection, table))
        }
        return found
    }

    private static func widened(_ selection: ReadingSelection, _ cut: CalendarCut) -> ReadingSelection {
        var selection = selection
        // Half a day would have half a day's extremes: the first and the last bucket are taken whole.
        selection.since = selection.since.map { cut.interval(of: cut.key(at: $0))?.lowerBound ?? $0 }
        selection.until = selection.until.map { until in
            guard let last = cut.interval(of: cut.key(at: until)), last.lowerBound < until else { return until }
            return last.upperBound
        }
        return selection
    }

    /// Statistics of the selected blood pressures, with the sources by the numbers the collection uses. The time-weighted
    /// style sorts the points first and so holds them in memory; all other styles hold buckets only. A range is widened to
    /// whole buckets where they are stretches of time.
    public static func statistics(
        _ store: Store, _ selection: ReadingSelection, by cut: CalendarCut, style: AggregationStyle = .discreteArithmetic,
        options: StatisticsCollection.Options = [], excludesDisturbed: Bool = false, user: Int? = nil
    ) throws(IngestError) -> (collection: StatisticsCollection, table: StatisticsTable) {
        let rule = InclusionRule(zone: selection.zone, excludesDisturbed: excludesDisturbed)
        var collection = StatisticsCollection(cut, options: options)
        let selection = widened(selection, cut)
        let known = try store.sources()
        let order = known.keys.sorted()
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($0.element, $0.offset) })
        var points: [(ReadingPoint, Int)] = []
        try store.forEachPoint(selection, rule: rule) { verdict, source in
            switch verdict {
            case .excluded(let reason): collection.exclude(reason)
            case .counts(let point):
                let place = places[source] ?? order.count
                if style == .discreteTemporallyWeighted { points.append((point, place)) } else { collection.add(point, source: place) }
            }
        }
        points.sort { ReadingPoint.isEarlier($0.0, $1.0) }
        for (point, place) in points { collection.add(point, source: place) }
        let sources = order.compactMap { known[$0]?.provenance }
        return (collection, StatisticsTable(style: style, sources: sources, user: user))
    }

    /// What is written with `cuff export`.
    public enum Format: Sendable, Hashable {
        case appleHealth(AppleHealthExport.Layout)
        case csv(CSVExport.Dialect)
        case jsonLines

        var name: String {
            switch self {
            case .appleHealth: "apple-health"
            case .csv: "csv"
            case .jsonLines: "jsonl"
            }
        }

        /// Whether events have a place in it.
        var holdsEvents: Bool { if case .csv = self { false } else { true } }

        /// Refuses types that were asked for by name and have no place in it.
        func permit(_ types: TypeChoice) throws(IngestError) {
            guard types.isChosen else { return }
            var missing = types.series.subtracting(series).map(\.rawValue).sorted()
            if types.events, !holdsEvents { missing.append("event") }
            guard let first = missing.first else { return }
            throw IngestError(.usage, "\(name) has no place for \(first)", hint: "leave out that --type, or write --format jsonl")
        }

        /// Which series have a place in it.
        var series: Set<SeriesSelection.Kind> {
            switch self {
            case .appleHealth: [.heartbeats]
            case .csv: []
            case .jsonLines: [.quantity, .heartbeats]
            }
        }
    }

    /// What an export has written.
    public struct ExportReport: Sendable, Hashable {
        /// Readings written.
        public var written = 0
        /// Series written.
        public var series = 0
        /// Readings that have no place in the format, by reason.
        public var leftOut: [String: Int] = [:]
        /// The name under which was kept what was given away.
        public var cursor: String?
    }

    /// Writes the selected readings, each as it comes from the database.
    public static func export(
        _ store: Store, _ types: TypeChoice = .everything, _ selection: ReadingSelection, as format: Format, to output: OutputFile,
        limits: HeartRateLimits = .usual, version: String, includesRaw: Bool = false
    ) throws(IngestError) -> ExportReport {
        try format.permit(types)
        if selection.newFor != nil, !types.hasReadings, types.events {
            throw IngestError(
                .usage, "--new remembers readings and series, not events", hint: "leave out --new, or add --type blood_pressure")
        }
        // The other formats name the user of each sample.
        if case .appleHealth = format { try Persons(store, selection).requireOne(for: "an apple-health file") }
        var given: [(id: String, revision: Int)] = []
        var report = try write(
            store, types, selection, as: format, to: output, limits: limits, version: version, includesRaw: includesRaw, given: &given)
        try output.finish()
        if let cursor = selection.newFor { try store.remember(given, for: cursor) }
        report.cursor = selection.newFor
        return report
    }

    private static func write(
        _ store: Store, _ types: TypeChoice, _ selection: ReadingSelection, as format: Format, to output: OutputFile,
        limits: HeartRateLimits, version: String, includesRaw: Bool, given: inout [(id: String, revision: Int)]
    ) throws(IngestError) -> ExportReport {
        let zone = selection.zone
        let rule = InclusionRule(zone: zone)
        var report = ExportReport()
        let text = BufferedOutput(output)
        let source = HealthSource(name: "cuff", version: version)
        switch format {
        case .appleHealth(let layout):
            let writer = AppleHealthExport(layout, source: source, zone: zone, limits: limits)
            writer.appendHeader(exported: HostClock.reproducibleNow(), to: &text.buffer)
            try forEach(store, types, selection, &given) { reading, provenance in
                do throws(HealthError) {
                    let parts = types.parts(of: reading)
                    try writer.append(reading, from: provenance, parts: parts, to: &text.buffer)
                    if parts.contains(.values) { report.written += 1 }
                } catch { report.leftOut[error.reason, default: 0] += 1 }
                return try text.flush()
            }
            try forEachSeries(store, types, selection, format, &given) { stored in
                guard case .heartbeats(let series) = stored.series else { return true }
                writer.append(series, from: stored.provenance, to: &text.buffer)
                report.series += 1
                return try text.flush()
            }
            writer.appendFooter(to: &text.buffer)
        case .csv(let dialect):
            let writer = CSVExport(dialect, zone: zone)
            writer.appendHeader(to: &text.buffer)
            guard types.hasReadings else { break }
            try forEach(store, types, selection, &given) { reading, provenance in
                var excluded: Exclusion?
                if case .excluded(let reason) = rule.verdict(on: reading) { excluded = reason }
                writer.append(reading, from: provenance, excluded: excluded, to: &text.buffer)
                report.written += 1
                return try text.flush()
            }
        case .jsonLines:
            let writer = JSONLinesExport(zone: zone, limits: limits, includesRaw: includesRaw)
            try forEach(store, types, selection, &given) { reading, provenance in
                let parts = types.parts(of: reading)
                writer.append(reading, from: provenance, parts: parts, to: &text.buffer)
                if parts.contains(.values) { report.written += 1 }
                return try text.flush()
            }
            try forEachSeries(store, types, selection, format, &given) { stored in
                SeriesText.appendLine(stored, zone: zone, to: &text.buffer)
                report.series += 1
                return try text.flush()
            }
        }
        try output.append(&text.buffer)
        return report
    }

    private static func forEach(
        _ store: Store, _ types: TypeChoice, _ selection: ReadingSelection, _ given: inout [(id: String, revision: Int)],
        _ body: (Reading, Provenance) throws -> Bool
    ) throws(IngestError) {
        guard types.hasReadings || types.events else { return }
        var seen: [(id: String, revision: Int)] = []
        defer { given += seen }
        let isNoted = selection.newFor != nil
        var selection = selection
        // Events are made of readings that may not have been asked for themselves.
        if types.events, !selection.kinds.isEmpty || !types.hasReadings { selection.kinds.formUnion([.bloodPressure, .pulseRate]) }
        try store.forEach(selection) { reading, provenance in
            // What has no place in the format has been dealt with as well.
            if isNoted, types.parts(of: reading).contains(.values) { seen.append((text(reading.id), Int(reading.revision))) }
            return try body(reading, provenance)
        }
    }

    private static func forEachSeries(
        _ store: Store, _ types: TypeChoice, _ selection: ReadingSelection, _ format: Format,
        _ given: inout [(id: String, revision: Int)], _ body: (StoredSeries) throws -> Bool
    ) throws(IngestError) {
        let kinds = format.series.intersection(types.series)
        guard !kinds.isEmpty else { return }
        var seen: [(id: String, revision: Int)] = []
        defer { given += seen }
        try store.forEachSeries(SeriesSelection(selection, kinds: kinds)) { stored in
            if selection.newFor != nil { seen.append(("series-\(stored.number)", 0)) }
            return try body(stored)
        }
    }

    /// The days as a picture for a terminal.
    public static func plot(_ store: Store, _ selection: ReadingSelection, style: RangePlot.Style) throws(IngestError) -> String {
        let persons = try statisticsOfEach(store, selection, by: CalendarCut(.day, zone: selection.zone))
        var text = TextBuffer()
        for (index, person) in persons.enumerated() {
            if index > 0 { text.append(0x0A) }
            if persons.count > 1 { text.append(string: Persons.heading(person.user) + "\n") }
            RangePlot(person.collection, style: style).append(to: &text)
        }
        return text.string
    }

    /// How readings are listed: columns, tab-separated lines or JSON Lines.
    public enum Listing: String, Sendable, CaseIterable { case table, plain, jsonl }

    /// The selected readings as lines.
    public static func list(
        _ store: Store, _ selection: ReadingSelection, as form: Listing, to output: OutputFile, finishes: Bool = true
    ) throws(IngestError) {
        let text = BufferedOutput(output)
        if form == .table { text.buffer.append(string: ReadingTable.header) }
        try store.forEach(selection) { reading, provenance in
            switch form {
            case .table: ReadingTable.append(reading, to: &text.buffer)
            case .jsonl: ReadingLine().append(reading, device: provenance.device, to: &text.buffer)
            case .plain: PlainLine.append(reading, provenance, zone: selection.zone, to: &text.buffer)
            }
            return try text.flush()
        }
        try output.append(&text.buffer)
        if finishes { try output.finish() }
    }

    /// Keeps a reading that a person typed in. Answers whether it is new.
    public static func add(_ entry: ManualEntry, zone: ZoneTable, to path: String) throws(IngestError) -> (reading: Reading, isNew: Bool) {
        let reading = entry.reading(received: HostClock.reproducibleNow(), zone: zone)
        let sink = try SQLiteSink(path: path)
        let repeated = try sink.write(Batch(source: 0, driver: ManualEntry.driver, entries: [.reading(reading)]))
        try sink.close()
        return (reading, repeated == 0)
    }
}

/// Text that goes out in pieces, so that a million readings do not lie in memory.
final class BufferedOutput {
    var buffer = TextBuffer(capacity: 1 << 17)
    private let output: OutputFile
    init(_ output: OutputFile) { self.output = output }

    func flush() throws(IngestError) -> Bool {
        if buffer.count >= 1 << 16 { try output.append(&buffer) }
        return true
    }
}
