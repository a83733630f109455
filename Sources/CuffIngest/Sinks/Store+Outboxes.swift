import CuffCore
import SQLite

extension Store {
    /// The state of every sink that ever had an outbox here.
    func outboxes() throws(IngestError) -> [Outbox.State] {
        try read { db in
            // An earlier version's database lacks these columns.
            let hasAnswers = try Schema.columns(db, "outbox").contains("refused")
            return try db.rows(
                """
                SELECT number, spec, acknowledged, acknowledged_at, error, error_at, next_try, \(hasAnswers ? "lost" : "0"),
                  \(hasAnswers ? "(SELECT count(*) FROM outbox WHERE sink = sink.number AND refused IS NOT NULL)" : "0"),
                  (SELECT count(*) FROM outbox WHERE sink = sink.number AND sequence IS NOT NULL),
                  (SELECT queued FROM outbox WHERE sink = sink.number AND sequence IS NOT NULL ORDER BY sequence LIMIT 1)
                FROM sink ORDER BY number
                """
            ) { row in
                func time(_ column: Int32) -> Timestamp? { row.text(column).flatMap { Timestamp.parse($0)?.time } }
                let refused = Int(row.number(8))
                return Outbox.State(
                    spec: row.text(1) ?? "", acknowledged: row.text(2), acknowledgedAt: time(3), waiting: Int(row.number(9)),
                    oldest: time(10), error: row.text(4), errorAt: time(5), nextTry: time(6), refused: refused,
                    refusals: refused > 0 ? try Self.refusals(row.number(0), in: db) : [], lost: Int(row.number(7)))
            }
        }
    }

    private static func refusals(_ sink: Int64, in db: SQLiteConnection) throws -> [SinkOverview.Refusal] {
        try db.rows(
            """
            SELECT id, revision, refused FROM outbox WHERE sink = ? AND refused IS NOT NULL ORDER BY id DESC, revision DESC LIMIT 20
            """, sink
        ) { SinkOverview.Refusal(id: $0.text(0) ?? "", revision: Int($0.number(1)), reason: $0.text(2) ?? "") }
    }

    func hasAcknowledged(_ spec: String) throws(IngestError) -> Bool {
        try read { try $0.hasRow("SELECT 1 FROM sink WHERE spec = ? AND acknowledged IS NOT NULL", spec) }
    }

    /// Queues refused lines again in their order; returns how many.
    func requeueRefused(_ spec: String) throws(IngestError) -> Int {
        try commit { db in
            let lines = try db.rows(
                """
                SELECT sink, id, revision, pending FROM outbox
                WHERE refused IS NOT NULL AND line IS NOT NULL AND sink = (SELECT number FROM sink WHERE spec = ?)
                ORDER BY queued, id, revision, pending
                """, spec
            ) { (sink: $0.number(0), id: $0.text(1), revision: $0.number(2), isPending: $0.flag(3)) }
            let requeue = try db.prepare(
                """
                UPDATE outbox SET refused = NULL, sequence = 1 + coalesce(
                  (SELECT max(sequence) FROM outbox AS other WHERE other.sink = outbox.sink AND other.sequence IS NOT NULL), 0)
                WHERE sink = ? AND id = ? AND revision = ? AND pending = ?
                """)
            for line in lines { try requeue.run(line.sink, line.id, line.revision, line.isPending) }
            return lines.count
        }
    }

    /// Drops the queued and refused lines of a sink; returns how many. Queued lines count as sent: reading the cuff again does
    /// not queue them. Refused lines are forgotten, so they are queued again if read again.
    func dropOutbox(_ spec: String) throws(IngestError) -> Int {
        try commit { db in
            let number = "(SELECT number FROM sink WHERE spec = ?)"
            try db.run("DELETE FROM outbox WHERE refused IS NOT NULL AND sink = \(number)", spec)
            var count = db.changes
            try db.run(
                "UPDATE outbox SET sequence = NULL, queued = NULL, line = NULL WHERE sequence IS NOT NULL AND sink = \(number)", spec)
            count += db.changes
            try db.run("UPDATE sink SET error = NULL, error_at = NULL, next_try = NULL, lost = 0 WHERE spec = ?", spec)
            return count
        }
    }
}
