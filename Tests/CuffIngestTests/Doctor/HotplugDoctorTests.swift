import CuffCore
import Testing

@testable import CuffIngest
@testable import cuff

@Suite struct HotplugDoctorTests {
    private let anna = ProcessIdentity(user: 1000, userName: "anna", groups: [1000], groupNames: ["anna"])
    private let open = NodePermissions(
        node: "/dev/ttyUSB0", owner: 0, group: 20, ownerName: "root", groupName: "dialout", mode: 0o666)

    /// A claimed adapter without any problem.
    private func healthy() -> Doctor.Facts {
        var facts = Doctor.Facts(name: "port:1-1.2")
        let device = HotplugSample.device(HotplugSample.adapter(links: ["/dev/serial/by-id/x"]))
        facts.device = device
        facts.usb = device.usb
        facts.node = device.node
        facts.permissions = open
        facts.process = anna
        facts.verdict = .claimed("and-std", .rule)
        facts.driver = .andStd
        facts.line = Doctor.LineFacts(modemLines: ["DTR", "RTS"])
        facts.database = .fine(path: "/var/lib/cuff/bp.db", readings: 312)
        facts.databaseFiles = [
            NodePermissions(node: "/var/lib/cuff/bp.db", owner: 990, group: 990, ownerName: "cuff", groupName: "cuff", mode: 0o600)
        ]
        return facts
    }

    private func finding(_ step: Doctor.Step, _ facts: Doctor.Facts) throws -> Doctor.Finding {
        try #require(Doctor.findings(facts).first { $0.step == step })
    }

    @Test func healthyCuff_HasOneLineForEachStep() {
        let findings = Doctor.findings(healthy())
        #expect(findings.map(\.step) == Doctor.Step.allCases)
        #expect(
            findings.allSatisfy { $0.state == ($0.step == .clock ? .skipped : .ok) }, "\(findings.map(\.lines).joined(separator: "\n"))")
        #expect(findings.status(strict: true) == .done)
        #expect(findings[0].text == "USB 0403:6001 FTDI FT232R USB UART at port 1-1.2, serial number A900XYZ1")
        #expect(findings[7].text == "/dev/ttyUSB0 opens, to be set to 9600 8N1, up: DTR RTS")
    }

    @Test func firstFailure_DecidesTheExitCode_AndGroundlessStepsAreSkipped() throws {
        var facts = healthy()
        facts.permissions?.mode = 0o660
        facts.holders = [NodeHolder(pid: 812, command: "minicom", hold: .locked)]
        let findings = Doctor.findings(facts)
        #expect(findings.status() == .noPermission)
        #expect(findings.filter { $0.state == .failed }.map(\.step) == [.permission])
        #expect(findings.filter { $0.state == .skipped }.map(\.step) == [.holders, .line, .clock])
        #expect(
            try finding(.permission, facts).lines == """
                permission     FAILED   the port belongs to root:dialout (rw-rw----); this process runs as anna, groups: anna
                               fix: sudo usermod -aG dialout anna, then log in again   (or: cuff doctor --print-rule \
                usb:0403:6001:A900XYZ1 | sudo tee /etc/udev/rules.d/71-cuff-local.rules)
                """)
    }

    @Test func missingDevice_Is69() throws {
        var facts = Doctor.Facts(name: "port:9-9")
        facts.process = anna
        facts.resolution = .notFound(.port("9-9", channel: nil), present: [])
        let findings = Doctor.findings(facts)
        #expect(findings.status() == .unavailable)
        #expect(findings[0].text == "port:9-9 is not plugged in; nothing is")
        #expect(findings.first { $0.step == .driver }?.state == .skipped)
    }

    @Test(arguments: [
        ([nil] as [String?], "no kernel driver took 0403:6001", "sudo modprobe ftdi_sio"),
        (["usbfs"], "a program took 0403:6001 from the kernel", "brltty"),
        (["cdc_ether"], "cdc_ether took 0403:6001", "modprobe ftdi_sio"),
    ])
    func kernelDriverNotBound_NamesTheModule(_ drivers: [String?], _ text: String, _ hint: String) throws {
        var facts = Doctor.Facts(name: "usb:0403:6001")
        facts.usb = HotplugSample.device(HotplugSample.adapter()).usb
        facts.interfaceDrivers = drivers
        let found = try finding(.kernelDriver, facts)
        #expect(found.state == .failed && found.status == .unavailable)
        #expect(found.text.hasPrefix(text), "\(found.text)")
        #expect(found.hint?.contains(hint) == true)
    }

    @Test func heldPort_Is75_WhenLocked_AWarningWhenOpen() throws {
        var facts = healthy()
        facts.holders = [NodeHolder(pid: 812, command: "minicom", hold: .locked)]
        #expect(try finding(.holders, facts).text == "minicom (812, locked)")
        #expect(Doctor.findings(facts).status() == .tryAgain)
        facts.holders = [NodeHolder(pid: 812, command: "cat", hold: .open)]
        #expect(try finding(.holders, facts).state == .warning)
        #expect(Doctor.findings(facts).status() == .done)
        #expect(Doctor.findings(facts).status(strict: true) == .no)
    }

    @Test(
        arguments: [(16, .tryAgain, "busy"), (13, .noPermission, "DeviceAllow"), (5, .inputOutput, "plug")] as [(Int32, RunStatus, String)])
    func openingThatFails_HasItsClassAndCure(_ errno: Int32, _ status: RunStatus, _ word: String) throws {
        var facts = healthy()
        facts.line = Doctor.LineFacts(errno: errno)
        #expect(Doctor.findings(facts).status() == status)
        #expect(try finding(.line, facts).lines.contains(word))
    }

    @Test func groupThatIsNotYetTheProcesses_IsSeen() throws {
        var facts = healthy()
        facts.permissions?.mode = 0o660
        facts.listedGroups = [20]
        let groups = try finding(.groups, facts)
        #expect(groups.state == .warning && groups.hint?.hasPrefix("log in again") == true)
    }

    @Test func neighbours_AreWarnedOf_OnlyWhereTheyReach() throws {
        var facts = healthy()
        facts.neighbours = ["ModemManager", "brltty", "gpsd"]
        let text = try finding(.neighbours, facts).text
        #expect(text.contains("ModemManager was not told") && text.contains("brltty has 0403:6001"))
        #expect(!text.contains("gpsd"), "gpsd leaves FTDI adapters alone")
        facts.device?.properties["ID_MM_PORT_IGNORE"] = "1"
        #expect(try !finding(.neighbours, facts).text.contains("ModemManager"))
        let hid = HotplugSample.device(HotplugSample.hid())
        facts.device = hid
        #expect(try finding(.neighbours, facts).state == .ok)
    }

    @Test func driverStep_SaysWhoClaimsAndWhy() throws {
        var facts = healthy()
        facts.verdict = .unassigned(["and-std"])
        #expect(try finding(.driver, facts).state == .warning)
        facts.verdict = .unknown
        #expect(Doctor.findings(facts).status() == .unavailable)
        facts.verdict = .refused("two say different")
        #expect(Doctor.findings(facts).status() == .badConfiguration)
    }

    @Test func clockAndDatabase_AreWarnedOf() throws {
        var facts = healthy()
        facts.clockWishes = ["00091ffffe000101"]
        #expect(try finding(.clock, facts).text.hasPrefix("00091ffffe000101 asked"))
        #expect(try finding(.clock, facts).hint == "cuff clock port:1-1.2 --set now")
        facts.database = .failed(path: "/x/bp.db", why: "not a database", status: .inputOutput)
        #expect(Doctor.findings(facts).status() == .inputOutput)
    }

    @Test func containerWithoutUdev_IsSaidNotFailed() throws {
        var facts = healthy()
        facts.hasUdev = false
        #expect(try finding(.bus, facts).state == .warning)
        facts.permissions = nil
        #expect(try finding(.node, facts).hint?.contains("--device=/dev/ttyUSB0") == true)
    }

    @Test func pseudoTerminal_IsWalkedToo() throws {
        var facts = Doctor.Facts(name: "/dev/pts/3")
        facts.node = "/dev/pts/3"
        facts.permissions = open
        facts.process = anna
        facts.line = Doctor.LineFacts()
        let findings = Doctor.findings(facts)
        #expect(findings.status() == .done, "\(findings.map(\.lines).joined(separator: "\n"))")
    }

    @Test func examination_OfThisMachine_OfANodeThatIsNotThere() throws {
        let facts = try Doctor.examine(try DeviceRequest("/dev/no-such-tty"), name: "/dev/no-such-tty")
        let findings = Doctor.findings(facts)
        #expect(findings.status() == .unavailable)
        #expect(findings.first { $0.state == .failed }?.text == "/dev/no-such-tty does not exist")
    }

    @Test func ruleForADevice_NamesItsSerial_OrItsSocket() throws {
        let adapter = HotplugSample.device(HotplugSample.adapter())
        let rule = try #require(Doctor.rule(for: adapter, driver: "and-std"))
        #expect(rule.contains("ATTRS{serial}==\"A900XYZ1\"") && rule.contains("ENV{ID_CUFF_DRIVER}=\"and-std\""))
        let clone = HotplugSample.device(HotplugSample.adapter(serial: "0001"))
        let byPort = try #require(Doctor.rule(for: clone, driver: nil))
        #expect(byPort.contains("KERNELS==\"1-1.2\"") && !byPort.contains("ID_CUFF"), "access, but no claim")
        #expect(byPort.contains("whatever 0403:6001 sits in port 1-1.2"))
    }

    @Test func whoMayReadTheDatabase_IsSaid() throws {
        func modes(_ modes: UInt16...) throws -> Doctor.Finding {
            var facts = Doctor.Facts(name: "/x/bp.db")
            facts.isDatabaseAlone = true
            facts.database = .fine(path: "/x/bp.db", readings: 3)
            facts.databaseFiles = modes.enumerated().map { place, mode in
                NodePermissions(
                    node: "/x/bp.db" + ["", "-wal", "-shm"][place], owner: 1000, group: 100, ownerName: "anna", groupName: "users",
                    mode: mode)
            }
            let findings = Doctor.findings(facts)
            #expect(findings.map(\.step) == [.database, .modes])
            return try #require(findings.last)
        }
        let own = try modes(0o600, 0o600, 0o600)
        #expect(own.state == .ok && own.text.hasPrefix("read by anna, written by anna: /x/bp.db rw------- anna:users; /x/bp.db-wal"))
        let shared = try modes(0o660, 0o600)
        #expect(shared.state == .warning && shared.text.hasPrefix("read by anna, group users, written by anna, group users:"))
        #expect(shared.hint?.hasSuffix("chmod 600 /x/bp.db") == true)
        // The log contains readings, too.
        #expect(try modes(0o600, 0o644).hint?.hasSuffix("chmod 600 /x/bp.db-wal") == true)
        #expect(try modes().state == .skipped)
    }
}
