import CuffCore
import SQLite

/// The readings that a file already has, in constant memory: a table in a temporary database. SQLite keeps it in its cache and
/// spills to an unlinked file (TMPDIR, /var/tmp or /tmp). Not Sendable: it belongs to one sink.
final class KnownReadings {
    /// A state of a reading: the completed reading is another line than the pending one.
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

    private let database: SQLiteConnection
    private let insertion: SQLiteStatement
    private var isInTransaction = false
    /// Keys were lost, so the content of the file is no longer known.
    private var fault: IngestError?

    /// The cache holds about 200,000 keys, which are ordered by time and mostly appended.
    init(cacheKiB: Int = 8192) throws(IngestError) {
        do throws(SQLiteError) {
            database = try SQLiteConnection("", .write)
            try database.execute(
                """
                PRAGMA journal_mode = MEMORY;
                PRAGMA cache_size = -\(cacheKiB);
                CREATE TABLE known (time INTEGER, hash INTEGER, PRIMARY KEY (time, hash)) WITHOUT ROWID;
                """)
            insertion = try database.prepare("INSERT OR IGNORE INTO known VALUES (?, ?)")
        } catch { throw Self.fault(error) }
    }

    /// Returns whether the key is new, and adds it until `forget`.
    func insert(_ key: Key) throws(IngestError) -> Bool {
        if let fault { throw fault }
        do throws(SQLiteError) {
            if !isInTransaction { try database.execute("BEGIN") }
            isInTransaction = true
            insertion.bind(Int64(bitPattern: key.time), at: 1)
            insertion.bind(Int64(bitPattern: key.hash), at: 2)
            _ = try insertion.step()
        } catch { throw Self.fault(error) }
        return database.changes == 1
    }

    /// The keys inserted so far are in the sink's file.
    func commit() { end { () throws(SQLiteError) in try database.execute("COMMIT") } }

    /// The keys inserted since `commit` did not get into the sink's file.
    func forget() { end { () throws(SQLiteError) in try database.rollBack() } }

    private func end(_ transaction: () throws(SQLiteError) -> Void) {
        guard isInTransaction else { return }
        isInTransaction = false
        do throws(SQLiteError) { try transaction() } catch { fault = Self.fault(error) }
    }

    private static func fault(_ error: SQLiteError) -> IngestError { IngestError(SinkFault.noIndex(why: error.message)) }
}
