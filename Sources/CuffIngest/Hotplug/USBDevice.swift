import CuffCore

/// The USB device of a node, from its descriptors.
package struct USBDevice: Sendable, Hashable {
    package var id: USBID
    /// The release number, if known.
    package var bcdDevice: UInt16?
    package var serial: String?
    package var manufacturer: String?
    package var product: String?
    /// The USB port: bus and chain of hub ports, such as `1-1.2`.
    package var port: String
    /// The device number, which the kernel changes with each plugging-in.
    package var address: String?
}

extension USBDevice {
    /// `nil` unless it is a USB device with readable ids.
    package init?(_ node: SysfsNode) {
        guard node.subsystem == "usb", node.devtype == "usb_device",
            let vendor = node.attributes["idVendor"].flatMap({ USBID.number($0) }),
            let product = node.attributes["idProduct"].flatMap({ USBID.number($0) })
        else { return nil }
        self.init(
            id: USBID(vendor: vendor, product: product),
            bcdDevice: node.attributes["bcdDevice"].flatMap { USBID.number($0) },
            serial: Self.text(node.attributes["serial"]), manufacturer: Self.text(node.attributes["manufacturer"]),
            product: Self.text(node.attributes["product"]), port: node.name,
            address: node.attributes["devnum"])
    }

    /// A descriptor string without control characters and outer blanks; `nil` if empty.
    static func text(_ raw: String?) -> String? {
        guard let raw else { return nil }
        let printable = raw.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) }
        let trimmed = String(String(printable.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()).prefix(126))
        return trimmed.isEmpty ? nil : trimmed
    }

    /// The serial number, unless it is a factory default: `0001` is that of an unprogrammed CP2102; zeros and `0123456789…` are
    /// similar. Two such adapters could not be distinguished.
    package var uniqueSerial: String? {
        guard let serial, !Self.factorySerials.contains(serial.lowercased()), let first = serial.first,
            !serial.allSatisfy({ $0 == first })
        else { return nil }
        return serial
    }

    static let factorySerials: Set<String> = [
        "0001", "001", "01", "1", "123456", "1234567890", "0123456789", "12345678", "0123456789abcdef", "123456789",
        "123456789abc", "123456789abcdef", "none", "default", "serial", "n/a", "1.0", "demo 1.000",
    ]
}
