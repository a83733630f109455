import CuffCore
import SQLite

/// Deleting readings. A deleted reading leaves a tombstone, its id, so that reading the cuff again does not bring it back. The
/// row keeps its key and gets the highest revision, which no cuff's copy can replace, and a type that no view shows; everything
/// that identifies a person is overwritten.
extension Store {
    static let tombstone = "deleted"

    func deleted(among ids: [Reading.ID]) throws(IngestError) -> Set<Reading.ID> {
        try read { db in
            try Set(ids.filter { try db.hasRow("SELECT 1 FROM reading WHERE id = ? AND type = '\(Self.tombstone)'", $0.description) })
        }
    }

    /// Throws for the first of the ids that the database does not know, neither as a reading nor as a deleted one.
    package func requireKnown(_ ids: [Reading.ID]) throws(IngestError) {
        let unknown = try read { db in
            try ids.first { try !db.hasRow("SELECT 1 FROM reading WHERE id = ? AND NOT pending", $0.description) }
        }
        if let unknown { throw IngestError(StoreFault.noSuchReading(unknown.description, path)) }
    }

    /// Removes deleted content from the database file and its log. `secure_delete` overwrites a row in its last place, but a page that
    /// was split or defragmented may hold an older copy, so the file is rewritten.
    /// - Throws: `StoreFault.remains` in an `IngestError`, with the cause.
    public func overwriteRemains() throws(IngestError) {
        let isHeld: Bool?
        do {
            isHeld = try connection.use { db in
                try db.execute("VACUUM")
                return try db.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.flag(0) }
            }
        } catch { throw IngestError(StoreFault.remains(path, cause: Self.translated(error, path))) }
        if isHeld == true { throw IngestError(StoreFault.remains(path, cause: nil)) }
    }

    /// The columns that a tombstone sets to NULL; `raw` is NOT NULL and becomes empty.
    static var emptiedColumns: [String] {
        let kept: Set = ["id", "revision", "pending", "type", "source", "origin", "raw"]
        return ReadingColumn.names.filter { !kept.contains($0) }
    }

    static var bury: String {
        let emptied = emptiedColumns.map { "\($0) = NULL" }.joined(separator: ", ")
        return "UPDATE reading SET revision = 255, pending = 0, type = '\(tombstone)', raw = x'', \(emptied) WHERE id = ?1"
    }

    /// Removes the tombstones of these ids, or all, so that the cuff's copies are accepted again; returns how many.
    /// - Throws: An `IngestError` of writing, as ``Store`` says.
    public func forgetDeletion(of ids: [Reading.ID]?) throws(IngestError) -> Int {
        try commit { db in
            let tombstones = "DELETE FROM reading WHERE type = '\(Self.tombstone)'"
            guard let ids else {
                try db.execute(tombstones)
                return db.changes
            }
            let statement = try db.prepare("\(tombstones) AND id = ?")
            var count = 0
            for id in ids {
                try statement.run(id.description)
                count += db.changes
            }
            return count
        }
    }

    /// The number of tombstones.
    /// - Throws: An `IngestError` of reading, as ``Store`` says.
    public func deletedCount() throws(IngestError) -> Int {
        try read { try Self.count($0, "reading WHERE type = '\(Self.tombstone)'") }
    }
}
