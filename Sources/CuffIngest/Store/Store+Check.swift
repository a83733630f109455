import CuffCore
import GRDB
import GRDBSQLite

/// Whether the database is whole, by SQLite's rules and by the program's own.
extension Store {
    /// What a check looked at and found.
    public struct CheckReport: Sendable {
        /// Readings, deleted ones not counted.
        public internal(set) var readings = 0
        /// Tombstones of deleted readings.
        public internal(set) var deleted = 0
        /// The problems found, at most `StoreCheck.limit` of them.
        public internal(set) var problems: [StoreProblem] = []
        /// How many there are in all.
        public internal(set) var count = 0

        mutating func add(_ problem: StoreProblem) {
            count += 1
            if problems.count < Self.limit { problems.append(problem) }
        }

        /// More lines than this nobody reads, and a damaged database may have one for each page.
        static let limit = 100
    }

    /// Looks at every page, every row and every series. Changes nothing.
    public func check() throws(IngestError) -> CheckReport {
        var report = CheckReport()
        do {
            try queue.read { db in
                for text in try String.fetchAll(db, sql: "PRAGMA integrity_check(\(CheckReport.limit))") where text != "ok" {
                    report.add(.integrity(text))
                }
                // What SQLite itself cannot follow is not walked.
                guard report.count == 0 else { return }
                try checkReadings(db, &report)
                try checkTombstones(db, &report)
                try checkOutbox(db, &report)
                try checkSeries(db, &report)
                try checkEarlier(db, &report)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            // Some damage ends SQLite's own check.
            report.add(.integrity(error.message ?? "the database is damaged"))
        } catch { throw Self.translated(error, path) }
        return report
    }

    private func checkReadings(_ db: Database, _ report: inout CheckReport) throws {
        let sources = Set(try Int64.fetchAll(db, sql: "SELECT number FROM source"))
        let kinds = Set(ReadingSelection.Kind.allCases.map(\.rawValue))
        let statement = try db.makeStatement(sql: "SELECT \(ReadingColumn.all) FROM reading ORDER BY id")
        let row = ReadingCursor(statement: statement.sqliteStatement, zone: .utc)
        defer { sqlite3_reset(statement.sqliteStatement) }
        while true {
            let result = sqlite3_step(statement.sqliteStatement)
            if result == SQLITE_DONE { return }
            guard result == SQLITE_ROW else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
            let id = row.words(.id) ?? ""
            let type = row.words(.type) ?? ""
            if row.id == .none { report.add(.notAnID(id)) }
            if type == Self.tombstone {
                report.deleted += 1
                continue
            }
            report.readings += 1
            if !sources.contains(row.source) { report.add(.withoutSource(id: id, source: row.source)) }
            guard kinds.contains(type) else {
                report.add(.unknownType(id: id, type: type))
                continue
            }
            for key in Remarks.Key.allCases where !key.words.isEmpty {
                guard let text = row.words(ReadingColumn(key)), !key.words.contains(text) else { continue }
                report.add(.unknownRemark(id: id, key: key.rawValue))
            }
            if let column = row.firstUnreadable { report.add(.unreadable(id: id, column: column)) }
        }
    }

    /// A tombstone keeps its key, the highest revision, and no value.
    private func checkTombstones(_ db: Database, _ report: inout CheckReport) throws {
        let emptied = Self.emptiedColumns
        let held = emptied.map { "WHEN \($0) IS NOT NULL THEN '\($0)'" }.joined(separator: " ")
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, CASE WHEN length(raw) > 0 THEN 'raw' WHEN revision <> 255 THEN 'revision' \(held) END AS held
                FROM reading WHERE type = '\(Self.tombstone)'
                """)
        while let row = try rows.next() {
            if let column = row["held"] as String? { report.add(.tombstoneHolds(id: row["id"], column: column)) }
        }
    }

    private func checkOutbox(_ db: Database, _ report: inout CheckReport) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT outbox.id, outbox.sink, sink.number IS NULL AS orphan,
                  reading.type = '\(Self.tombstone)' AND outbox.revision < \(Reading.lastRevision) AS deleted,
                  outbox.line = '' AS empty
                FROM outbox LEFT JOIN sink ON sink.number = outbox.sink LEFT JOIN reading ON reading.id = outbox.id
                WHERE outbox.line IS NOT NULL
                """)
        while let row = try rows.next() {
            let (id, sink) = (row["id"] as String, row["sink"] as Int64)
            if row["orphan"] as Bool { report.add(.lineWithoutSink(id: id, sink: sink)) }
            if row["deleted"] as Bool? ?? false { report.add(.deletedLineWaits(id: id)) }
            if row["empty"] as Bool? ?? false { report.add(.emptyLine(id: id, sink: sink)) }
        }
    }

    private func checkEarlier(_ db: Database, _ report: inout CheckReport) throws {
        let lost = "SELECT DISTINCT id FROM earlier WHERE id NOT IN (SELECT id FROM reading WHERE type <> '\(Self.tombstone)')"
        for id in try String.fetchAll(db, sql: lost) { report.add(.earlierOfNone(id: id)) }
    }

    private func checkSeries(_ db: Database, _ report: inout CheckReport) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT series.number, series.type, series.count, series.samples, source.number IS NULL AS orphan
                FROM series LEFT JOIN source ON source.number = series.source
                """)
        while let row = try rows.next() {
            let number = row["number"] as Int64
            if row["orphan"] as Bool { report.add(.seriesWithoutSource(number: number)) }
            if Self.sampleCount(row) != row["count"] as Int? { report.add(.damagedSeries(number: number)) }
        }
    }
}

extension ReadingCursor {
    /// The first column that its type needs and that does not hold what it should; `nil` where the reading can be read.
    var firstUnreadable: String? {
        switch words(.type) {
        case "blood_pressure" where reading(driver: "unknown") == nil: return "systolic or diastolic"
        case "pulse_rate" where reading(driver: "unknown") == nil: return ReadingColumn.pulse_per_min.name
        case "measurement" where words(.reason) == nil: return ReadingColumn.reason.name
        case "quantity" where words(.mdc) == nil: return ReadingColumn.mdc.name
        default: break
        }
        for column in [ReadingColumn.measured, .received] {
            if let text = words(column), Timestamp.parse(text) == nil { return column.name }
        }
        if let text = words(.device_time), DeviceTime.parse(text) == nil { return ReadingColumn.device_time.name }
        if let user = words(.user), Int32(user) == nil { return ReadingColumn.user.name }
        return nil
    }
}
