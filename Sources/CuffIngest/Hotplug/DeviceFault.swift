/// Why it cannot be said which devices there are, or which one is meant.
public enum DeviceFault: Fault {
    case cannotList(HotplugFault)
    case cannotWatch(HotplugFault)
    case cannotExamine(String, HotplugFault)
    /// More was said than where the cuff is.
    case saysTooMuch(String)
    /// No driver claims the device, and none was named.
    case unclaimed(String)
    case nothingPluggedIn
    case notPluggedIn(String)
    /// udev rules know devices by their USB ids.
    case notUSB(String)
    /// Its ids name no cuff, and a HID or USB device is never opened to listen to it.
    case notSerial(String)
    /// A rule is for one device, and none was named.
    case noDeviceForRule

    /// What kind of failure each is, and what happened.
    public var statement: (status: RunStatus, text: String) {
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
