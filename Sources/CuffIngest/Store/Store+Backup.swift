import CuffCore
import Glibc
import SQLite

/// A copy of the database in one file.
extension Store {
    package struct Backup: Sendable, Hashable {
        package var path: String
        /// Readings in it, deleted ones not counted.
        package var readings: Int
        package var bytes: Int
    }

    /// Copies the database as it is at this moment, with everything that only its log holds so far, into a new file of mode 0600.
    /// Other programs may read and write the database meanwhile. The copy was checked and is on disk under its name when this
    /// returns; until then nothing bears the name.
    package func backUp(to target: String, replaces: Bool = false) throws(IngestError) -> Backup {
        let file = try OutputFile(target, replaces: replaces)
        guard let unfinished = file.temporary else { throw IngestError(StoreFault.backupNeedsFile(target)) }
        guard FileIdentity(target) == nil || FileIdentity(target) != FileIdentity(path) else {
            throw IngestError(StoreFault.backupOntoItself(path))
        }
        // One reading transaction, so it sees the log and no half transaction. It leaves the free pages, which may hold what was
        // deleted, behind.
        do { try connection.use { try $0.execute("VACUUM main INTO \(ReadingSelection.quoted(unfinished))") } } catch {
            // The database is at fault where it is damaged; everything else happened to the new file.
            let isDamaged = [.corrupt, .notADatabase].contains((error as? SQLiteError)?.code)
            throw Self.translated(error, isDamaged ? path : target)
        }
        let (readings, bytes) = try Self.examineBackup(unfinished, named: target)
        try file.finish()
        return Backup(path: target, readings: readings, bytes: bytes)
    }

    /// What the copy holds, from the copy itself.
    private static func examineBackup(_ unfinished: String, named target: String) throws(IngestError) -> (readings: Int, bytes: Int) {
        do {
            return try SQLiteConnection(unfinished, .read).read { copy in
                let answer = try copy.first("PRAGMA integrity_check(1)") { $0.text(0) }
                guard answer == "ok" else { throw IngestError(StoreFault.damaged(target, why: answer ?? "")) }
                return (try count(copy), try length(copy))
            }
        } catch { throw translated(error, target) }
    }
}
