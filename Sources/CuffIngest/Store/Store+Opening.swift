import CuffCore
import GRDB
import GRDBSQLite
import Glibc

/// What is looked at before a file is taken for the database, and what is said where it is not.
extension Store {
    /// Looks at the file before SQLite may change it. Answers whether it did not exist and was created, mode 0600.
    static func examine(_ path: String, _ access: Access) throws(IngestError) -> Bool {
        let descriptor: Int32
        do throws(SystemFault) {
            descriptor = try Descriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
        } catch {
            guard error.number == ENOENT, access == .write else {
                if access == .read && error.number == ENOENT {
                    throw IngestError(StoreFault.notThere(path, isStandard: path == standardPath))
                }
                throw access == .read ? .reading(path, error.number) : .writing(path, error.number)
            }
            if path == standardPath { StateFile.makeFolders(above: path) }
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
        if access == .write { try refuseOthers(descriptor, path) }
        guard Descriptor.kind(descriptor) == .regular else {
            let isFolder = Descriptor.kind(descriptor) == .directory
            guard isFolder else { throw notADatabase(path) }
            throw access == .read ? .reading(path, EISDIR) : .writing(path, EISDIR)
        }
        guard let size = Descriptor.size(descriptor), size > 0 else {
            if access == .read {
                throw IngestError(StoreFault.emptyFile(path))
            }
            return false
        }
        var head = [UInt8](repeating: 0, count: 16)
        let count = head.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, 16, 0) }
        guard count == 16, head == Array("SQLite format 3\u{0}".utf8) else { throw notADatabase(path) }
        try refuseForeign(path, access)
        return false
    }

    /// Nobody else decides where readings go, nor what a log takes into the database.
    private static func refuseOthers(_ descriptor: Int32, _ path: String) throws(IngestError) {
        var status = stat()
        if fstat(descriptor, &status) == 0, let refusal = OwnFile.refusal(status, path, .userOrFolder) { throw refusal }
        for name in ["-wal", "-shm", "-journal"] where lstat(path + name, &status) == 0 {
            if let refusal = OwnFile.refusal(status, path + name, .userOrFolder) { throw refusal }
        }
    }

    private static func notADatabase(_ path: String) -> IngestError {
        IngestError(StoreFault.notADatabase(path))
    }

    static func noRoomForIndex(_ path: String, _ access: Access) -> IngestError {
        guard access == .read else { return .writing(path, ENOSPC) }
        return IngestError(StoreFault.noRoomForIndex(path))
    }

    private static func tooNew(_ path: String, _ access: Access) -> IngestError {
        IngestError(StoreFault.tooNew(path, isReading: access == .read))
    }

    /// The log may hold a newer header than the file, so SQLite itself is asked, read-only. By its own functions: the end of
    /// one of GRDB's queues starts Dispatch's watch over its threads, and an idle `cuff watch` would wake every second.
    private static func refuseForeign(_ path: String, _ access: Access) throws(IngestError) {
        var connection: OpaquePointer?
        let opened = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil)
        defer { sqlite3_close_v2(connection) }
        func fault(_ code: Int32) -> IngestError {
            let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
            return translated(DatabaseError(resultCode: ResultCode(rawValue: code), message: message), path)
        }
        guard opened == SQLITE_OK else { throw fault(opened) }
        RowChecksum.prepare(connection)
        sqlite3_busy_timeout(connection, 5000)
        // One look, so that nobody waits for several.
        sqlite3_exec(connection, "BEGIN", nil, nil, nil)
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
        if id == Int64(applicationID) {
            let hasNames = try number("SELECT count(*) FROM sqlite_master WHERE name = 'grdb_migrations'") > 0
            let known = Schema.migrator.migrations.map { "'\($0)'" }.joined(separator: ",")
            let unknown = hasNames ? try number("SELECT count(*) FROM grdb_migrations WHERE identifier NOT IN (\(known))") : 0
            let version = try number("PRAGMA user_version")
            guard unknown == 0, version <= Int64(Schema.version) else { throw tooNew(path, access) }
            return
        }
        let tables = try number("SELECT count(*) FROM sqlite_master")
        guard id == 0, tables == 0 else {
            throw IngestError(StoreFault.foreign(path))
        }
    }

    /// SQLite's result in this program's words.
    static func translated(_ error: any Error, _ path: String) -> IngestError {
        if let error = error as? IngestError { return error }
        // A column of a type that nothing here writes.
        if let error = error as? RowDecodingError { return IngestError(StoreFault.damaged(path, why: "\(error)")) }
        guard let error = error as? DatabaseError else {
            return IngestError(StoreFault.failed(path, why: "\(error)"))
        }
        switch error.resultCode {
        case .SQLITE_FULL: return .writing(path, ENOSPC)
        case .SQLITE_IOERR where Volume(path)?.free == 0: return .writing(path, ENOSPC)
        case .SQLITE_BUSY, .SQLITE_LOCKED: return .writing(path, EWOULDBLOCK)
        case .SQLITE_READONLY: return IngestError(StoreFault.readOnly(path))
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
            return IngestError(StoreFault.cannotOpen(path, why: error.message ?? "SQLite cannot open it"))
        // The program's own statements are right where the tables are what they should be.
        case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_ERROR:
            return IngestError(StoreFault.damaged(path, why: error.message ?? "the database is damaged"))
        case .SQLITE_TOOBIG: return IngestError(StoreFault.cellTooLarge(path))
        case .SQLITE_IOERR: return IngestError(StoreFault.failedWriting(path, why: error.message ?? "disk I/O error"))
        default: return IngestError(StoreFault.failed(path, why: error.message ?? "\(error.resultCode)"))
        }
    }
}
