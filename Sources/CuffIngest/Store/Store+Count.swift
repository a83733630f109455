import SQLite

extension Store {
    /// The id of the latest reading by time of measurement.
    func lastID() throws(IngestError) -> String? {
        try read { try $0.first("SELECT id FROM reading WHERE type <> '\(Self.tombstone)' ORDER BY id DESC LIMIT 1") { $0.text(0) } }
    }

    /// The number of readings of every kind, without deleted ones.
    /// - Throws: An `IngestError` of reading, as ``Store`` says.
    public func count() throws(IngestError) -> Int { try read { try Self.count($0) } }

    static func count(_ db: SQLiteConnection, _ rows: String = "reading WHERE type <> '\(tombstone)'") throws -> Int {
        try db.first("SELECT count(*) FROM \(rows)") { $0.int(0) } ?? 0
    }

    /// The length of the file in SQLite's view.
    static func length(_ db: SQLiteConnection) throws -> Int {
        try db.first("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") { $0.int(0) } ?? 0
    }
}
