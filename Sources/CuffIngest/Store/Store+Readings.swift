import CuffClinical
import CuffCore
import GRDB
import GRDBSQLite

extension Store {
    /// The sources by their numbers.
    public func sources() throws(IngestError) -> [Int64: StoredSource] {
        do { return try queue.read { try Self.sources($0) } } catch { throw Self.translated(error, path) }
    }

    static func sources(_ db: Database) throws -> [Int64: StoredSource] {
        var found: [Int64: StoredSource] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT number, driver, device, manufacturer, model, serial, firmware FROM source") {
            let name: String = row["driver"]
            let known = CuffFamilies.named(name)?.id
            found[row["number"]] = StoredSource(
                number: row["number"],
                driver: known ?? (name == ManualEntry.driver.description ? ManualEntry.driver : "unknown"),
                provenance: Provenance(
                    driver: name, device: row["device"],
                    identity: DeviceIdentity(
                        id: row["device"], manufacturer: row["manufacturer"], model: row["model"], serial: row["serial"],
                        firmware: row["firmware"])))
        }
        return found
    }

    /// Hands over the selected readings one by one in the order of their ids, without keeping any. The body answers
    /// whether to go on.
    public func forEach(_ selection: ReadingSelection, _ body: (Reading, Provenance) throws -> Bool) throws(IngestError) {
        // The latest so many are found backwards and told forwards.
        var latest: [(Reading, Provenance)] = []
        try walk(selection, columns: ReadingColumn.all) { cursor, sources in
            guard selection.holds(cursor.time), let source = sources[cursor.source], let reading = cursor.reading(driver: source.driver)
            else {
                return true
            }
            guard let last = selection.last else { return try body(reading, source.provenance) }
            guard latest.count < last else { return false }
            latest.append((reading, source.provenance))
            return latest.count < last
        }
        do {
            for (reading, provenance) in latest.reversed() { guard try body(reading, provenance) else { return } }
        } catch { throw Self.translated(error, path) }
    }

    /// The selected blood pressures as statistics see them: what counts, and what does not with the reason. Much faster than
    /// whole readings.
    public func forEachPoint(
        _ selection: ReadingSelection, rule: InclusionRule, _ body: (InclusionRule.Verdict, Int64) -> Void
    ) throws(IngestError) {
        var selection = selection
        selection.kinds = [.bloodPressure]
        var left = selection.last ?? .max
        try walk(selection, columns: ReadingColumn.ofPoints) { cursor, _ in
            let time = cursor.time
            guard selection.holds(time) || cursor.hasImplausibleTime else { return true }
            guard left > 0 else { return false }
            left -= 1
            if let reason = rule.reason(cursor.flags) {
                body(.excluded(reason), cursor.source)
            } else if let time, let point = cursor.point(time) {
                body(.counts(point), cursor.source)
            } else {
                body(.excluded(cursor.timeExclusion), cursor.source)
            }
            return true
        }
    }

    /// How many of the readings that are meant, whatever the range of time, tell a time which is none and so are in no range.
    public func implausibleTimes(_ selection: ReadingSelection) throws(IngestError) -> Int {
        var selection = selection
        (selection.since, selection.until, selection.last) = (nil, nil, nil)
        var count = 0
        try walk(selection, columns: ReadingColumn.ofPoints, where: "(clock = 'implausible' OR measured > received OR measured IS NULL)") {
            cursor, _ in
            if cursor.hasImplausibleTime { count += 1 }
            return true
        }
        return count
    }

    func walk(
        _ selection: ReadingSelection, columns: String, where more: String = "1",
        _ body: (ReadingCursor, [Int64: StoredSource]) throws -> Bool
    ) throws(IngestError) {
        do {
            try queue.read { db in
                let sources = try Self.sources(db)
                let order = selection.last == nil ? "" : " DESC"
                let sql = "SELECT \(columns) FROM reading WHERE \(selection.condition(sources)) AND \(more) ORDER BY id\(order)"
                let statement = try db.makeStatement(sql: sql)
                let cursor = ReadingCursor(statement: statement.sqliteStatement, zone: selection.zone)
                defer { sqlite3_reset(statement.sqliteStatement) }
                while true {
                    switch sqlite3_step(statement.sqliteStatement) {
                    case SQLITE_ROW: guard try body(cursor, sources) else { return }
                    case SQLITE_DONE: return
                    case let result:
                        throw DatabaseError(
                            resultCode: ResultCode(rawValue: result),
                            message: db.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) })
                    }
                }
            }
        } catch { throw Self.translated(error, path) }
    }

    /// The users whom the selected readings tell of, ascending; `nil`, where some tell none, comes last.
    public func users(_ selection: ReadingSelection) throws(IngestError) -> [Int?] {
        var found: Set<Int?> = []
        do {
            try queue.read { db in
                let sources = try Self.sources(db)
                let rows = try Row.fetchAll(db, sql: "SELECT DISTINCT user FROM reading WHERE \(selection.condition(sources))")
                found = Set(rows.map { $0["user"] as Int? })
            }
        } catch { throw Self.translated(error, path) }
        // The condition is wider than the range of time, so of several each is looked for.
        if found.count > 1, selection.since != nil || selection.until != nil || selection.last != nil {
            found = []
            try forEach(selection) { reading, _ in
                found.insert(reading.user.map { Int($0) })
                return true
            }
        }
        return found.sorted { ($0 ?? .max) < ($1 ?? .max) }
    }

    /// A number that is another one after any program has changed the database.
    func changeCounter() throws(IngestError) -> Int64 {
        do { return try queue.read { try Int64.fetchOne($0, sql: "PRAGMA data_version") ?? 0 } } catch {
            throw Self.translated(error, path)
        }
    }

    /// How many readings are selected.
    public func count(_ selection: ReadingSelection) throws(IngestError) -> Int {
        var count = 0
        try forEach(selection) { _, _ in
            count += 1
            return true
        }
        return count
    }
}
