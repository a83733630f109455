import CuffCore
import SQLite

/// Checks of the database by SQLite's rules and the program's own.
extension Store {
    package struct CheckReport: Sendable {
        /// Without deleted ones.
        package internal(set) var readings = 0
        package internal(set) var deleted = 0
        /// Readings without a checksum: of an earlier version, or edited by another program.
        package internal(set) var unverified = 0
        /// At most `StoreCheck.limit`.
        package internal(set) var problems: [StoreProblem] = []
        package internal(set) var count = 0

        mutating func add(_ problem: StoreProblem) {
            count += 1
            if problems.count < Self.limit { problems.append(problem) }
        }

        /// A damaged database may have a problem on each page.
        static let limit = 100
    }

    /// Checks every page, row and series. Changes nothing.
    package func check() throws(IngestError) -> CheckReport {
        var report = CheckReport()
        do {
            try connection.use { db in try db.read { try check($0, &report) } }
        } catch let error as SQLiteError where error.code == .corrupt {
            // Some damage aborts SQLite's own check.
            report.add(.integrity(error.message))
        } catch let error as SQLiteError where error.code == .tooBig {
            report.add(.tooLarge(table: nil))
        } catch { throw Self.translated(error, path) }
        return report
    }

    private func check(_ db: SQLiteConnection, _ report: inout CheckReport) throws {
        let answers = try db.rows("PRAGMA integrity_check(\(CheckReport.limit))") { $0.text(0) ?? "" }
        for text in answers where text != "ok" { report.add(.integrity(text)) }
        // Rows are only walked if SQLite can follow them.
        guard report.count == 0 else { return }
        try checkReadings(db, &report)
        try checkSources(db, &report)
        try checkOutbox(db, &report)
        try checkSeries(db, &report)
        try checkEarlier(db, &report)
    }

    /// Walks a table; a row that is too large is a problem of its own.
    private func rows(
        _ sql: String, of table: String, _ db: SQLiteConnection, _ report: inout CheckReport,
        _ body: (SQLiteStatement, inout CheckReport) -> Void
    ) throws {
        let tooLarge = try eachRow(sql, in: db) { statement in
            body(statement, &report)
            return true
        }
        for _ in 0..<tooLarge { report.add(.tooLarge(table: table)) }
    }

    private func intact(_ table: RowChecksum.Table) -> String { hasChecksums ? table.isIntact : "1" }

    /// A row that breaks several rules is reported once. A tombstone has its key, the highest revision and no value.
    private func checkReadings(_ db: SQLiteConnection, _ report: inout CheckReport) throws {
        let sources = Set(try db.rows("SELECT number FROM source") { $0.number(0) })
        let kinds = Set(ReadingSelection.Kind.allCases.map(\.rawValue))
        let unverified = hasChecksums ? "checksum IS NULL" : "1"
        let sql = "SELECT \(intact(RowChecksum.reading)), \(ReadingColumn.all), \(unverified) FROM reading ORDER BY id"
        try rows(sql, of: "reading", db, &report) { statement, report in
            let row = ReadingCursor(statement: statement, zone: .utc)
            let before = report.count
            let id = row.string(.id) ?? ""
            let type = row.string(.type) ?? ""
            if row.id == .none { report.add(.notAnID(id)) }
            if type == Self.tombstone {
                report.deleted += 1
                if let column = row.firstHeld { report.add(.tombstoneHolds(id: id, column: column)) }
            } else {
                report.readings += 1
                if statement.flag(statement.columnCount - 1) { report.unverified += 1 }
                if !sources.contains(row.source) { report.add(.withoutSource(id: id, source: row.source)) }
                if kinds.contains(type) {
                    for key in Remarks.Key.allCases where !key.words.isEmpty {
                        guard let text = row.string(ReadingColumn(key)), !key.words.contains(text) else { continue }
                        report.add(.unknownRemark(id: id, key: key.rawValue))
                    }
                    if let column = row.firstUnreadable { report.add(.unreadable(id: id, column: column)) }
                } else {
                    report.add(.unknownType(id: id, type: type))
                }
            }
            if report.count == before, !row.isIntact { report.add(.changed(id: id)) }
        }
    }

    private func checkSources(_ db: SQLiteConnection, _ report: inout CheckReport) throws {
        let sql = "SELECT number, \(intact(RowChecksum.source)) FROM source ORDER BY number"
        try rows(sql, of: "source", db, &report) { statement, report in
            if !statement.flag(1) { report.add(.changedSource(number: statement.number(0))) }
        }
    }

    private func checkOutbox(_ db: SQLiteConnection, _ report: inout CheckReport) throws {
        let row = try db.prepare(
            """
            SELECT outbox.id, outbox.sink, sink.number IS NULL,
              reading.type = '\(Self.tombstone)' AND outbox.revision < \(Reading.lastRevision),
              outbox.line = '', \(intact(RowChecksum.outbox))
            FROM outbox LEFT JOIN sink ON sink.number = outbox.sink LEFT JOIN reading ON reading.id = outbox.id
            WHERE outbox.line IS NOT NULL
            """)
        while try row.step() {
            let (id, sink) = (row.text(0) ?? "", row.number(1))
            let before = report.count
            if row.flag(2) { report.add(.lineWithoutSink(id: id, sink: sink)) }
            if row.flag(3) { report.add(.deletedLineWaits(id: id)) }
            if row.flag(4) { report.add(.emptyLine(id: id, sink: sink)) }
            if report.count == before, !row.flag(5) { report.add(.changedLine(id: id, sink: sink)) }
        }
    }

    private func checkEarlier(_ db: SQLiteConnection, _ report: inout CheckReport) throws {
        let lost = "id NOT IN (SELECT id FROM reading WHERE type <> '\(Self.tombstone)')"
        for id in try db.rows("SELECT DISTINCT id FROM earlier WHERE \(lost)", read: { $0.text(0) ?? "" }) {
            report.add(.earlierOfNone(id: id))
        }
        guard hasChecksums else { return }
        let changed = "SELECT id FROM earlier WHERE NOT \(lost) AND NOT \(RowChecksum.earlier.isIntact)"
        for id in try db.rows(changed, read: { $0.text(0) ?? "" }) { report.add(.changed(id: id)) }
    }

    private func checkSeries(_ db: SQLiteConnection, _ report: inout CheckReport) throws {
        let row = try db.prepare(
            """
            SELECT series.number, series.type, series.samples, series.count, source.number IS NULL, \(intact(RowChecksum.series))
            FROM series LEFT JOIN source ON source.number = series.source
            """)
        while try row.step() {
            let number = row.number(0)
            if row.flag(4) { report.add(.seriesWithoutSource(number: number)) }
            if Self.sampleCount(row.text(1), row.bytes(2)) != row.int(3) || !row.flag(5) { report.add(.damagedSeries(number: number)) }
        }
    }
}

extension ReadingCursor {
    /// The first column that a tombstone should not have.
    var firstHeld: String? {
        if string(.raw)?.isEmpty == false { return ReadingColumn.raw.name }
        if string(.revision) != "255" { return ReadingColumn.revision.name }
        return Store.emptiedColumns.first { name in ReadingColumn.allCases.contains { $0.name == name && string($0) != nil } }
    }

    /// The first column that the type needs and that is invalid; `nil` if the reading can be read.
    var firstUnreadable: String? {
        switch string(.type) {
        case "blood_pressure" where reading(driver: "unknown") == nil: return "systolic or diastolic"
        case "pulse_rate" where reading(driver: "unknown") == nil: return ReadingColumn.pulse_per_min.name
        case "measurement" where string(.reason) == nil: return ReadingColumn.reason.name
        case "quantity" where string(.mdc) == nil: return ReadingColumn.mdc.name
        default: break
        }
        for column in [ReadingColumn.measured, .received] {
            if let text = string(column), Timestamp.parse(text) == nil { return column.name }
        }
        if let text = string(.device_time), DeviceTime.parse(text) == nil { return ReadingColumn.device_time.name }
        if let user = string(.user), Int32(user) == nil { return ReadingColumn.user.name }
        return nil
    }
}
