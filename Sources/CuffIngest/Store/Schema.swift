import SQLite

/// The tables, by named migrations: a name, once released, never changes what it does.
enum Schema {
    static let migrations: [(name: String, sql: String)] = [
        ("1 readings", first),
        ("2 outbox", outbox),
        ("2 host clock", "ALTER TABLE reading ADD COLUMN host_clock TEXT"),
        ("health series", series),
        ("health cursors", cursors),
        ("digits and units", digits),
        ("outbox answers", answers),
        ("remarks", remarks + earlier),
        ("patients", "ALTER TABLE reading ADD COLUMN patient TEXT"),
        ("checksums", checksums),
        ("persons", persons),
    ]

    /// Where their names are kept. The name is that of the library that kept them first.
    static let migrationTable = "grdb_migrations"

    static func migrationsDone(_ db: SQLiteConnection) throws -> [String] {
        guard try !columns(db, migrationTable).isEmpty else { return [] }
        return try db.rows("SELECT identifier FROM \(migrationTable)") { $0.text(0) ?? "" }
    }

    /// The columns of a table of the file; none where there is no such table.
    static func columns(_ db: SQLiteConnection, _ table: String) throws -> [String] {
        try db.rows("SELECT name FROM pragma_table_info(?, 'main')", table) { $0.text(0) ?? "" }
    }

    /// `pragma user_version`. A higher one, like a migration of an unknown name, is a later program's.
    static let version = 1

    /// What makes an earlier version's database readable like the present one, in temporary tables and views of the same names:
    /// SQLite looks among these first. Nothing of it is written to a file.
    static func complements(_ db: SQLiteConnection) throws -> String {
        var sql = "PRAGMA temp_store = MEMORY;"
        let present = try Set(columns(db, "reading"))
        let missing = (ReadingColumn.names + ["checksum"]).filter { !present.contains($0) }.map { ", NULL AS \($0)" }.joined()
        if !missing.isEmpty { sql += "CREATE TEMP VIEW reading AS SELECT *\(missing) FROM main.reading;" }
        for (table, definition) in [("sink", outbox), ("series", series), ("exported", cursors), ("earlier", earlier)]
        where try columns(db, table).isEmpty {
            sql += definition.replacing("CREATE TABLE ", with: "CREATE TEMP TABLE ").replacing("CREATE INDEX ", with: "CREATE INDEX temp.")
                .replacing("CREATE UNIQUE INDEX ", with: "CREATE UNIQUE INDEX temp.")
        }
        return sql
    }

    /// Rows of before get theirs from what they hold at this moment. The columns are those of this migration's time.
    private static let checksums: String = {
        let reading = RowChecksum.Table(name: "reading", columns: Array(ReadingColumn.names.prefix(43)))
        let tables = [reading, RowChecksum.source, RowChecksum.series, RowChecksum.earlier, RowChecksum.outbox]
        return tables.map { table -> String in "ALTER TABLE \(table.name) ADD COLUMN checksum INTEGER; \(table.seal("1"));" }.joined(
            separator: "\n")
    }()

    /// `digits` holds the numbers of a row as the cuff wrote them, in the order systolic, diastolic, mean, pulse, where a number
    /// column would drop a zero (14.0 kPa). `unit_mdc` is the code of the unit, `text` an enumeration's.
    private static let digits = """
        ALTER TABLE reading ADD COLUMN digits TEXT;
        ALTER TABLE reading ADD COLUMN unit_mdc INTEGER;
        ALTER TABLE reading ADD COLUMN text TEXT;
        DROP VIEW quantities;
        CREATE VIEW quantities AS
          SELECT coalesce(measured, device_time, received) AS time,
            type, coalesce(code, mdc) AS code, coalesce(value, text, pulse_per_min, bits) AS value,
            coalesce(unit, iif(type = 'pulse_rate', '/min', unit_mdc)) AS unit,
            user, flags, clock, device_time, measured, received, origin, model, device, driver, id
          FROM reading LEFT JOIN source ON source.number = reading.source
          WHERE type IN ('quantity', 'pulse_rate') AND NOT pending
          ORDER BY id;
        PRAGMA user_version = \(version);
        """

    /// What a person says beside a reading. `noted` counts the person's changes; together with `revision`, which is the cuff's, it
    /// is the revision that others are given.
    private static let remarks = """
        ALTER TABLE reading ADD COLUMN note TEXT;
        ALTER TABLE reading ADD COLUMN medication TEXT;
        ALTER TABLE reading ADD COLUMN posture TEXT;
        ALTER TABLE reading ADD COLUMN arm TEXT;
        ALTER TABLE reading ADD COLUMN noted INTEGER;
        ALTER TABLE reading ADD COLUMN duration_s INTEGER;
        DROP VIEW readings;
        CREATE VIEW readings AS
          SELECT coalesce(measured, device_time, received) AS time,
            systolic_mmHg, diastolic_mmHg, mean_mmHg, pulse_per_min, user, flags, note, medication, posture, arm, clock, device_time,
            measured, received, origin, trigger, model, device, driver, id
          FROM reading LEFT JOIN source ON source.number = reading.source
          WHERE type = 'blood_pressure' AND NOT pending
          ORDER BY id;
        """

    /// What an edited reading said before, under the revision that it had then. Only what a person types in is edited.
    private static let earlier = """
        CREATE TABLE earlier (
          id TEXT NOT NULL,
          revision INTEGER NOT NULL,
          replaced TEXT NOT NULL,
          systolic_mmHg NUMERIC, diastolic_mmHg NUMERIC, pulse_per_min NUMERIC,
          user INTEGER, flags TEXT, measured TEXT, raw BLOB NOT NULL,
          PRIMARY KEY (id, revision)
        ) WITHOUT ROWID;
        """

    /// `person` is whose a reading is, where a person said that of this reading. Where it is NULL, the configuration says it, if anything.
    private static let persons = """
        ALTER TABLE reading ADD COLUMN person TEXT;
        DROP VIEW readings;
        CREATE VIEW readings AS
          SELECT coalesce(measured, device_time, received) AS time,
            systolic_mmHg, diastolic_mmHg, mean_mmHg, pulse_per_min, user, person, flags, note, medication, posture, arm, clock,
            device_time, measured, received, origin, trigger, model, device, driver, id
          FROM reading LEFT JOIN source ON source.number = reading.source
          WHERE type = 'blood_pressure' AND NOT pending
          ORDER BY id;
        """

    /// `refused` is why the other side will never take a line; such a line waits no longer, and stays. `lost` counts lines that
    /// were handed over to a sink that does not answer, in a conversation that did not end in order.
    private static let answers = """
        ALTER TABLE outbox ADD COLUMN refused TEXT;
        ALTER TABLE sink ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
        """

    /// Many values in one row: the samples are packed (`SeriesCoding`); what people ask for stands beside them.
    private static let series = """
        CREATE TABLE series (
          number INTEGER PRIMARY KEY,
          type TEXT NOT NULL,
          code TEXT NOT NULL,
          unit TEXT,
          source INTEGER NOT NULL,
          reading TEXT,
          start TEXT NOT NULL, end TEXT NOT NULL,
          count INTEGER NOT NULL,
          min NUMERIC, max NUMERIC, avg NUMERIC, last NUMERIC, sdnn_ms NUMERIC,
          samples BLOB NOT NULL,
          UNIQUE (source, code, start)
        );
        CREATE INDEX series_reading ON series (reading);
        CREATE INDEX series_start ON series (start);
        """

    /// What each named export has given away, so that the next one gives only what is new.
    private static let cursors = """
        CREATE TABLE exported (
          cursor TEXT NOT NULL,
          id TEXT NOT NULL,
          revision INTEGER NOT NULL,
          PRIMARY KEY (cursor, id)
        ) WITHOUT ROWID;
        """

    /// Columns carry the words of the JSON vocabulary. `reading` is ordered by id, which begins with the time, so that
    /// new rows are appended; a random key is eight times slower.
    private static let first = """
        CREATE TABLE source (
          number INTEGER PRIMARY KEY,
          driver TEXT NOT NULL,
          device TEXT NOT NULL,
          manufacturer TEXT, model TEXT, serial TEXT, firmware TEXT,
          UNIQUE (driver, device)
        );
        CREATE TABLE reading (
          id TEXT NOT NULL PRIMARY KEY,
          revision INTEGER NOT NULL,
          pending INTEGER NOT NULL,
          type TEXT NOT NULL,
          source INTEGER NOT NULL,
          systolic_mmHg NUMERIC, diastolic_mmHg NUMERIC, mean_mmHg NUMERIC, pulse_per_min NUMERIC,
          user INTEGER, flags TEXT, device_time TEXT, measured TEXT, clock TEXT, received TEXT,
          origin TEXT NOT NULL, trigger TEXT, sequence INTEGER, raw BLOB NOT NULL,
          systolic_kPa NUMERIC, diastolic_kPa NUMERIC, mean_kPa NUMERIC, mean_absent TEXT, pulse_absent TEXT,
          reason TEXT, code TEXT, mdc INTEGER, component INTEGER, value TEXT, value_absent TEXT, bits INTEGER, unit TEXT
        ) WITHOUT ROWID;
        CREATE VIEW readings AS
          SELECT coalesce(measured, device_time, received) AS time,
            systolic_mmHg, diastolic_mmHg, mean_mmHg, pulse_per_min, user, flags, clock, device_time, measured, received,
            origin, trigger, model, device, driver, id
          FROM reading LEFT JOIN source ON source.number = reading.source
          WHERE type = 'blood_pressure' AND NOT pending
          ORDER BY id;
        CREATE VIEW failures AS
          SELECT coalesce(measured, device_time, received) AS time,
            reason, code, user, flags, clock, device_time, measured, received, origin, model, device, driver, id
          FROM reading LEFT JOIN source ON source.number = reading.source
          WHERE type = 'measurement'
          ORDER BY id;
        CREATE VIEW quantities AS
          SELECT coalesce(measured, device_time, received) AS time,
            type, code, coalesce(value, pulse_per_min) AS value, coalesce(unit, iif(type = 'pulse_rate', '/min', NULL)) AS unit,
            user, flags, clock, device_time, measured, received, origin, model, device, driver, id
          FROM reading LEFT JOIN source ON source.number = reading.source
          WHERE type IN ('quantity', 'pulse_rate') AND NOT pending
          ORDER BY id;
        """

    /// Lines on their way to sinks outside of this machine's files. `sequence` is the order of arrival while a line waits,
    /// and nothing once it was acknowledged; its row stays, so that a reading that is read again is not sent again.
    private static let outbox = """
        CREATE TABLE sink (
          number INTEGER PRIMARY KEY,
          spec TEXT NOT NULL UNIQUE,
          acknowledged TEXT, acknowledged_at TEXT,
          error TEXT, error_at TEXT, next_try TEXT
        );
        CREATE TABLE outbox (
          sink INTEGER NOT NULL,
          id TEXT NOT NULL,
          revision INTEGER NOT NULL,
          pending INTEGER NOT NULL,
          sequence INTEGER,
          queued TEXT,
          line TEXT,
          PRIMARY KEY (sink, id, revision, pending)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX outbox_waiting ON outbox (sink, sequence) WHERE sequence IS NOT NULL;
        """
}
