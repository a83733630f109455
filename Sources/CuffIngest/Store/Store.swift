import CuffCore
import GRDB
import GRDBSQLite
import Glibc

/// The database file: opened or created, brought to the present schema, and refused when it is another program's.
///
/// Write-ahead log and `synchronous=FULL`: a transaction that returned survives a power cut.
public final class Store: Sendable {
    public let path: String
    let queue: DatabaseQueue
    private let hold: OpenDatabases.Hold?
    /// Something was committed while the file system was read-only.
    private let isDoubtful = Locked(false)

    /// "CUFF" in ASCII, in the header of the file (`pragma application_id`).
    static let applicationID: Int32 = 0x4355_4646

    public enum Access: Sendable { case read, write }

    public init(_ path: String, access: Access) throws(IngestError) {
        self.path = path
        let (isNew, hold) = try OpenDatabases.shared.hold(path) { () throws(IngestError) in try Self.examine(path, access) }
        self.hold = hold
        do {
            var configuration = Configuration()
            configuration.readonly = access == .read
            configuration.busyMode = .timeout(5)
            // Sources are added by the one writer together with their readings.
            configuration.foreignKeysEnabled = false
            configuration.label = "cuff.store"
            queue = try DatabaseQueue(path: path, configuration: configuration)
            if access == .write {
                try Self.prepare(queue)
            } else {
                try bringUpToDate()
            }
        } catch {
            if isNew { unlink(path) }
            throw Self.translated(error, path)
        }
    }

    public func close() throws(IngestError) {
        do { try queue.close() } catch { throw Self.translated(error, path) }
    }

    /// One transaction, on disk when this returns. Who retries it after an error must bear that it was done all the same.
    func commit<Result>(_ changes: (Database) throws -> Result) throws -> Result {
        if isDoubtful.withLock({ $0 }) {
            // What was committed then may be in memory only, and SQLite thinks it is done: a checkpoint writes it out.
            try queue.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
            isDoubtful.withLock { $0 = false }
        }
        let result = try queue.write(changes)
        guard Descriptor.isReadOnly(path) else { return result }
        isDoubtful.withLock { $0 = true }
        throw IngestError.writing(path, EROFS)
    }

    private static func prepare(_ queue: DatabaseQueue) throws {
        try queue.writeWithoutTransaction { db in
            // Nothing is deleted by a sink, and overwriting halves the speed; `delete` turns it on for itself.
            try db.execute(sql: "PRAGMA secure_delete = OFF")
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // 16 MB of log between checkpoints instead of 4: each checkpoint is two fsyncs and copies pages.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 4096")
            if try Int32.fetchOne(db, sql: "PRAGMA application_id") != applicationID {
                try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            }
        }
        // Another run of the program may create the same tables at this moment; then they are there at the next look.
        var tries = 0
        while true {
            do { return try Schema.migrator.migrate(queue) } catch {
                tries += 1
                if tries == migrationTries { throw error }
                usleep(100_000)
            }
        }
    }

    /// Three seconds of tries: a migration takes milliseconds.
    private static let migrationTries = 30

    /// An earlier version's database lacks columns that are asked for: they come with the next opening for writing, which is
    /// now. One that is only just being created is left to its creator.
    private func bringUpToDate() throws {
        let (applied, isComplete) = try queue.read { db in
            (try Schema.migrator.appliedMigrations(db), try Schema.migrator.hasCompletedMigrations(db))
        }
        if applied.isEmpty {
            throw IngestError(
                .noInput, "there are no readings in \(path)", why: "nothing was stored yet", cure: "read a cuff into it first")
        }
        if !isComplete { try Store(path, access: .write).close() }
    }

    /// Looks at the file before SQLite may change it. Answers whether it did not exist and was created, mode 0600.
    private static func examine(_ path: String, _ access: Access) throws(IngestError) -> Bool {
        let descriptor: Int32
        do throws(SystemFault) {
            descriptor = try Descriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
        } catch {
            guard error.number == ENOENT, access == .write else {
                if access == .read && error.number == ENOENT {
                    throw IngestError(
                        .noInput, "there is no database \(path)",
                        cure: "read a cuff into it first, e.g. `cuff read DEVICE --driver ID --sink sqlite:\(path)`")
                }
                throw access == .read ? .reading(path, error.number) : .writing(path, error.number)
            }
            do throws(SystemFault) {
                Glibc.close(try Descriptor.open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600))
                return true
            } catch {
                // Somebody else made it at this moment.
                if error.number == EEXIST { return try examine(path, access) }
                throw .writing(path, error.number)
            }
        }
        defer { Glibc.close(descriptor) }
        guard Descriptor.kind(descriptor) == .regular else {
            let isFolder = Descriptor.kind(descriptor) == .directory
            throw isFolder ? .writing(path, EISDIR) : notADatabase(path)
        }
        guard let size = Descriptor.size(descriptor), size > 0 else {
            if access == .read {
                throw IngestError(.noInput, "there are no readings in \(path)", why: "the file is empty", cure: "name another file")
            }
            return false
        }
        var head = [UInt8](repeating: 0, count: 16)
        let count = head.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, 16, 0) }
        guard count == 16, head == Array("SQLite format 3\u{0}".utf8) else { throw notADatabase(path) }
        try refuseForeign(path)
        return false
    }

    private static func notADatabase(_ path: String) -> IngestError {
        IngestError(.badData, "cannot use \(path)", why: "it is not an SQLite database", cure: "name another file")
    }

    /// The log may hold a newer header than the file, so SQLite itself is asked, read-only. By its own functions: the end of
    /// one of GRDB's queues starts Dispatch's watch over its threads, and an idle `cuff watch` would wake every second.
    private static func refuseForeign(_ path: String) throws(IngestError) {
        var connection: OpaquePointer?
        let opened = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil)
        defer { sqlite3_close_v2(connection) }
        func fault(_ code: Int32) -> IngestError {
            let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
            return translated(DatabaseError(resultCode: ResultCode(rawValue: code), message: message), path)
        }
        guard opened == SQLITE_OK else { throw fault(opened) }
        sqlite3_busy_timeout(connection, 5000)
        func number(_ query: String) throws(IngestError) -> Int64 {
            var statement: OpaquePointer?
            let prepared = sqlite3_prepare_v2(connection, query, -1, &statement, nil)
            defer { sqlite3_finalize(statement) }
            guard prepared == SQLITE_OK else { throw fault(prepared) }
            let stepped = sqlite3_step(statement)
            guard stepped == SQLITE_ROW else { throw fault(stepped) }
            return sqlite3_column_int64(statement, 0)
        }
        let id = try number("PRAGMA application_id")
        // A crash right after creation leaves a file with neither.
        if id == Int64(applicationID) { return }
        let tables = try number("SELECT count(*) FROM sqlite_master")
        guard id == 0, tables == 0 else {
            throw IngestError(
                .cannotCreate, "cannot use \(path)", why: "it is another program's database", cure: "name another file, e.g. sqlite:bp.db")
        }
    }

    /// SQLite's result in this program's words.
    static func translated(_ error: any Error, _ path: String) -> IngestError {
        if let error = error as? IngestError { return error }
        guard let error = error as? DatabaseError else {
            return IngestError(.software, "the database \(path) failed", why: "\(error)")
        }
        switch error.resultCode {
        case .SQLITE_FULL: return .writing(path, ENOSPC)
        case .SQLITE_BUSY, .SQLITE_LOCKED: return .writing(path, EWOULDBLOCK)
        case .SQLITE_READONLY:
            return IngestError(
                .cannotCreate, "cannot write \(path)", why: "the database is read-only",
                cure: "`chmod u+w` it and its folder, or name another file")
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
            return IngestError(
                .cannotCreate, "cannot open \(path)", why: error.message ?? "SQLite cannot open it",
                cure: "check the folder's permissions: SQLite keeps two files beside the database")
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            return IngestError(
                .badData, "cannot use \(path)", why: error.message ?? "the database is damaged",
                cure: "name another file; `sqlite3 \(path) .recover` may save what is in this one")
        case .SQLITE_IOERR:
            return IngestError(
                .inputOutput, "cannot write \(path)", why: error.message ?? "disk I/O error", cure: "check the disk (dmesg)")
        default:
            return IngestError(.software, "the database \(path) failed", why: error.message ?? "\(error.resultCode)")
        }
    }
}
