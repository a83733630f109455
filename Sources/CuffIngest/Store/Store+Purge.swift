import SQLite

/// Removing what nothing needs any more.
extension Store {
    /// What a purge removes, or would remove.
    package struct Purge: Sendable, Hashable {
        /// Tombstones of deleted readings.
        package var tombstones = 0
        /// Tombstones that stay, because an export has not yet said that it gave these readings away before.
        package var owedTombstones = 0
        /// Lines of the outbox: those of these readings, and those of sinks that are gone.
        package var lines = 0
        /// Sources without a reading or a series.
        package var sources = 0
        /// The file's length before and afterwards; equal where nothing was written.
        package var bytesBefore = 0, bytesAfter = 0

        package var isEmpty: Bool { tombstones == 0 && lines == 0 && sources == 0 }
    }

    package static let purgeConfirmation = "purge"

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

    package func purgePreview() throws(IngestError) -> Purge {
        try read { db in
            var found = Purge()
            found.tombstones = try Self.count(db, "reading WHERE \(Self.freeTombstones)")
            found.owedTombstones = try Self.count(db, "reading WHERE type = '\(Self.tombstone)'") - found.tombstones
            found.lines = try Self.count(db, "outbox WHERE \(Self.freeLines)")
            found.sources = try Self.count(db, "source WHERE \(Self.freeSources)")
            found.bytesBefore = try Self.length(db)
            found.bytesAfter = found.bytesBefore
            return found
        }
    }

    /// Removes tombstones, rests of the outbox and sources without readings, and writes the file anew without free pages.
    /// A cuff that still has a purged reading in its memory brings it back. Throws also where it is removed and the file could not
    /// be written anew.
    package func purge() throws(IngestError) -> Purge {
        var done = try purgePreview()
        func delete(_ rows: String, in db: SQLiteConnection) throws -> Int {
            try db.execute("DELETE FROM \(rows)")
            return db.changes
        }
        // Sources before tombstones: their condition names the tombstones that go.
        (done.lines, done.sources, done.tombstones) = try commit { db in
            (
                try delete("outbox WHERE \(Self.freeLines)", in: db), try delete("source WHERE \(Self.freeSources)", in: db),
                try delete("reading WHERE \(Self.freeTombstones)", in: db)
            )
        }
        try overwriteRemains()
        done.bytesAfter = try read { try Self.length($0) }
        return done
    }
}
