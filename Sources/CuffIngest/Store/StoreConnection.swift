import Glibc
import SQLite

/// One opening of a database file: the connection, and which files it has open under the database's names.
final class StoreConnection: Sendable {
    private let database: Locked<SQLiteConnection>
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
    static let patience = Duration.seconds(5)

    init(_ path: String, _ access: Store.Access, generation: Int) throws {
        self.path = path
        self.generation = generation
        let (isNew, hold) = try OpenDatabases.shared.register(path) { () throws(IngestError) in try Store.examine(path, access) }
        self.hold = hold
        do {
            if let volume = Volume(path), !volume.hasRoomForIndex, FileIdentity("\(path)-shm") == nil {
                throw Store.noRoomForIndex(path, access)
            }
            let db = try Self.open(path, access == .write ? .write : .read)
            if access == .write { try Self.prepare(db) } else { try Self.adapt(db, path) }
            hasChecksums = try Schema.columns(db, "reading").contains("checksum")
            logPath = db.logPath ?? "\(path)-wal"
            database = Locked(db)
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

    /// A connection to a file that another program may have made.
    static func open(_ path: String, _ access: SQLiteConnection.Access) throws -> SQLiteConnection {
        let db = try SQLiteConnection(path, access, busyTimeout: patience)
        try RowChecksum.prepare(db)
        return db
    }

    func use<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result { try database.withLock { try body($0) } }

    /// Another run of the program may create the same database at this moment: the change to a log does not wait, and the
    /// tables are there at the next look.
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
        // `secure_delete` from the first write on: a page that is split keeps copies of rows, which a later `delete` would not find.
        // `Store.commit` empties the log, after it has seen that the files are still the ones that it writes. The limit of its size is
        // for what another program's connection does to it.
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

    /// Three seconds of tries: a migration takes milliseconds.
    private static let migrationTries = 30

    /// An earlier version's database is read as it is: what it lacks is put beside it in this connection's memory. One that is
    /// only just being created is left to its creator.
    private static func adapt(_ db: SQLiteConnection, _ path: String) throws {
        let done = try db.read { try Schema.migrationsDone($0) }
        guard !done.isEmpty else { throw IngestError(StoreFault.nothingStored(path)) }
        guard !Schema.migrations.allSatisfy({ done.contains($0.name) }) else { return }
        try db.execute(try Schema.complements(db))
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

    /// Takes the log's pages into the database file and truncates the log to zero bytes, without waiting for readers.
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

    /// Closes. When the file was renamed or replaced, SQLite must not remove the log by its name: it may belong to another database.
    /// A log that still lies beside another database is removed, since SQLite would apply its pages to that one; but only once its
    /// pages are in the renamed file. If they cannot be moved there, the log is renamed.
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
