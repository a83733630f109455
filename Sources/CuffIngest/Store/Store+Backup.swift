import CuffCore
import SQLite

extension Store {
    package struct Backup: Sendable, Hashable {
        package var path: String
        package var readings: Int
        package var bytes: Int
    }

    /// Copies the database, including what is only in its log, into a new file of mode 0600. Other programs may read and write
    /// the database meanwhile. The copy gets its name only after it was checked and is on disk.
    package func backUp(to target: String, replaces: Bool = false) throws(IngestError) -> Backup {
        let file = try OutputFile(target, replaces: replaces, replacesDatabase: true)
        guard let unfinished = file.temporary else { throw IngestError(StoreFault.backupNeedsFile(target)) }
        guard FileIdentity(target) == nil || FileIdentity(target) != FileIdentity(path) else {
            throw IngestError(StoreFault.backupOntoItself(path))
        }
        // SQLite would apply the log of another database to the copy.
        for log in OutputFile.logs where FileIdentity(target + log) != nil {
            throw IngestError(StoreFault.backupBesideLog(target, log: target + log))
        }
        // One read transaction, so the copy includes the log and no partial transaction. It leaves out free pages, which may hold
        // deleted readings.
        do { try connection.use { try $0.execute("VACUUM main INTO \(ReadingSelection.quoted(unfinished))") } } catch {
            // Only damage is a fault of the database; all other errors concern the new file.
            let isDamaged = [.corrupt, .notADatabase].contains((error as? SQLiteError)?.code)
            throw Self.translated(error, isDamaged ? path : target)
        }
        let (readings, bytes) = try Self.examineBackup(unfinished, named: target)
        try file.finish()
        return Backup(path: target, readings: readings, bytes: bytes)
    }

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
