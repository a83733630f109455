import CuffCore
import Glibc
import Testing

@testable import CuffIngest

/// `cuff setup --system --fleet FILE`, with a file as cuff-gateway writes it.
@Suite struct FleetAccessTests {
    private static let file = """
        # The access of the machine pi-1
        [fleet]
        format = 1
        machine = "pi-1"
        server = "mqtts://broker.example.org:8883/"
        user = "pi-1.2"
        password = "abc234"
        topic = "cuff/pi-1"
        authority = '''
        -----BEGIN CERTIFICATE-----
        MIIB
        -----END CERTIFICATE-----
        '''

        """

    private let folder = TestFolder()
    private let root = TestFolder()

    private func written(_ text: String, mode: mode_t = 0o600) throws -> String {
        let path = folder.file("pi-1.fleet.toml")
        let descriptor = open(path, O_WRONLY | O_CREAT, mode)
        _ = write(descriptor, text, text.utf8.count)
        close(descriptor)
        chmod(path, mode)
        return path
    }

    private func text(_ path: String) -> String { String(decoding: SmallFile.bytes(path) ?? [], as: UTF8.self) }

    @Test func install_WritesSecretCertificateAndSink_AndKeepsTheRest() throws {
        let root = root.path
        mkdir("\(root)/etc", 0o755)
        mkdir("\(root)/etc/cuff", 0o755)
        let before = "# ours\n[device.kitchen]\nmatch = \"port:1-1.2\"\ndriver = \"and-std\"\n"
        let configuration = open("\(root)/etc/cuff/config.toml", O_WRONLY | O_CREAT, 0o644)
        _ = write(configuration, before, before.utf8.count)
        close(configuration)
        for _ in 0..<2 { try FleetAccess(written(Self.file)).install(root: root) }

        #expect(text("\(root)/etc/cuff/credentials/fleet.login") == "pi-1.2\nabc234\n")
        var status = stat()
        #expect(stat("\(root)/etc/cuff/credentials/fleet.login", &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(text("\(root)/etc/cuff/fleet-ca.pem").hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        let dropIn = text("\(root)/etc/systemd/system/cuff.service.d/fleet.conf")
        #expect(dropIn.contains("\nLoadCredential=fleet.login:/etc/cuff/credentials/fleet.login\n"))
        let after = text("\(root)/etc/cuff/config.toml")
        #expect(
            after == before + """

                [sink.here]
                address = "sqlite:/var/lib/cuff/readings.db"

                [sink.fleet]
                address = "mqtts://broker.example.org:8883/?gateway=pi-1&state=no&login=fleet.login&heartbeat=300&cafile=/etc/cuff/fleet-ca.pem"

                """)
        #expect(!after.contains("abc234") && !after.contains("pi-1.2"))
    }

    @Test func configuration_KeepsADatabaseThatIsThere() throws {
        let access = try FleetAccess(written(Self.file))
        let text = try access.configuration("[sink.mine]\nsqlite = \"/srv/bp.db\"\n", at: "c.toml")
        #expect(!text.contains("readings.db") && text.contains("[sink.fleet]"))
    }

    @Test func files_ThatMayNotBeInstalled_AreRefused() throws {
        #expect(throws: IngestError.self) { try FleetAccess(written(Self.file, mode: 0o644)) }
        #expect(throws: IngestError.self) { try FleetAccess("/no/such/file") }
        let edits = [
            ("format = 1", "format = 2"), ("[fleet]", "[sink]"), ("mqtts://broker", "mqtt://broker"),
            ("broker.example.org:8883/", "b/?exec=x/"),
            ("\"pi-1\"", "\"pi-1&prefix=x\""), ("password = \"abc234\"", ""), ("\"abc234\"", "\"a b\""), ("\"pi-1.2\"", "\"p\\nq\""),
        ]
        for (old, new) in edits {
            #expect(throws: IngestError.self, "\(new)") { try FleetAccess(written(Self.file.replacing(old, with: new))) }
        }
    }

    @Test func heartbeat_IsReportedByMachinesWithoutReadings() throws {
        #expect(StatusReport.interval("mqtts://h/?gateway=a&heartbeat=300") == .seconds(300))
        #expect(StatusReport.interval("mqtts://h/?gateway=a") == nil && StatusReport.interval("postgres://h/?heartbeat=9") == nil)
        var state = OutboxState(name: "x", statusEvery: .seconds(300))
        #expect(state.handle(.waiting(0), at: .zero) == [.open])
        _ = state.handle(.opened, at: .zero)
        let ready = OutboxState.Event.received(Array("ready 1 deletions status\n".utf8))
        #expect(state.handle(ready, at: .zero) == [.load(1000), .sendStatus])
        #expect(state.wakeAt == .seconds(300))
        #expect(state.handle(.time, at: .seconds(299)).isEmpty)
        #expect(state.handle(.time, at: .seconds(300)) == [.sendStatus])
        // Without the word it gets none.
        var other = OutboxState(name: "x", statusEvery: .seconds(300))
        _ = other.handle(.waiting(1), at: .zero)
        _ = other.handle(.opened, at: .zero)
        #expect(other.handle(.received(Array("ready 1 deletions\n".utf8)), at: .zero) == [.load(1000)])
        #expect(other.handle(.time, at: .seconds(400)).isEmpty)
    }

    @Test func statusReport_HasTheQueueAndTheCuffs() throws {
        let store = try Store(folder.file("r.db"), access: .write)
        let outbox = try Outbox(store, spec: "mqtts://h/?heartbeat=300")
        let line = try StatusReport.line(outbox, every: .seconds(300))
        let text = String(decoding: line, as: UTF8.self)
        #expect(text.hasPrefix("{\"type\":\"status\",\"schema\":1,\"time\":\"20") && text.hasSuffix("\n"))
        for part in ["\"every_s\":300", "\"waiting\":0", "\"refused\":0", "\"clock\":\"", "\"disk_free_bytes\":", "\"cuffs\":[]"] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }
}
