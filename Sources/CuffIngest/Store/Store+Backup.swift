import CuffCore
import GRDB
import GRDBSQLite
import Glibc

/// A copy of the database in one file.
extension Store {
    /// What a backup holds.
    public struct Backup: Sendable, Hashable {
        /// The new file.
        public var path: String
        /// Readings in it, deleted ones not counted.
        public var readings: Int
        /// The length of the file.
        public var bytes: Int
    }

    /// Copies the database as it is at this moment, with everything that only its log holds so far, into a new file of mode 0600.
    /// Other programs may read and write the database meanwhile. The copy was checked and is on disk under its name when this
    /// returns; until then nothing bears the name.
    public func backUp(to target: String, replaces: Bool = false) throws(IngestError) -> Backup {
        let file = try OutputFile(target, replaces: replaces)
        guard let unfinished = file.temporary else { throw IngestError(StoreFault.backupNeedsFile(target)) }
        guard FileIdentity(target) == nil || FileIdentity(target) != FileIdentity(path) else {
            throw IngestError(StoreFault.backupOntoItself(path))
        }
        do { try copy(to: unfinished) } catch {
            // The database is at fault where it is damaged; everything else happened to the new file.
            let isDamaged = [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains((error as? DatabaseError)?.resultCode)
            throw Self.translated(error, isDamaged ? path : target)
        }
        let (readings, bytes) = try Self.examineBackup(unfinished, named: target)
        try file.finish()
        return Backup(path: target, readings: readings, bytes: bytes)
    }

    /// `VACUUM INTO` is one reading transaction, so it sees the log and no half transaction, and it leaves the free pages, which
    /// may hold what was deleted, behind. GRDB refuses it on a connection that only reads; SQLite does not.
    private func copy(to target: String) throws {
        try queue.inDatabase { db in
            let result = sqlite3_exec(db.sqliteConnection, "VACUUM main INTO \(ReadingSelection.quoted(target))", nil, nil, nil)
            guard result == SQLITE_OK else {
                throw DatabaseError(
                    resultCode: ResultCode(rawValue: result), message: db.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) })
            }
        }
    }

    /// What the copy holds, from the copy itself.
    private static func examineBackup(_ unfinished: String, named target: String) throws(IngestError) -> (readings: Int, bytes: Int) {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let copy = try DatabaseQueue(path: unfinished, configuration: configuration)
            defer { try? copy.close() }
            return try copy.read { db in
                let answer = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)") ?? ""
                guard answer == "ok" else { throw IngestError(StoreFault.damaged(target, why: answer)) }
                let readings = try Int.fetchOne(db, sql: "SELECT count(*) FROM reading WHERE type <> '\(tombstone)'") ?? 0
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                return (readings, pages * (try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0))
            }
        } catch { throw translated(error, target) }
    }
}
