import GRDB

extension Store {
    /// Id of the latest reading by the time of its measurement.
    func lastID() throws(IngestError) -> String? {
        do {
            return try queue.read { db in
                try String.fetchOne(db, sql: "SELECT id FROM reading WHERE type <> '\(Self.tombstone)' ORDER BY id DESC LIMIT 1")
            }
        } catch {
            throw Self.translated(error, path)
        }
    }

    /// How many readings of every kind there are; deleted ones do not count.
    public func count() throws(IngestError) -> Int {
        do {
            return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM reading WHERE type <> '\(Self.tombstone)'") ?? 0 }
        } catch {
            throw Self.translated(error, path)
        }
    }
}
