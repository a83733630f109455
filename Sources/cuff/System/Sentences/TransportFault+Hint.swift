import CuffIngest
import Glibc

extension TransportFault: Hinted {
    var hint: String {
        switch self {
        case .unplugged: "plug it in again; what is stored already is not stored twice"
        case .failed: "check the cable; `dmesg` tells what the kernel saw"
        case .cannotOpen(let path, let number, _):
            switch number {
            case ENOENT, ENODEV, ENXIO: "`cuff list` shows what is plugged in"
            case EACCES, EPERM:
                "sudo usermod -aG dialout $USER (then log in again), or install the udev rules; `cuff doctor \(path)` tells more"
            case EBUSY, EWOULDBLOCK: "end that program (`fuser \(path)` names it) and try again"
            case EISDIR: "name the device in it"
            default: "unplug it and plug it in again; `dmesg` tells what the kernel saw"
            }
        case .notASerialPort: "name one of /dev/ttyUSB*, /dev/ttyACM*, /dev/serial/by-id/*; a file of bytes goes to `cuff decode`"
        case .notHID: "`cuff list` shows HID cuffs; a simulated one is made with `cuff simulate … --uhid /dev/uhid`"
        case .notHealthcare, .noBulkPipes: "`cuff list` shows what is plugged in"
        case .lineRefused: "try another adapter, or another rate with --line"
        case .notAPort: "write a port, e.g. 3001"
        case .unknownHost: "check the host's name"
        case .unreachable(_, ECONNREFUSED): "nothing listens on that port; start the program that serves the cuff"
        case .unreachable: "check host and port"
        case .cannotListen(_, EADDRINUSE): "choose another port"
        case .cannotListen(_, EACCES): "choose a port from 1024 on: those below are root's"
        case .cannotListen(_, EAFNOSUPPORT):
            "the service may not use the network (RestrictAddressFamilies=): `sudo cuff setup --system` writes a drop-in that permits it"
        case .cannotListen: "name an address of this computer (`ip address` lists them), or leave it out for 127.0.0.1"
        }
    }
}

extension LinkFault: Hinted {
    var hint: String {
        switch self {
        case .lost(_, let fault): fault.hint
        case .closedUnused: "the serial port behind it may be in use or missing; the log of the program that serves it may say why"
        }
    }
}

extension AddressFault: Hinted {
    var hint: String { "write e.g. /dev/ttyUSB0; `cuff list` shows what is plugged in" }
}

extension ResolutionFault: Hinted {
    var hint: String { "`cuff list` shows what is plugged in" }
}
