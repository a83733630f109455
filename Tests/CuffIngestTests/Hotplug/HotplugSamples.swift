import CuffCore
import CuffIngest

/// Devices as sysfs describes them.
enum HotplugSample {
    static let hub = SysfsNode(
        path: "/sys/devices/pci0/usb1", subsystem: "usb", devtype: "usb_device", driver: "usb",
        attributes: ["idVendor": "1d6b", "idProduct": "0002"])

    /// An FTDI adapter at port 1-1.2.
    static func adapter(
        ids: String = "0403:6001", serial: String? = "A900XYZ1", port: String = "1-1.2", node: String = "ttyUSB0",
        driver: String = "ftdi_sio", interface: String = "00", portNumber: String = "0", address: String = "7",
        links: [String] = []
    ) -> [SysfsNode] {
        let parts = ids.split(separator: ":").map(String.init)
        let usb = "/sys/devices/pci0/usb1/\(port)"
        var attributes = [
            "idVendor": parts[0], "idProduct": parts[1], "bcdDevice": "0600", "devnum": address,
            "manufacturer": "FTDI", "product": "FT232R USB UART",
        ]
        attributes["serial"] = serial
        return [
            SysfsNode(
                path: "\(usb)/\(port):1.0/\(node)/tty/\(node)", subsystem: "tty", node: "/dev/\(node)", links: links,
                attributes: ["dev": "188:0"]),
            SysfsNode(
                path: "\(usb)/\(port):1.0/\(node)", subsystem: "usb-serial", driver: driver,
                attributes: ["port_number": portNumber]),
            SysfsNode(
                path: "\(usb)/\(port):1.0", subsystem: "usb", devtype: "usb_interface", driver: driver,
                attributes: ["bInterfaceNumber": interface]),
            SysfsNode(
                path: usb, subsystem: "usb", devtype: "usb_device", driver: "usb", attributes: attributes),
            hub,
        ]
    }

    /// A HID cuff: the ids are those of its parents.
    static func hid(
        ids: String = "0590:0028", bcdDevice: String = "0100", port: String = "1-3", node: String = "hidraw0"
    ) -> [SysfsNode] {
        let parts = ids.split(separator: ":").map(String.init)
        let usb = "/sys/devices/pci0/usb1/\(port)"
        return [
            SysfsNode(path: "\(usb)/\(port):1.0/0003/hidraw/\(node)", subsystem: "hidraw", node: "/dev/\(node)"),
            SysfsNode(path: "\(usb)/\(port):1.0/0003", subsystem: "hid", driver: "hid-generic"),
            SysfsNode(
                path: "\(usb)/\(port):1.0", subsystem: "usb", devtype: "usb_interface", driver: "usbhid",
                attributes: ["bInterfaceNumber": "00"]),
            SysfsNode(
                path: usb, subsystem: "usb", devtype: "usb_device",
                attributes: ["idVendor": parts[0], "idProduct": parts[1], "bcdDevice": bcdDevice]),
        ]
    }

    /// A device of the USB healthcare class, which has no kernel driver and no other node.
    static func healthcare(_ descriptors: [UInt8], ids: String = "cafe:0f0f", port: String = "1-4") -> [SysfsNode] {
        let parts = ids.split(separator: ":").map(String.init)
        return [
            SysfsNode(
                path: "/sys/devices/pci0/usb1/\(port)", subsystem: "usb", devtype: "usb_device", driver: "usb",
                node: "/dev/bus/usb/001/004",
                attributes: ["idVendor": parts[0], "idProduct": parts[1], "bcdDevice": "0100", "busnum": "1", "devnum": "4"],
                healthcare: PHDCInterface(descriptors)),
            hub,
        ]
    }

    static func device(_ chain: [SysfsNode]) -> PluggedDevice {
        guard let device = PluggedDevice(chain) else { fatalError("the sample is no device") }
        return device
    }

    static func driver(_ id: DriverID, _ medium: CuffDriver.Medium, _ claims: [CuffDriver.Claim]) -> CuffDriver {
        var driver = CuffDriver.andStd
        driver.id = id
        driver.medium = medium
        driver.claims = claims
        return driver
    }

    static let drivers = [
        CuffDriver.andStd,
        driver("exact-tty", .tty, [.usb(vendor: 0x1234, product: 0x0001), .shared(vendor: 0x0403, product: 0x6001)]),
        driver("exact-hid", .hidraw, [.usb(vendor: 0x0590, product: 0x0028)]),
        driver("released-hid", .hidraw, [.release(vendor: 0x0C45, product: 0x7406, bcdDevice: 0x0170)]),
    ]
}
