import PersonNames
import RemoteSink
import Testing

@testable import PostgresStore
@testable import cuff_sink_postgres

func reading(_ id: String, revision: Int = 0, pending: Bool = false, more: String = "") -> ReadingLine {
    let type = pending ? #""pending","of":"blood_pressure""# : #""blood_pressure""#
    let revision = revision > 0 ? ",\"revision\":\(revision)" : ""
    let text = """
        {"type":\(type),"schema":1,"id":"\(id)","driver":"phd","device":"00091ffffe000101","systolic_mmHg":128,"diastolic_mmHg":82,\
        "measured":"2026-05-05T07:33:00+02:00","origin":"memory"\(revision)\(more)}
        """
    guard let line = ReadingLine(Array(text.utf8)) else { preconditionFailure("not a reading: \(text)") }
    return line
}

@Suite struct FaultTests {
    /// PostgreSQL manual, Appendix A.
    @Test(arguments: [
        ("08006", ServerFault.Kind.later), ("57P01", .later), ("57P03", .later), ("57014", .later), ("53300", .later), ("53100", .later),
        ("40001", .later), ("40P01", .later), ("55P03", .later), ("25006", .later), ("58030", .later), ("XX000", .later),
        ("28P01", .configuration), ("28000", .configuration), ("3D000", .configuration), ("3F000", .configuration),
        ("42P01", .configuration), ("42501", .configuration), ("42703", .configuration),
        ("22003", .reading), ("22P02", .reading), ("22P05", .reading), ("22008", .reading), ("23502", .reading), ("23514", .reading),
        ("54000", .reading), ("P0001", .reading),
    ]) func states(state: String, kind: ServerFault.Kind) { #expect(ServerFault.kind(of: state) == kind) }

    @Test func names_StayUnlessTheAddressSaysSo() throws {
        #expect(try Main.split("postgres://h/d") == ("postgres://h/d", .subjects))
        #expect(try Main.split("postgres://h/d?persons=names") == ("postgres://h/d", .names))
        #expect(try Main.split("postgres://h/d?a=b&persons=none&c=d") == ("postgres://h/d?a=b&c=d", .none))
        #expect(throws: ConfigurationFault.self) { try Main.split("postgres://h/d?persons=x") }
    }

    @Test func aTableThatIsBeingCut_KeepsTheReading() {
        #expect(ServerFault(state: "23514", message: "check", constraint: "reading_moves").kind == .later)
        #expect(ServerFault(state: "23514", message: "check", constraint: "other").kind == .reading)
    }

    @Test func refusedConnections_AreReadFromLibpqsText() {
        let password = ServerFault(
            connecting:
                "connection to server at \"127.0.0.1\", port 5432 failed: FATAL:  28P01: password authentication failed for user \"cuff\"\nLOCATION:  auth_failed, auth.c:326\n",
            user: "cuff")
        #expect(password.kind == .configuration)
        #expect(password.text.hasPrefix("password authentication failed for user \"cuff\" (28P01); put the correct password"))
        let starting = ServerFault(
            connecting: "connection to server on socket \"/tmp/.s.PGSQL.5432\" failed: FATAL:  57P03: the database system is starting up")
        #expect(starting.kind == .later)
        let refused = ServerFault(
            connecting:
                "connection to server at \"127.0.0.1\", port 1 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?"
        )
        #expect(refused.kind == .later && refused.isConnectionLost)
        #expect(refused.text.contains("Connection refused"))
        let certificate = ServerFault(connecting: "connection to server at \"db\", port 5432 failed: SSL error: certificate verify failed")
        #expect(certificate.kind == .configuration)
        #expect(ServerFault(connecting: "fe_sendauth: no password supplied", user: "cuff", needsPassword: true).text.contains(".pgpass"))
    }
}

@Suite struct BatchTests {
    /// Every set of bad readings in a small batch: the good ones are stored once each, in order, the bad ones are found.
    @Test func halving_FindsEveryBadReading() {
        for count in 1...6 {
            for bad in 0..<(1 << count) {
                var work = BatchWork(count: count)
                var stored: [Int] = []
                var refused: [Int] = []
                var tries = 0
                while let range = work.current, tries < 100 {
                    tries += 1
                    if range.contains(where: { bad >> $0 & 1 == 1 }) {
                        if let index = work.refused() { refused.append(index) }
                    } else {
                        stored += range
                        work.stored()
                    }
                }
                #expect(stored == (0..<count).filter { bad >> $0 & 1 == 0 })
                #expect(refused == (0..<count).filter { bad >> $0 & 1 == 1 })
            }
        }
    }

    @Test func oneBadOfAThousand_CostsAboutTwentyStatements() {
        var work = BatchWork(count: 1000)
        var tries = 0
        while let range = work.current {
            tries += 1
            if range.contains(617) { _ = work.refused() } else { work.stored() }
        }
        #expect(tries <= 22)
    }

    @Test func parameter_HasEachIdOnce_TheNewest_Sorted() {
        let items = [
            reading("b"), reading("a", pending: true), reading("a"), reading("a", pending: true), reading("c", revision: 2),
            reading("c", revision: 1),
        ].map { ReadingStatement.Item($0, machine: "pi \"7\"") }
        let parsed = JSONValue(parsing: Array(ReadingStatement.parameter(items).utf8))?.array ?? []
        #expect(parsed.compactMap { $0.array?.last?["id"]?.string } == ["a", "b", "c"])
        #expect(parsed.compactMap { $0.array?.first?.string } == ["pi \"7\"", "pi \"7\"", "pi \"7\""])
        #expect(parsed.first?.array?.last?["type"]?.string == "blood_pressure")
        #expect(parsed.last?.array?.last?["revision"]?.integer == 2)
    }

    @Test(arguments: [
        ("2026-05-05T07:33:00+02:00", true), ("2026-05-05T07:33Z", true), ("2026-05-05T07:33:00.120-05:30", true),
        ("2026-05-05T07:33:00", false), ("now", false), ("infinity", false), ("", false), ("2026-05-05", false),
        ("2026-05-05T07:33:00Z ", false), ("2026-05-05T07:33:00.Z", false), ("2026-05-05 07:33:00Z", false),
        ("-026-05-05T07:33:00Z", false),
    ]) func instants(text: String, isInstant: Bool) { #expect((Instant(text) != nil) == isInstant) }

    @Test func readingWithoutUsableTime_IsRefused() throws {
        let unset = try #require(ReadingLine(Array(#"{"type":"blood_pressure","id":"a","clock":"unset"}"#.utf8)))
        #expect(ReadingStatement.objection(to: unset) == "no usable time: the cuff's clock was not set")
        let none = try #require(ReadingLine(Array(#"{"type":"blood_pressure","id":"a","device_time":"2026-05-05T07:31"}"#.utf8)))
        #expect(ReadingStatement.objection(to: none) == "no usable time: the reading has no `measured`")
        #expect(ReadingStatement.objection(to: reading("a")) == nil)
    }
}

@Suite struct AddressTests {
    private func address(
        _ text: String, variables: [String: String] = ["HOME": "/home/cuff"], files: Set<String> = []
    ) throws -> [String: String] {
        let surroundings = PostgresAddress.Surroundings(variables: variables) { files.contains($0) }
        return try PostgresAddress(text, in: surroundings).settings.reduce(into: [:]) { $0[$1.key] = $1.value }
    }

    @Test func network_IsVerified() throws {
        let settings = try address("postgres://cuff@db.example.org/ward")
        #expect(settings["sslmode"] == "verify-full")
        #expect(settings["sslrootcert"] == "/etc/ssl/certs/ca-certificates.crt")
        #expect(settings["dbname"] == "postgres://cuff@db.example.org/ward")
        // libpq's own place for an authority stays in force.
        #expect(try address("postgres://cuff@db/ward", files: ["/home/cuff/.postgresql/root.crt"])["sslrootcert"] == nil)
    }

    @Test(arguments: [
        "postgres://cuff@localhost/ward", "postgres://cuff@127.0.0.1:5433/ward", "postgres://cuff@[::1]/ward", "postgresql:///ward",
        "postgres://cuff@/ward?host=/run/postgresql", "postgres://cuff@%2Frun%2Fpostgresql/ward", "postgres://localhost,127.0.0.2/ward",
    ]) func loopbackAndSockets_KeepLibpqsDefault(text: String) throws { #expect(try address(text)["sslmode"] == nil) }

    @Test(arguments: [
        "postgres://localhost,db.example.org/ward", "postgres://127.0.0.1.example.org/ward",
        "postgres://cuff@localhost/ward?hostaddr=192.0.2.1",
        "postgres:///ward?service=ward", "postgres://127.1/ward",
    ]) func whatMayBeElsewhere_IsVerified(text: String) throws { #expect(try address(text)["sslmode"] == "verify-full") }

    @Test func environment_MayNameAnotherHost() throws {
        #expect(try address("postgres:///ward", variables: ["PGHOST": "db.example.org"])["sslmode"] == "verify-full")
        #expect(try address("postgres:///ward", variables: ["PGSERVICE": "ward"])["sslmode"] == "verify-full")
    }

    /// `verify-ca` accepts the certificate of any other server of the authority.
    @Test(arguments: ["disable", "allow", "prefer", "require", "verify-ca"]) func verification_CannotBeSwitchedOff(mode: String) {
        #expect(throws: ConfigurationFault.self) { try address("postgres://cuff@db.example.org/ward?sslmode=\(mode)") }
    }

    @Test(arguments: [
        "postgres://cuff:secret@localhost/ward", "postgres://localhost/ward?password=secret",
        "postgres://localhost/ward?sslpassword=secret",
        "postgres://localhost/ward?PASSWORD=secret", "postgres://localhost/ward?user=x&pass%77ord=secret",
    ]) func password_IsRefused_AndNotRepeated(text: String) {
        #expect { try address(text) } throws: {
            guard let fault = $0 as? ConfigurationFault else { return false }
            return fault.description.contains("passfile") && !fault.description.contains("secret")
        }
    }

    @Test(arguments: ["", "postgres:", "mysql://localhost/ward", "postgres://localhost/ward?colour=blue", "postgres://localhost/%zz"])
    func otherAddresses_AreRefused(text: String) { #expect(throws: ConfigurationFault.self) { try address(text) } }

    @Test func passfile_FromSystemd() throws {
        let settings = try address(
            "postgres://cuff@localhost/ward", variables: ["CREDENTIALS_DIRECTORY": "/run/credentials/cuff.service"],
            files: ["/run/credentials/cuff.service/pgpass"])
        #expect(settings["passfile"] == "/run/credentials/cuff.service/pgpass")
    }
}
