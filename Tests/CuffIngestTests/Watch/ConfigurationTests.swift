import CuffCore
import Glibc
import Testing

@testable import CuffIngest

@Suite struct ConfigurationTests {
    private func read(_ text: String) throws(IngestError) -> CuffConfiguration {
        var configuration = CuffConfiguration()
        try configuration.read(text, file: "c.toml", drivers: HotplugSample.drivers)
        return configuration
    }

    @Test func sections_AreRead_EachWithItsLine() throws {
        let configuration = try read(
            """
            # A comment
            [device.hallway]
            match = "usb:0403:6001:A900XYZ1"
            driver = "and-std"
            line = "2400 8N1"
            options = { variant = "inbody" }

            [device."front desk"]
            match = "port:1-1.2"
            ignore = true

            [sink.db]
            sqlite = "/var/lib/cuff/bp.db"
            [sink.log]
            jsonl = "bp.jsonl"
            required = false

            [watch]
            again = "10min"
            """)
        let hallway = try #require(configuration.devices.first)
        #expect(hallway.name == "hallway" && hallway.driver == "and-std" && hallway.origin == "c.toml:4")
        #expect(hallway.line == LineSettings(rate: 2400) && hallway.options == ["variant": "inbody"])
        #expect(configuration.devices.last?.driver == nil)
        #expect(
            configuration.sinks.map(\.spec) == [
                SinkSpec(.sqlite, path: "/var/lib/cuff/bp.db"), SinkSpec(.jsonl, path: "bp.jsonl", isRequired: false),
            ])
        #expect(configuration.again == .seconds(600))
        #expect(configuration.assignments.map(\.name) == ["hallway", "front desk"])
        #expect(
            configuration.lines == [
                "device hallway\tusb:0403:6001:A900XYZ1\tand-std line 2400 8N1 variant=inbody\tc.toml:4",
                "device front desk\tport:1-1.2\tnever opened\tc.toml:10",
                "sink db\tsqlite:/var/lib/cuff/bp.db\t\tc.toml:13", "sink log\tjsonl:bp.jsonl?\t\tc.toml:15",
                "watch again\t10 min\t\tc.toml:19",
            ])
    }

    private static let hallway = "[device.hallway]\nmatch = \"port:1-1.2\"\ndriver = \"and-std\"\n"

    @Test(arguments: [
        (hallway + "[device.other]\nmatch = \"port:1-1.2\"\nignore = true\n", 6, "port:1-1.2 is already in c.toml:3"),
        (
            "[sink.a]\naddress = \"exec+ack:x\"\npersons = [\"none\"]\n[sink.b]\naddress = \"exec+ack:x\"\n", 5,
            "exec+ack:x is already in c.toml:2"
        ),
        ("[watch]\nlisten = [\":6024=and-std\", \":6024=and-std\"]\n", 2, "port 6024 is already in c.toml:2"),
        ("[watch]\nweb = \":6024\"\nlisten = \":6024=and-std\"\n", 3, "port 6024 is already in c.toml:2"),
    ])
    func oneThing_HasOneSection(_ text: String, _ line: Int, _ why: String) throws {
        var configuration = try read(text)
        do throws(IngestError) {
            try configuration.checkDoubles()
            Issue.record("it was taken")
        } catch {
            #expect(error.status == .badConfiguration && error.description == "c.toml:\(line): \(why)")
        }
    }

    /// A later file may assign a device anew.
    @Test func aDeviceOfTwoFiles_IsNotTwice() throws {
        var configuration = try read(Self.hallway)
        let later = Self.hallway.replacing("hallway", with: "mine")
        try configuration.read(later, file: "d.toml", drivers: HotplugSample.drivers)
        try configuration.checkDoubles()
        #expect(configuration.devices.map(\.driver) == ["and-std", "and-std"])
    }

    @Test(arguments: ["1 = \"None\"", "1 = \"Ann:1\"", "1 = \"Anna\", 01 = \"Ben\""]) func users_HaveNames_OneEach(_ users: String) {
        #expect(throws: IngestError.self) { try read(Self.hallway + "users = { \(users) }\n") }
    }

    @Test func aPathOfTheCurrentFolder_IsRefused() {
        do throws(IngestError) {
            _ = try read("[device.a]\ndriver = \"and-std\"\nmatch = \"./port\"\n")
            Issue.record("it was taken")
        } catch { #expect(error.description == "c.toml:3: `./port` is relative: a configuration needs an absolute path") }
    }

    @Test func web_IsAnAddress_AndSaysWhereItStands() throws {
        let configuration = try read("[watch]\nweb = \":8080\"\n")
        #expect(configuration.web?.host == "" && configuration.web?.port == 8080)
        #expect(configuration.lines == ["watch web\t127.0.0.1:8080\t\tc.toml:2"])
        #expect(try read("[watch]\nweb = \"[::1]:6025\"\n").lines == ["watch web\t[::1]:6025\t\tc.toml:2"])
        #expect(try read("[watch]\nagain = \"1h\"\n").web == nil)
        func refused(_ text: String) -> String { "c.toml:2: `\(text)` is not an address to serve a page on" }
        for (value, why) in [
            ("true", "c.toml:2: `web` must be an address such as \"127.0.0.1:6025\""),
            ("\"::1:80\"", "\(refused("::1:80")): write an IPv6 address in brackets, as in tcp://[::1]:3001"),
            ("\":99999\"", "\(refused(":99999")): the port is a number from 0 to 65535"),
        ] {
            do throws(IngestError) {
                _ = try read("[watch]\nweb = \(value)\n")
                Issue.record("\(value) was taken")
            } catch {
                #expect(error.description == why)
                #expect(error.status == .badConfiguration)
            }
        }
    }

    @Test func laterFile_StandsAboveTheEarlier() throws {
        var configuration = try read(
            "[device.a]\nmatch = \"port:1-1\"\ndriver = \"and-std\"\n[device.b]\nmatch = \"port:1-2\"\nignore = true\n")
        try configuration.read("[device.a]\nmatch = \"port:1-9\"\ndriver = \"exact-tty\"\n", file: "d.toml", drivers: HotplugSample.drivers)
        #expect(configuration.devices.map(\.name) == ["b", "a"])
        #expect(configuration.devices.last?.address == .port("1-9", channel: nil))
        #expect(configuration.files == ["c.toml", "d.toml"])
    }

    @Test(arguments: [
        (
            "[device.x]\nmatch = \"port:1-1\"\ndrivr = \"and-std\"\n", "c.toml:3", "unknown key `drivr` in [device.x]"
        ),
        ("\n[devices.x]\nmatch = 1\n", "c.toml:2", "unknown key `devices`"),
        ("[device.x]\ndriver = \"and-std\"\n", "c.toml:1", "does not say which device it is"),
        ("[device.x]\nmatch = \"port:1-1\"\n", "c.toml:1", "names no driver"),
        ("[device.x]\nmatch = \"port:1-1\"\ndriver = \"and-sdt\"\n", "c.toml:3", "did you mean `and-std`?"),
        ("[device.x]\nmatch = \"0403:6001\"\ndriver = \"and-std\"\n", "c.toml:2", "did you mean usb:0403:6001?"),
        ("[device.x]\nmatch = \"auto\"\ndriver = \"and-std\"\n", "c.toml:2", "names no device"),
        ("[device.x]\nmatch = \"port:1-1\"\ndriver = \"and-std\"\nignore = true\n", "c.toml:4", "ignored has no driver"),
        ("[device.x]\nmatch = \"port:1-1\"\ndriver = 5\n", "c.toml:3", "a text in quotes"),
        ("[device.x]\nmatch = \"port:1-1\"\ndriver = \"and-std\"\nline = \"fast\"\n", "c.toml:4", "9600 8N1"),
        (
            "[device.x]\nmatch = \"port:1-1\"\ndriver = \"and-std\"\noptions = { varient = \"x\" }\n", "c.toml:", "unknown key `varient`"
        ),
        ("[device]\nmatch = \"port:1-1\"\n", "c.toml:2", "not allowed in [device]"),
        ("[sink.db]\nsqlite = \"a\"\njsonl = \"b\"\n", "c.toml:3", "more than one place"),
        ("[sink.db]\nrequired = true\n", "c.toml:1", "no place"),
        ("[sink.db]\nsqlite = \"\"\n", "c.toml:2", "the name of a file"),
        ("[watch]\nagain = \"soon\"\n", "c.toml:2", "10min"),
        ("[watch]\nagian = \"1h\"\n", "c.toml:2", "unknown key `agian`"),
        ("[device.x\n", "c.toml:1", ""),
        ("a = = 1\n", "c.toml:1", ""),
    ])
    func mistake_IsNamedWithItsLine(_ text: String, _ place: String, _ why: String) {
        let error = #expect(throws: IngestError.self) { try read(text) }
        #expect(error?.status == .badConfiguration)
        #expect(error?.what.hasPrefix(place) == true, "\(error?.description ?? "")")
        #expect(error?.why.contains(why) == true || why.isEmpty, "\(error?.description ?? "")")
    }

    @Test(arguments: [("500ms", 0.5), ("30s", 30), ("10 min", 600), ("2h", 7200)] as [(String, Double)])
    func durations_AreRead(_ text: String, _ seconds: Double) {
        #expect(ConfigurationSection.duration(text) == .seconds(seconds))
    }

    @Test(arguments: ["", "10", "-5s", "0s", "s", "1e3s", "99999999999999999999s", "5 fortnights"])
    func otherTimes_AreRefused(_ text: String) { #expect(ConfigurationSection.duration(text) == nil) }

    @Test func file_ThatIsNotThere_IsAnError_WhenNamed() {
        let error = #expect(throws: IngestError.self) { try CuffConfiguration.load("/no/such/config.toml") }
        #expect(error?.status == .noInput)
    }

    /// A configuration can start programs: only files of this user or root are used.
    @Test func file_OfSomebodyElse_OrNoFile_OrTooLong_IsRefused() throws {
        func status(_ path: String) -> RunStatus? {
            do throws(IngestError) { _ = try CuffConfiguration.load(path) } catch { return error.status }
            return nil
        }
        let folder = TestFolder()
        let path = folder.write("config.toml", "[sink.file]\njsonl = \"/tmp/bp.jsonl\"\n")
        #expect(status(path) == nil)
        for mode in [0o660, 0o606, 0o666] as [mode_t] {
            #expect(chmod(path, mode) == 0)
            #expect(status(path) == .noPermission, "\(mode)")
        }
        #expect(chmod(path, 0o644) == 0 && status(path) == nil)
        if geteuid() == 0 {
            #expect(chown(path, 12_345, 12_345) == 0)
            #expect(status(path) == .noPermission)
        }
        #expect(status(folder.path) == .badConfiguration)
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        #expect(status(folder.file("pipe")) == .badConfiguration)
        let comment = String(repeating: "#", count: (1 << 20) - 1) + "\n"
        #expect(status(folder.write("full.toml", comment)) == nil)
        #expect(status(folder.write("long.toml", comment + "x")) == .badConfiguration)
        let error = #expect(throws: IngestError.self) { try SetupPlan(path: folder.file("long.toml")) }
        #expect(error?.status == .badConfiguration)
    }
}

@Suite struct ServiceNotifierTests {
    @Test func words_ReachTheManagersSocket() throws {
        let path = "/tmp/cuff-notify-\(getpid())"
        unlink(path)
        let listener = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer {
            close(listener)
            unlink(path)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        try #require(bound == 0)
        let notifier = ServiceNotifier(socket: path, watchdog: "60000000")
        #expect(notifier.watchdogInterval == .seconds(30))
        notifier.ready("0 cuffs open")
        notifier.watchdog()
        var bytes = [UInt8](repeating: 0, count: 256)
        let first = recv(listener, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        #expect(String(decoding: bytes.prefix(max(first, 0)), as: UTF8.self) == "READY=1\nSTATUS=0 cuffs open")
        let second = recv(listener, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        #expect(String(decoding: bytes.prefix(max(second, 0)), as: UTF8.self) == "WATCHDOG=1")
    }

    @Test func watchdogOfAnotherProcess_IsNotOurs() {
        #expect(ServiceNotifier(socket: nil, watchdog: "1000000", watchdogPid: "1").watchdogInterval == nil)
        #expect(ServiceNotifier(socket: nil, watchdog: nil).watchdogInterval == nil)
        ServiceNotifier(socket: "relative/path").ready("no socket")
        ServiceNotifier(socket: "/" + String(repeating: "x", count: 200)).ready("a path too long for a socket")
    }
}
