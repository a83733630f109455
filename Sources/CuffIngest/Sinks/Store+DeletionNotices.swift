import CuffCore
import SQLite

extension Store {
    /// Deletes the selected readings; answers how many. It throws also where they are deleted and may be found in the files
    /// still.
    public func delete(_ selection: ReadingSelection) throws(IngestError) -> Int {
        var ids: [String] = []
        try forEach(selection) { reading, _ in
            ids.append(reading.id.description)
            return true
        }
        // A damaged row that is named goes, too.
        let damaged = try damaged(among: selection.ids)
        ids += damaged.map(\.description)
        try commit { db in try delete(ids, in: db) }
        forgetDamage(damaged.count)
        try overwriteRemains()
        return ids.count
    }

    /// Makes tombstones of these readings, and tells the sinks that had them. `isExpected`: each must be here.
    func delete(_ ids: [String], in db: SQLiteConnection, isExpected: Bool = true) throws {
        let statement = try db.prepare(Self.bury)
        let seal = try db.prepare(RowChecksum.reading.seal("id = ?"))
        // Its line must not be sent to another sink any more.
        let unsent = try db.prepare(
            """
            UPDATE outbox SET sequence = NULL, queued = NULL, line = NULL, refused = NULL
            WHERE id = ? AND line IS NOT NULL AND revision < \(DeletionNotice.revision)
            """)
        // What it said before it was edited.
        let earlier = try db.prepare("DELETE FROM earlier WHERE id = ?")
        // What the cuff showed on the way belongs to the reading.
        let series = try db.prepare("DELETE FROM series WHERE reading = ?")
        let notices = try DeletionNotices(db)
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

    /// An alert that rests on a deleted reading and waits for another sink must not be sent any more.
    private static func dropAlerts(about ids: Set<String>, in db: SQLiteConnection) throws {
        let alerts = try db.rows("SELECT sink, id, line FROM outbox WHERE line LIKE '{\"type\":\"alert\"%'") {
            (sink: $0.number(0), id: $0.text(1), line: $0.text(2) ?? "")
        }
        // What stands between quotes: the alert's own id, and those of its readings.
        for alert in alerts where alert.line.split(separator: "\"").contains(where: { ids.contains(String($0)) }) {
            try db.run(
                "UPDATE outbox SET sequence = NULL, queued = NULL, line = NULL, refused = NULL WHERE sink = ? AND id = ?", alert.sink,
                alert.id)
        }
    }

    /// The sinks that have still to be told of deletions, by name, with how many.
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
