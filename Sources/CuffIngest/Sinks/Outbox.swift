import CuffCore
import SQLite

/// Lines queued on disk for one sink, a program or a socket. They survive a crash and a restart and are sent in order; each is
/// kept until the receiver has it.
final class Outbox: Sendable {
    struct Line: Sendable, Equatable {
        var sequence: Int64
        var id: String
        var revision = 0
        var isPending = false
        var bytes: [UInt8]

        /// Without comparing the bytes.
        func isSame(as other: Line) -> Bool {
            sequence == other.sequence && id == other.id && revision == other.revision && isPending == other.isPending
        }
    }

    struct State: Sendable, Equatable {
        var spec: String
        var acknowledged: String?
        var acknowledgedAt: Timestamp?
        var waiting = 0
        var oldest: Timestamp?
        var error: String?
        var errorAt: Timestamp?
        var nextTry: Timestamp?
        /// The number of refused readings, and the newest twenty of them.
        var refused = 0
        var refusals: [SinkOverview.Refusal] = []
        /// Readings delivered without knowing whether they arrived.
        var lost = 0
    }

    /// 400 times the largest documented cuff memory; about 25 MB of lines.
    static let capacity = 100_000

    let store: Store
    let spec: String
    private struct Place {
        /// The sink's row number in the database of this generation.
        var number: Int64
        var generation: Int
        var held: Int
    }
    private let place: Locked<Place>
    private let counts = Locked((refused: 0, refusals: SinkRefusals(), lost: 0))

    /// `spec` names the sink as on the command line; lines of an earlier run under this name are kept.
    init(_ store: Store, spec: String) throws(IngestError) {
        self.store = store
        self.spec = spec
        place = Locked(try store.commit { db in try Self.place(spec, store.generation, in: db) })
    }

    private static func place(_ spec: String, _ generation: Int, in db: SQLiteConnection) throws -> Place {
        try db.run("INSERT INTO sink (spec) VALUES (?) ON CONFLICT DO NOTHING", spec)
        let number = try db.first("SELECT number FROM sink WHERE spec = ?", spec) { $0.integer(0) } ?? 0
        return Place(number: number, generation: generation, held: try count(db, number))
    }

    /// The sink's row number for a writing transaction: a reopened database may lack the row.
    private func number(in db: SQLiteConnection) throws -> Int64 {
        let generation = store.generation
        let known = place.withLock { $0 }
        guard known.generation != generation else { return known.number }
        let new = try Self.place(spec, generation, in: db)
        place.withLock { $0 = new }
        return new.number
    }

    var number: Int64 { place.withLock { $0.number } }

    private static func count(_ db: SQLiteConnection, _ number: Int64) throws -> Int {
        try db.first("SELECT count(*) FROM outbox WHERE sink = ? AND sequence IS NOT NULL", number) { $0.int(0) } ?? 0
    }

    /// Of this run: lines that were refused, and lines that may not have arrived.
    var refused: Int { counts.withLock { $0.refused } }
    var refusals: SinkRefusals { counts.withLock { $0.refusals } }
    var lost: Int { counts.withLock { $0.lost } }

    /// The number of queued lines known to this process.
    var waiting: Int { place.withLock { $0.held } }

    /// The changes of one transaction; a repeated transaction counts once.
    struct Put {
        /// Readings that are new here.
        fileprivate(set) var readings = 0
        /// Lines that are new here, including alerts.
        fileprivate(set) var lines = 0
        fileprivate(set) var refused: [(line: Line, reason: String)] = []
    }

    /// Queues the readings' lines durably, and those of alerts if `alerts`; returns the number of readings that were known, sent
    /// or not, and of new lines. A line that was not sent, or was refused, and has no time is replaced by one with a time.
    func put(_ batches: [ReadingBatch], line: ReadingLine, alerts: Bool = false) throws(IngestError) -> (repeated: Int, added: Int) {
        do throws(IngestError) {
            var put = Put()
            try store.commit { db in try self.put(batches, line: line, alerts: alerts, in: db, &put) }
            committed(put)
            return (batches.reduce(0) { $0 + $1.readings } - put.readings, put.lines)
        } catch {
            _ = try? refresh()
            throw error
        }
    }

    /// As above, within a transaction of the store; `put` is empty before the first try. Must be followed by `committed` or,
    /// after failure, by `refresh`, which counts again. Deleted readings are not queued.
    func put(
        _ batches: [ReadingBatch], line: ReadingLine, alerts: Bool, except deleted: Set<Reading.ID> = [], in db: SQLiteConnection,
        _ put: inout Put
    ) throws {
        let now = HostClock.now().utcText
        place.withLock { $0.held -= put.lines }
        put = Put()
        let number = try self.number(in: db)
        let last = "SELECT max(sequence) FROM outbox WHERE sink = ? AND sequence IS NOT NULL"
        var sequence = try db.first(last, number) { $0.integer(0) } ?? 0
        let insert = try db.cached(
            """
            INSERT INTO outbox (sink, id, revision, pending, sequence, queued, line, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, \(RowChecksum.function)(?1, ?2, ?3, ?4, ?7))
            ON CONFLICT DO UPDATE
            SET sequence = excluded.sequence, queued = excluded.queued, line = excluded.line, refused = NULL, checksum = excluded.checksum
            WHERE line IS NOT NULL AND instr(line, '"measured":"') = 0 AND instr(excluded.line, '"measured":"') > 0
            """)
        var text = TextBuffer(capacity: 512)
        var (readings, lines) = (0, 0)
        func insertLine(_ entry: BatchEntry, of batch: ReadingBatch, _ id: Reading.ID, _ revision: UInt8 = 0, isPending: Bool = false)
            throws
        {
            text.removeAll()
            line.append(entry, device: batch.device, to: &text)
            try insert.run(number, id.description, Int(revision), isPending, sequence + 1, now, text.string)
            guard db.changes > 0 else {
                if let earlier = try Self.refusal(of: id, revision, isPending, by: number, in: db) { put.refused.append(earlier) }
                return try store.confirmLine(number, id, Int(revision), isPending, in: db)
            }
            sequence += 1
            lines += 1
        }
        for batch in batches {
            let before = lines
            for reading in batch.entries.readings where !deleted.contains(reading.id) {
                try insertLine(.reading(reading), of: batch, reading.id, reading.revision, isPending: reading.isPending)
            }
            readings += lines - before
            for entry in batch.entries where alerts {
                if case .live(.alert(let alert), _, _) = entry { try insertLine(entry, of: batch, alert.id) }
            }
        }
        // Within the database's lock, so that this and an acknowledgement are counted in order.
        place.withLock { $0.held += lines }
        (put.readings, put.lines) = (readings, lines)
    }

    /// The transaction is on disk. A line that was refused earlier is not sent again.
    func committed(_ put: Put) {
        counts.withLock { counts in for (line, reason) in put.refused { counts.refusals.add(line, reason) } }
    }

    private static func refusal(
        of id: Reading.ID, _ revision: UInt8, _ isPending: Bool, by number: Int64, in db: SQLiteConnection
    ) throws -> (line: Line, reason: String)? {
        let sql = "SELECT refused, line FROM outbox WHERE sink = ? AND id = ? AND revision = ? AND pending = ? AND refused IS NOT NULL"
        let statement = try db.cached(sql)
        defer { statement.reset() }
        statement.bind(number, id.description, Int(revision), isPending)
        guard try statement.step() else { return nil }
        let bytes = Array((statement.text(1) ?? "").utf8)
        let line = Line(sequence: 0, id: id.description, revision: Int(revision), isPending: isPending, bytes: bytes)
        return (line, statement.text(0) ?? "")
    }

    /// The next lines, oldest first. Damaged ones are set aside.
    func next(_ most: Int) throws(IngestError) -> [Line] {
        let lines = try store.read { db in
            try db.rows(
                """
                SELECT sequence, id, revision, pending, line, \(RowChecksum.outbox.isIntact) FROM outbox
                WHERE sink = ? AND sequence IS NOT NULL ORDER BY sequence LIMIT ?
                """, number, most
            ) { row in
                let line = Line(
                    sequence: row.number(0), id: row.text(1) ?? "", revision: Int(row.number(2)), isPending: row.flag(3),
                    bytes: Array((row.text(4) ?? "").utf8))
                return (line: line, isIntact: row.flag(5))
            }
        }
        for (line, isIntact) in lines where !isIntact { try setAside(line, reason: "its line is damaged in \(store.path)") }
        return lines.filter(\.isIntact).map(\.line)
    }

    /// Marks lines as delivered, so that they are not sent again. `mayRepeat`: the receiver recognises repeated readings, as every
    /// answering helper must; the acknowledgement is then committed without an fsync.
    func acknowledge(_ lines: ArraySlice<Line>, mayRepeat: Bool = false) throws(IngestError) {
        guard let last = lines.last else { return }
        try store.commit(lazily: mayRepeat) { db in
            let number = try self.number(in: db)
            // By key: a line dropped meanwhile must not shift the acknowledgement to another one.
            let statement = try db.cached(
                """
                UPDATE outbox SET sequence = NULL, queued = NULL, line = NULL
                WHERE sink = ? AND id = ? AND revision = ? AND pending = ? AND sequence = ?
                """)
            for line in lines { try statement.run(number, line.id, line.revision, line.isPending, line.sequence) }
            try db.run(
                "UPDATE sink SET acknowledged = ?, acknowledged_at = ?, error = NULL, error_at = NULL, next_try = NULL WHERE number = ?",
                last.id, HostClock.now().utcText, number)
            try recount(number, in: db)
        }
    }

    /// Stores the refusal of a line, which is then no longer queued.
    func setAside(_ line: Line, reason: String) throws(IngestError) {
        try store.commit { db in
            let number = try self.number(in: db)
            try db.run(
                """
                UPDATE outbox SET sequence = NULL, refused = ?
                WHERE sink = ? AND id = ? AND revision = ? AND pending = ? AND sequence = ?
                """, reason, number, line.id, line.revision, line.isPending, line.sequence)
            try recount(number, in: db)
        }
        counts.withLock { counts in
            counts.refused += 1
            counts.refusals.add(line, reason)
        }
    }

    /// Lines delivered in a conversation that did not end cleanly.
    func noteLost(_ count: Int) {
        counts.withLock { $0.lost += count }
        try? store.commit { db in
            let number = try self.number(in: db)
            try db.run("UPDATE sink SET lost = lost + ? WHERE number = ?", count, number)
        }
    }

    /// Lines that the sink may no longer have are not sent. Nor does it get notices of their deletion, and they can be queued again.
    func limit(to consent: SinkConsent) throws(IngestError) {
        try store.commit { db in
            let number = try self.number(in: db)
            let lines = try db.rows("SELECT id, revision, pending, line FROM outbox WHERE sink = ? AND line IS NOT NULL", number) {
                (id: $0.text(0) ?? "", revision: Int($0.number(1)), isPending: $0.flag(2), text: $0.text(3) ?? "")
            }
            for line in lines where !consent.permits(line: Array(line.text.utf8)) {
                try db.run(
                    "DELETE FROM outbox WHERE sink = ? AND id = ? AND revision = ? AND pending = ?", number, line.id, line.revision,
                    line.isPending)
            }
            try recount(number, in: db)
        }
    }

    /// Stores an error and the time of the next try.
    func note(_ error: IngestError, nextTry: Timestamp?) {
        try? store.commit { db in
            let number = try self.number(in: db)
            try db.run(
                "UPDATE sink SET error = ?, error_at = ?, next_try = ? WHERE number = ?", error.description, HostClock.now().utcText,
                nextTry.map(\.utcText), number)
        }
    }

    /// Counts again: another process may have queued lines.
    func refresh() throws(IngestError) -> Int {
        try store.read { db in try recount(number, in: db) }
    }

    @discardableResult
    private func recount(_ number: Int64, in db: SQLiteConnection) throws -> Int {
        let count = try Self.count(db, number)
        place.withLock { $0.held = count }
        return count
    }
}
