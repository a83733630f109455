import CuffCore
import GRDB

/// Removing what nothing needs any more.
extension Store {
    /// What a purge removes, or would remove.
    public struct Purge: Sendable, Hashable {
        /// Tombstones of deleted readings.
        public var tombstones = 0
        /// Tombstones that stay, because an export has not yet said that it gave these readings away before.
        public var owedTombstones = 0
        /// Lines of the outbox: those of these readings, and those of sinks that are gone.
        public var lines = 0
        /// Sources of which there is neither a reading nor a series.
        public var sources = 0
        /// The file's length before and afterwards; equal where nothing was written.
        public var bytesBefore = 0, bytesAfter = 0

        /// There is nothing to remove.
        public var isEmpty: Bool { tombstones == 0 && lines == 0 && sources == 0 }
    }

    /// The word that confirms a purge.
    public static let purgeConfirmation = "purge"

    /// Tombstones that may go. One whose id an export has given away stays until that export has named it as deleted
    /// (`deletedSince`).
    private static let freeTombstones = "type = '\(tombstone)' AND id NOT IN (SELECT id FROM exported)"
    /// A line that was acknowledged keeps a reading from being sent twice, so lines of readings that are still here stay.
    private static let freeLines = """
        sink NOT IN (SELECT number FROM sink) OR line IS NULL AND id IN (SELECT id FROM reading WHERE \(freeTombstones))
        """
    private static let freeSources = """
        number NOT IN (SELECT source FROM reading WHERE NOT (\(freeTombstones))) AND number NOT IN (SELECT source FROM series)
        """

    /// What `purge` would remove now.
    public func purgePreview() throws(IngestError) -> Purge {
        do {
            return try queue.read { db in
                var found = Purge()
                found.tombstones = try Self.count(db, "reading WHERE \(Self.freeTombstones)")
                found.owedTombstones = try Self.count(db, "reading WHERE type = '\(Self.tombstone)'") - found.tombstones
                found.lines = try Self.count(db, "outbox WHERE \(Self.freeLines)")
                found.sources = try Self.count(db, "source WHERE \(Self.freeSources)")
                found.bytesBefore = try Self.length(db)
                found.bytesAfter = found.bytesBefore
                return found
            }
        } catch { throw Self.translated(error, path) }
    }

    /// Removes tombstones, rests of the outbox and sources without readings, and writes the file anew without free pages.
    /// A cuff that still has a purged reading in its memory brings it back. Throws also where it is removed and the file could not
    /// be written anew.
    public func purge() throws(IngestError) -> Purge {
        var done = try purgePreview()
        do {
            let (lines, tombstones, sources) = try commit { db in
                try db.execute(sql: "DELETE FROM outbox WHERE \(Self.freeLines)")
                let lines = db.changesCount
                // Sources before tombstones: their condition names the tombstones that go.
                try db.execute(sql: "DELETE FROM source WHERE \(Self.freeSources)")
                let sources = db.changesCount
                try db.execute(sql: "DELETE FROM reading WHERE \(Self.freeTombstones)")
                return (lines, db.changesCount, sources)
            }
            (done.lines, done.tombstones, done.sources) = (lines, tombstones, sources)
        } catch { throw Self.translated(error, path) }
        try overwriteRemains()
        do { done.bytesAfter = try queue.read { try Self.length($0) } } catch { throw Self.translated(error, path) }
        return done
    }

    private static func count(_ db: Database, _ rows: String) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM \(rows)") ?? 0
    }

    private static func length(_ db: Database) throws -> Int {
        (try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0) * (try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
    }
}
