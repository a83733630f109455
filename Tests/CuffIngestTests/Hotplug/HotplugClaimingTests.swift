import CuffCore
import Testing

@testable import CuffIngest
@testable import cuff

@Suite struct ClaimingTests {
    private let drivers = HotplugSample.drivers
    private let adapter = HotplugSample.device(HotplugSample.adapter())

    private func verdict(_ device: PluggedDevice, _ assignments: String...) throws -> Claiming.Verdict {
        Claiming.verdict(
            on: device, assignments: try assignments.map { try Assignment($0, drivers: drivers) }, drivers: drivers)
    }

    @Test func exactID_IsClaimedAtOnce() throws {
        let cuff = HotplugSample.device(HotplugSample.hid())
        #expect(try verdict(cuff) == .claimed("exact-hid", .exactID(USBID("0590:0028")!)))
    }

    @Test func exactID_IsNotClaimed_OnANodeTheDriverCannotSpeakTo() throws {
        let tty = HotplugSample.device(HotplugSample.adapter(ids: "0590:0028"))
        #expect(try verdict(tty) == .unknown)
    }

    @Test func bridgeChip_IsClaimedOnlyWhenAssigned() throws {
        #expect(try verdict(adapter) == .unassigned(["and-std", "exact-tty"]))
        let claimed = try verdict(adapter, "port:1-1.2=and-std,baud=2400")
        #expect(claimed.driver == "and-std")
        guard case .claimed(_, .assigned(let assignment)) = claimed else { return #expect(Bool(false)) }
        #expect(assignment.line?.rate == 2400)
        #expect(try verdict(adapter, "port:1-9=and-std") == .unassigned(["and-std", "exact-tty"]))
    }

    @Test func otherRelease_IsSharedOnly() throws {
        let cuff = HotplugSample.device(HotplugSample.hid(ids: "0c45:7406", bcdDevice: "0170"))
        let other = HotplugSample.device(HotplugSample.hid(ids: "0c45:7406", bcdDevice: "0100"))
        #expect(try verdict(cuff) == .claimed("released-hid", .release(USBID("0c45:7406")!, bcdDevice: 0x0170)))
        #expect(try verdict(other) == .unassigned(["released-hid"]))
    }

    @Test func assignment_StandsAboveTheID() throws {
        let device = HotplugSample.device(HotplugSample.adapter(ids: "1234:0001"))
        #expect(try verdict(device).driver == "exact-tty")
        #expect(try verdict(device, "port:1-1.2=and-std").driver == "and-std")
    }

    @Test func udevRule_IsTheAdministratorsWord() throws {
        var chain = HotplugSample.adapter()
        chain[0].properties["ID_CUFF_DRIVER"] = "and-std"
        let device = HotplugSample.device(chain)
        #expect(try verdict(device) == .claimed("and-std", .rule))
        #expect(try verdict(device, "port:1-1.2=exact-tty").driver == "exact-tty", "the command line has precedence")
        chain[0].properties["ID_CUFF_DRIVER"] = "exact-hid"
        #expect(try verdict(HotplugSample.device(chain)) == .unassigned(["and-std", "exact-tty"]), "no HID driver on a tty")
    }

    @Test func closerAssignment_Wins() throws {
        #expect(try verdict(adapter, "usb:0403:6001=exact-tty", "usb:0403:6001:A900XYZ1=and-std").driver == "and-std")
        #expect(try verdict(adapter, "usb:0403:6001:A900XYZ1=and-std", "port:1-1.2=exact-tty").driver == "and-std")
        #expect(try verdict(adapter, "port:1-1.2=and-std", "/dev/ttyUSB0=exact-tty").driver == "and-std")
    }

    @Test func contradiction_IsRefused_NotDecided() throws {
        guard case .refused(let why) = try verdict(adapter, "port:1-1.2=and-std", "port:1-1.2=exact-tty") else {
            return #expect(Bool(false), "two drivers for one port")
        }
        #expect(why.contains("and-std") && why.contains("exact-tty"))
        let twice = drivers + [HotplugSample.driver("second", .hidraw, [.usb(vendor: 0x0590, product: 0x0028)])]
        let cuff = HotplugSample.device(HotplugSample.hid())
        guard case .refused = Claiming.verdict(on: cuff, drivers: twice) else {
            return #expect(Bool(false), "two drivers claim one id")
        }
    }

    @Test func wrongNode_IsRefused() throws {
        guard case .refused(let why) = try verdict(adapter, "port:1-1.2=exact-hid") else {
            return #expect(Bool(false), "a HID driver on a serial port")
        }
        #expect(why == "exact-hid needs a hidraw node, /dev/ttyUSB0 is tty")
    }

    @Test func ignoredDevice_IsNeverOpened() throws {
        let ignore = Assignment(try DeviceAddress("/dev/hidraw0"), driver: nil, origin: "config.toml:4")
        let cuff = HotplugSample.device(HotplugSample.hid())
        let verdict = Claiming.verdict(on: cuff, assignments: [ignore], drivers: drivers)
        #expect(verdict == .ignored(ignore))
        #expect(verdict.sentence(for: cuff) == "config.toml:4 says never to open it")
    }

    @Test func sentence_SaysWhatToDo() throws {
        let text = try verdict(adapter).sentence(for: adapter)
        #expect(text.contains("any FTDI FT232 adapter"))
        #expect(text.contains("--assign usb:0403:6001:A900XYZ1=and-std (or exact-tty)"))
        let stranger = HotplugSample.device(HotplugSample.adapter(ids: "2341:0043"))
        #expect(try verdict(stranger).sentence(for: stranger) == "no driver knows 2341:0043")
    }

    @Test func noDriverOfTheList_ClaimsABridgeChip() {
        for bridge in USBBridge.known {
            for chain in [
                HotplugSample.adapter(ids: bridge.id.description), HotplugSample.hid(ids: bridge.id.description),
            ] {
                let verdict = Claiming.verdict(on: HotplugSample.device(chain))
                #expect(verdict.driver == nil, "\(bridge.id) is claimed by \(verdict.driver!)")
            }
        }
    }
}

@Suite struct AccessTests {
    private func node(_ owner: UInt32, _ group: UInt32, _ mode: UInt16, _ entries: [AccessEntry] = []) -> NodePermissions {
        NodePermissions(
            node: "/dev/ttyUSB0", owner: owner, group: group, ownerName: owner == 0 ? "root" : "u\(owner)",
            groupName: group == 20 ? "dialout" : "g\(group)", mode: mode, entries: entries)
    }

    private func person(_ user: UInt32 = 1000, _ groups: Set<UInt32> = [1000], all: Bool = false) -> ProcessIdentity {
        ProcessIdentity(
            user: user, userName: "anna", groups: groups, groupNames: groups.sorted().map { "g\($0)" }, overridesAccess: all)
    }

    @Test func permissions_AreJudgedAsTheKernelDoes() {
        #expect(!Access.mayReadAndWrite(node(0, 20, 0o660), person()))
        #expect(Access.mayReadAndWrite(node(0, 20, 0o660), person(1000, [1000, 20])))
        #expect(!Access.mayReadAndWrite(node(0, 20, 0o640), person(1000, [20])), "reading is not enough")
        #expect(Access.mayReadAndWrite(node(1000, 20, 0o600), person()))
        #expect(!Access.mayReadAndWrite(node(1000, 20, 0o066), person(1000, [20])), "the owner's bits count for the owner")
        #expect(!Access.mayReadAndWrite(node(0, 20, 0o606), person(1000, [20])), "a refused group ends the search")
        #expect(Access.mayReadAndWrite(node(0, 20, 0o606), person()))
        #expect(Access.mayReadAndWrite(node(0, 0, 0o600), person(0, [0], all: true)))
    }

    @Test func accessList_IsJudgedAsTheKernelDoes() {
        let seat = [
            AccessEntry(.owner, permissions: 6), AccessEntry(.user, permissions: 6, id: 1000),
            AccessEntry(.owningGroup, permissions: 6), AccessEntry(.mask, permissions: 6), AccessEntry(.other, permissions: 0),
        ]
        #expect(Access.mayReadAndWrite(node(0, 20, 0o660, seat), person()))
        #expect(!Access.mayReadAndWrite(node(0, 20, 0o660, seat), person(1001, [1001])))
        var masked = seat
        masked[3].permissions = 4
        #expect(!Access.mayReadAndWrite(node(0, 20, 0o640, masked), person()), "the mask lies over named entries")
        #expect(!Access.mayReadAndWrite(node(0, 20, 0o640, masked), person(1001, [20])))
        let group = [
            AccessEntry(.owner, permissions: 6), AccessEntry(.owningGroup, permissions: 0),
            AccessEntry(.group, permissions: 6, id: 30), AccessEntry(.mask, permissions: 6), AccessEntry(.other, permissions: 0),
        ]
        #expect(Access.mayReadAndWrite(node(0, 20, 0o660, group), person(1000, [20, 30])), "any group that grants will do")
        #expect(!Access.mayReadAndWrite(node(0, 20, 0o660, group), person(1000, [20])), "mode's group bits are the mask here")
    }

    @Test func accessList_IsReadFromItsBytes() {
        let bytes: [UInt8] = [
            2, 0, 0, 0, 1, 0, 6, 0, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 6, 0, 0xE8, 3, 0, 0, 0x10, 0, 6, 0, 0xFF, 0xFF, 0xFF, 0xFF,
        ]
        #expect(
            AccessEntry.list(bytes) == [
                AccessEntry(.owner, permissions: 6), AccessEntry(.user, permissions: 6, id: 1000), AccessEntry(.mask, permissions: 6),
            ])
        #expect(AccessEntry.list([]) == nil)
        #expect(AccessEntry.list([3, 0, 0, 0]) == nil, "another version")
        #expect(AccessEntry.list(Array(bytes.dropLast())) == nil)
        #expect(AccessEntry.list([2, 0, 0, 0, 7, 0, 6, 0, 0, 0, 0, 0]) == nil, "no such tag")
    }

    @Test func denial_NamesGroupAndCure() {
        let denied = Access.verdict(on: node(0, 20, 0o660), for: person(1000, [100]))
        #expect(denied.reason == "the port belongs to root:dialout (rw-rw----); this process runs as anna, groups: g100")
        #expect(denied.hint(for: DeviceKey("port:1-1"))?.hasPrefix("sudo usermod -aG dialout anna") == true)
        let hid = Access.verdict(on: node(0, 0, 0o600), for: person())
        #expect(
            hid.hint(for: DeviceKey("port:1-3")) == "cuff doctor --print-rule port:1-3 | sudo tee \(UdevRules.localPath)",
            "joining root's group is never advised")
        #expect(Access.granted.reason == nil && Access.granted.hint(for: nil) == nil)
    }

    @Test func system_IsLookedAt() throws {
        #expect(Access.look(at: "/dev/null") == .granted)
        #expect(Access.look(at: "/dev/no-such-node") == .missing("/dev/no-such-node"))
        let me = ProcessIdentity.current()
        #expect(!me.userName.isEmpty && !me.groups.isEmpty && me.groupNames.count >= 1)
    }
}
