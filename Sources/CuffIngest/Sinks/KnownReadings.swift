import CuffCore
import GRDBSQLite

/// Which readings a file already holds, in memory that does not grow with their number: a table in a private temporary
/// database. SQLite keeps it in its cache, and beyond that in a nameless file (TMPDIR, /var/tmp or /tmp) that goes with the
/// process.
///
/// On SQLite's own statements: GRDB's queue would cost a hop for each of a million keys. Not Sendable: it belongs to one sink.
final class KnownReadings {
    /// One state of a reading: a completed one is another line than the pending one before it.
    struct Key: Hashable {
        var time: UInt64
        var hash: UInt64

        /// `YYYYMMDDTHHMMSS-` and 16 hexadecimal digits.
        static let idLength = 32

        init(_ id: Reading.ID, revision: UInt8, isPending: Bool) {
            time = id.sortKey
            hash = id.hash &+ UInt64(revision) &* 0xA24B_AED4_963E_E407 &+ (isPending ? 1 : 0)
        }

        init(_ reading: borrowing Reading) { self.init(reading.id, revision: reading.revision, isPending: reading.isPending) }
    }

    private var database: OpaquePointer?
    private var insertion: OpaquePointer?
    private var isInTransaction = false
    /// Keys that should have been kept are lost: what the file holds is no longer known.
    private var fault: IngestError?

    /// The cache holds some 200,000 keys. Keys are ordered by time: mostly they are appended.
    init(cacheKiB: Int = 8192) throws(IngestError) {
        // An initialiser that throws from here on is followed by deinit: every property has a value.
        guard sqlite3_open("", &database) == SQLITE_OK else { throw failure }
        try run("PRAGMA journal_mode = MEMORY; PRAGMA cache_size = -\(cacheKiB)")
        try run("CREATE TABLE known (time INTEGER, hash INTEGER, PRIMARY KEY (time, hash)) WITHOUT ROWID")
        guard sqlite3_prepare_v2(database, "INSERT OR IGNORE INTO known VALUES (?, ?)", -1, &insertion, nil) == SQLITE_OK else {
            throw failure
        }
    }

    deinit {
        sqlite3_finalize(insertion)
        sqlite3_close(database)
    }

    /// Whether the key was not there yet; it is from now on, until `forget`.
    func insert(_ key: Key) throws(IngestError) -> Bool {
        if let fault { throw fault }
        if !isInTransaction { try run("BEGIN") }
        isInTransaction = true
        sqlite3_bind_int64(insertion, 1, Int64(bitPattern: key.time))
        sqlite3_bind_int64(insertion, 2, Int64(bitPattern: key.hash))
        let result = sqlite3_step(insertion)
        let failure = result == SQLITE_DONE ? nil : failure
        sqlite3_reset(insertion)
        if let failure { throw failure }
        return sqlite3_changes(database) == 1
    }

    /// What was inserted so far is in the sink's file.
    func keep() { end("COMMIT") }

    /// What was inserted since `keep` did not get into the sink's file.
    func forget() { end("ROLLBACK") }

    private func end(_ sql: String) {
        guard isInTransaction else { return }
        isInTransaction = false
        // A failed insertion may have rolled back the transaction already.
        if sql == "ROLLBACK" && sqlite3_get_autocommit(database) != 0 { return }
        do throws(IngestError) { try run(sql) } catch { fault = error }
    }

    private func run(_ sql: String) throws(IngestError) {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    private var failure: IngestError {
        IngestError(SinkFault.noIndex(why: String(cString: sqlite3_errmsg(database))))
    }
}
