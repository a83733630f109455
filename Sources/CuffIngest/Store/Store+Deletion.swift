import CuffCore
import GRDB

/// Deleting readings. What is left of one is a tombstone: its id alone, so that reading the cuff again does not bring it
/// back. The row keeps its key, takes the highest revision there is, which no cuff's copy can replace, and a type that no
/// view shows; everything a person could be recognised by is overwritten.
extension Store {
    static let tombstone = "deleted"

    /// Which of these readings were deleted here.
    func deleted(among ids: [Reading.ID]) throws(IngestError) -> Set<Reading.ID> {
        do {
            return try queue.read { db in
                let statement = try db.cachedStatement(sql: "SELECT 1 FROM reading WHERE id = ? AND type = '\(Self.tombstone)'")
                return Set(try ids.filter { try Int.fetchOne(statement, arguments: [$0.description]) != nil })
            }
        } catch { throw Self.translated(error, path) }
    }

    /// Leaves nothing of what was deleted in the database file and its log. `secure_delete` overwrites a row where it stood
    /// last; a page that was split or put in order before may hold an older copy, so the file is written anew.
    public func overwriteRemains() throws(IngestError) {
        var isHeld = false
        do {
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM")
                let result = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                guard result?[0] as Int? != 0 else { return }
                isHeld = true
            }
        } catch { throw IngestError(StoreFault.remains(path, cause: Self.translated(error, path))) }
        if isHeld { throw IngestError(StoreFault.remains(path, cause: nil)) }
    }

    /// The columns of which a tombstone keeps nothing, `raw` aside, which is empty.
    static var emptiedColumns: [String] {
        let kept: Set = ["id", "revision", "pending", "type", "source", "origin", "raw"]
        return ReadingColumn.names.filter { !kept.contains($0) }
    }

    /// Makes a tombstone of a row.
    static var bury: String {
        let emptied = emptiedColumns.map { "\($0) = NULL" }.joined(separator: ", ")
        return "UPDATE reading SET revision = 255, pending = 0, type = '\(tombstone)', raw = x'', \(emptied) WHERE id = ?1"
    }

    /// Lifts the tombstones of these ids, or all, so that the cuff's copies are taken again; answers how many.
    public func forgetDeletion(of ids: [Reading.ID]?) throws(IngestError) -> Int {
        do {
            return try commit { db in
                if let ids {
                    let statement = try db.makeStatement(sql: "DELETE FROM reading WHERE type = '\(Self.tombstone)' AND id = ?")
                    var count = 0
                    for id in ids {
                        try statement.execute(arguments: [id.description])
                        count += db.changesCount
                    }
                    return count
                }
                try db.execute(sql: "DELETE FROM reading WHERE type = '\(Self.tombstone)'")
                return db.changesCount
            }
        } catch { throw Self.translated(error, path) }
    }

    /// How many tombstones there are.
    public func deletedCount() throws(IngestError) -> Int {
        do {
            return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM reading WHERE type = '\(Self.tombstone)'") ?? 0 }
        } catch { throw Self.translated(error, path) }
    }
}
