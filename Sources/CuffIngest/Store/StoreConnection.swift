import Glibc
import SQLite

/// One opening of a database file: the connection, and the identities of its files.
final class StoreConnection: Sendable {
    private let database: Locked<SQLiteConnection>
    private let hold: OpenDatabases.Hold?
    /// Counts the openings of one `Store`: statements and row numbers of an earlier one are invalid.
    let generation: Int
    let hasChecksums: Bool
    /// Whether rows can be found by their day; an earlier version's database opened for reading may lack the index.
    let hasDays: Bool
    private let path: String
    private let file: FileIdentity?
    private let logPath: String
    private let log: FileIdentity?
    private let indexPath: String
    private let index: FileIdentity?
    /// The file's length at the last check; only `VACUUM` shortens it.
    private let size: Locked<Int>

    static let patience = Duration.seconds(5)

    init(_ path: String, _ access: Store.Access, generation: Int) throws {
        self.path = path
        self.generation = generation
        let (isNew, hold) = try OpenDatabases.shared.register(path) { () throws(IngestError) in try Store.examine(path, access) }
        self.hold = hold
        do {
            if let volume = Volume(path), !volume.hasRoomForIndex, FileIdentity("\(path)-shm") == nil {
                throw access == .read ? IngestError(StoreFault.noRoomForIndex(path)) : .writing(path, ENOSPC)
            }
            let db = try Self.open(path, access == .write ? .write : .read)
            if access == .write { try Self.prepare(db) } else { try Self.adapt(db, path) }
            // By the list, not by the column, whose name may be damaged.
            hasChecksums = try Schema.migrationsDone(db).contains("checksums")
            hasDays = try db.hasRow("SELECT 1 FROM pragma_index_list('reading', 'main') WHERE name = ?", Schema.dayIndex)
            logPath = db.logPath ?? "\(path)-wal"
            database = Locked(db)
        } catch {
            // The connection is closed. A log would be applied to the next database of this name.
            if isNew { for log in [""] + OutputFile.logs { unlink(path + log) } }
            throw error
        }
        var status = stat()
        let isThere = stat(path, &status) == 0
        file = isThere ? FileIdentity(status) : nil
        size = Locked(isThere ? Int(status.st_size) : 0)
        log = FileIdentity(logPath)
        indexPath = logPath.hasSuffix("-wal") ? logPath.dropLast(3) + "shm" : "\(path)-shm"
        index = FileIdentity(indexPath)
    }

    static func open(_ path: String, _ access: SQLiteConnection.Access) throws -> SQLiteConnection {
        let db = try SQLiteConnection(path, access, busyTimeout: patience)
        try RowChecksum.prepare(db)
        return db
    }

    func use<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result { try database.withLock { try body($0) } }

    /// Another process may be creating the same database: switching to WAL does not wait for locks, so this retries.
    private static func prepare(_ db: SQLiteConnection) throws {
        var tries = 0
        while true {
            do {
                try configure(db)
                return try db.migrate(Schema.migrations, table: Schema.migrationTable)
            } catch {
                tries += 1
                if tries == migrationTries { throw error }
                usleep(100_000)
            }
        }
    }

    private static func configure(_ db: SQLiteConnection) throws {
        // `secure_delete` from the first write on: splitting a page leaves copies of rows, which a later `delete` would not find.
        // `Store.commit` empties the log, once it has checked that the files are unchanged. The size limit applies to checkpoints
        // by another program's connection.
        try db.execute(
            """
            PRAGMA secure_delete = ON;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA journal_size_limit = \(LogLimit.most);
            """)
        if try db.first("PRAGMA application_id", read: { $0.int(0) }) != Int(Store.applicationID) {
            try db.execute("PRAGMA application_id = \(Store.applicationID)")
        }
    }

    /// Three seconds in all: a migration takes milliseconds.
    private static let migrationTries = 30

    /// Reads an earlier version's database as it is, with missing parts as temporary tables. A database that another process is
    /// just creating is left alone.
    private static func adapt(_ db: SQLiteConnection, _ path: String) throws {
        let done = try db.read { try Schema.migrationsDone($0) }
        guard !done.isEmpty else { throw IngestError(StoreFault.nothingStored(path)) }
        guard !Schema.migrations.allSatisfy({ done.contains($0.name) }) else { return }
        try db.execute(try Schema.complements(db))
    }

    // MARK: The files under their names

    enum Change: Sendable {
        case file
        /// The log was removed or replaced; the database file is the same.
        case log
        case shortened
    }

    func change() -> Change? {
        var status = stat()
        guard stat(path, &status) == 0, FileIdentity(status) == file else { return .file }
        guard FileIdentity(logPath) == log else { return .log }
        let length = Int(status.st_size)
        guard length < size.withLock({ $0 }) else {
            size.withLock { $0 = length }
            return nil
        }
        // A user's `VACUUM` shortens the file too, but then it also has fewer pages. If the pages cannot be counted, the file was
        // cut off.
        let pages = try? use { db in try db.read { try Store.length($0) } }
        guard length > 0, let pages, length + logSize >= pages else { return .shortened }
        size.withLock { $0 = length }
        return nil
    }

    var logSize: Int {
        var status = stat()
        return stat(logPath, &status) == 0 ? Int(status.st_size) : 0
    }

    // MARK: The log

    enum Emptying: Sendable, Equatable { case empty, held, failed }

    /// Checkpoints the log and truncates it to zero bytes, without waiting for readers.
    func emptyLog() -> Emptying {
        do {
            try use { try $0.checkpoint(truncate: true) }
            return .empty
        } catch {
            let code = (error as? SQLiteError)?.code
            return code == .busy || code == .locked ? .held : .failed
        }
    }

    // MARK: The end

    /// Closes. If the file was renamed or replaced, SQLite is kept from removing the log by its name, which may belong to another
    /// database. A log of ours next to another database is removed, because SQLite would apply its pages to it; but only once they
    /// are in the renamed file, else the log is renamed.
    func close() throws {
        let isMoved = FileIdentity(path) != file
        let isKept = isMoved || FileIdentity(logPath) != log
        let isEmptied = isMoved && emptyLog() == .empty
        try use { db in
            if isKept { db.keepLogAtClose() }
            try db.close()
        }
        guard isMoved else { return }
        if log != nil, FileIdentity(logPath) == log {
            if isEmptied { unlink(logPath) } else { rename(logPath, "\(logPath)-unsaved") }
        }
        if index != nil, FileIdentity(indexPath) == index { unlink(indexPath) }
    }
}
