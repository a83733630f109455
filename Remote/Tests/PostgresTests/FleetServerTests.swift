import PostgresStore
import RemoteSink
import TestServers
import Testing

/// The statements and triggers for many machines, against a real PostgreSQL.
@Suite(.serialized, .enabled(if: TestPostgres.isInstalled)) struct FleetServerTests {
    private func server() throws -> TestPostgres {
        let server = try TestPostgres()
        try server.sql(Schema.script())
        return server
    }

    private func literal(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

    @Test func messagesOfErasedPersons_AreNotSetAside() throws {
        let server = try server()
        try server.sql(#"INSERT INTO cuff.erased VALUES ('s-a', now()), ('An"n\a', now())"#)
        func setAside(_ body: String) throws -> String {
            let items = [(routingKey: "cuff.pi-1.reading", body: Array(body.utf8), reason: "no time")]
            // As the role of the programs, which cannot read who was erased.
            try server.sql(RefusedStatement.insert.replacing("$1", with: literal(RefusedStatement.parameter(items))), as: "cuff")
            return try server.sql("SELECT count(*) FROM cuff.refused")
        }
        #expect(try setAside(#"{"id":"1","person":"s-a"}"#) == "0")
        #expect(try setAside(#"{"id":"1","person":"An\"n\\a"}"#) == "0")
        #expect(try setAside(#"{"id":"1","person":"s-ab"}"#) == "1")
        #expect(try setAside(#"{"id":"1","note":"s-a"}"#) == "2")
        #expect(server.refusal("SELECT * FROM cuff.erased", as: "cuff").contains("permission denied"))
    }

    @Test func anOlderHeartbeat_DoesNotReplaceANewerOne() throws {
        let server = try server()
        func note(_ version: String, _ time: String, clock: String = "synchronised") throws -> String {
            let body = #"{"version":"\#(version)","user":"u\#(version)","time":"\#(time)","clock":"\#(clock)"}"#
            let reports = [MachineStatement.Report("pi-1", status: JSONValue(parsing: Array(body.utf8)))]
            try server.sql(MachineStatement.insert.replacing("$1", with: literal(MachineStatement.parameter(reports))), as: "cuff")
            return try server.sql("SELECT version, credential, status->>'version' FROM cuff.machine")
        }
        #expect(try note("2", "2026-05-05T10:00:00Z") == "2|u2|2")
        #expect(try note("1", "2026-05-05T11:59:59+02:00") == "2|u2|2")
        #expect(try note("3", "2026-05-05T10:00:00Z") == "3|u3|3")
        // A report without a heartbeat keeps it.
        let presence = MachineStatement.parameter([MachineStatement.Report("pi-1", presence: "offline")])
        try server.sql(MachineStatement.insert.replacing("$1", with: literal(presence)), as: "cuff")
        #expect(try server.sql("SELECT version, presence FROM cuff.machine") == "3|offline")
        // A clock that was wrong is set back.
        #expect(try note("4", "2098-01-01T00:00:00Z") == "4|u4|4")
        #expect(try note("5", "2026-05-05T10:00:00Z") == "5|u5|5")
        // After a start without a clock.
        #expect(try note("6", "2000-01-01T00:00:00Z", clock: "unsynchronised") == "6|u6|6")
        #expect(try server.sql("SELECT sent FROM cuff.machine") == "2000-01-01 00:00:00+00")
    }

    @Test func aHeartbeatThatWasQueuedAtRevocation_DoesNotProveTheNextAccess() throws {
        let server = try server()
        func note(_ time: String, clock: String = "synchronised") throws -> String {
            let body = #"{"version":"2","user":"pi-1.2","time":"\#(time)","clock":"\#(clock)"}"#
            let reports = [MachineStatement.Report("pi-1", status: JSONValue(parsing: Array(body.utf8)))]
            try server.sql(MachineStatement.insert.replacing("$1", with: literal(MachineStatement.parameter(reports))), as: "cuff")
            return try server.sql("SELECT coalesce(credential, 'none'), seen IS NOT NULL FROM cuff.machine")
        }
        // Revoked: the message is noted, its credential is not.
        try server.sql("INSERT INTO cuff.machine (name, added, revoked) VALUES ('pi-1', '2026-05-01Z', '2026-05-05T10:00Z')")
        #expect(try note("2026-05-05T10:00:01Z") == "none|t")
        // Added again: only what was sent since then, by a clock that is right.
        try server.sql("UPDATE cuff.machine SET added = '2026-05-05T11:00Z', revoked = NULL")
        #expect(try note("2026-05-05T10:59:59Z") == "none|t")
        #expect(try note("2026-05-05T11:00:01Z", clock: "unsynchronised") == "none|t")
        #expect(try note("2026-05-05T11:00:01Z") == "pi-1.2|t")
    }
}
