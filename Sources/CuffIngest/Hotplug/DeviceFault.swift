/// Errors in listing or selecting devices.
package enum DeviceFault: Fault {
    case cannotList(HotplugFault)
    case cannotWatch(HotplugFault)
    case cannotExamine(String, HotplugFault)
    case saysTooMuch(String)
    /// No driver was given and none claims the device.
    case unclaimed(String)
    case nothingPluggedIn
    case notPluggedIn(String)
    /// udev rules identify devices by their USB ids.
    case notUSB(String)
    /// Its ids are not a cuff's, and a HID or USB device is never opened just to listen.
    case notSerial(String)
    case noDeviceForRule

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .cannotList(let fault): (.osError, "cannot list devices: \(fault)")
        case .cannotWatch(let fault): (.osError, "cannot watch for devices: \(fault)")
        case .cannotExamine(let name, let fault): (.osError, "cannot look at \(name): \(fault)")
        case .saysTooMuch(let text): (.usage, "`\(text)` says more than where the cuff is: only `,driver=ID` may follow a device here")
        case .unclaimed(let text): (.usage, "cannot tell which cuff is on \(text): no driver claims it")
        case .nothingPluggedIn: (.unavailable, "nothing is plugged in that could be a cuff: there is no tty or hidraw device of a USB port")
        case .notPluggedIn(let name): (.unavailable, "\(name) is not plugged in")
        case .notUSB(let name): (.unavailable, "\(name) is not a USB device: udev rules know devices by their USB ids")
        case .notSerial(let address):
            (.usage, "\(address) is not a serial port: its ids name no cuff, and a HID or USB device is never opened to listen to it")
        case .noDeviceForRule: (.usage, "a rule is for one device: none was named")
        }
    }
}
