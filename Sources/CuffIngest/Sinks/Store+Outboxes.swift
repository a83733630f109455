import CuffCore
import GRDB

extension Store {
    /// Every sink that ever had an outbox here, with what waits for it.
    func outboxes() throws(IngestError) -> [Outbox.State] {
        do {
            return try queue.read { db in
                // A database of before has none.
                guard try db.tableExists("outbox") else { return [] }
                // One of a while ago has not all of it.
                let hasAnswers = try db.columns(in: "outbox").contains { $0.name == "refused" }
                return try Row.fetchAll(
                    db,
                    sql: """
                        SELECT number, spec, acknowledged, acknowledged_at, error, error_at, next_try,
                          \(hasAnswers ? "lost" : "0") AS lost,
                          \(hasAnswers ? "(SELECT count(*) FROM outbox WHERE sink = sink.number AND refused IS NOT NULL)" : "0") AS refused,
                          (SELECT count(*) FROM outbox WHERE sink = sink.number AND sequence IS NOT NULL) AS waiting,
                          (SELECT queued FROM outbox WHERE sink = sink.number AND sequence IS NOT NULL ORDER BY sequence LIMIT 1) AS oldest
                        FROM sink ORDER BY number
                        """
                ).map { row in
                    func time(_ column: String) -> Timestamp? { row.text(column).flatMap { Timestamp.parse($0)?.time } }
                    var refusals: [Outbox.Refusal] = []
                    if row.int("refused") ?? 0 > 0 {
                        refusals = try Row.fetchAll(
                            db,
                            sql: """
                                SELECT id, revision, refused FROM outbox WHERE sink = ? AND refused IS NOT NULL
                                ORDER BY id DESC, revision DESC LIMIT 20
                                """, arguments: [row.integer("number") ?? 0]
                        ).map {
                            Outbox.Refusal(id: $0.text("id") ?? "", revision: $0.int("revision") ?? 0, reason: $0.text("refused") ?? "")
                        }
                    }
                    return Outbox.State(
                        spec: row.text("spec") ?? "", acknowledged: row.text("acknowledged"), acknowledgedAt: time("acknowledged_at"),
                        waiting: row.int("waiting") ?? 0, oldest: time("oldest"), error: row.text("error"), errorAt: time("error_at"),
                        nextTry: time("next_try"), refused: row.int("refused") ?? 0, refusals: refusals, lost: row.int("lost") ?? 0)
                }
            }
        } catch { throw Self.translated(error, path) }
    }

    /// Whether a sink has ever acknowledged anything.
    func hasAcknowledged(_ spec: String) throws(IngestError) -> Bool {
        do {
            return try queue.read { db in
                try Bool.fetchOne(db, sql: "SELECT acknowledged IS NOT NULL FROM sink WHERE spec = ?", arguments: [spec]) ?? false
            }
        } catch { throw Self.translated(error, path) }
    }

    /// Queues again what a sink refused, in the order in which they came; answers how many lines that were.
    func requeueRefused(_ spec: String) throws(IngestError) -> Int {
        do {
            return try commit { db in
                let rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT sink, id, revision, pending FROM outbox
                        WHERE refused IS NOT NULL AND line IS NOT NULL AND sink = (SELECT number FROM sink WHERE spec = ?)
                        ORDER BY queued, id, revision, pending
                        """, arguments: [spec])
                for row in rows {
                    try db.execute(
                        sql: """
                            UPDATE outbox SET refused = NULL, sequence = 1 + coalesce(
                              (SELECT max(sequence) FROM outbox AS other WHERE other.sink = outbox.sink AND other.sequence IS NOT NULL), 0)
                            WHERE sink = ? AND id = ? AND revision = ? AND pending = ?
                            """,
                        arguments: [row.integer("sink") ?? 0, row.text("id") ?? "", row.integer("revision") ?? 0, row.flag("pending")])
                }
                return rows.count
            }
        } catch { throw Self.translated(error, path) }
    }

    /// Gives up what waits for a sink, and what it refused; answers how many lines that were. What waits counts as sent: reading the cuff
    /// again does not bring it back. What was refused is forgotten, and is sent again where it is read again.
    func dropOutbox(_ spec: String) throws(IngestError) -> Int {
        do {
            return try commit { db in
                let number = "(SELECT number FROM sink WHERE spec = ?)"
                try db.execute(sql: "DELETE FROM outbox WHERE refused IS NOT NULL AND sink = \(number)", arguments: [spec])
                var count = db.changesCount
                try db.execute(
                    sql: "UPDATE outbox SET sequence = NULL, queued = NULL, line = NULL WHERE sequence IS NOT NULL AND sink = \(number)",
                    arguments: [spec])
                count += db.changesCount
                try db.execute(
                    sql: "UPDATE sink SET error = NULL, error_at = NULL, next_try = NULL, lost = 0 WHERE spec = ?", arguments: [spec])
                return count
            }
        } catch { throw Self.translated(error, path) }
    }
}
