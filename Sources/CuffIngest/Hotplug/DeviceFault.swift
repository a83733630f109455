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

    /// What kind of failure it is.
    public var status: RunStatus {
        switch self {
        case .cannotList, .cannotWatch, .cannotExamine: .osError
        case .saysTooMuch, .unclaimed, .notSerial, .noDeviceForRule: .usage
        case .nothingPluggedIn, .notPluggedIn, .notUSB: .unavailable
        }
    }

    /// What happened, in one plain line.
    public var description: String {
        switch self {
        case .cannotList(let fault): "cannot list devices: \(fault)"
        case .cannotWatch(let fault): "cannot watch for devices: \(fault)"
        case .cannotExamine(let name, let fault): "cannot look at \(name): \(fault)"
        case .saysTooMuch(let text): "`\(text)` says more than where the cuff is: only `,driver=ID` may follow a device here"
        case .unclaimed(let text): "cannot tell which cuff is on \(text): no driver claims it"
        case .nothingPluggedIn: "nothing is plugged in that could be a cuff: there is no tty or hidraw device of a USB port"
        case .notPluggedIn(let name): "\(name) is not plugged in"
        case .notUSB(let name): "\(name) is not a USB device: udev rules know devices by their USB ids"
        case .notSerial(let address):
            "\(address) is not a serial port: its ids name no cuff, and a HID or USB device is never opened to listen to it"
        case .noDeviceForRule: "a rule is for one device: none was named"
        }
    }
}
