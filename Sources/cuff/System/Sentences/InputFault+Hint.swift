import CuffIngest
import Glibc

extension InputFault: Hinted {
    var hint: String {
        switch self {
        case .empty: "name a capture, e.g. one from `cuff record DEVICE -o FILE`"
        case .noBytes: "check what writes into it"
        case .damaged(_, "line", _, _): "correct that line; the readings before it are kept"
        case .damaged(_, let unit, _, _):
            "record it again, or cut it off before that \(unit) (editcap); the readings before it are kept"
        case .noConversation: "record it again while the cuff sends: `cuff record DEVICE -o FILE`"
        case .tooLong: "play a part of it"
        case .classicPcap: "convert it: editcap -F pcapng FILE NEW.pcapng"
        case .compressed: "gunzip it first, or pipe it in: `zcat FILE | cuff … -`"
        case .noFrame: "`cuff identify` names the family of a file"
        case .noDriver: "add --driver ID"
        case .isCapture(let name, let isStandardInput): "write `cuff replay \(isStandardInput ? "-" : name)`"
        case .hasTimes: "leave it out"
        case .isTerminal: "name a file, or pipe one in: `cat /dev/ttyUSB0 | cuff decode --driver ID`"
        case .notOfABus: "leave them out"
        case .unknownChip: "serial means CP210x, PL2303, CH340 and CDC-ACM, which carry the bytes as they are"
        case .notAUSBDevice: "write --usb BUS.ADDRESS or --usb VVVV:PPPP"
        }
    }
}

extension SimulationFault: Hinted {
    var hint: String {
        switch self {
        case .needsUHID(let driver):
            "as root: `modprobe uhid`, then `cuff simulate \(driver) --uhid /dev/uhid`, which makes a /dev/hidraw node"
        case .notHID: "leave out --uhid: it gets a pseudo terminal"
        case .speed: "give --speed a number above 0, e.g. 5"
        case .severalPlaces: "give one of --tcp, --connect and --uhid"
        case .notOneAddress: "write --connect tcp://HOST:PORT, without --tcp"
        case .noPseudoTerminal: "is /dev/pts mounted?"
        case .noLink(_, let number): number == EEXIST ? "remove it, or name another" : "name another place"
        }
    }
}
