import CuffClinical
import CuffCore
import GRDB

import struct Foundation.Data

/// Which stored series are meant: every condition that is set must hold.
public struct SeriesSelection: Sendable, Hashable {
    /// The kinds of series. The raw value is the type in JSON.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case quantity = "quantity_series"
        case heartbeats = "heartbeat_series"
        case waveforms = "waveform_series"
    }

    /// Empty means all.
    public var kinds: Set<Kind> = []
    /// From this instant on, by its start.
    public var since: Timestamp?
    /// Up to this instant, which is not included.
    public var until: Timestamp?
    /// Those that these readings own; empty means any, also those that no reading owns.
    public var readings: [Reading.ID] = []
    /// The series stored under this identity; `nil`: under any.
    public var device: String?
    /// The series of this driver; `nil`: of any.
    public var driver: String?
    /// Those owned by this user's readings.
    public var user: Int?
    /// Those of readings that tell no user, and those that no reading owns.
    public var isWithoutUser = false
    /// Only the latest so many.
    public var last: Int?
    /// Those that the export of this name has not given yet.
    public var newFor: String?
    /// What their values must be, each of these.
    public var conditions: [SeriesCondition] = []

    /// No condition is set.
    public init() {}

    /// The series of what a selection of readings says of time, source, user and ids.
    public init(_ selection: ReadingSelection, kinds: Set<Kind> = []) {
        self.kinds = kinds
        (since, until, readings) = (selection.since, selection.until, selection.ids)
        (device, driver, last) = (selection.device, selection.driver, selection.last)
        (user, isWithoutUser, newFor) = (selection.user, selection.isWithoutUser, selection.newFor)
    }
}

/// A series and whose it is.
public struct StoredSeries: Sendable, Hashable {
    /// Its number in the database.
    public var number: Int64
    /// The series itself.
    public var series: HealthSeries
    /// The cuff the series is from.
    public var provenance: Provenance
    /// The user slot of the reading that owns it.
    public var user: Int?
}

extension Store {
    /// Keeps a series; one of the same source, type and start replaces it.
    func keep(_ series: HealthSeries, driver: DriverID, device: String, identity: DeviceIdentity?) throws(IngestError) {
        do {
            try commit { db in
                let source = try Self.number(driver, device, identity, in: db)
                try db.execute(sql: Self.insertSeries, arguments: Self.arguments(series, source: source))
            }
        } catch { throw Self.translated(error, path) }
    }

    private static let insertSeries = """
        INSERT OR REPLACE INTO series
          (type, code, unit, source, reading, start, end, count, min, max, avg, last, sdnn_ms, samples, checksum)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
          \(RowChecksum.function)(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14))
        """

    private static func arguments(_ series: HealthSeries, source: Int64) throws -> StatementArguments {
        switch series {
        case .quantity(let one):
            guard let samples = SeriesCoding.encode(one.elements) else {
                throw IngestError(StoreFault.seriesTooPrecise)
            }
            return [
                SeriesSelection.Kind.quantity.rawValue, one.type.identifier.description, one.unit.description, source,
                one.reading.map(\.description), one.start.utcText, one.end.utcText, one.count, one.minimum?.value.value,
                one.maximum?.value.value, one.average, one.mostRecent?.value.value, nil, Data(samples),
            ]
        case .heartbeats(let one):
            return [
                SeriesSelection.Kind.heartbeats.rawValue, SampleType.heartbeatSeries.identifier.description, nil, source,
                one.reading.map(\.description), one.start.utcText, one.end.utcText, one.beats.count, nil, nil, nil, nil,
                one.sdnn.map { $0 * 1000 }, Data(SeriesCoding.encode(one.beats)),
            ]
        case .waveform(let one):
            return [
                SeriesSelection.Kind.waveforms.rawValue, one.code, one.unitName, source, nil, one.start.utcText, one.end.utcText,
                one.samples.count, nil, nil, nil, nil, nil, Data(SeriesCoding.encode(one)),
            ]
        }
    }

    /// Hands over the selected series one by one, by their start, and keeps none. The body answers whether to go on.
    public func forEachSeries(_ selection: SeriesSelection, _ body: (StoredSeries) throws -> Bool) throws(IngestError) {
        let sources = try sources()
        do {
            try queue.read { db in
                // A database of before there were series, opened to be read only, has none.
                guard try db.tableExists("series") else { return }
                var conditions = ["1"]
                var arguments: [(any DatabaseValueConvertible)?] = []
                func require(_ condition: String, _ values: [any DatabaseValueConvertible]) {
                    conditions.append(condition)
                    arguments += values.map { Optional($0) }
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
                    let meant = sources.filter {
                        (selection.device == nil || $0.value.provenance.device == selection.device)
                            && (selection.driver == nil || $0.value.provenance.driver == selection.driver)
                    }
                    require("source IN \(places(meant.count))", meant.keys.sorted())
                }
                if let user = selection.user { require("reading IN (SELECT id FROM reading WHERE user = ?)", [user]) }
                if selection.isWithoutUser {
                    require("NOT EXISTS (SELECT 1 FROM reading WHERE reading.id = series.reading AND user IS NOT NULL)", [])
                }
                if let name = selection.newFor {
                    require("NOT EXISTS (SELECT 1 FROM exported WHERE cursor = ? AND id = 'series-' || number)", [name])
                }
                for condition in selection.conditions { require(condition.sql, [condition.value]) }
                let order = selection.last == nil ? "" : " DESC LIMIT \(max(0, selection.last ?? 0))"
                let owner = "(SELECT user FROM reading WHERE reading.id = series.reading) AS owner"
                let intact = "\(hasChecksums ? RowChecksum.series.isIntact : "1") AS intact"
                let condition = conditions.joined(separator: " AND ")
                let inner = "SELECT *, \(owner), \(intact) FROM series WHERE \(condition) ORDER BY start\(order)"
                let rows = try Row.fetchCursor(
                    db, sql: "SELECT * FROM (\(inner)) ORDER BY start, number", arguments: StatementArguments(arguments))
                while let row = try rows.next() {
                    let source = row.integer("source") ?? 0
                    let provenance = sources[source]?.provenance ?? Provenance(driver: "unknown")
                    guard row.flag("intact"), let series = Self.series(row, provenance) else {
                        throw IngestError(StoreFault.seriesDamaged(path, number: row.integer("number") ?? 0))
                    }
                    let stored = StoredSeries(
                        number: row.integer("number") ?? 0, series: series, provenance: provenance, user: row.int("owner"))
                    guard try body(stored) else { return }
                }
            }
        } catch { throw Self.translated(error, path) }
    }

    private static func series(_ row: Row, _ provenance: Provenance) -> HealthSeries? {
        guard let start = instant(row.text("start")), let end = instant(row.text("end")), let samples = row.data("samples") else {
            return nil
        }
        let reading = row.text("reading").flatMap { Reading.ID.parse($0) }
        let source = HealthSource(name: "cuff")
        switch SeriesSelection.Kind(rawValue: row.text("type") ?? "") {
        case .quantity:
            guard let type = SampleType.named(row.text("code") ?? ""), let unit = HealthUnit.named(row.text("unit") ?? ""),
                let elements = SeriesCoding.decodeElements(Array(samples))
            else { return nil }
            return QuantitySeries(
                restored: type, unit: unit, start: start, end: end, source: source, device: provenance.identity, reading: reading,
                elements: elements
            ).map { .quantity($0) }
        case .heartbeats:
            guard let beats = SeriesCoding.decodeBeats(Array(samples)) else { return nil }
            return HeartbeatSeries(restored: beats, start: start, source: source, device: provenance.identity, reading: reading)
                .map { .heartbeats($0) }
        case .waveforms:
            return SeriesCoding.decodeWaveform(Array(samples), start: start, source: source, device: provenance.identity).map {
                .waveform($0)
            }
        case nil: return nil
        }
    }

    /// How many samples or beats a row's `samples` hold; `nil` where they cannot be unpacked.
    static func sampleCount(_ row: Row) -> Int? {
        guard let samples = row.data("samples") else { return nil }
        switch SeriesSelection.Kind(rawValue: row.text("type") ?? "") {
        case .quantity: return SeriesCoding.decodeElements(Array(samples))?.count
        case .heartbeats: return SeriesCoding.decodeBeats(Array(samples))?.count
        case .waveforms:
            return SeriesCoding.decodeWaveform(
                Array(samples), start: Timestamp(milliseconds: 0), source: HealthSource(name: "cuff"), device: nil)?.samples.count
        case nil: return nil
        }
    }

    private static func instant(_ text: String?) -> Timestamp? { text.flatMap { Timestamp.parse($0)?.time } }

    /// Whether this reading, at least in this revision, is here already, or was here and is deleted.
    func holds(_ reading: Reading) throws(IngestError) -> Bool {
        do {
            return try queue.read { db in
                let row = try Row.fetchOne(
                    db, sql: "SELECT revision, pending FROM reading WHERE id = ?", arguments: [reading.id.description])
                guard let row else { return false }
                let revision = row.int("revision") ?? 0
                let isPending = row.flag("pending")
                return revision > Int(reading.revision) || revision == Int(reading.revision) && (!isPending || reading.isPending)
            }
        } catch { throw Self.translated(error, path) }
    }
}
