import CuffCore
import SQLite

extension Store {
    /// Deletes the selected readings; returns how many.
    /// - Throws: An `IngestError` of reading or writing, as ``Store`` says; `StoreFault.remains` after the deletion, if copies may
    ///   remain in the files.
    public func delete(_ selection: ReadingSelection) throws(IngestError) -> Int {
        var ids: [String] = []
        try forEach(selection) { reading, _ in
            ids.append(reading.id.description)
            return true
        }
        // A damaged row is deleted only if selected by id.
        let damaged = try damaged(among: selection.ids)
        ids += damaged.map(\.description)
        try commit { db in try delete(ids, in: db) }
        forgetDamage(damaged.count)
        try overwriteRemains()
        return ids.count
    }

    /// Turns these readings into tombstones, and queues notices for the sinks that received them. `isExpected`: each must exist.
    func delete(_ ids: [String], in db: SQLiteConnection, isExpected: Bool = true) throws {
        let statement = try db.prepare(Self.bury)
        let seal = try db.prepare(RowChecksum.reading.seal("id = ?"))
        // Unsent lines of the reading are not sent any more.
        let unsent = try db.prepare(
            """
            UPDATE outbox SET sequence = NULL, queued = NULL, line = NULL, refused = NULL
            WHERE id = ? AND line IS NOT NULL AND revision < \(DeletionNotice.revision)
            """)
        // The values before it was edited.
        let earlier = try db.prepare("DELETE FROM earlier WHERE id = ?")
        let series = try db.prepare("DELETE FROM series WHERE reading = ?")
        let notices = try DeletionNotices(db, redelivery.household)
        for id in ids {
            try notices.put(id, in: db)
            try statement.run(id)
            guard db.changes == 1 || !isExpected else { throw keptOut(id, in: db) }
            try seal.run(id)
            try unsent.run(id)
            try series.run(id)
            try earlier.run(id)
        }
        try Self.dropAlerts(about: Set(ids), in: db)
    }

    /// Alerts about a deleted reading are not sent any more.
    private static func dropAlerts(about ids: Set<String>, in db: SQLiteConnection) throws {
        let alerts = try db.rows("SELECT sink, id, line FROM outbox WHERE line LIKE '{\"type\":\"alert\"%'") {
            (sink: $0.number(0), id: $0.text(1), line: $0.text(2) ?? "")
        }
        // Quoted texts include the alert's id and those of its readings.
        for alert in alerts where alert.line.split(separator: "\"").contains(where: { ids.contains(String($0)) }) {
            try db.run(
                "UPDATE outbox SET sequence = NULL, queued = NULL, line = NULL, refused = NULL WHERE sink = ? AND id = ?", alert.sink,
                alert.id)
        }
    }

    /// By name, the sinks with unsent notices of deletions, and how many.
    /// - Throws: An `IngestError` of reading, as ``Store`` says.
    public func owedDeletions() throws(IngestError) -> [(sink: String, count: Int)] {
        try read { db in
            try db.rows(
                """
                SELECT spec, count(*) FROM outbox JOIN sink ON sink.number = outbox.sink
                WHERE sequence IS NOT NULL AND line LIKE '\(DeletionNotice.beginning)%' GROUP BY spec ORDER BY spec
                """
            ) { ($0.text(0) ?? "", Int($0.number(1))) }
        }
    }
}
