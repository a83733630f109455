import CuffClinical
import CuffCore
import SQLite

extension Store {
    /// Keeps a series; one of the same source, type and start replaces it.
    package func keep(_ series: HealthSeries, driver: DriverID, device: String, identity: DeviceIdentity?) throws(IngestError) {
        let metadata = series.metadata.isEmpty ? nil : JSONOutput(series.metadata).string
        try commit { db in
            let source = try Self.number(driver, device, identity, in: db)
            func insert(
                _ kind: SeriesSelection.Kind, _ code: String, unit: String?, reading: Reading.ID?, start: Timestamp, end: Timestamp,
                count: Int, min: Double? = nil, max: Double? = nil, average: Double? = nil, last: Double? = nil, sdnn: Double? = nil,
                _ samples: [UInt8]
            ) throws {
                try db.run(
                    Self.insertSeries, kind.rawValue, code, unit, source, reading?.description, start.utcText, end.utcText, count, min,
                    max, average, last, sdnn, samples, metadata)
            }
            switch series {
            case .quantity(let one):
                guard let samples = SeriesCoding.encode(one.elements) else { throw IngestError(StoreFault.seriesTooPrecise) }
                try insert(
                    .quantity, one.type.identifier.description, unit: one.unit.description, reading: one.reading, start: one.start,
                    end: one.end, count: one.count, min: one.minimum?.value.value, max: one.maximum?.value.value, average: one.average,
                    last: one.mostRecent?.value.value, samples)
            case .heartbeats(let one):
                try insert(
                    .heartbeats, SampleType.heartbeatSeries.identifier.description, unit: nil, reading: one.reading, start: one.start,
                    end: one.end, count: one.beats.count, sdnn: one.sdnn.map { $0 * 1000 }, SeriesCoding.encode(one.beats))
            case .waveform(let one):
                try insert(
                    .waveforms, one.code, unit: one.unitName, reading: nil, start: one.start, end: one.end, count: one.samples.count,
                    SeriesCoding.encode(one))
            }
        }
    }

    private static let insertSeries = """
        INSERT OR REPLACE INTO series
          (type, code, unit, source, reading, start, end, count, min, max, avg, last, sdnn_ms, samples, metadata, checksum)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
          \(RowChecksum.function)(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15))
        """

    /// Passes the selected series to `body` in order of start. `body` returns whether to continue.
    /// - Throws: An `IngestError` of reading, as ``Store`` says; an `IngestError` of `body`. Any other error of `body` comes as
    ///   `StoreFault.failed`.
    public func forEachSeries(_ selection: SeriesSelection, _ body: (StoredSeries) throws -> Bool) throws(IngestError) {
        let sources = try sources()
        var conditions = ["1"]
        var values: [any SQLiteValue] = []
        func require(_ condition: String, _ new: [any SQLiteValue] = []) {
            conditions.append(condition)
            values += new
        }
        func places(_ count: Int) -> String { "(" + [String](repeating: "?", count: count).joined(separator: ",") + ")" }
        if !selection.kinds.isEmpty {
            require("type IN \(places(selection.kinds.count))", selection.kinds.map(\.rawValue).sorted())
        }
        if let since = selection.since { require("start >= ?", [since.utcText]) }
        if let until = selection.until { require("start < ?", [until.utcText]) }
        if !selection.readings.isEmpty {
            require("reading IN \(places(selection.readings.count))", selection.readings.map(\.description))
        }
        if selection.device != nil || selection.driver != nil {
            let meant = sources.filter { $0.value.provenance.isMeant(device: selection.device, driver: selection.driver) }
            require("source IN \(places(meant.count))", meant.keys.sorted())
        }
        if let user = selection.user { require("reading IN (SELECT id FROM reading WHERE user = ?)", [user]) }
        if selection.isWithoutUser {
            require("NOT EXISTS (SELECT 1 FROM reading WHERE reading.id = series.reading AND user IS NOT NULL)")
        }
        if let name = selection.newFor {
            require("NOT EXISTS (SELECT 1 FROM exported WHERE cursor = ? AND id = 'series-' || number)", [name])
        }
        for condition in selection.conditions { require(condition.sql, [condition.value]) }
        let sql = """
            SELECT number, source, intact, owner, said, type, code, unit, reading, start, end, samples, measured_by, metadata FROM (
              SELECT *, (SELECT user FROM reading WHERE reading.id = series.reading) AS owner,
                (SELECT person FROM reading WHERE reading.id = series.reading) AS said,
                (SELECT source FROM reading WHERE reading.id = series.reading) AS measured_by,
                \(hasChecksums ? RowChecksum.series.isIntact : "1") AS intact
              FROM series WHERE \(conditions.joined(separator: " AND ")))
            ORDER BY start\(selection.last == nil ? ", number" : " DESC, number DESC")
            """
        try read { db in
            let row = try db.prepare(sql)
            for (index, value) in values.enumerated() { value.bind(to: row, at: Int32(index + 1)) }
            // The latest are found backwards and passed on forwards.
            var latest: [StoredSeries] = []
            while try row.step(), selection.last.map({ latest.count < $0 }) ?? true {
                guard let stored = try stored(row, selection, sources) else { continue }
                if selection.last == nil { guard try body(stored) else { return } } else { latest.append(stored) }
            }
            for stored in latest.reversed() { guard try body(stored) else { return } }
        }
    }

    /// The series of a row of `forEachSeries`; `nil` if it is another person's.
    private func stored(
        _ row: SQLiteStatement, _ selection: SeriesSelection, _ sources: [Int64: StoredSource]
    ) throws(IngestError) -> StoredSeries? {
        let provenance = sources[row.number(1)]?.provenance ?? Provenance(driver: "unknown")
        // A program may have stored the series of a cuff's reading under a source of its own.
        let cuff = row.integer(12).flatMap { sources[$0]?.provenance } ?? provenance
        let person = selection.household.person(cuff: cuff.cuff, slot: row.int(3), said: row.text(4))
        guard selection.person == nil || selection.person == person else { return nil }
        guard row.flag(2), let series = Self.series(row, provenance) else {
            throw IngestError(StoreFault.seriesDamaged(path, number: row.number(0)))
        }
        return StoredSeries(number: row.number(0), series: series, provenance: provenance, user: row.int(3), person: person)
    }

    /// Of the columns type, code, unit, reading, start, end and samples, from the sixth on.
    private static func series(_ row: SQLiteStatement, _ provenance: Provenance) -> HealthSeries? {
        guard let start = instant(row.text(9)), let end = instant(row.text(10)), let samples = row.bytes(11) else { return nil }
        let reading = row.text(8).flatMap { Reading.ID.parse($0) }
        let source = HealthSource(name: "cuff")
        let metadata = JSONValue.texts(in: row.text(13))
        switch SeriesSelection.Kind(rawValue: row.text(5) ?? "") {
        case .quantity:
            guard let type = SampleType.named(row.text(6) ?? ""), let unit = HealthUnit.named(row.text(7) ?? ""),
                let elements = SeriesCoding.decodeElements(samples)
            else { return nil }
            return QuantitySeries(
                restored: type, unit: unit, start: start, end: end, source: source, device: provenance.identity, reading: reading,
                elements: elements, metadata: metadata
            ).map { .quantity($0) }
        case .heartbeats:
            guard let beats = SeriesCoding.decodeBeats(samples) else { return nil }
            return HeartbeatSeries(
                restored: beats, start: start, source: source, device: provenance.identity, reading: reading, metadata: metadata
            ).map { .heartbeats($0) }
        case .waveforms:
            return SeriesCoding.decodeWaveform(samples, start: start, source: source, device: provenance.identity).map { .waveform($0) }
        case nil: return nil
        }
    }

    /// The number of samples or beats in a row's `samples`; `nil` if they cannot be unpacked.
    static func sampleCount(_ type: String?, _ samples: [UInt8]?) -> Int? {
        guard let samples else { return nil }
        switch SeriesSelection.Kind(rawValue: type ?? "") {
        case .quantity: return SeriesCoding.decodeElements(samples)?.count
        case .heartbeats: return SeriesCoding.decodeBeats(samples)?.count
        case .waveforms:
            return SeriesCoding.decodeWaveform(
                samples, start: Timestamp(milliseconds: 0), source: HealthSource(name: "cuff"), device: nil)?.samples.count
        case nil: return nil
        }
    }

    private static func instant(_ text: String?) -> Timestamp? { text.flatMap { Timestamp.parse($0)?.time } }

    /// Whether this reading, in this revision or a later one, is stored, or was deleted.
    func holds(_ reading: Reading) throws(IngestError) -> Bool {
        let row = try read { db in
            try db.first("SELECT revision, pending FROM reading WHERE id = ?", reading.id.description) {
                (revision: $0.number(0), isPending: $0.flag(1))
            }
        }
        guard let row else { return false }
        return row.revision > reading.revision || row.revision == reading.revision && (!row.isPending || reading.isPending)
    }
}
