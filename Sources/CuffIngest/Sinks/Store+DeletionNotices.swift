import CuffCore
import GRDB

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
        do {
            try commit { db in try delete(ids, in: db) }
        } catch { throw Self.translated(error, path) }
        forgetDamage(damaged.count)
        try overwriteRemains()
        return ids.count
    }

    /// Makes tombstones of these readings, and tells the sinks that had them. `isExpected`: each must be here.
    func delete(_ ids: [String], in db: Database, isExpected: Bool = true) throws {
        let statement = try db.makeStatement(sql: Self.bury)
        let seal = try db.makeStatement(sql: RowChecksum.reading.seal("id = ?"))
        // Its line must not be sent to another sink any more.
        let unsent = try db.makeStatement(
            sql: """
                UPDATE outbox SET sequence = NULL, queued = NULL, line = NULL, refused = NULL
                WHERE id = ? AND line IS NOT NULL AND revision < \(DeletionNotice.revision)
                """)
        // What it said before it was edited.
        let earlier = try db.makeStatement(sql: "DELETE FROM earlier WHERE id = ?")
        // What the cuff showed on the way belongs to the reading.
        let series = try db.makeStatement(sql: "DELETE FROM series WHERE reading = ?")
        let notices = try DeletionNotices(db)
        for id in ids {
            try notices.put(id, in: db)
            try statement.execute(arguments: [id])
            guard db.changesCount == 1 || !isExpected else { throw keptOut(id, in: db) }
            try seal.execute(arguments: [id])
            try unsent.execute(arguments: [id])
            try series.execute(arguments: [id])
            try earlier.execute(arguments: [id])
        }
        try Self.dropAlerts(about: Set(ids), in: db)
    }

    /// An alert that rests on a deleted reading and waits for another sink must not be sent any more.
    private static func dropAlerts(about ids: Set<String>, in db: Database) throws {
        let alerts = try Row.fetchAll(db, sql: "SELECT sink, id, line FROM outbox WHERE line LIKE '{\"type\":\"alert\"%'")
        for row in alerts {
            let line = row.text("line") ?? ""
            // What stands between quotes: the alert's own id, and those of its readings.
            guard line.split(separator: "\"").contains(where: { ids.contains(String($0)) }) else { continue }
            try db.execute(
                sql: "UPDATE outbox SET sequence = NULL, queued = NULL, line = NULL, refused = NULL WHERE sink = ? AND id = ?",
                arguments: [row.integer("sink") ?? 0, row.text("id") ?? ""])
        }
    }

    /// The sinks that have still to be told of deletions, by name, with how many.
    public func owedDeletions() throws(IngestError) -> [(sink: String, count: Int)] {
        do {
            return try queue.read { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT spec, count(*) AS count FROM outbox JOIN sink ON sink.number = outbox.sink
                        WHERE sequence IS NOT NULL AND line LIKE '\(DeletionNotice.beginning)%' GROUP BY spec ORDER BY spec
                        """
                ).map { ($0["spec"], $0["count"]) }
            }
        } catch { throw Self.translated(error, path) }
    }
}
