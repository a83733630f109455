import CuffCore

/// A serial or HID node, or a USB device whose own node is read, that is there now, with the USB device it belongs to. It says what is
/// plugged in, not what may be done with it (`Claiming`) nor whether it can be opened (`Access`).
public struct PluggedDevice: Sendable, Hashable {
    /// The path of the node, e.g. /dev/ttyUSB0.
    public var node: String
    /// The kernel subsystem of the node: what a driver speaks over there.
    public var subsystem: CuffDriver.Medium
    /// The kernel driver of the interface; `nil` where it is unknown.
    public var kernelDriver: String?
    /// `nil` for a built-in serial port.
    public var usb: USBDevice?
    /// Which of several ports of one USB device: the interface number, and the port number behind it where an interface
    /// has several, e.g. `1` or `0.2`; `nil` for the first or only one.
    public var channel: String?
    /// Symbolic links to the node that udev made.
    public var links: [String]
    /// What a device of the USB healthcare class says it is; `nil` for every other node.
    public var healthcare: PHDCInterface?
    /// The path of the node's device below /sys.
    public var syspath: String
    /// What udev's rules said about it, or nothing where no udevd runs.
    public var properties: [String: String]
    /// The name that stays with the device.
    public var key: DeviceKey

    /// Sets each property as given.
    public init(
        node: String, subsystem: CuffDriver.Medium, kernelDriver: String? = nil, usb: USBDevice? = nil, channel: String? = nil,
        links: [String] = [], healthcare: PHDCInterface? = nil, syspath: String, properties: [String: String] = [:]
    ) {
        self.node = node
        self.subsystem = subsystem
        self.kernelDriver = kernelDriver
        self.usb = usb
        self.channel = channel
        self.links = links
        self.healthcare = healthcare
        self.syspath = syspath
        self.properties = properties
        self.key = DeviceKey("")
        self.key = bySerial ?? byPort
    }

    /// The device whose chain of nodes, itself first, this is; `nil` for consoles, pseudo terminals, ports without
    /// hardware and everything else no cuff can sit behind.
    package init?(_ chain: [SysfsNode]) {
        guard let own = chain.first, let node = own.node,
            let subsystem = own.subsystem.flatMap(CuffDriver.Medium.init(rawValue:))
        else { return nil }
        let parents = chain.dropFirst()
        // Virtual consoles and pty masters hang in the air; a real port has hardware above it.
        guard !parents.isEmpty else { return nil }
        let usbNode = (subsystem == .usb ? chain[...] : parents).first { $0.subsystem == "usb" && $0.devtype == "usb_device" }
        let usb = usbNode.flatMap(USBDevice.init)
        // Of all others a kernel driver makes another node, or nobody reads them.
        if subsystem == .usb, own.healthcare == nil, !(usb.map { Self.ownNodes.contains($0.id) } ?? false) { return nil }
        let interface = parents.first { $0.subsystem == "usb" && $0.devtype == "usb_interface" }
        // `type` 0 is an 8250 slot of which the kernel found no chip.
        if usbNode == nil && own.attributes["type"] == "0" { return nil }
        var properties: [String: String] = [:]
        for level in chain.reversed() { properties.merge(level.properties) { $1 } }
        self.init(
            node: node, subsystem: subsystem,
            kernelDriver: subsystem == .usb ? nil : interface?.driver ?? parents.lazy.compactMap(\.driver).first,
            usb: usb, channel: Self.channel(parents, interface: interface),
            links: own.links.sorted(), healthcare: own.healthcare, syspath: own.path, properties: properties)
    }

    /// The ids of cuffs that no kernel driver takes.
    private static let ownNodes = Set(CuffFamilies.all.filter { $0.medium == .usb }.flatMap(\.claims).map(\.id))

    private static func channel(_ parents: ArraySlice<SysfsNode>, interface: SysfsNode?) -> String? {
        guard let interface else { return nil }
        let number = interface.attributes["bInterfaceNumber"].flatMap { Int($0, radix: 16) } ?? 0
        let port = parents.lazy.compactMap { $0.attributes["port_number"] }.first.flatMap { Int($0) } ?? 0
        return port > 0 ? "\(number).\(port)" : number > 0 ? "\(number)" : nil
    }

    /// By serial number, where there is one that tells pieces apart.
    var bySerial: DeviceKey? {
        guard let usb, let serial = usb.uniqueSerial else { return nil }
        return DeviceKey("usb:\(usb.id):\(serial)" + suffix)
    }

    /// By the socket; a built-in port is its own socket.
    var byPort: DeviceKey { usb.map { DeviceKey("port:\($0.port)" + suffix) } ?? DeviceKey(node) }

    /// Under which name its readings are kept, when a driver claims it for the cuff's own USB ids and it has no serial number:
    /// by these ids. The same cuff at another socket is the same cuff; by the socket its memory would be stored twice.
    var byOwnID: String? {
        guard let usb, usb.uniqueSerial == nil else { return nil }
        return "usb:\(usb.id)" + suffix
    }

    private var suffix: String { channel.map { "#" + $0 } ?? "" }

    /// The link below /dev/serial/by-id; `nil` for none.
    public var byIDLink: String? { links.first { $0.hasPrefix("/dev/serial/by-id/") } }
    /// The link below /dev/serial/by-path; `nil` for none.
    public var byPathLink: String? { links.first { $0.hasPrefix("/dev/serial/by-path/") } }

    /// Whether this is the same plugging-in of the same device: the kernel reuses every name at once.
    func isSamePlugging(as other: PluggedDevice) -> Bool {
        syspath == other.syspath && node == other.node && usb?.address == other.usb?.address && usb?.id == other.usb?.id
            && usb?.serial == other.usb?.serial
    }

    /// One line for a person.
    public var summary: String {
        guard let usb else { return "\(node), built-in port" }
        let name = [usb.manufacturer, usb.product].compactMap { $0 }.joined(separator: " ")
        return "\(node), USB \(usb.id)\(name.isEmpty ? "" : " \(name)") at port \(usb.port)"
    }
}
