import SQLite

/// The tables, as named migrations. A released migration never changes.
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
        ("imports", imports),
        ("persons", persons),
        ("other days", otherDays),
        ("decoders", decoders),
        ("metadata", metadata),
        ("exported persons", "ALTER TABLE exported ADD COLUMN person TEXT"),
    ]

    /// The table of completed migrations, named by the library that first created it.
    static let migrationTable = "grdb_migrations"

    static func migrationsDone(_ db: SQLiteConnection) throws -> [String] {
        guard try !columns(db, migrationTable).isEmpty else { return [] }
        return try db.rows("SELECT identifier FROM \(migrationTable)") { $0.text(0) ?? "" }
    }

    /// Empty if the table does not exist.
    static func columns(_ db: SQLiteConnection, _ table: String) throws -> [String] {
        try db.rows("SELECT name FROM pragma_table_info(?, 'main')", table) { $0.text(0) ?? "" }
    }

    /// `PRAGMA user_version`. A higher version or an unknown migration means a later version of the program.
    static let version = 1

    /// Makes a database of an earlier version readable by temporary tables and views, which SQLite searches first. Writes nothing
    /// to the file.
    static func complements(_ db: SQLiteConnection) throws -> String {
        var sql = "PRAGMA temp_store = MEMORY;"
        let checksum = try migrationsDone(db).contains("checksums") ? [] : ["checksum"]
        for table in [RowChecksum.reading, RowChecksum.source, RowChecksum.series] {
            let present = try Set(columns(db, table.name))
            let missing = (table.columns + checksum).filter { !present.contains($0) }.map { ", NULL AS \($0)" }.joined()
            if !missing.isEmpty, !present.isEmpty {
                sql += "CREATE TEMP VIEW \(table.name) AS SELECT *\(missing) FROM main.\(table.name);"
            }
        }
        let withMetadata = series + "ALTER TABLE series ADD COLUMN metadata TEXT;"
        for (table, definition) in [
            ("sink", outbox), ("series", withMetadata), ("exported", cursors), ("earlier", earlier), ("import", imports),
        ]
        where try columns(db, table).isEmpty {
            sql += definition.replacing("CREATE TABLE ", with: "CREATE TEMP TABLE ").replacing("CREATE INDEX ", with: "CREATE INDEX temp.")
                .replacing("CREATE UNIQUE INDEX ", with: "CREATE UNIQUE INDEX temp.")
        }
        return sql
    }

    /// Existing rows get the checksum of their present content, over the columns of this migration.
    private static let checksums: String = {
        let tables = [
            RowChecksum.reading.first(43), RowChecksum.source.first(6), RowChecksum.series.first(14), RowChecksum.earlier,
            RowChecksum.outbox,
        ]
        return tables.map { table -> String in "ALTER TABLE \(table.name) ADD COLUMN checksum INTEGER; \(table.seal("1"));" }.joined(
            separator: "\n")
    }()

    /// `digits` holds the numbers of a row as the cuff sent them (systolic, diastolic, mean, pulse), if a number column would
    /// drop a zero (14.0 kPa). `unit_mdc` is the code of the unit, `text` the value of an enumeration.
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

    /// Remarks of a person. `noted` counts the person's changes; the sum with `revision`, which is the cuff's, is the revision
    /// that others see.
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

    /// Previous values of edited readings, each with its revision. Only readings entered by a person can be edited.
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

    /// Imports of other programs' files, the readings that each added, and saved column mappings. `version` is the version of
    /// the record in the file.
    private static let imports = """
        CREATE TABLE import (
          number INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE,
          file TEXT NOT NULL, layout TEXT NOT NULL, program TEXT NOT NULL,
          imported TEXT NOT NULL, undone TEXT
        );
        CREATE TABLE imported (
          id TEXT NOT NULL PRIMARY KEY,
          import INTEGER NOT NULL,
          version INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE mapping (
          name TEXT NOT NULL PRIMARY KEY,
          columns TEXT NOT NULL, unit TEXT, dates TEXT, zone TEXT
        ) WITHOUT ROWID;
        """

    /// `person` is whose a reading is, where a person said that of this reading. Where it is NULL, the configuration says it, if anything.
    private static let persons = """
        ALTER TABLE reading ADD COLUMN person TEXT;
        CREATE INDEX reading_by_person ON reading (id, person) WHERE person IS NOT NULL;
        DROP VIEW readings;
        CREATE VIEW readings AS
          SELECT coalesce(measured, device_time, received) AS time,
            systolic_mmHg, diastolic_mmHg, mean_mmHg, pulse_per_min, user, person, flags, note, medication, posture, arm, clock,
            device_time, measured, received, origin, trigger, model, device, driver, id
          FROM reading LEFT JOIN source ON source.number = reading.source
          WHERE type = 'blood_pressure' AND NOT pending
          ORDER BY id;
        """

    /// An id begins with a time, so a range of days is a range of ids. This index lists the exceptions: rows whose id has another day than
    /// their time, and rows without a plausible time.
    static let isOfAnotherDay = """
        (clock IS 'implausible' OR substr(id, 1, 8) IS NOT replace(substr(coalesce(measured, device_time, received), 1, 10), '-', ''))
        """
    static let dayIndex = "reading_of_another_day"

    private static let otherDays = """
        CREATE INDEX \(dayIndex) ON reading (id, measured, device_time, received, clock) WHERE \(isOfAnotherDay);
        """

    /// `decoder` names the program and the driver that decoded a reading, with their versions.
    private static let decoders = """
        ALTER TABLE reading ADD COLUMN decoder TEXT;
        DROP VIEW readings;
        CREATE VIEW readings AS
          SELECT coalesce(measured, device_time, received) AS time,
            systolic_mmHg, diastolic_mmHg, mean_mmHg, pulse_per_min, user, person, flags, note, medication, posture, arm, clock,
            device_time, measured, received, origin, trigger, model, device, driver, decoder, id
          FROM reading LEFT JOIN source ON source.number = reading.source
          WHERE type = 'blood_pressure' AND NOT pending
          ORDER BY id;
        """

    /// `metadata`: facts of the program that saved a reading or a series, as a JSON object. `details`: the revisions and the UDI of a device.
    private static let metadata = """
        ALTER TABLE reading ADD COLUMN metadata TEXT;
        ALTER TABLE series ADD COLUMN metadata TEXT;
        ALTER TABLE source ADD COLUMN details TEXT;
        """

    /// `refused`: why the sink rejected a line for good; the line is kept and not sent again. `lost` counts lines sent to a sink
    /// that does not acknowledge, in conversations that did not end cleanly.
    private static let answers = """
        ALTER TABLE outbox ADD COLUMN refused TEXT;
        ALTER TABLE sink ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
        """

    /// Many values in one row: the samples are packed (`SeriesCoding`); columns for queries are stored with them.
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

    /// What each named export has delivered, so that its next run delivers only what is new. A `revision` below 0: it was delivered and
    /// withdrawn. `person`, of a later migration, is the selected person, in lower case.
    private static let cursors = """
        CREATE TABLE exported (
          cursor TEXT NOT NULL,
          id TEXT NOT NULL,
          revision INTEGER NOT NULL,
          PRIMARY KEY (cursor, id)
        ) WITHOUT ROWID;
        """

    /// Columns use the words of the JSON format. `reading` is ordered by id, which starts with the time, so new rows are
    /// appended; a random key is eight times slower.
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

    /// Lines for sinks outside this machine's files. `sequence` is the order of arrival, NULL once acknowledged; the row is kept,
    /// so that a reading that is read again is not sent again.
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
