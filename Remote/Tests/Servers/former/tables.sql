-- The tables of cuff, version 2, and the role `cuff` with the rights to add readings and nothing else.
-- Run it as the owner of the database; running it again changes nothing and brings older tables up to date:
--   cuff-sink-postgres --schema | psql -v ON_ERROR_STOP=1 -d DATABASE
BEGIN;
SET LOCAL client_min_messages = warning;

DO $do$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'cuff') THEN
    CREATE ROLE "cuff" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT;
  END IF;
END $do$;

CREATE SCHEMA IF NOT EXISTS cuff;
CREATE TABLE IF NOT EXISTS cuff.migration (version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now());
LOCK TABLE cuff.migration IN EXCLUSIVE MODE;

DO $do$ BEGIN
  IF NOT EXISTS (SELECT FROM cuff.migration WHERE version = 1) THEN
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
    INSERT INTO cuff.migration (version) VALUES (1);
  END IF;
END $do$;
DO $do$ BEGIN
  IF NOT EXISTS (SELECT FROM cuff.migration WHERE version = 2) THEN
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
    INSERT INTO cuff.migration (version) VALUES (2);
  END IF;
END $do$;

REVOKE ALL ON SCHEMA cuff FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA cuff FROM PUBLIC, "cuff";
GRANT USAGE ON SCHEMA cuff TO "cuff";
GRANT SELECT ON cuff.migration TO "cuff";
-- UPDATE, because a pending reading is completed later; SELECT, because ON CONFLICT reads the old row.
GRANT SELECT, INSERT, UPDATE ON cuff.reading TO "cuff";
GRANT SELECT, INSERT ON cuff.refused TO "cuff";
COMMIT;
