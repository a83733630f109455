import CuffCore

/// A present serial or HID node, or USB device whose own node is read, with its USB device. `Claiming` decides what may be done
/// with it, `Access` whether it can be opened.
package struct PluggedDevice: Sendable, Hashable {
    /// The path of the node, such as /dev/ttyUSB0.
    package var node: String
    package var subsystem: CuffDriver.Medium
    package var kernelDriver: String?
    /// `nil` for a built-in serial port.
    package var usb: USBDevice?
    /// Distinguishes several ports of one USB device: the interface number, and the port number if an interface has several, such
    /// as `1` or `0.2`; `nil` for the first or only one.
    package var channel: String?
    /// Symbolic links to the node made by udev.
    package var links: [String]
    /// The descriptors of the USB healthcare class; `nil` for every other node.
    package var healthcare: PHDCInterface?
    /// The path of the node's device below /sys.
    package var syspath: String
    /// Properties set by udev rules; empty without udevd.
    package var properties: [String: String]
    package var key: DeviceKey

    package init(
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
        let bySerial = usb.flatMap { usb in usb.uniqueSerial.map { "usb:\(usb.id):\($0)" } }
        self.key = bySerial.map { DeviceKey($0 + suffix) } ?? byPort
    }

    /// From a device node and its parents; `nil` for consoles, pseudo terminals, ports without hardware and anything else that
    /// cannot be a cuff.
    package init?(_ chain: [SysfsNode]) {
        guard let own = chain.first, let node = own.node,
            let subsystem = own.subsystem.flatMap(CuffDriver.Medium.init(rawValue:))
        else { return nil }
        let parents = chain.dropFirst()
        // Virtual consoles and pty masters have no parent; a real port has hardware above it.
        guard !parents.isEmpty else { return nil }
        let usbNode = (subsystem == .usb ? chain[...] : parents).first { $0.subsystem == "usb" && $0.devtype == "usb_device" }
        let usb = usbNode.flatMap(USBDevice.init)
        // All other USB devices have a node of a kernel driver, or no driver here reads them.
        if subsystem == .usb, own.healthcare == nil, !(usb.map { Self.ownNodes.contains($0.id) } ?? false) { return nil }
        let interface = parents.first { $0.subsystem == "usb" && $0.devtype == "usb_interface" }
        // `type` 0 is an 8250 slot without a chip.
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

    /// By the USB port; a built-in port by its node.
    var byPort: DeviceKey { usb.map { DeviceKey("port:\($0.port)" + suffix) } ?? DeviceKey(node) }

    /// The identity of readings of a cuff that is claimed by its own USB ids and has no serial number: these ids. By port, its
    /// memory would be stored again after a move to another port.
    var byOwnID: String? {
        guard let usb, usb.uniqueSerial == nil else { return nil }
        return "usb:\(usb.id)" + suffix
    }

    private var suffix: String { channel.map { "#" + $0 } ?? "" }

    /// Whether this is the same device since it was plugged in: the kernel reuses every name at once.
    func isSamePlugging(as other: PluggedDevice) -> Bool {
        syspath == other.syspath && node == other.node && usb?.address == other.usb?.address && usb?.id == other.usb?.id
            && usb?.serial == other.usb?.serial
    }

    /// One line for the user.
    package var summary: String {
        guard let usb else { return "\(node), built-in port" }
        let name = [usb.manufacturer, usb.product].compactMap { $0 }.joined(separator: " ")
        return "\(node), USB \(usb.id)\(name.isEmpty ? "" : " \(name)") at port \(usb.port)"
    }
}
