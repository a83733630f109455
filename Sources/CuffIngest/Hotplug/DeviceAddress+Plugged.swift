import CuffCore

extension DeviceAddress {
    /// Whether the address denotes this device. `auto` denotes none.
    package func matches(_ device: PluggedDevice) -> Bool {
        switch self {
        case .automatic, .tcp, .tcpListen, .other: false
        case .node(let path): device.node == path || device.links.contains(path)
        case .usb(let id, let serial, let channel):
            device.usb.map { $0.id == id && (serial == nil || $0.serial == serial) } == true
                && (channel == nil || device.channel ?? "0" == channel)
        case .port(let port, let channel):
            device.usb?.port == port && (channel == nil || device.channel ?? "0" == channel)
        }
    }

    /// How specific the address is: if several denote a device, the most specific one wins.
    var closeness: Int {
        switch self {
        case .automatic: 0
        case .usb(_, nil, let channel): channel == nil ? 1 : 2
        case .node: 3
        case .port(_, let channel): channel == nil ? 4 : 5
        case .usb(_, _, let channel): channel == nil ? 6 : 7
        case .tcp, .tcpListen, .other: 8
        }
    }

    /// Whether it exists without hotplug events: network addresses, pseudo terminals, links of the user.
    public var isOutsideHotplug: Bool {
        switch self {
        case .tcp, .tcpListen, .other: true
        case .node(let path): !Self.pluggedPrefixes.contains { path.hasPrefix($0) }
        case .automatic, .usb, .port: false
        }
    }

    private static let pluggedPrefixes = [
        "/dev/ttyUSB", "/dev/ttyACM", "/dev/ttyS", "/dev/ttyAMA", "/dev/hidraw", "/dev/serial/", "/dev/cuff/", "/dev/bus/usb/",
    ]

    /// Why no driver can be assigned to it; `nil` if one can.
    var assignmentRefusal: String? {
        switch self {
        case .automatic: "`auto` names no device to assign a driver to"
        case .tcpListen(let host, let port): "a watch accepts cuffs that call with --listen \(HostPort(host: host, port: port))=DRIVER"
        case .node, .usb, .port, .tcp, .other: nil
        }
    }

    /// The device of the address. `auto` denotes the only claimed device; with several, throws.
    package func resolve(
        among devices: [PluggedDevice], assignments: [Assignment] = [], drivers: [CuffDriver] = CuffFamilies.all
    ) throws(ResolutionFault) -> DeviceTarget {
        switch self {
        case .tcp, .tcpListen, .other: return .place(self)
        case .automatic, .node, .usb, .port: break
        }
        let found = devices.filter { device in
            self == .automatic
                ? Claiming.verdict(on: device, assignments: assignments, drivers: drivers).driver != nil : matches(device)
        }
        if let only = found.first, found.count == 1 { return .plugged(only) }
        if found.count > 1 { throw .ambiguous(self, found) }
        // The path may exist although enumeration does not list it; opening it will show.
        if case .node = self { return .place(self) }
        throw .notFound(self, present: devices)
    }
}
