import Glibc

/// umockdev's simulation of /sys and udev in this process. The library is looked up at run time, so that it is not needed to
/// build the tests; without its preload (`umockdev-wrapper`) the tests are skipped.
final class HotplugTestbed: @unchecked Sendable {
    static let isAvailable: Bool = {
        let preload = getenv("LD_PRELOAD").map { String(cString: $0) } ?? ""
        return preload.contains("libumockdev-preload") && dlopen("libumockdev.so.0", RTLD_NOW | RTLD_GLOBAL) != nil
    }()
    static let howTo = "needs umockdev: Tests/hotplug.sh (apt install umockdev)"

    private let bed: OpaquePointer?

    init() {
        typealias New = @convention(c) () -> OpaquePointer?
        bed = Self.function("umockdev_testbed_new", as: New.self)()
    }

    deinit {
        typealias Unref = @convention(c) (OpaquePointer?) -> Void
        Self.function("g_object_unref", as: Unref.self)(bed)
    }

    private static func function<F>(_ name: String, as type: F.Type) -> F {
        unsafeBitCast(dlsym(nil, name), to: type)
    }

    /// In umockdev's text form; each is announced with an `add` event.
    func add(_ text: String) {
        typealias Add =
            @convention(c) (
                OpaquePointer?, UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>
            ) -> Int32
        var error: OpaquePointer?
        let done = Self.function("umockdev_testbed_add_from_string", as: Add.self)(bed, text, &error)
        if done == 0 { fatalError("umockdev refused:\n\(text)") }
    }

    func announce(_ path: String, _ action: String) {
        typealias Announce = @convention(c) (OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void
        Self.function("umockdev_testbed_uevent", as: Announce.self)(bed, path, action)
    }

    private func remove(_ path: String) {
        typealias Remove = @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> Void
        Self.function("umockdev_testbed_remove_device", as: Remove.self)(bed, path)
    }

    func unplug(_ path: String) {
        announce(path, "remove")
        vanish(path)
    }

    /// Removes the node, its port, interface and USB device without an event.
    func vanish(_ path: String) {
        let parts = path.split(separator: "/")
        for dropped in [0, 2, 3, 4] { remove("/" + parts.dropLast(dropped).joined(separator: "/")) }
    }

    /// An FTDI adapter, parents first, so that the node's event finds them. umockdev creates each node only once; a test that
    /// reuses a name does without.
    static func adapter(
        _ serial: String, socket: Int, node: String, address: Int, makesNode: Bool = true
    ) -> (path: String, text: String) {
        let usb = "/devices/pci0000:00/0000:00:14.0/usb1/1-\(socket)"
        let minor = address  // umockdev never forgets a number
        let path = "\(usb)/1-\(socket):1.0/\(node)/tty/\(node)"
        let link = "serial/by-id/usb-FTDI_FT232R_USB_UART_\(serial)-if00-port0"
        return (
            "/sys" + path,
            """
            P: \(usb)
            E: DEVTYPE=usb_device
            E: SUBSYSTEM=usb
            E: PRODUCT=403/6001/600
            A: busnum=1\\n
            A: devnum=\(address)\\n
            A: idVendor=0403\\n
            A: idProduct=6001\\n
            A: serial=\(serial)\\n
            A: bcdDevice=0600\\n
            A: manufacturer=FTDI\\n
            A: product=FT232R USB UART\\n

            P: \(usb)/1-\(socket):1.0
            E: DEVTYPE=usb_interface
            E: SUBSYSTEM=usb
            E: DRIVER=ftdi_sio
            A: bInterfaceNumber=00\\n
            L: driver=../../../../../../../bus/usb/drivers/ftdi_sio

            P: \(usb)/1-\(socket):1.0/\(node)
            E: SUBSYSTEM=usb-serial
            E: DRIVER=ftdi_sio
            A: port_number=0\\n
            L: driver=../../../../../../../../bus/usb-serial/drivers/ftdi_sio

            P: \(path)
            \(makesNode ? "N: \(node)\nS: \(link)\n" : "")E: DEVNAME=/dev/\(node)
            E: MAJOR=188
            E: MINOR=\(minor)
            E: SUBSYSTEM=tty
            E: DEVLINKS=/dev/\(link)
            A: dev=188:\(minor)\\n
            L: device=../../../\(node)

            """
        )
    }

    static func omron(socket: Int, node: String) -> (path: String, text: String) {
        let usb = "/devices/pci0000:00/0000:00:14.0/usb1/1-\(socket)"
        let path = "\(usb)/1-\(socket):1.0/0003:0590:0028.0001/hidraw/\(node)"
        return (
            "/sys" + path,
            """
            P: \(usb)
            E: DEVTYPE=usb_device
            E: SUBSYSTEM=usb
            A: devnum=9\\n
            A: idVendor=0590\\n
            A: idProduct=0028\\n
            A: bcdDevice=0100\\n

            P: \(usb)/1-\(socket):1.0
            E: DEVTYPE=usb_interface
            E: SUBSYSTEM=usb
            E: DRIVER=usbhid
            A: bInterfaceNumber=00\\n
            L: driver=../../../../../../../bus/usb/drivers/usbhid

            P: \(usb)/1-\(socket):1.0/0003:0590:0028.0001
            E: SUBSYSTEM=hid
            E: DRIVER=hid-generic

            P: \(path)
            N: \(node)
            E: DEVNAME=/dev/\(node)
            E: MAJOR=241
            E: MINOR=0
            E: SUBSYSTEM=hidraw
            A: dev=241:0\\n
            L: device=../../../0003:0590:0028.0001

            """
        )
    }
}
