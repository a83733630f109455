import GRDB
import GRDBSQLite
import Glibc

/// One opening of a database file: the connection, and which files it has open under the database's names.
final class StoreConnection: Sendable {
    let queue: DatabaseQueue
    private let hold: OpenDatabases.Hold?
    /// Counts the openings of one `Store`: what was learnt from an earlier one, statements and row numbers, is void.
    let generation: Int
    /// Rows have checksums: the file is of this version.
    let hasChecksums: Bool
    private let path: String
    private let file: FileIdentity?
    private let logPath: String
    private let log: FileIdentity?
    private let indexPath: String
    private let index: FileIdentity?
    /// The file's length when last looked at; it grows only, but for `VACUUM`.
    private let size: Locked<Int>

    /// How long a statement waits for another program's transaction.
    static let patience: Int32 = 5

    init(_ path: String, _ access: Store.Access, generation: Int) throws {
        self.path = path
        self.generation = generation
        let (isNew, hold) = try OpenDatabases.shared.hold(path) { () throws(IngestError) in try Store.examine(path, access) }
        self.hold = hold
        do {
            if let volume = Volume(path), !volume.hasRoomForIndex, FileIdentity("\(path)-shm") == nil {
                throw Store.noRoomForIndex(path, access)
            }
            var configuration = Configuration()
            configuration.readonly = access == .read
            configuration.busyMode = .timeout(Double(Self.patience))
            // Sources are added by the one writer together with their readings.
            configuration.foreignKeysEnabled = false
            configuration.label = "cuff.store"
            configuration.prepareDatabase { RowChecksum.prepare($0.sqliteConnection) }
            queue = try DatabaseQueue(path: path, configuration: configuration)
            if access == .write { try Self.prepare(queue) } else { try Self.adapt(queue, path) }
            hasChecksums = try queue.read { db in
                try String.fetchOne(db, sql: "SELECT name FROM pragma_table_info('reading', 'main') WHERE name = 'checksum'") != nil
            }
            logPath = Self.logPath(queue) ?? "\(path)-wal"
        } catch {
            if isNew { unlink(path) }
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

    /// SQLite keeps the log beside the file that a link leads to.
    private static func logPath(_ queue: DatabaseQueue) -> String? {
        queue.inDatabase { db in
            guard let connection = db.sqliteConnection, let file = sqlite3_db_filename(connection, "main") else { return nil }
            return sqlite3_filename_wal(file).map { String(cString: $0) }
        }
    }

    /// Another run of the program may create the same database at this moment: the change to a log waits for nobody, and the
    /// tables are there at the next look.
    private static func prepare(_ queue: DatabaseQueue) throws {
        var tries = 0
        while true {
            do {
                try configure(queue)
                return try Schema.migrator.migrate(queue)
            } catch {
                tries += 1
                if tries == migrationTries { throw error }
                usleep(100_000)
            }
        }
    }

    private static func configure(_ queue: DatabaseQueue) throws {
        try queue.writeWithoutTransaction { db in
            // From the first write on: a page that is split keeps copies of rows, which a later `delete` would not find.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // `Store.commit` empties the log, after it has seen that the files are still the ones that it writes.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            // For what another program's connection does to the log.
            try db.execute(sql: "PRAGMA journal_size_limit = \(LogLimit.most)")
            if try Int32.fetchOne(db, sql: "PRAGMA application_id") != Store.applicationID {
                try db.execute(sql: "PRAGMA application_id = \(Store.applicationID)")
            }
        }
    }

    /// Three seconds of tries: a migration takes milliseconds.
    private static let migrationTries = 30

    /// An earlier version's database is read as it is: what it lacks is put beside it in this connection's memory. One that is
    /// only just being created is left to its creator.
    private static func adapt(_ queue: DatabaseQueue, _ path: String) throws {
        try queue.inDatabase { db in
            guard try !Schema.migrator.appliedMigrations(db).isEmpty else {
                throw IngestError(StoreFault.nothingStored(path))
            }
            guard try !Schema.migrator.hasCompletedMigrations(db) else { return }
            let sql = try Schema.complements(db)
            // SQLite's own function: GRDB lets nothing through on a connection that only reads, not even what is in memory.
            let result = sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil)
            guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
        }
    }

    // MARK: The files under their names

    enum Change: Sendable {
        /// The path leads to another file or to none.
        case file
        /// The log was removed or replaced; the database file is the same.
        case log
        /// The database file is shorter than its pages.
        case shortened
    }

    /// What became of the files since they were opened.
    func change() -> Change? {
        var status = stat()
        guard stat(path, &status) == 0, FileIdentity(status) == file else { return .file }
        guard FileIdentity(logPath) == log else { return .log }
        let length = Int(status.st_size)
        guard length < size.withLock({ $0 }) else {
            size.withLock { $0 = length }
            return nil
        }
        // A person's `VACUUM` cuts the file too, and then it has fewer pages. What cannot be asked any more was cut off.
        let pages = try? queue.read { db in
            (try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0) * (try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
        }
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

    /// Takes the log's pages into the database file and cuts the log to nothing; waits for nobody.
    func emptyLog() -> Emptying {
        queue.inDatabase { db in
            guard let connection = db.sqliteConnection else { return .failed }
            sqlite3_busy_timeout(connection, 0)
            defer { sqlite3_busy_timeout(connection, Self.patience * 1000) }
            switch sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) {
            case SQLITE_OK: return .empty
            case SQLITE_BUSY, SQLITE_LOCKED: return .held
            default: return .failed
            }
        }
    }

    // MARK: The end

    /// Closes. Where the names lead elsewhere, the files behind them are somebody else's: SQLite, which removes the log by its
    /// name, is kept from that. A log and its index that are still under their names beside another database are removed then,
    /// for SQLite would take their pages into that one.
    func close() throws {
        let isMoved = FileIdentity(path) != file
        if isMoved || FileIdentity(logPath) != log {
            queue.inDatabase { db in
                guard let connection = db.sqliteConnection else { return }
                var isKept: Int32 = 1
                _ = sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
            }
        }
        try queue.close()
        guard isMoved else { return }
        if log != nil, FileIdentity(logPath) == log { unlink(logPath) }
        if index != nil, FileIdentity(indexPath) == index { unlink(indexPath) }
    }
}
