import CuffIngest

extension DeviceFault: Hinted {
    var hint: String {
        switch self {
        case .cannotList: "is /sys mounted?"
        case .cannotWatch: "is /sys there, and are netlink sockets permitted (RestrictAddressFamilies=AF_NETLINK)?"
        case .cannotExamine: "was it unplugged meanwhile? `cuff list` shows what is plugged in"
        case .notUSB: "a built-in port is opened to a user by the group dialout: sudo usermod -aG dialout $USER"
        case .saysTooMuch: "write --line, --option or --device"
        case .unclaimed(let text): "add --driver ID; `cuff drivers` lists them, `cuff identify \(text)` may recognise it"
        case .nothingPluggedIn: "plug it in and look at `dmesg`; an RS-232 port is named directly, e.g. `cuff doctor /dev/ttyS0`"
        case .notPluggedIn: "`cuff list` shows what is"
        case .notSerial: "`cuff list` shows what is plugged in"
        case .noDeviceForRule: "write e.g. `cuff doctor /dev/ttyUSB0 --print-rule`"
        }
    }
}
