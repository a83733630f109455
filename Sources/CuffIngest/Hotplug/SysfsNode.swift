import CuffCore

/// One directory of sysfs as the kernel and udev describe it: what this program reads of it and nothing else.
/// A device is the chain of these from its own node up to the root of the bus, so that everything decided about a device
/// can be tested without one.
package struct SysfsNode: Sendable, Hashable {
    /// The path below `/sys`, e.g. `/sys/devices/…/ttyUSB0/tty/ttyUSB0`.
    package var path: String
    package var subsystem: String?
    /// DEVTYPE, e.g. `usb_device`; `nil` for none.
    package var devtype: String?
    package var driver: String?
    /// `/dev/…`, where the node has one.
    package var node: String?
    package var links: [String]
    package var properties: [String: String]
    /// sysfs attributes by name, trimmed.
    package var attributes: [String: String]
    /// The interface of the USB healthcare class, where the node is a USB device that has one.
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
        // A device brings its own strings along; they reach terminals and logs.
        self.attributes = attributes.mapValues { StandardErrorLog.harmless($0) }
    }

    /// The last part of the path; for a USB device the socket it sits in, e.g. `1-1.2`.
    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The attributes that are read; everything else in sysfs is left alone.
    static let wantedAttributes = [
        "idVendor", "idProduct", "serial", "bcdDevice", "manufacturer", "product", "busnum", "devnum",
        "bInterfaceNumber", "bInterfaceClass", "port_number", "type",
    ]
    static let wantedProperties = [
        "ID_PATH", "ID_CUFF", "ID_CUFF_DRIVER", "ID_MM_DEVICE_IGNORE", "ID_MM_PORT_IGNORE", "HID_ID", "HID_NAME",
    ]
}
