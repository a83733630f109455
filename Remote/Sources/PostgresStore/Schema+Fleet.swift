/// The tables for many machines: which there are and when their last message came, who changed what, and which readings were erased.
extension Schema {
    static let fleet = """
        CREATE TABLE cuff.machine (
          name       text PRIMARY KEY,
          added      timestamptz,
          revoked    timestamptz,
          seen       timestamptz,
          sent       timestamptz,
          presence   text,
          presence_at timestamptz,
          credential text,
          version    text,
          status     jsonb);
        COMMENT ON TABLE cuff.machine IS 'One row for each machine: when it was added, and what it last said about itself';
        COMMENT ON COLUMN cuff.machine.seen IS 'Arrival of its last message other than `offline`; sent is the time of its last heartbeat by its own clock';
        CREATE TABLE cuff.audit (
          number  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          at      timestamptz NOT NULL DEFAULT clock_timestamp(),
          actor   text NOT NULL,
          action  text NOT NULL,
          subject text NOT NULL,
          result  text NOT NULL);
        COMMENT ON TABLE cuff.audit IS 'What was done to machines and persons, and by whom; rows are only added';
        CREATE INDEX audit_by_subject ON cuff.audit (subject, number);
        CREATE TABLE cuff.erased (
          subject text PRIMARY KEY,
          until   timestamptz NOT NULL);
        COMMENT ON TABLE cuff.erased IS 'Persons whose readings were erased: readings up to this time are not stored again';
        CREATE TABLE cuff.erased_reading (digest bytea PRIMARY KEY);
        COMMENT ON TABLE cuff.erased_reading IS 'SHA-256 of the ids of erased readings, which are not stored again';
        -- In the database, so that programs of every version obey. The role of the programs cannot read who was erased.
        CREATE FUNCTION cuff.refuse_erased() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $body$
        BEGIN
          IF EXISTS (SELECT FROM cuff.erased_reading WHERE digest = sha256(convert_to(NEW.id, 'UTF8')))
            OR EXISTS (SELECT FROM cuff.erased WHERE subject = NEW.line->>'person' AND until >= NEW.measured) THEN
            RETURN NULL;
          END IF;
          RETURN NEW;
        END $body$;
        CREATE TRIGGER refuse_erased BEFORE INSERT ON cuff.reading FOR EACH ROW EXECUTE FUNCTION cuff.refuse_erased();
        -- Messages set aside have no usable time, perhaps: those that name an erased person are dropped.
        CREATE FUNCTION cuff.refuse_erased_message() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $body$
        BEGIN
          IF EXISTS (SELECT FROM cuff.erased
            WHERE position(convert_to('"person":' || to_json(subject)::text, 'UTF8') IN NEW.body) > 0) THEN
            RETURN NULL;
          END IF;
          RETURN NEW;
        END $body$;
        CREATE TRIGGER refuse_erased BEFORE INSERT ON cuff.refused FOR EACH ROW EXECUTE FUNCTION cuff.refuse_erased_message();
        """

    /// Finds a person's readings. Built beside a running gateway, which no transaction can do; `\gexec` is of psql. An index that was
    /// interrupted is built again.
    static let personIndex = #"""
        SELECT 'DROP INDEX CONCURRENTLY cuff.reading_by_person' FROM pg_catalog.pg_index
          WHERE indexrelid = to_regclass('cuff.reading_by_person') AND NOT indisvalid \gexec
        SELECT unnest(ARRAY['CREATE INDEX CONCURRENTLY reading_by_person ON cuff.reading ((line->>''person''), measured)',
            'ANALYZE cuff.reading'])
          WHERE to_regclass('cuff.reading_by_person') IS NULL \gexec

        """#

    /// The rights of the role that people use to manage machines and to erase persons.
    static func operatorRights(_ name: String, programs: String) -> String {
        """
        GRANT SELECT, INSERT, UPDATE ON cuff.machine TO \(programs);
        GRANT USAGE ON SCHEMA cuff TO \(name);
        GRANT SELECT ON ALL TABLES IN SCHEMA cuff TO \(name);
        GRANT INSERT, UPDATE ON cuff.machine, cuff.erased TO \(name);
        GRANT EXECUTE ON FUNCTION cuff.add_months(integer), cuff.drop_month(text, timestamptz) TO \(name);
        REVOKE EXECUTE ON FUNCTION cuff.add_months(integer), cuff.drop_month(text, timestamptz) FROM PUBLIC;
        -- Rows of the audit are added, never changed.
        GRANT INSERT ON cuff.audit, cuff.erased_reading TO \(name);
        GRANT DELETE ON cuff.reading, cuff.refused TO \(name);
        """
    }

    static func tooOld(_ found: Int) -> ServerFault {
        ServerFault(
            .configuration,
            "the tables of cuff in this database are version \(found), and \(version) is needed; "
                + "bring them up to date: cuff-sink-postgres --schema | psql, as the owner")
    }
}
