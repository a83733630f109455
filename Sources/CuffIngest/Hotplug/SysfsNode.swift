import CuffCore

/// The attributes of one sysfs directory that this program reads. A device is the chain of these up to the root of the bus, so
/// all decisions about a device can be tested without one.
package struct SysfsNode: Sendable, Hashable {
    /// The path below `/sys`, such as `/sys/devices/…/ttyUSB0/tty/ttyUSB0`.
    package var path: String
    package var subsystem: String?
    /// DEVTYPE, such as `usb_device`.
    package var devtype: String?
    package var driver: String?
    /// `/dev/…`, if there is a node.
    package var node: String?
    package var links: [String]
    package var properties: [String: String]
    /// sysfs attributes by name, trimmed.
    package var attributes: [String: String]
    /// The descriptors of the USB healthcare class, if it is a USB device of that class.
    package var healthcare: PHDCInterface?

    package init(
        path: String, subsystem: String? = nil, devtype: String? = nil, driver: String? = nil, node: String? = nil,
        links: [String] = [], properties: [String: String] = [:], attributes: [String: String] = [:],
        healthcare: PHDCInterface? = nil
    ) {
        self.path = path
        self.subsystem = subsystem
        self.devtype = devtype
        self.driver = driver
        self.node = node
        self.links = links
        self.properties = properties
        self.healthcare = healthcare
        // Strings of the device reach terminals and logs.
        self.attributes = attributes.mapValues { StandardErrorLog.harmless($0) }
    }

    /// The last part of the path; for a USB device the port, such as `1-1.2`.
    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    static let wantedAttributes = [
        "idVendor", "idProduct", "serial", "bcdDevice", "manufacturer", "product", "busnum", "devnum",
        "bInterfaceNumber", "bInterfaceClass", "port_number", "type",
    ]
    static let wantedProperties = [
        "ID_PATH", "ID_CUFF", "ID_CUFF_DRIVER", "ID_MM_DEVICE_IGNORE", "ID_MM_PORT_IGNORE", "HID_ID", "HID_NAME",
    ]
}
