import SQLite

extension Store {
    /// The options that read a table without a known layout, saved under a name.
    package struct SavedMapping: Sendable, Hashable {
        package var name: String
        /// The text of a `ColumnMapping`.
        package var columns: String
        /// `mmHg` or `kPa`; `nil` for the default.
        package var unit: String?
        /// The text of a `DateOrder`.
        package var dates: String?
        /// The name of a time zone.
        package var zone: String?

        package init(name: String, columns: String, unit: String?, dates: String?, zone: String?) {
            (self.name, self.columns, self.unit, self.dates, self.zone) = (name, columns, unit, dates, zone)
        }
    }

    package func mappings() throws(IngestError) -> [SavedMapping] {
        try read { db in
            try db.rows("SELECT name, columns, unit, dates, zone FROM mapping ORDER BY name") { row in
                SavedMapping(
                    name: row.text(0) ?? "", columns: row.text(1) ?? "", unit: row.text(2), dates: row.text(3), zone: row.text(4))
            }
        }
    }

    /// Saves a mapping, and replaces one of the same name.
    package func save(_ mapping: SavedMapping) throws(IngestError) {
        _ = try commit { db in
            try db.run(
                "INSERT OR REPLACE INTO mapping (name, columns, unit, dates, zone) VALUES (?, ?, ?, ?, ?)",
                mapping.name, mapping.columns, mapping.unit, mapping.dates, mapping.zone)
            return 1
        }
    }
}
