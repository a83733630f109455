import SQLite

extension Store {
    package struct Purge: Sendable, Hashable {
        package var tombstones = 0
        /// Tombstones that are kept, because an export that delivered the reading has not yet reported its deletion.
        package var owedTombstones = 0
        /// Lines of the outbox: of these readings, and of removed sinks.
        package var lines = 0
        package var sources = 0
        /// The file's length; equal if nothing was written.
        package var bytesBefore = 0, bytesAfter = 0
    }

    /// Removable tombstones. If an export has delivered the reading, the tombstone is kept until the export has reported the
    /// deletion (`deletedSince`).
    private static let freeTombstones = "type = '\(tombstone)' AND id NOT IN (SELECT id FROM exported WHERE revision >= 0)"
    /// Acknowledged lines of existing readings stay: they keep a reading from being sent twice.
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

    /// Removes tombstones, obsolete lines and unused sources, and rewrites the file without free pages. A purged reading comes
    /// back if the cuff still has it. May throw after the removal, if the file could not be rewritten.
    package func purge() throws(IngestError) -> Purge {
        var done = try purgePreview()
        func delete(_ rows: String, in db: SQLiteConnection) throws -> Int {
            try db.execute("DELETE FROM \(rows)")
            return db.changes
        }
        // Sources first: their condition refers to the tombstones.
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
