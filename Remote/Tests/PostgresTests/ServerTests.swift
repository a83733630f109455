import Foundation
import PostgresStore
import RemoteSink
import TestServers
import Testing

/// `cuff-sink-postgres` against a real PostgreSQL.
@Suite(.serialized, .enabled(if: TestPostgres.isInstalled)) struct ServerTests {
    static let helper = Commands.program("cuff-sink-postgres")
    /// Rounds of `kill -9`, by the environment.
    static let kills = Int(ProcessInfo.processInfo.environment["KILLS"] ?? "") ?? 25

    private func server() throws -> TestPostgres {
        let server = try TestPostgres()
        try server.sql(try Commands.run([Self.helper, "--schema"]).output)
        return server
    }

    private func lines(_ readings: [ReadingLine]) -> [(key: String, line: String)] {
        readings.map { ("\($0.id) \($0.revision)", $0.json) }
    }

    private func deliver(_ readings: [ReadingLine], to server: TestPostgres, within seconds: Double = 90) throws -> PlayedCuff {
        let cuff = PlayedCuff([Self.helper, server.address()], lines: lines(readings))
        _ = try cuff.run(for: seconds)
        #expect(cuff.end() == 0)
        return cuff
    }

    @Test func rows_HaveWhatTheLinesSay() throws {
        let server = try server()
        let more =
            #","user":1,"mean_mmHg":97.50,"systolic_kPa":16.0,"flags":["irregular_pulse","cuff_loose"],"device_time":"2026-05-05T07:31""#
        let cuff = try deliver([reading("a", more: more), reading("b")], to: server)
        #expect(cuff.acknowledged == ["a", "b"] && cuff.said == [])
        #expect(
            try server.sql(
                """
                SELECT id, revision, pending, type, driver, device, systolic_mmhg, diastolic_mmhg, mean_mmhg, pulse_per_min, "user", flags,
                  device_time, measured AT TIME ZONE 'UTC', line->'systolic_kPa' FROM cuff.reading ORDER BY id
                """)
                    == """
                    a|0|f|blood_pressure|phd|00091ffffe000101|128|82|97.50||1|{irregular_pulse,cuff_loose}|2026-05-05 07:31:00|2026-05-05 05:33:00|16.0
                    b|0|f|blood_pressure|phd|00091ffffe000101|128|82||||||2026-05-05 05:33:00|
                    """)
    }

    @Test func revisions_Replace_AndOlderOnesDoNot() throws {
        let server = try server()
        let states = [
            reading("a", pending: true), reading("a"), reading("a", revision: 2), reading("a", revision: 1), reading("a", pending: true),
        ]
        var seen: [String] = []
        for state in states {
            let cuff = try deliver([state], to: server)
            #expect(cuff.acknowledged == ["a"])
            seen.append(try server.sql("SELECT revision, pending FROM cuff.reading"))
        }
        #expect(seen == ["0|t", "0|f", "2|f", "2|f", "2|f"])
        // All in one conversation.
        let cuff = try deliver(states.map { reading("b", revision: $0.revision, pending: $0.isPending) }, to: server)
        #expect(cuff.acknowledged.count == 5)
        #expect(try server.sql("SELECT revision, pending FROM cuff.reading WHERE id = 'b'") == "2|f")
    }

    @Test func aDeletedReading_KeepsItsID_AndNoValue() throws {
        let server = try server()
        let gone =
            #"{"type":"deleted","schema":1,"id":"a","revision":255,"of":"blood_pressure","driver":"phd","device":"d","measured":"2026-05-05T07:33:00+02:00"}"#
        let deleted = try #require(ReadingLine(Array(gone.utf8)))
        let never = try #require(ReadingLine(Array(#"{"type":"deleted","id":"c","revision":255,"of":"blood_pressure"}"#.utf8)))
        _ = try deliver([reading("a", more: #","user":1,"flags":["irregular_pulse"]"#), reading("b")], to: server)
        for _ in 0..<2 {
            let cuff = try deliver([deleted, never, reading("a")], to: server)
            #expect(Set(cuff.acknowledged) == ["a", "c"] && cuff.refused == [] && cuff.said == [])
            #expect(
                try server.sql(
                    "SELECT id, revision, type, systolic_mmhg, diastolic_mmhg, \"user\", flags, line ? 'systolic_mmHg' FROM cuff.reading ORDER BY id"
                )
                    == "a|255|deleted|||||f\nb|0|blood_pressure|128|82|||t")
            #expect(try server.sql("SELECT id FROM cuff.blood_pressure") == "b")
        }
    }

    @Test func badReadings_AreRefusedWithTheServersWords_AndTheOthersStored() throws {
        let server = try server()
        var readings = (0..<300).map { reading("r\($0)") }
        readings[17] = reading("zero", more: #","text":"a\u0000b""#)
        readings[200] = reading("digits", more: #","mean_mmHg":"many""#)
        readings[299] = reading("revision", revision: 70000)
        let cuff = try deliver(readings, to: server)
        #expect(cuff.acknowledged.count == 297 && cuff.said == [])
        #expect(cuff.refused.map { $0.split(separator: " ")[1] } == ["zero", "digits", "revision"])
        #expect(cuff.refused.first?.contains("unsupported Unicode escape sequence (22P05)") == true)
        #expect(cuff.refused.last == "refuse revision 70000 value \"70000\" is out of range for type smallint (22003)")
        #expect(try server.sql("SELECT count(*) FROM cuff.reading") == "297")
    }

    @Test func role_MayAddReadings_AndNothingElse() throws {
        let server = try server()
        _ = try deliver([reading("a")], to: server)
        for statement in [
            "DELETE FROM cuff.reading", "TRUNCATE cuff.reading", "DROP TABLE cuff.reading", "ALTER TABLE cuff.reading ADD x int",
            "CREATE TABLE cuff.other (x int)", "UPDATE cuff.migration SET version = 9", "DELETE FROM cuff.refused",
            "UPDATE cuff.refused SET reason = ''", "CREATE DATABASE other", "CREATE ROLE other",
        ] {
            let refusal = server.refusal(statement, as: "cuff")
            #expect(refusal.contains("permission denied") || refusal.contains("must be owner"), "\(statement): \(refusal)")
        }
        #expect(
            try server.sql("SELECT rolsuper, rolcreatedb, rolcreaterole, rolcanlogin FROM pg_roles WHERE rolname = 'cuff'") == "f|f|f|t")
    }

    @Test func schema_BringsOlderTablesUpToDate_AndKeepsTheirRows() throws {
        let server = try TestPostgres()
        try server.sql(Schema.script(through: 1))
        try server.sql(
            "INSERT INTO cuff.reading (id, revision, pending, type, driver, device, measured, origin, line) VALUES ('old', 0, false, 'blood_pressure', '', '', now(), '', '{}')"
        )
        let early = PlayedCuff([Self.helper, server.address()], lines: lines([reading("a")]))
        _ = try Commands.eventually(within: 60) { try early.run(for: 0.2) || !early.said.isEmpty }
        #expect(early.said.first?.hasPrefix("fatal the tables of cuff in this database are version 1, and 3 is needed") == true)
        #expect(early.acknowledged == [])
        for _ in 0..<2 { try server.sql(Schema.script()) }
        #expect(try deliver([reading("a")], to: server).acknowledged == ["a"])
        #expect(try server.sql("SELECT id FROM cuff.blood_pressure ORDER BY id") == "a\nold")
        #expect(try server.sql("SELECT version FROM cuff.migration ORDER BY version") == "1\n2\n3")
        // A database that a newer release made serves as well.
        try server.sql("INSERT INTO cuff.migration (version) VALUES (4)")
        #expect(try deliver([reading("b")], to: server).acknowledged == ["b"])
    }

    @Test func commits_AreSynchronous_WhateverTheRoleSays() throws {
        let server = try server()
        try server.sql("ALTER ROLE cuff SET synchronous_commit = off; ALTER DATABASE ward SET synchronous_commit = off")
        try server.sql(
            """
            CREATE TABLE public.seen (mode text); GRANT INSERT ON public.seen TO cuff;
            CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN INSERT INTO public.seen VALUES (current_setting(''synchronous_commit'')); RETURN NEW; END';
            CREATE TRIGGER note BEFORE INSERT ON cuff.reading FOR EACH ROW EXECUTE FUNCTION public.note();
            """)
        _ = try deliver([reading("a")], to: server)
        #expect(try server.sql("SELECT mode FROM public.seen") == "on")
    }

    /// "Done" reaches the client before the commit in libpq's extended protocol: a deferred trigger fails at the commit.
    @Test func whatFailsAtTheCommit_IsNotAcknowledged() throws {
        let server = try server()
        try server.sql(
            """
            CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not this one''; END';
            CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON cuff.reading DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
              WHEN (NEW.id = 'bad') EXECUTE FUNCTION public.fail();
            """)
        let cuff = try deliver([reading("good"), reading("bad")], to: server)
        #expect(cuff.acknowledged == ["good"])
        #expect(cuff.refused == ["refuse bad 0 not this one (P0001)"])
    }

    /// The same statement with nothing to store: the server checks the rights, and no row is there afterwards.
    @Test func check_FindsWhatADeliveryWouldFind_AndStoresNothing() throws {
        let server = try server()
        func check(_ address: String) throws -> (line: String, status: Int32) {
            let done = try Commands.run([Self.helper, "--check", address], mayFail: true)
            #expect(done.errors == "")
            return (done.output, done.status)
        }
        let well = try check(server.address())
        #expect(well.status == 0 && well.line == "ok the database at 127.0.0.1/ward takes readings of `cuff`\n", "\(well)")
        let place = "127.0.0.1:\(server.port)"
        for (address, words) in [
            ("postgres://cuff@\(place)/none", "(3D000); create the database"),
            ("postgres://other@\(place)/ward", "(28000); create the role"),
            ("postgres://cuff@\(place)/postgres", "(42P01); create the tables"), ("postgres://me:hunter2@\(place)/ward", "a password"),
            ("postgres://cuff@192.0.2.1/ward?sslmode=require", "verify-full"),
        ] {
            let answer = try check(address)
            #expect(answer.status == 78 && answer.line.hasPrefix("fatal ") && answer.line.contains(words), "\(answer)")
            #expect(!answer.line.contains("hunter2"))
        }
        let away = try check("postgres://cuff@127.0.0.1:1/ward")
        #expect(away.status == 75 && away.line.hasPrefix("later ") && away.line.contains("Connection refused"), "\(away)")
        // Each of the rights, one by one.
        for right in ["INSERT", "UPDATE", "SELECT"] {
            try server.sql("REVOKE \(right) ON cuff.reading FROM cuff")
            let answer = try check(server.address())
            #expect(answer.status == 78 && answer.line.contains("(42501); grant the permissions"), "\(right): \(answer)")
            try server.sql("GRANT \(right) ON cuff.reading TO cuff")
        }
        try server.sql("ALTER SYSTEM SET fsync = off")
        try server.reload()
        let warning = "; but the database runs with fsync=off"
        #expect(try Commands.eventually(within: 60) { try check(server.address()).line.contains(warning) })
        #expect(try server.sql("SELECT count(*) FROM cuff.reading") == "0")
    }

    @Test func faults_AreSentencesWithWhatToDo() throws {
        let server = try server()
        func answer(_ address: String, environment: [String: String] = [:]) throws -> String {
            let cuff = PlayedCuff([Self.helper, address], environment: environment, lines: lines([reading("a")]))
            _ = try Commands.eventually(within: 60) {
                _ = try cuff.run(for: 0.2)
                return !cuff.said.isEmpty
            }
            #expect(cuff.acknowledged == [])
            return cuff.said.first ?? ""
        }
        let place = "127.0.0.1:\(server.port)"
        #expect(
            try answer("postgres://cuff@\(place)/none").hasPrefix("fatal database \"none\" does not exist (3D000); create the database"))
        #expect(try answer("postgres://other@\(place)/ward").hasPrefix("fatal role \"other\" does not exist (28000); create the role"))
        #expect(try answer("postgres://cuff@\(place)/postgres").hasSuffix("(42P01); create the tables: cuff-sink-postgres --schema | psql"))
        #expect(try answer("postgres://cuff@127.0.0.1:1/ward").hasSuffix("failed: Connection refused"))
        try server.sql("REVOKE INSERT ON cuff.reading FROM cuff")
        #expect(try answer(server.address()).hasPrefix("fatal permission denied for table reading (42501); grant the permissions"))
        // A password: none, a wrong one, the right one.
        try server.sql("GRANT INSERT ON cuff.reading TO cuff; ALTER ROLE cuff PASSWORD 'right'")
        let access = "\(server.folder)/data/pg_hba.conf"
        let rules = try String(contentsOfFile: access, encoding: .utf8)
        try ("host all cuff 127.0.0.1/32 scram-sha-256\n" + rules).write(toFile: access, atomically: false, encoding: .utf8)
        try server.reload()
        let passfile = server.folder + "/pgpass"
        func credentials(_ password: String) throws -> [String: String] {
            try "127.0.0.1:\(server.port):ward:cuff:\(password)\n".write(toFile: passfile, atomically: false, encoding: .utf8)
            chmod(passfile, 0o600)
            return ["PGPASSFILE": passfile]
        }
        let none = ["PGPASSFILE": "/dev/null", "HOME": "/nonexistent"]
        _ = Commands.eventually(within: 60) { (try? answer(server.address(), environment: none))?.hasPrefix("fatal") == true }
        #expect(try answer(server.address(), environment: none).hasPrefix("fatal the server requires a password for `cuff`"))
        let wrong = try answer(server.address(), environment: credentials("hunter2"))
        #expect(!wrong.contains("hunter2"))
        #expect(wrong.hasPrefix("fatal password authentication failed for user \"cuff\" (28P01); put the correct password"))
        let cuff = PlayedCuff([Self.helper, server.address()], environment: try credentials("right"), lines: lines([reading("a")]))
        #expect(try cuff.run(for: 60) && cuff.acknowledged == ["a"])
        // systemd's credentials.
        try FileManager.default.moveItem(atPath: passfile, toPath: server.folder + "/credentials-pgpass")
        try FileManager.default.createDirectory(atPath: server.folder + "/credentials", withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: server.folder + "/credentials-pgpass", toPath: server.folder + "/credentials/pgpass")
        let service = PlayedCuff(
            [Self.helper, server.address()],
            environment: ["CREDENTIALS_DIRECTORY": server.folder + "/credentials", "HOME": "/nonexistent"],
            lines: lines([reading("b")]))
        #expect(try service.run(for: 60) && service.acknowledged == ["b"])
    }

    @Test func certificate_IsVerifiedWithItsName() throws {
        let server = try server()
        let folder = server.folder
        try Commands.run([
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost", "-keyout", "\(folder)/key.pem", "-out", "\(folder)/cert.pem",
        ])
        try Commands.run(["cp", "\(folder)/key.pem", "\(folder)/cert.pem", "\(folder)/data/"])
        if getuid() == 0 { try Commands.run(["chown", "postgres", "\(folder)/data/key.pem", "\(folder)/data/cert.pem"]) }
        try Commands.run(["chmod", "600", "\(folder)/data/key.pem"])
        try server.sql("ALTER SYSTEM SET ssl = on; ")
        try server.sql("ALTER SYSTEM SET ssl_cert_file = 'cert.pem'")
        try server.sql("ALTER SYSTEM SET ssl_key_file = 'key.pem'")
        try server.stop()
        try server.start()
        func answers(_ host: String, _ authority: String) throws -> (ok: [String], said: String) {
            let cuff = PlayedCuff(
                [Self.helper, "postgres://cuff@\(host):\(server.port)/ward?sslmode=verify-full\(authority)"],
                environment: ["HOME": "/nonexistent"],
                lines: lines([reading("a")]))
            _ = try Commands.eventually(within: 60) { try cuff.run(for: 0.2) || !cuff.said.isEmpty }
            return (cuff.acknowledged, cuff.said.first ?? "")
        }
        let own = "&sslrootcert=\(folder)/cert.pem"
        #expect(try answers("localhost", own).ok == ["a"])
        let other = try answers("127.0.0.1", own)
        #expect(other.ok == [] && other.said.hasPrefix("fatal ") && other.said.contains("does not match host name"))
        let unknown = try answers("localhost", "")
        #expect(unknown.ok == [] && unknown.said.hasPrefix("fatal ") && unknown.said.contains("certificate verify failed"))
    }

    @Test(.timeLimit(.minutes(15))) func killsOfTheHelper_LoseNothing_AndDoubleNothing() throws {
        let server = try server()
        let cuff = PlayedCuff([Self.helper, server.address()], lines: [])
        var made = 0
        for _ in 0..<Self.kills {
            // So many that some are left at the kill.
            cuff.add(lines((0..<3000).map { reading("k\(1_000_000 + made + $0)") }))
            made += 3000
            _ = try cuff.run(for: Double.random(in: 0.02..<0.3))
            cuff.kill()
        }
        #expect(try cuff.run(for: 120))
        #expect(try server.sql("SELECT count(*), count(DISTINCT id) FROM cuff.reading") == "\(made)|\(made)")
        #expect(Set(cuff.acknowledged).count == made && cuff.refused == [])
        print("\(Self.kills) x kill -9 of the helper: \(made) readings, none lost, none twice, \(cuff.starts) starts")
    }

    @Test(.timeLimit(.minutes(15))) func killsOfTheServer_LoseNothing_AndDoubleNothing() throws {
        let server = try server()
        let rounds = Self.kills
        let cuff = PlayedCuff([Self.helper, server.address()], lines: [])
        var made = 0
        for _ in 0..<rounds {
            let more = (0..<2000).map { reading("s\(1_000_000 + made + $0)") }
            made += more.count
            cuff.add(lines(more))
            _ = try cuff.run(for: Double.random(in: 0.02..<0.3))
            try server.kill()
            _ = try cuff.run(for: 0.1)
            let acknowledged = Set(cuff.acknowledged)
            try server.start()
            let rows = Set(try server.sql("SELECT id FROM cuff.reading").split(separator: "\n").map(String.init))
            #expect(acknowledged.isSubset(of: rows), "\(acknowledged.subtracting(rows).count) acknowledged and lost")
        }
        #expect(try cuff.run(for: 120))
        #expect(try server.sql("SELECT count(*), count(DISTINCT id) FROM cuff.reading") == "\(made)|\(made)")
        #expect(!cuff.said.contains { !$0.hasPrefix("later ") }, "\(cuff.said)")
        print("\(rounds) x kill -9 of the server: \(made) readings, \(Set(cuff.acknowledged).count) acknowledged, \(cuff.starts) starts")
    }
}
