import CuffCore

/// What is plugged in now. `HotplugWatcher` follows changes.
package enum DeviceEnumeration {
    /// Serial and HID nodes, and USB devices whose own node is read, in the order of their nodes.
    package static func plugged() throws(HotplugFault) -> [PluggedDevice] {
        var table = DeviceTable()
        _ = table.reconcile(try Udev().plugged())
        return table.devices
    }

    /// As `plugged`, for a list that is printed.
    package static func listed() throws(IngestError) -> [PluggedDevice] {
        do throws(HotplugFault) { return try plugged() } catch { throw IngestError(DeviceFault.cannotList(error)) }
    }

    package static func usb() throws(HotplugFault) -> [(device: USBDevice, interfaces: [SysfsNode])] {
        try Udev().usb()
    }
}
