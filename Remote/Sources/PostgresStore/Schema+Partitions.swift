/// The table of readings, cut by month. The key stays `id`, which begins with the cuff's own time, so that a reading is unique in the whole
/// table and programs of every version store it as before.
extension Schema {
    /// How many months have a part in advance. Ids that belong to no month go to a part of their own.
    public static let monthsAhead = 36

    /// On the whole table while it is cut: no new reading may be of a later month.
    static let temporaryConstraint = "reading_moves"

    /// Functions for the operator, who does not own the tables.
    static let partitionFunctions = """
        CREATE FUNCTION cuff.is_by_month() RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog AS $body$
          SELECT relkind = 'p' FROM pg_class WHERE oid = 'cuff.reading'::regclass;
        $body$;
        CREATE FUNCTION cuff.last_month() RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog AS $body$
          SELECT max(right(relname, 6)) FROM pg_class
          WHERE relnamespace = 'cuff'::regnamespace AND relkind = 'r' AND relname ~ '^reading_[0-9]{6}$';
        $body$;
        CREATE FUNCTION cuff.add_months(ahead integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
          SET search_path = pg_catalog AS $body$
        DECLARE
          month date;
          part text;
          first text;
          after text;
          added integer := 0;
        BEGIN
          IF NOT cuff.is_by_month() OR cuff.last_month() IS NULL THEN RETURN 0; END IF;
          month := to_date(cuff.last_month(), 'YYYYMM') + interval '1 month';
          WHILE month <= now() + make_interval(months => least(ahead, 120)) LOOP
            first := to_char(month, 'YYYYMM');
            part := 'reading_' || first;
            month := month + interval '1 month';
            after := to_char(month, 'YYYYMM');
            EXECUTE format('CREATE TABLE cuff.%I (LIKE cuff.reading INCLUDING DEFAULTS)', part);
            -- Readings of cuffs whose clock was fast are there already.
            IF to_regclass('cuff.reading_other') IS NOT NULL THEN
              EXECUTE format(
                'WITH gone AS (DELETE FROM cuff.reading_other WHERE id >= %L AND id < %L RETURNING *) INSERT INTO cuff.%I TABLE gone',
                first, after, part);
            END IF;
            EXECUTE format('ALTER TABLE cuff.reading ATTACH PARTITION cuff.%I FOR VALUES FROM (%L) TO (%L)', part, first, after);
            added := added + 1;
          END LOOP;
          RETURN added;
        END $body$;
        -- Readings of a cuff whose clock was slow are newer than their month, and are kept.
        CREATE FUNCTION cuff.drop_month(part text, cutoff timestamptz) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
          SET search_path = pg_catalog AS $body$
        DECLARE
          gone bigint;
        BEGIN
          IF part !~ '^reading_[0-9]{6}$' OR right(part, 6) >= to_char(cutoff, 'YYYYMM') THEN
            RAISE EXCEPTION '% is not a month before %', part, cutoff;
          END IF;
          SET LOCAL lock_timeout = '1s';
          EXECUTE format('ALTER TABLE cuff.reading DETACH PARTITION cuff.%I', part);
          EXECUTE format('INSERT INTO cuff.reading SELECT * FROM cuff.%I WHERE measured >= $1', part) USING cutoff;
          EXECUTE format('SELECT count(*) FROM cuff.%I WHERE measured < $1', part) INTO gone USING cutoff;
          EXECUTE format('DROP TABLE cuff.%I', part);
          RETURN gone;
        END $body$;
        """

    /// Runs in parts, each with its own transaction; no lock against the gateway is held for longer than a moment. Running it again
    /// continues where it was interrupted.
    public static func partitionScript(role: String = "cuff") -> String {
        let name = identifier(role)
        return """
            -- Cuts the table of readings by month. Run it as the owner of the database, after `--schema`, while the gateway runs:
            --   cuff-sink-postgres --schema --by-month | psql -v ON_ERROR_STOP=1 -d DATABASE
            SET lock_timeout = '1s';
            SET client_min_messages = warning;

            -- Readings up to the end of next month stay in the present table, which becomes the first part. Ids of cuffs whose clock is
            -- wrong may be later: these few wait aside until the end.
            DO $do$
            DECLARE
              first text := to_char(now() + interval '2 months', 'YYYYMM');
            BEGIN
              IF cuff.is_by_month() THEN RETURN; END IF;
              ALTER TABLE cuff.reading DROP CONSTRAINT IF EXISTS \(temporaryConstraint);
              CREATE TABLE IF NOT EXISTS cuff.reading_aside (LIKE cuff.reading INCLUDING DEFAULTS);
              EXECUTE format(
                'WITH gone AS (DELETE FROM cuff.reading WHERE id >= %L RETURNING *) INSERT INTO cuff.reading_aside TABLE gone', first);
              EXECUTE format('ALTER TABLE cuff.reading ADD CONSTRAINT \(temporaryConstraint) CHECK (id < %L) NOT VALID', first);
              PERFORM set_config('cuff.first_month', first, false);
            END $do$;

            -- Reads the whole table, and lets others read and write it.
            DO $do$ BEGIN
              IF NOT cuff.is_by_month() THEN ALTER TABLE cuff.reading VALIDATE CONSTRAINT \(temporaryConstraint); END IF;
            END $do$;

            -- The new table, beside the present one.
            DO $do$
            DECLARE
              first text := current_setting('cuff.first_month', true);
              month date := to_date(first, 'YYYYMM');
            BEGIN
              IF cuff.is_by_month() THEN RETURN; END IF;
              DROP TABLE IF EXISTS cuff.reading_new;
              CREATE TABLE cuff.reading_new (LIKE cuff.reading INCLUDING DEFAULTS INCLUDING COMMENTS) PARTITION BY RANGE (id);
              ALTER TABLE cuff.reading_new ADD PRIMARY KEY (id);
              CREATE INDEX reading_new_by_device ON cuff.reading_new (device, measured);
              CREATE INDEX reading_new_by_person ON cuff.reading_new ((line->>'person'), measured);
              CREATE TABLE cuff.reading_other PARTITION OF cuff.reading_new DEFAULT;
              FOR ahead IN 0..\(monthsAhead) LOOP
                EXECUTE format('CREATE TABLE cuff.%I PARTITION OF cuff.reading_new FOR VALUES FROM (%L) TO (%L)',
                  'reading_' || to_char(month, 'YYYYMM'), to_char(month, 'YYYYMM'), to_char(month + interval '1 month', 'YYYYMM'));
                month := month + interval '1 month';
              END LOOP;
            END $do$;

            -- The present table becomes a part of it; its readings are not touched.
            DO $do$ BEGIN
              IF cuff.is_by_month() THEN RETURN; END IF;
              LOCK TABLE cuff.reading IN ACCESS EXCLUSIVE MODE;
              DROP TRIGGER refuse_erased ON cuff.reading;
              ALTER TABLE cuff.reading RENAME TO reading_before;
              ALTER INDEX cuff.reading_pkey RENAME TO reading_before_pkey;
              ALTER INDEX cuff.reading_by_device RENAME TO reading_before_by_device;
              ALTER INDEX cuff.reading_by_person RENAME TO reading_before_by_person;
              ALTER TABLE cuff.reading_new RENAME TO reading;
              ALTER INDEX cuff.reading_new_pkey RENAME TO reading_pkey;
              ALTER INDEX cuff.reading_new_by_device RENAME TO reading_by_device;
              ALTER INDEX cuff.reading_new_by_person RENAME TO reading_by_person;
              EXECUTE format('ALTER TABLE cuff.reading ATTACH PARTITION cuff.reading_before FOR VALUES FROM (MINVALUE) TO (%L)',
                current_setting('cuff.first_month', true));
              ALTER TABLE cuff.reading_before DROP CONSTRAINT \(temporaryConstraint);
              CREATE TRIGGER refuse_erased BEFORE INSERT ON cuff.reading FOR EACH ROW EXECUTE FUNCTION cuff.refuse_erased();
              \(view.replacing("\n", with: "\n  "))
              GRANT SELECT, INSERT, UPDATE ON cuff.reading TO \(name);
              GRANT SELECT, DELETE ON cuff.reading TO \(identifier(role + "_operator"));
              INSERT INTO cuff.reading SELECT * FROM cuff.reading_aside ON CONFLICT DO NOTHING;
              DROP TABLE cuff.reading_aside;
            END $do$;
            COMMENT ON TABLE cuff.reading IS 'One row for each reading of a blood-pressure cuff; line is everything cuff said about it';
            ANALYZE cuff.reading;
            SELECT 'the readings are cut by month, to ' || cuff.last_month();

            """
    }
}
