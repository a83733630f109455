import CuffCore
import Glibc

extension Doctor {
    package static var hasUdev: Bool { Udev.hasDaemon }

    /// Collects the facts for all steps. The node is never written to, and opened only if the device is claimed or the user named
    /// it: opening a serial port raises DTR and RTS, which some devices react to.
    package static func examine(
        _ request: DeviceRequest, name: String, assignments: [Assignment] = [], drivers: [CuffDriver] = CuffFamilies.all,
        opensLine: Bool = true
    ) throws(HotplugFault) -> Facts {
        let plugged = try DeviceEnumeration.plugged()
        var facts = Facts(name: name)
        facts.hasUdev = Udev.hasDaemon
        facts.process = .current()
        facts.listedGroups = Names.groups(of: geteuid())
        facts.neighbours = Set(Processes.all().compactMap(Processes.command)).intersection(["ModemManager", "brltty", "gpsd"]).sorted()
        facts.driver = request.settings.driver.flatMap { id in drivers.first { $0.id == id } }
        do throws(ResolutionFault) {
            switch try request.address.resolve(among: plugged, assignments: assignments, drivers: drivers) {
            case .plugged(let device): take(device, assignments, drivers, request, into: &facts)
            case .place(.node(let path)): facts.node = path
            case .place: facts.isNetwork = true
            }
        } catch {
            facts.resolution = error
            try lookForUSB(request.address, into: &facts)
        }
        if let node = facts.node {
            if case .success(let permissions) = NodePermissions.look(at: node) { facts.permissions = permissions }
            facts.holders = NodeHolder.look(at: node)
            if opensLine, facts.permissions.map({ Access.verdict(on: $0, for: .current()).isGranted }) == true,
                !facts.holders.contains(where: { $0.hold != .open })
            {
                facts.line = open(node)
            }
        }
        return facts
    }

    private static func take(
        _ device: PluggedDevice, _ assignments: [Assignment], _ drivers: [CuffDriver], _ request: DeviceRequest,
        into facts: inout Facts
    ) {
        facts.device = device
        facts.usb = device.usb
        facts.node = device.node
        var said = assignments
        if let driver = request.settings.driver {
            said = [Assignment(.node(device.node), driver: driver, line: request.settings.line, origin: "the command")]
        }
        let verdict = Claiming.verdict(on: device, assignments: said, drivers: drivers)
        facts.verdict = verdict
        facts.driver = verdict.driver.flatMap { id in drivers.first { $0.id == id } } ?? facts.driver
    }

    /// The name has no node; there may be a USB device without a kernel driver that makes one.
    private static func lookForUSB(_ address: DeviceAddress, into facts: inout Facts) throws(HotplugFault) {
        for (device, interfaces) in try DeviceEnumeration.usb() {
            let isMeant =
                switch address {
                case .usb(let id, let serial, _): device.id == id && (serial == nil || device.serial == serial)
                case .port(let port, _): device.port == port
                case .automatic, .node, .tcp, .tcpListen, .other: false
                }
            guard isMeant else { continue }
            facts.usb = device
            facts.interfaceDrivers = interfaces.map(\.driver)
            facts.resolution = nil
            return
        }
    }

    private static func open(_ node: String) -> LineFacts {
        let file = Glibc.open(node, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return LineFacts(errno: errno) }
        defer { close(file) }
        var bits: Int32 = 0
        guard ioctl(file, UInt(TIOCMGET), &bits) == 0 else { return LineFacts() }
        let names: [(Int32, String)] = [
            (Int32(TIOCM_DTR), "DTR"), (Int32(TIOCM_RTS), "RTS"), (Int32(TIOCM_CTS), "CTS"), (Int32(TIOCM_DSR), "DSR"),
            (Int32(TIOCM_CAR), "DCD"), (Int32(TIOCM_RNG), "RI"),
        ]
        return LineFacts(modemLines: names.filter { bits & $0.0 != 0 }.map(\.1))
    }

    /// A udev rule for this device, by its serial number or else its port; `nil` if it is not on USB.
    package static func rule(for device: PluggedDevice, driver: DriverID?, group: String = "dialout") -> String? {
        guard let usb = device.usb else { return nil }
        let place = usb.uniqueSerial.map { UdevRules.Place.serial($0) } ?? .port(usb.port)
        let note =
            usb.uniqueSerial == nil
            ? "# It has no serial number of its own: this is whatever \(usb.id) sits in port \(usb.port).\n" : ""
        return "# \(device.summary); to \(UdevRules.localPath), then: sudo udevadm control --reload && "
            + "sudo udevadm trigger --action=add \(device.node)\n"
            + note + UdevRules.rule(medium: device.subsystem, id: usb.id, place: place, driver: driver, group: group) + "\n"
    }
}

extension Names {
    static func groups(of user: uid_t) -> Set<UInt32> {
        entry(of: user) { entry in
            var groups = [gid_t](repeating: 0, count: 1024)
            var count = Int32(groups.count)
            guard getgrouplist(entry.pw_name, entry.pw_gid, &groups, &count) >= 0 else { return [] }
            return Set(groups.prefix(Int(count)))
        } ?? []
    }
}
