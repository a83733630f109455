import CuffClinical
import CuffCore
import SQLite

extension Store {
    package struct ImportRecord: Sendable, Hashable {
        /// The argument of `cuff db undo-import`.
        package var name: String
        /// The file without its folder.
        package var file: String
        package var layout: String
        /// When it was imported, UTC.
        package var imported: String
        /// When it was undone; `nil` if it was not.
        package var undone: String?
        /// The readings that it added and that were not deleted.
        package var readings: Int
    }

    /// What is stored under an id.
    struct Held: Sendable, Hashable {
        var revision: UInt8
        /// The version of the record in the imported file.
        var version: Int64?
        var isTombstone: Bool
        /// It was removed by undoing its import, so importing it again restores it.
        var isUndone: Bool
        /// The layout of the file that it was imported from.
        var layout: String?
    }

    struct Arrival: Sendable {
        var reading: Reading
        var driver: DriverID
        var device: String
        var identity: DeviceIdentity
        var version: Int64
        /// It restores a reading that was removed by undoing its import.
        var isRevival: Bool

        func isOfTheSameCuff(as other: Arrival) -> Bool {
            driver == other.driver && device == other.device && identity == other.identity
        }
    }

    /// Every import, oldest first.
    package func imports() throws(IngestError) -> [ImportRecord] {
        try read { db in
            let there =
                "SELECT count(*) FROM imported JOIN reading USING (id) WHERE imported.import = import.number AND type <> '\(Self.tombstone)'"
            return try db.rows("SELECT name, file, layout, imported, undone, (\(there)) FROM import ORDER BY number") { row in
                ImportRecord(
                    name: row.text(0) ?? "", file: row.text(1) ?? "", layout: row.text(2) ?? "", imported: row.text(3) ?? "",
                    undone: row.text(4), readings: row.int(5) ?? 0)
            }
        }
    }

    func held(_ id: Reading.ID) throws(IngestError) -> Held? {
        try read { db in
            let statement = try db.cached(
                """
                SELECT revision + coalesce(noted, 0), type = '\(Self.tombstone)', version, undone IS NOT NULL, layout FROM reading
                LEFT JOIN imported USING (id) LEFT JOIN import ON import.number = imported.import WHERE reading.id = ?
                """)
            statement.bind(id.description)
            defer { statement.reset() }
            guard try statement.step() else { return nil }
            return Held(
                revision: UInt8(clamping: statement.number(0)), version: statement.integer(2), isTombstone: statement.flag(1),
                isUndone: statement.flag(3), layout: statement.text(4))
        }
    }

    /// An unused name: the wanted one, perhaps with a number appended.
    func freeImportName(_ wanted: String) throws(IngestError) -> String {
        let taken = Set(try imports().map(\.name))
        guard taken.contains(wanted) else { return wanted }
        var number = 2
        while taken.contains("\(wanted)-\(number)") { number += 1 }
        return "\(wanted)-\(number)"
    }

    /// Stores readings as part of an import, in one transaction. Returns the number of changed rows.
    func add(_ arrivals: [Arrival], import record: ImportRecord, program: String) throws(IngestError) -> Int {
        guard !arrivals.isEmpty else { return 0 }
        return try commit { db in
            try db.run(
                "INSERT INTO import (name, file, layout, program, imported) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
                record.name, record.file, record.layout, program, record.imported)
            let number = try db.first("SELECT number FROM import WHERE name = ?", record.name) { $0.number(0) } ?? 0
            let row = try ReadingRow(db, ReadingRow.insertOfImport)
            let lift = try db.prepare("DELETE FROM reading WHERE id = ? AND type = '\(Self.tombstone)'")
            // A revision belongs to the import that added the reading, unless that one was undone.
            let note = try db.prepare(
                """
                INSERT INTO imported (id, import, version) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET version = ?3,
                import = iif((SELECT undone IS NULL FROM import WHERE number = imported.import), imported.import, ?2)
                """)
            var changed = 0
            var latest: (arrival: Arrival, source: Int64)?
            // In the order of the table, so that each page is written once.
            for arrival in arrivals.sorted(by: { ($0.reading.id.sortKey, $0.reading.id.hash) < ($1.reading.id.sortKey, $1.reading.id.hash) }
            ) {
                let id = arrival.reading.id.description
                if arrival.isRevival { try lift.run(id) }
                let source: Int64
                if let latest, latest.arrival.isOfTheSameCuff(as: arrival) {
                    source = latest.source
                } else {
                    source = try Self.number(arrival.driver, arrival.device, arrival.identity, in: db)
                    latest = (arrival, source)
                }
                let before = db.totalChanges
                try row.write(arrival.reading, source: source, person: arrival.reading.person)
                guard db.changes > 0 else { continue }
                changed += 1
                // One change is this row. Otherwise a trigger may have interfered.
                if db.totalChanges != before &+ 1 {
                    guard try confirm(arrival.reading, isNew: true, in: db) == .here else { throw keptOut(id, in: db) }
                }
                try note.run(id, number, arrival.version)
            }
            return changed
        }
    }

    /// Removes every reading that an import added; returns their number. Tombstones stay, as for any deleted reading, until the same
    /// file is imported again. A reading that was deleted before is no longer part of the import: its tombstone stays.
    func removeImport(_ name: String) throws(IngestError) -> Int {
        let now = HostClock.reproducibleNow().utcText
        let count = try commit { db in
            try db.run(
                """
                DELETE FROM imported WHERE import = (SELECT number FROM import WHERE name = ?)
                AND id IN (SELECT id FROM reading WHERE type = '\(Self.tombstone)')
                """, name)
            let ids = try db.rows(
                """
                SELECT id FROM imported JOIN reading USING (id) WHERE import = (SELECT number FROM import WHERE name = ?)
                """, name
            ) { $0.text(0) ?? "" }
            try delete(ids, in: db)
            try db.run("UPDATE import SET undone = ? WHERE name = ?", now, name)
            return ids.count
        }
        try overwriteRemains()
        return count
    }
}
