import CuffClinical
import CuffCore
import SQLite

/// Remarks, and corrections of entered readings. Each change increments the revision that others see, so exports with `--new` and
/// sinks deliver the reading again. The cuff's own revision is kept.
extension Store {
    /// Changes by a person per reading: revisions end at 255, which marks a tombstone.
    private static let mostChanges = 200

    /// Sets remarks of each of these readings; an empty text removes one. All or none. Returns how many were changed.
    /// - Throws: `StoreFault.noSuchReading` for one that is unknown, deleted or incomplete, `damagedReadings`, `tooManyChanges` or
    ///   `remarkRefused` in an `IngestError`, or one of writing, as ``Store`` says.
    public func remark(_ ids: [Reading.ID], _ changes: [(key: Remarks.Key, text: String)]) throws(IngestError) -> Int {
        try annotate(ids, changes)
    }

    /// The same; `metadata` that is not empty replaces that of the readings.
    func annotate(
        _ ids: [Reading.ID], _ changes: [(key: Remarks.Key, text: String)], metadata: [String: String] = [:]
    ) throws(IngestError) -> Int {
        try commit { db in
            var count = 0
            for id in ids {
                let (reading, provenance) = try whole(id, in: db)
                var remarks = reading.remarks ?? Remarks()
                do throws(Remarks.Refusal) { for (key, text) in changes { try remarks.set(key, text) } } catch {
                    throw IngestError(StoreFault.remarkRefused(error))
                }
                var changed = reading
                changed.remarks = remarks.isEmpty ? nil : remarks
                if !metadata.isEmpty { changed.metadata = metadata }
                guard changed != reading else { continue }
                try noteChange(&changed, in: db)
                let facts = changed.metadata.isEmpty ? nil : JSONOutput(changed.metadata).string
                try db.run(
                    "UPDATE reading SET note = ?, medication = ?, posture = ?, arm = ?, metadata = ? WHERE id = ?", remarks[.note],
                    remarks[.medication], remarks[.posture], remarks[.arm], facts, id.description)
                try seal(id, in: db)
                try queueAgain(changed, provenance, in: db)
                count += 1
            }
            return count
        }
    }

    /// A complete reading, entered or sent by a cuff. Throws if it is not stored.
    package func storedReading(_ id: Reading.ID) throws(IngestError) -> Reading { try read { try whole(id, in: $0).0 } }

    /// Replaces an entered reading and keeps its previous values; returns whether anything differs.
    package func edit(_ id: Reading.ID, to entry: ManualEntry, zone: ZoneTable) throws(IngestError) -> Bool {
        let now = HostClock.reproducibleNow()
        return try commit { db in
            let (old, provenance) = try whole(id, in: db)
            guard old.origin == .entered else {
                throw IngestError(StoreFault.notEntered(id.description, driver: old.driver.description))
            }
            var new = entry.reading(received: old.received ?? now, zone: zone)
            (new.id, new.remarks, new.metadata, new.revision, new.person) = (old.id, old.remarks, old.metadata, old.revision, old.person)
            // An unchanged time keeps its zone: this machine may be in another one.
            if new.measured?.seconds == old.measured?.seconds { new.measuredOffset = old.measuredOffset }
            let isSame = new.content == old.content && new.user == old.user && new.flags == old.flags
            guard !isSame || new.measured?.seconds != old.measured?.seconds else { return false }
            try db.run(
                """
                INSERT INTO earlier
                  (id, revision, replaced, systolic_mmHg, diastolic_mmHg, pulse_per_min, user, flags, measured, raw)
                SELECT id, \(ReadingColumn.fullRevision), ?, systolic_mmHg, diastolic_mmHg, pulse_per_min, user, flags, measured, raw
                FROM reading WHERE id = ?
                """, now.utcText, id.description)
            try db.run(RowChecksum.earlier.seal("id = ? AND checksum IS NULL"), id.description)
            try replaceValues(of: new, in: db)
            try noteChange(&new, in: db)
            try seal(id, in: db)
            try queueAgain(new, provenance, in: db)
            return true
        }
    }

    /// The previous values of the selected readings, each with the time of its change; oldest first.
    /// - Throws: An `IngestError` of reading, as ``Store`` says.
    public func earlier(_ selection: ReadingSelection) throws(IngestError) -> [Reading.ID: [(reading: Reading, until: String)]] {
        // The other columns never differ: only entered readings are edited.
        let kept: Set<ReadingColumn> = [.id, .systolic_mmHg, .diastolic_mmHg, .pulse_per_min, .user, .flags, .measured, .raw, .revision]
        let absent = ReadingColumn.notOfCuffs.subtracting([.person])
        let columns = ReadingColumn.allCases.map { column in
            absent.contains(column) ? "NULL" : "\(kept.contains(column) ? "earlier" : "reading").\(column.name)"
        }
        var found: [Reading.ID: [(reading: Reading, until: String)]] = [:]
        var damaged = 0
        defer { noteDamage(damaged) }
        try read { db in
            let sql = """
                SELECT \(hasChecksums ? RowChecksum.earlier.isIntact : "1"), \(columns.joined(separator: ",")), earlier.replaced
                FROM earlier JOIN reading USING (id) ORDER BY earlier.id, earlier.revision
                """
            damaged = try eachRow(sql, in: db) { statement in
                let cursor = ReadingCursor(statement: statement, zone: selection.zone)
                guard cursor.isIntact, let reading = cursor.reading(driver: ManualEntry.driver) else { throw UnreadableRow() }
                let until = statement.text(statement.columnCount - 1) ?? ""
                found[reading.id, default: []].append((reading, until))
                return true
            }
        }
        return found
    }

    func whole(_ id: Reading.ID, in db: SQLiteConnection) throws -> (Reading, Provenance) {
        let text = id.description
        let statement = try db.prepare(
            "SELECT \(isIntact), \(ReadingColumn.all) FROM reading WHERE id = ? AND NOT pending AND type <> '\(Self.tombstone)'")
        statement.bind(text)
        let cursor = ReadingCursor(statement: statement, zone: .utc)
        guard try statement.step() else { throw IngestError(StoreFault.noSuchReading(text, path)) }
        // A remark must not give a damaged row a valid checksum.
        guard cursor.isIntact, let source = try Self.sources(db)[cursor.source], let reading = cursor.reading(driver: source.driver)
        else {
            throw IngestError(StoreFault.damagedReadings(path, count: 1))
        }
        guard cursor.noted < Self.mostChanges, reading.revision < 250 else {
            throw IngestError(StoreFault.tooManyChanges(text, most: Self.mostChanges))
        }
        return (reading, source.provenance)
    }

    /// Updates the checksum of a changed row that was intact before.
    func seal(_ id: Reading.ID, in db: SQLiteConnection) throws {
        try db.run(RowChecksum.reading.seal("id = ?"), id.description)
    }

    /// Increments the revision, in the row and in the reading.
    func noteChange(_ reading: inout Reading, in db: SQLiteConnection) throws {
        try db.run("UPDATE reading SET noted = coalesce(noted, 0) + 1 WHERE id = ?", reading.id.description)
        reading.revision += 1
    }

    private func replaceValues(of reading: Reading, in db: SQLiteConnection) throws {
        // Uses the insert for its column binding, with a revision that wins over the row's and is reset afterwards.
        let text = reading.id.description
        let row = try db.first("SELECT revision, source FROM reading WHERE id = ?", text) { ($0.number(0), $0.number(1)) }
        guard let (revision, source) = row else { return }
        var forced = reading
        forced.revision = .max
        try ReadingRow(db).write(forced, source: source)
        try db.run("UPDATE reading SET revision = ? WHERE id = ?", revision, text)
    }

    /// Queues a line about the reading `?1` for each sink that the query `sinks` returns.
    static func queue(_ line: String, _ id: String, _ revision: Int, for sinks: String, in db: SQLiteConnection) throws {
        try db.run(
            """
            INSERT INTO outbox (sink, id, revision, pending, sequence, queued, line, checksum)
            SELECT number, ?1, ?2, 0, 1 + coalesce((SELECT max(sequence) FROM outbox WHERE sink = number), 0), ?3, ?4,
              \(RowChecksum.function)(number, ?1, ?2, 0, ?4)
            FROM sink WHERE number IN (\(sinks))
            ON CONFLICT DO NOTHING
            """, id, revision, HostClock.now().utcText, line)
    }
}
