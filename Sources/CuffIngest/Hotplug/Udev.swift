import CUdev
import CuffCore
import Glibc

/// A libudev context. libudev is not thread-safe: use it from one queue.
final class Udev {
    let context: OpaquePointer

    init() throws(HotplugFault) {
        guard let context = udev_new() else { throw HotplugFault("udev_new", Glibc.errno) }
        self.context = context
    }

    deinit { udev_unref(context) }

    /// Without udevd, libudev's "udev" monitor never reports anything.
    static var hasDaemon: Bool { access("/run/udev/control", F_OK) == 0 }

    func plugged() throws(HotplugFault) -> [PluggedDevice] {
        try enumerate { enumeration in
            for subsystem in TransportKind.subsystems() { udev_enumerate_add_match_subsystem(enumeration, subsystem) }
        }.compactMap(PluggedDevice.init)
    }

    /// Every USB device, with or without a node, with its interfaces.
    func usb() throws(HotplugFault) -> [(device: USBDevice, interfaces: [SysfsNode])] {
        let chains = try enumerate { udev_enumerate_add_match_subsystem($0, "usb") }
        return chains.compactMap { chain in
            guard let own = chain.first, let device = USBDevice(own) else { return nil }
            return (
                device,
                chains.compactMap(\.first).filter {
                    $0.devtype == "usb_interface" && $0.path.hasPrefix(own.path + "/")
                        && !$0.path.dropFirst(own.path.count + 1).contains("/")
                }
            )
        }
    }

    private func enumerate(_ match: (OpaquePointer) -> Void) throws(HotplugFault) -> [[SysfsNode]] {
        guard let enumeration = udev_enumerate_new(context) else {
            throw HotplugFault("udev_enumerate_new", Glibc.errno)
        }
        defer { udev_enumerate_unref(enumeration) }
        match(enumeration)
        let result = udev_enumerate_scan_devices(enumeration)
        // A container may have no /sys/class/tty: no devices, not an error.
        guard result >= 0 || result == -ENOENT else { throw HotplugFault("udev_enumerate_scan_devices", -result) }
        var chains: [[SysfsNode]] = []
        var entry = udev_enumerate_get_list_entry(enumeration)
        while let current = entry {
            if let path = udev_list_entry_get_name(current),
                let device = udev_device_new_from_syspath(context, path)
            {
                chains.append(Self.chain(device))
                udev_device_unref(device)
            }
            entry = udev_list_entry_get_next(current)
        }
        return chains
    }

    /// The device's node and its parents. Parents belong to the device and are not released.
    static func chain(_ device: OpaquePointer) -> [SysfsNode] {
        var nodes = [node(device)]
        // The kernel's copy of the descriptors: reading it causes no USB traffic and needs no privilege.
        if nodes[0].subsystem == "usb", nodes[0].devtype == "usb_device" {
            let limit = USBTransport.longestDescriptors
            let descriptors = SmallFile.bytes(nodes[0].path + "/descriptors", limit: limit) ?? []
            nodes[0].healthcare = PHDCInterface(Array(descriptors.prefix(limit)))
        }
        var parent = udev_device_get_parent(device)
        // sysfs is no deeper than the bus topology allows: USB has 7 tiers, each 2 levels, plus PCI bridges.
        while let current = parent, nodes.count < 64 {
            nodes.append(node(current))
            parent = udev_device_get_parent(current)
        }
        return nodes
    }

    static func syspath(_ device: OpaquePointer) -> String { text(udev_device_get_syspath(device)) ?? "" }

    private static func node(_ device: OpaquePointer) -> SysfsNode {
        var node = SysfsNode(
            path: syspath(device), subsystem: text(udev_device_get_subsystem(device)),
            devtype: text(udev_device_get_devtype(device)), driver: text(udev_device_get_driver(device)),
            node: text(udev_device_get_devnode(device)))
        for name in SysfsNode.wantedAttributes {
            if let value = text(udev_device_get_sysattr_value(device, name)) { node.attributes[name] = value }
        }
        for name in SysfsNode.wantedProperties {
            if let value = text(udev_device_get_property_value(device, name)) { node.properties[name] = value }
        }
        var link = udev_device_get_devlinks_list_entry(device)
        while let current = link {
            if let name = text(udev_list_entry_get_name(current)) { node.links.append(name) }
            link = udev_list_entry_get_next(current)
        }
        return node
    }

    static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}
