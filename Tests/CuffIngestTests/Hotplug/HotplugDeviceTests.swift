import CuffCore
import Testing

@testable import CuffIngest

@Suite struct PluggedDeviceTests {
    @Test func adapter_IsReadFromItsUSBParent() throws {
        let device = HotplugSample.device(
            HotplugSample.adapter(links: [
                "/dev/serial/by-path/pci-0-usb-0:1.2:1.0-port0", "/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A900XYZ1-if00-port0",
            ]))
        #expect(device.node == "/dev/ttyUSB0")
        #expect(device.subsystem == .tty)
        #expect(device.kernelDriver == "ftdi_sio")
        let usb = try #require(device.usb)
        #expect(usb.id == USBID("0403:6001"))
        #expect(usb.serial == "A900XYZ1")
        #expect(usb.bcdDevice == 0x0600)
        #expect(usb.port == "1-1.2", "the nearest USB device, not the hub above it")
        #expect(device.key.description == "usb:0403:6001:A900XYZ1")
    }

    @Test func hidNode_HasTheIDsOfItsUSBDevice() {
        let device = HotplugSample.device(HotplugSample.hid())
        #expect(device.subsystem == .hidraw)
        #expect(device.kernelDriver == "usbhid")
        #expect(device.usb?.id == USBID("0590:0028"))
        #expect(device.key.description == "port:1-3", "no serial number: the socket is the key")
    }

    @Test(arguments: [nil, "", "  ", "0001", "000000000000", "0123456789ABCDEF"] as [String?])
    func serialOfEveryPiece_IsNoKey(_ serial: String?) {
        #expect(HotplugSample.device(HotplugSample.adapter(serial: serial)).key.description == "port:1-1.2")
    }

    @Test(
        arguments: [
            ("00", "0", nil), ("01", "0", "1"), ("00", "2", "0.2"), ("0a", "1", "10.1"),
        ] as [(String, String, String?)])
    func portsOfOneDevice_HaveKeysOfTheirOwn(_ interface: String, _ port: String, _ channel: String?) {
        let device = HotplugSample.device(HotplugSample.adapter(interface: interface, portNumber: port))
        #expect(device.channel == channel)
        #expect(device.key.description == "usb:0403:6001:A900XYZ1" + (channel.map { "#" + $0 } ?? ""))
    }

    @Test func whatNoCuffSitsBehind_IsNoDevice() {
        let console = SysfsNode(path: "/sys/devices/virtual/tty/tty1", subsystem: "tty", node: "/dev/tty1")
        #expect(PluggedDevice([console]) == nil)
        let platform = SysfsNode(path: "/sys/devices/platform/serial8250", subsystem: "platform", driver: "serial8250")
        var slot = SysfsNode(
            path: "/sys/devices/platform/serial8250/tty/ttyS1", subsystem: "tty", node: "/dev/ttyS1",
            attributes: ["type": "0"])
        #expect(PluggedDevice([slot, platform]) == nil, "an 8250 slot without a chip")
        slot.attributes["type"] = "4"
        #expect(PluggedDevice([slot, platform])?.key.description == "/dev/ttyS1")
        #expect(PluggedDevice(HotplugSample.adapter().dropFirst().map { $0 }) == nil, "a parent is no node")
        #expect(PluggedDevice([]) == nil)
    }

    @Test func descriptorText_CannotReachATerminal() {
        var chain = HotplugSample.adapter()
        chain[3].attributes["product"] = "\u{1B}[2JCuff\u{07} \n"
        #expect(HotplugSample.device(chain).usb?.product == "[2JCuff")
    }
}

@Suite struct DeviceTableTests {
    private let first = HotplugSample.device(HotplugSample.adapter())

    @Test func device_IsToldOnce_WhenEnumeratedAndAnnounced() {
        var table = DeviceTable()
        #expect(table.reconcile([first]) == [.plugged(first)])
        #expect(table.add(first) == [])
    }

    @Test func linksThatComeLater_AreAChange() {
        var table = DeviceTable()
        _ = table.add(first)
        var later = first
        later.links = ["/dev/serial/by-id/x"]
        #expect(table.add(later) == [.changed(later)])
    }

    @Test func nameUsedAgain_IsAnotherPlugging() {
        var table = DeviceTable()
        _ = table.add(first)
        let again = HotplugSample.device(HotplugSample.adapter(address: "8"))
        #expect(table.add(again) == [.unplugged(first), .plugged(again)], "the remove event was lost")
    }

    @Test func removal_IsKnownBySyspath() {
        var table = DeviceTable()
        _ = table.add(first)
        #expect(table.remove(syspath: "/sys/other") == [])
        #expect(table.remove(syspath: first.syspath) == [.unplugged(first)])
        #expect(table.remove(syspath: first.syspath) == [])
        #expect(table.devices.isEmpty)
    }

    @Test func lostEvents_AreFoundByCounting() {
        var table = DeviceTable()
        let gone = HotplugSample.device(HotplugSample.adapter(serial: "B", port: "1-2", node: "ttyUSB1"))
        let new = HotplugSample.device(HotplugSample.adapter(serial: "C", port: "1-3", node: "ttyUSB2"))
        _ = table.reconcile([first, gone])
        #expect(table.reconcile([new, first]) == [.unplugged(gone), .plugged(new)])
        #expect(table.devices == [first, new])
    }

    @Test func twoWithOneSerial_AreKeptApart_AndKeepTheirKeys() {
        var table = DeviceTable()
        let twin = HotplugSample.device(HotplugSample.adapter(port: "1-2", node: "ttyUSB1"))
        #expect(twin.key == first.key)
        _ = table.add(first)
        guard case .plugged(let second)? = table.add(twin).first else { return #expect(Bool(false), "not told") }
        #expect(second.key.description == "port:1-2")
        _ = table.remove(syspath: first.syspath)
        var changed = twin
        changed.links = ["/dev/x"]
        changed.key = second.key
        #expect(table.add(changed) == [.changed(changed)], "though the first is gone")
    }
}
