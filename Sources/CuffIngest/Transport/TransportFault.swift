import CuffCore
import Glibc

/// Errors in opening a device, and reasons for a transport's end.
public enum TransportFault: Fault {
    case unplugged
    /// A call failed while the transport was open, or a connection was never established.
    case failed(call: String, errno: Int32)
    /// `holder`: the process that uses the device, if known.
    case cannotOpen(String, errno: Int32, holder: String? = nil)
    case notASerialPort(String)
    /// A cuff that uses HID needs a hidraw node.
    case notHID(String)
    /// A USB device without an interface of the personal healthcare class.
    case notHealthcare(String)
    /// A USB device without an interface that has a bulk endpoint in each direction.
    case noBulkPipes(String)
    case lineRefused(String, LineSettings, errno: Int32)
    case notAPort(String)
    /// `reason` is the resolver's.
    case unknownHost(String, reason: String)
    case unreachable(String, errno: Int32)
    case cannotListen(String, errno: Int32)

    /// The kind of failure, and a message.
    public var statement: (status: RunStatus, text: String) {
        func text(_ number: Int32) -> String { SystemFault.lowercased(number) }
        return switch self {
        case .unplugged: (.inputOutput, "the device was unplugged")
        case .failed(let call, let number): (.inputOutput, "\(call): \(text(number))")
        case .cannotOpen(let path, let number, let holder):
            switch number {
            case ENOENT, ENODEV, ENXIO: (.unavailable, "there is no device \(path): \(text(number))")
            case EBUSY, EWOULDBLOCK: (.tryAgain, "\(path) is busy: \(holder ?? "another program holds it")")
            case EISDIR: (.noInput, "\(path) is a directory")
            case EACCES, EPERM: (.noPermission, "cannot open \(path): \(text(number))")
            default: (.inputOutput, "cannot open \(path): \(text(number))")
            }
        case .notASerialPort(let path): (.noInput, "\(path) is not a serial port: it is not a terminal device")
        case .notHID(let path):
            (.usage, "\(path) is a terminal, and this cuff uses HID: its reports need a node such as /dev/hidraw0")
        case .notHealthcare(let address): (.usage, "\(address) is not a personal healthcare device: it has no interface of USB class 0F")
        case .noBulkPipes(let address): (.usage, "\(address) has no USB interface with a bulk endpoint in each direction")
        case .lineRefused(let path, let line, let number): (.badConfiguration, "\(path) does not support \(line.text): \(text(number))")
        case .notAPort(let service): (.usage, "`\(service)` is not a TCP port: a port is a number from 0 to 65535")
        case .unknownHost(let address, let reason): (.unavailable, "cannot reach \(address): \(reason)")
        case .unreachable(let address, let number): (.unavailable, "cannot reach \(address): \(text(number))")
        case .cannotListen(let address, let number):
            (number == EADDRINUSE ? .tryAgain : .unavailable, "cannot listen on \(address): \(text(number))")
        }
    }

    /// The error if the connection to `address` was never established; else `nil`.
    func neverOpened(_ address: String) -> TransportFault? {
        guard case .failed("connect", let number) = self else { return nil }
        return .unreachable(address, errno: number)
    }
}

extension IngestError {
    static func device(_ path: String, _ number: Int32, holder: String? = nil) -> IngestError {
        IngestError(TransportFault.cannotOpen(path, errno: number, holder: holder))
    }
}
