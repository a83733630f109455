import CuffCore
import GRDB

/// Lines that wait, on disk, for one sink outside of this machine's files: a program or a socket. They survive a crash and
/// a restart, and go out in the order in which they came in; each stays until the other side has it.
final class Outbox: Sendable {
    /// One line that waits.
    struct Line: Sendable, Equatable {
        var sequence: Int64
        var id: String
        var bytes: [UInt8]
    }

    /// How far the other side has come.
    struct State: Sendable, Equatable {
        var spec: String
        /// The id of the last reading that was acknowledged.
        var acknowledged: String?
        var acknowledgedAt: Timestamp?
        var waiting = 0
        var oldest: Timestamp?
        var error: String?
        var errorAt: Timestamp?
        var nextTry: Timestamp?
    }

    /// Four hundred times the largest documented cuff memory; some 25 MB of lines.
    static let capacity = 100_000

    let store: Store
    let spec: String
    private struct Place {
        /// The sink's number in the opening of the database that has this generation.
        var number: Int64
        var generation: Int
        var held: Int
    }
    private let place: Locked<Place>

    /// `spec` names the sink as on the command line; what is left of an earlier run under the same name waits still.
    init(_ store: Store, spec: String) throws(IngestError) {
        self.store = store
        self.spec = spec
        do {
            place = Locked(try store.commit { db in try Self.place(spec, store.generation, in: db) })
        } catch { throw Store.translated(error, store.path) }
    }

    private static func place(_ spec: String, _ generation: Int, in db: Database) throws -> Place {
        try db.execute(sql: "INSERT INTO sink (spec) VALUES (?) ON CONFLICT DO NOTHING", arguments: [spec])
        let number = try Int64.fetchOne(db, sql: "SELECT number FROM sink WHERE spec = ?", arguments: [spec]) ?? 0
        return Place(number: number, generation: generation, held: try count(db, number))
    }

    /// The sink's number, for a transaction that writes: a database that was opened anew may not know the sink yet.
    private func number(in db: Database) throws -> Int64 {
        let generation = store.generation
        let known = place.withLock { $0 }
        guard known.generation != generation else { return known.number }
        let new = try Self.place(spec, generation, in: db)
        place.withLock { $0 = new }
        return new.number
    }

    var number: Int64 { place.withLock { $0.number } }

    private static func count(_ db: Database, _ number: Int64) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM outbox WHERE sink = ? AND sequence IS NOT NULL", arguments: [number]) ?? 0
    }

    /// How many lines wait, as far as this run of the program knows.
    var waiting: Int { place.withLock { $0.held } }

    /// Keeps the readings' lines durably; answers how many of the readings were here before, sent or not.
    func put(_ batch: Batch, line: ReadingLine) throws(IngestError) -> Int {
        let now = HostClock.now().utcText
        do {
            // A transaction that is tried again counts once.
            var counted = 0
            let added = try store.commit { db in
                place.withLock { $0.held -= counted }
                counted = 0
                let number = try self.number(in: db)
                var sequence =
                    try Int64.fetchOne(
                        db, sql: "SELECT max(sequence) FROM outbox WHERE sink = ? AND sequence IS NOT NULL", arguments: [number]) ?? 0
                let insert = try db.cachedStatement(
                    sql: """
                        INSERT INTO outbox (sink, id, revision, pending, sequence, queued, line) VALUES (?, ?, ?, ?, ?, ?, ?)
                        ON CONFLICT DO NOTHING
                        """)
                var added = 0
                var text = TextBuffer(capacity: 512)
                for index in batch.entries.readings.indices {
                    let reading = batch.entries.readings[index]
                    text.removeAll()
                    line.append(reading, device: batch.device, to: &text)
                    try insert.execute(
                        arguments: [
                            number, ReadingSelection.text(reading.id), Int(reading.revision), reading.isPending, sequence + 1, now,
                            text.string,
                        ])
                    guard db.changesCount > 0 else { continue }
                    sequence += 1
                    added += 1
                }
                // Within the database's queue, so that this and an acknowledgement are counted one after the other.
                place.withLock { $0.held += added }
                counted = added
                return added
            }
            return batch.readings - added
        } catch {
            _ = try? refresh()
            throw Store.translated(error, store.path)
        }
    }

    /// The next lines, oldest first.
    func next(_ most: Int) throws(IngestError) -> [Line] {
        do {
            return try store.queue.read { db in
                try Row.fetchAll(
                    db, sql: "SELECT sequence, id, line FROM outbox WHERE sink = ? AND sequence IS NOT NULL ORDER BY sequence LIMIT ?",
                    arguments: [number, most]
                ).map { Line(sequence: $0["sequence"], id: $0["id"], bytes: Array(($0["line"] as String).utf8)) }
            }
        } catch { throw Store.translated(error, store.path) }
    }

    /// The other side has these; they are not sent again.
    func acknowledge(_ lines: ArraySlice<Line>) throws(IngestError) {
        guard let first = lines.first, let last = lines.last else { return }
        do {
            try store.commit { db in
                let number = try self.number(in: db)
                try db.execute(
                    sql: """
                        UPDATE outbox SET sequence = NULL, queued = NULL, line = NULL
                        WHERE sink = ? AND sequence IS NOT NULL AND sequence BETWEEN ? AND ?
                        """, arguments: [number, first.sequence, last.sequence])
                try db.execute(
                    sql: """
                        UPDATE sink SET acknowledged = ?, acknowledged_at = ?, error = NULL, error_at = NULL, next_try = NULL
                        WHERE number = ?
                        """, arguments: [last.id, HostClock.now().utcText, number])
                let left = try Self.count(db, number)
                place.withLock { $0.held = left }
            }
        } catch { throw Store.translated(error, store.path) }
    }

    /// Notes what went wrong, and when it is tried again.
    func note(_ error: IngestError, nextTry: Timestamp?) {
        try? store.commit { db in
            let number = try self.number(in: db)
            try db.execute(
                sql: "UPDATE sink SET error = ?, error_at = ?, next_try = ? WHERE number = ?",
                arguments: [
                    error.sentence, HostClock.now().utcText, nextTry.map(\.utcText), number,
                ])
        }
    }

    /// Looks at the disk: another run of the program may have put lines there.
    func refresh() throws(IngestError) -> Int {
        do {
            return try store.queue.read { db in
                let count = try Self.count(db, number)
                place.withLock { $0.held = count }
                return count
            }
        } catch { throw Store.translated(error, store.path) }
    }
}

extension Store {
    /// Every sink that ever had an outbox here, with what waits for it.
    func outboxes() throws(IngestError) -> [Outbox.State] {
        do {
            return try queue.read { db in
                // A database of before has none.
                guard try db.tableExists("outbox") else { return [] }
                return try Row.fetchAll(
                    db,
                    sql: """
                        SELECT spec, acknowledged, acknowledged_at, error, error_at, next_try,
                          (SELECT count(*) FROM outbox WHERE sink = sink.number AND sequence IS NOT NULL) AS waiting,
                          (SELECT queued FROM outbox WHERE sink = sink.number AND sequence IS NOT NULL ORDER BY sequence LIMIT 1) AS oldest
                        FROM sink ORDER BY number
                        """
                ).map { row in
                    func time(_ column: String) -> Timestamp? { (row[column] as String?).flatMap { Timestamp.parse($0)?.time } }
                    return Outbox.State(
                        spec: row["spec"], acknowledged: row["acknowledged"], acknowledgedAt: time("acknowledged_at"),
                        waiting: row["waiting"], oldest: time("oldest"), error: row["error"], errorAt: time("error_at"),
                        nextTry: time("next_try"))
                }
            }
        } catch { throw Self.translated(error, path) }
    }

    /// Gives up what waits for a sink; answers how many lines that were. They count as sent: reading the cuff again does not
    /// bring them back.
    func dropOutbox(_ spec: String) throws(IngestError) -> Int {
        do {
            return try commit { db in
                try db.execute(
                    sql: """
                        UPDATE outbox SET sequence = NULL, queued = NULL, line = NULL
                        WHERE sequence IS NOT NULL AND sink = (SELECT number FROM sink WHERE spec = ?)
                        """, arguments: [spec])
                let count = db.changesCount
                try db.execute(sql: "UPDATE sink SET error = NULL, error_at = NULL, next_try = NULL WHERE spec = ?", arguments: [spec])
                return count
            }
        } catch { throw Self.translated(error, path) }
    }
}
