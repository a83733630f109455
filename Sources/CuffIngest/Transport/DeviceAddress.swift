import CuffCore
import Glibc

/// A device as the user names it on the command line or in the configuration. `auto`, `usb:` and `port:` select among connected
/// devices; all others are locations.
public enum DeviceAddress: Sendable, Hashable, CustomStringConvertible {
    case automatic
    /// A node or a link to one: `/dev/ttyUSB0`, `/dev/pts/3`, `/dev/serial/by-id/…`, `/dev/hidraw0`.
    case node(String)
    /// `usb:0403:6001` or `usb:0403:6001:A900XYZ1`; the channel is one of several ports of the device, `…#1`.
    case usb(USBID, serial: String?, channel: String?)
    /// The USB port: `port:1-1.2`, `port:1-1.2#1`.
    case port(String, channel: String?)
    /// A network serial port (ser2net): `tcp://host:port`, `tcp://[::1]:3001`. Ports are 1 to 65535.
    case tcp(host: String, port: Int)
    /// Cuffs that connect to this computer: `tcp-listen://[host][:port]`. Without a host, loopback; port 0 takes any free one.
    case tcpListen(host: String, port: Int)
    /// An address of another transport, such as an embedding program's: `scheme://rest`.
    case other(scheme: String, rest: String)

    /// The address as the user writes it, parsable.
    public var description: String {
        func tail(_ channel: String?) -> String { channel.map { "#" + $0 } ?? "" }
        return switch self {
        case .automatic: "auto"
        case .node(let path): path
        case .usb(let id, let serial, let channel): "usb:\(id)" + (serial.map { ":" + $0 } ?? "") + tail(channel)
        case .port(let port, let channel): "port:\(port)" + tail(channel)
        case .tcp(let host, let port): "tcp://\(HostPort(host: host, port: port))"
        case .tcpListen(let host, let port): "tcp-listen://\(HostPort(host: host, port: port))"
        case .other(let scheme, let rest): "\(scheme)://\(rest)"
        }
    }

    /// Parses an address of any kind. `ttyUSB0` is /dev/ttyUSB0; `./` and `../` are relative to the current folder.
    /// - Throws: An `AddressFault` for anything else.
    public init(_ text: String) throws(AddressFault) { try self.init(text, among: TransportKind.all) }

    /// An address of one of `kinds`.
    package init(_ text: String, among kinds: [TransportKind]) throws(AddressFault) {
        for kind in kinds {
            guard let address = try kind.parse(text) else { continue }
            self = address
            return
        }
        var information = stat()
        if !text.contains("/"), stat(text, &information) == 0, information.st_mode & S_IFMT != S_IFDIR {
            throw AddressFault(text, "did you mean ./\(text)?")
        } else if USBID(text) != nil {
            throw AddressFault(text, "did you mean usb:\(text)?")
        } else if Self.isPort(text[...]) {
            throw AddressFault(text, "did you mean port:\(text)?")
        }
        throw AddressFault(text, "a device is one of \(TransportKind.forms(kinds))")
    }

    /// `1-1.2`: the bus, then the ports of the hubs.
    static func isPort(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, UInt8(parts[0]) != nil else { return false }
        let ports = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return ports.count <= 7 && ports.allSatisfy { UInt8($0) != nil && $0.first != "+" }
    }
}

/// An unparsable device address, with the reason.
public struct AddressFault: Fault {
    /// The text.
    public var text: String
    /// In lower case and without a full stop.
    public var reason: String
    /// A usage error.
    public var statement: (status: RunStatus, text: String) { (.usage, "cannot understand `\(text)`: \(reason)") }

    /// For the parsers of transports.
    public init(_ text: some StringProtocol, _ reason: String) {
        self.text = String(text)
        self.reason = reason
    }
}

/// A host and a TCP port: `host:3001`, with an IPv6 address in brackets, `[::1]:3001`.
package struct HostPort: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address without brackets; may be empty.
    package var host: String
    /// 0 to 65535.
    package var port: Int

    /// Sets each property; nothing is checked.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `HOST:PORT`; `address` is the whole text for messages. `listeningAt` makes host and port optional and gives the
    /// default port; port 0 is allowed then.
    package init(_ text: some StringProtocol, of address: String, listeningAt ownPort: Int? = nil) throws(AddressFault) {
        let isListening = ownPort != nil
        var host = String(text)
        var port = ownPort
        if let colon = host.lastIndex(of: ":"), host.last != "]" {
            let number = host[host.index(after: colon)...]
            guard let read = UInt16(number), read > 0 || isListening, number.allSatisfy(\.isNumber) else {
                throw AddressFault(address, "the port is a number from \(isListening ? 0 : 1) to 65535")
            }
            port = Int(read)
            host = String(host[..<colon])
        }
        guard let port else { throw AddressFault(address, "the port is missing, as in tcp://host:3001") }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw AddressFault(address, "write an IPv6 address in brackets, as in tcp://[::1]:3001")
        }
        guard !host.isEmpty || isListening else { throw AddressFault(address, "the host is missing, as in tcp://host:3001") }
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }) else { throw AddressFault(address, "invalid host name") }
        self.init(host: host, port: port)
    }

    /// `host:3001`, `[::1]:3001`.
    package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
