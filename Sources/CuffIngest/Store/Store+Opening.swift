import CuffCore
import Glibc
import SQLite

/// Checks before a file is used as the database, and their errors.
extension Store {
    /// Checks the file before SQLite may change it. Returns whether it was created, with mode 0600.
    static func examine(_ path: String, _ access: Access) throws(IngestError) -> Bool {
        let descriptor: Int32
        do throws(SystemFault) {
            descriptor = try Descriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
        } catch {
            guard error.number == ENOENT, access == .write else {
                if access == .read && error.number == ENOENT {
                    throw IngestError(missing(path))
                }
                guard access == .read else { throw .writing(path, error.number) }
                throw [EACCES, EPERM].contains(error.number) ? IngestError(StoreFault.accessDenied(path)) : .reading(path, error.number)
            }
            if path == standardPath { StateFile.makeFolders(above: path) }
            do throws(SystemFault) {
                Glibc.close(try Descriptor.open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600))
                return true
            } catch {
                if error.number == EEXIST, isDanglingLink(path) { throw IngestError(StoreFault.danglingLink(path)) }
                // Created by another process just now.
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
            // SQLite would delete the log of an empty file, and with it what was committed.
            var log = stat()
            if lstat(path + "-wal", &log) == 0, log.st_size > 0 { throw IngestError(StoreFault.cutShort(path)) }
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

    /// Whether the path is a symbolic link whose target does not exist.
    package static func isDanglingLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK && stat(path, &status) != 0
    }

    /// Other users must not be able to change where readings are written, or the log.
    private static func refuseOthers(_ descriptor: Int32, _ path: String) throws(IngestError) {
        var status = stat()
        if fstat(descriptor, &status) == 0, let refusal = OwnFile.refusal(status, path, .userOrFolder) { throw refusal }
        for name in OutputFile.logs where lstat(path + name, &status) == 0 {
            if let refusal = OwnFile.refusal(status, path + name, .userOrFolder) { throw refusal }
        }
    }

    private static func notADatabase(_ path: String) -> IngestError {
        IngestError(StoreFault.notADatabase(path))
    }

    /// The log may hold a newer header than the file, so SQLite is asked, read-only.
    private static func refuseForeign(_ path: String, _ access: Access) throws(IngestError) {
        do {
            // One transaction for all queries, so that they wait for a lock only once.
            try StoreConnection.open(path, .read).read { db in
                func number(_ query: String) throws -> Int { try db.first(query, read: { $0.int(0) }) ?? 0 }
                let id = try number("PRAGMA application_id")
                // A crash right after creation leaves a file without id and tables.
                guard id == Int(applicationID) else {
                    let tables = try number("SELECT count(*) FROM sqlite_master")
                    guard id == 0, tables == 0 else { throw IngestError(StoreFault.foreign(path)) }
                    return
                }
                let isKnown = try Schema.migrationsDone(db).allSatisfy { name in Schema.migrations.contains { $0.name == name } }
                guard try isKnown && number("PRAGMA user_version") <= Schema.version else {
                    throw IngestError(StoreFault.tooNew(path, isReading: access == .read))
                }
            }
        } catch { throw translated(error, path) }
    }

    static func translated(_ error: any Error, _ path: String) -> IngestError {
        if let error = error as? IngestError { return error }
        guard let error = error as? SQLiteError else {
            return IngestError(StoreFault.failed(path, why: "\(error)"))
        }
        switch error.code {
        case .full: return .writing(path, ENOSPC)
        case .ioError where Volume(path)?.free == 0: return .writing(path, ENOSPC)
        case .busy, .locked: return .writing(path, EWOULDBLOCK)
        case .readOnly: return IngestError(StoreFault.readOnly(path))
        case .perm, .auth: return IngestError(StoreFault.accessDenied(path))
        case .cannotOpen where access(path, R_OK) != 0 && errno == EACCES: return IngestError(StoreFault.accessDenied(path))
        case .cannotOpen: return IngestError(StoreFault.cannotOpen(path, why: error.message))
        // The program's own statements only fail if the tables are not as expected.
        case .notADatabase, .corrupt, .error: return IngestError(StoreFault.damaged(path, why: error.message))
        case .tooBig: return IngestError(StoreFault.cellTooLarge(path))
        case .ioError: return IngestError(StoreFault.failedWriting(path, why: error.message))
        case .constraint, .interrupt, .misuse, .other: return IngestError(StoreFault.failed(path, why: error.message))
        }
    }
}
