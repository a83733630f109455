/// The tables, the least-privilege role and the migrations, as SQL to be run by the database owner. Running it again
/// changes nothing. The programs' role is not permitted to change tables.
public enum Schema {
    private struct Migration {
        let version: Int
        let sql: String
    }

    /// The version that the programs require. Newer ones are accepted, because migrations only add.
    public static let version = 3

    private static let migrations = [
        Migration(
            version: 1,
            sql: """
                CREATE TABLE cuff.reading (
                  id             text PRIMARY KEY,
                  revision       smallint NOT NULL,
                  pending        boolean NOT NULL,
                  type           text NOT NULL,
                  driver         text NOT NULL,
                  device         text NOT NULL,
                  gateway        text,
                  systolic_mmhg  numeric,
                  diastolic_mmhg numeric,
                  mean_mmhg      numeric,
                  pulse_per_min  numeric,
                  "user"         integer,
                  flags          text[],
                  device_time    timestamp(3),
                  measured       timestamptz(3) NOT NULL,
                  clock          text,
                  received       timestamptz(3),
                  origin         text NOT NULL,
                  trigger        text,
                  line           jsonb NOT NULL,
                  arrived        timestamptz NOT NULL DEFAULT now());
                COMMENT ON TABLE cuff.reading IS 'One row for each reading of a blood-pressure cuff; line is everything cuff said about it';
                COMMENT ON COLUMN cuff.reading.gateway IS 'The machine that read the cuff';
                CREATE INDEX reading_by_device ON cuff.reading (device, measured);
                """),
        Migration(
            version: 2,
            sql: """
                CREATE TABLE cuff.refused (
                  digest      bytea PRIMARY KEY,
                  routing_key text NOT NULL,
                  body        bytea NOT NULL,
                  reason      text NOT NULL,
                  arrived     timestamptz NOT NULL DEFAULT now());
                COMMENT ON TABLE cuff.refused IS 'Messages that cuff-gateway took from the queue and could not store as readings';
                CREATE VIEW cuff.blood_pressure AS
                  SELECT id, measured, device, "user", systolic_mmhg, diastolic_mmhg, mean_mmhg, pulse_per_min, flags, gateway, driver
                  FROM cuff.reading WHERE type = 'blood_pressure' AND NOT pending;
                COMMENT ON VIEW cuff.blood_pressure IS 'Completed blood pressures only';
                """),
        Migration(version: 3, sql: fleet + "\n" + partitionFunctions),
    ]

    /// `through` limits the version, to test databases of older releases.
    public static func script(role: String = "cuff", through last: Int = version) -> String {
        let steps = migrations.filter { $0.version <= last }.map(block).joined(separator: "\n")
        let name = identifier(role)
        let manager = role + "_operator"
        let views = last >= 3 ? view + "\n" : ""
        var rights = last >= 2 ? "\nGRANT SELECT, INSERT ON cuff.refused TO \(name);" : ""
        if last >= 3 { rights += "\n" + operatorRights(identifier(manager), programs: name) }
        return """
            -- The tables of cuff, version \(last), the role `\(role)` with the rights to add readings and nothing else, and the role
            -- `\(manager)` for those who manage machines.
            -- Run it as the owner of the database; running it again changes nothing and brings older tables up to date:
            --   cuff-sink-postgres --schema | psql -v ON_ERROR_STOP=1 -d DATABASE
            BEGIN;
            SET LOCAL client_min_messages = warning;
            -- A lock that is not free within a second would hold up the gateway: run it again then.
            SET LOCAL lock_timeout = '1s';

            \([role, manager].map(self.role).joined(separator: "\n"))

            CREATE SCHEMA IF NOT EXISTS cuff;
            CREATE TABLE IF NOT EXISTS cuff.migration (version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now());
            LOCK TABLE cuff.migration IN EXCLUSIVE MODE;

            \(steps)

            \(views)
            REVOKE ALL ON SCHEMA cuff FROM PUBLIC;
            REVOKE ALL ON ALL TABLES IN SCHEMA cuff FROM PUBLIC, \(name), \(identifier(manager));
            GRANT USAGE ON SCHEMA cuff TO \(name);
            GRANT SELECT ON cuff.migration TO \(name);
            -- UPDATE, because a pending reading is completed later; SELECT, because ON CONFLICT reads the old row.
            GRANT SELECT, INSERT, UPDATE ON cuff.reading TO \(name);\(rights)
            COMMIT;
            \(last >= 3 ? Self.personIndex : "")
            """
    }

    /// In every script, because a view has no rows: a later column comes last.
    static let view = """
        CREATE OR REPLACE VIEW cuff.blood_pressure AS
          SELECT id, measured, device, "user", systolic_mmhg, diastolic_mmhg, mean_mmhg, pulse_per_min, flags, gateway, driver,
            line->>'person' AS person
          FROM cuff.reading WHERE type = 'blood_pressure' AND NOT pending;
        """

    private static func role(_ name: String) -> String {
        """
        DO $do$ BEGIN
          IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = \(literal(name))) THEN
            CREATE ROLE \(identifier(name)) LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT;
          END IF;
        END $do$;
        """
    }

    private static func block(_ migration: Migration) -> String {
        """
        DO $do$ BEGIN
          IF NOT EXISTS (SELECT FROM cuff.migration WHERE version = \(migration.version)) THEN
        \(migration.sql.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
            INSERT INTO cuff.migration (version) VALUES (\(migration.version));
          END IF;
        END $do$;
        """
    }

    static func identifier(_ name: String) -> String { "\"" + doubled(name, "\"") + "\"" }
    static func literal(_ text: String) -> String { "'" + doubled(text, "'") + "'" }

    private static func doubled(_ text: String, _ quote: Character) -> String {
        text.reduce(into: "") { $0 += $1 == quote ? "\($1)\($1)" : "\($1)" }
    }
}
