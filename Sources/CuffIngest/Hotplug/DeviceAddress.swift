import CuffCore

/// How a person names a device, on the command line and in the configuration alike.
public enum DeviceAddress: Sendable, Hashable, CustomStringConvertible {
    /// The one usable device, when there is exactly one.
    case automatic
    /// A node or a link to one: `/dev/ttyUSB0`, `/dev/pts/3`, `/dev/serial/by-id/…`.
    case node(String)
    /// `usb:0403:6001` or `usb:0403:6001:A900XYZ1`; the channel is one of several ports of the device, `…#1`.
    case usb(USBID, serial: String?, channel: String?)
    /// The socket: `port:1-1.2`, `port:1-1.2#1`.
    case port(String, channel: String?)
    /// A serial port behind the network (ser2net): `tcp://host:port`, `tcp://[::1]:3001`.
    case tcp(host: String, port: UInt16)

    /// The address as the user writes it; parsing it gives the same address.
    public var description: String {
        func tail(_ channel: String?) -> String { channel.map { "#" + $0 } ?? "" }
        return switch self {
        case .automatic: "auto"
        case .node(let path): path
        case .usb(let id, let serial, let channel): "usb:\(id)" + (serial.map { ":" + $0 } ?? "") + tail(channel)
        case .port(let port, let channel): "port:\(port)" + tail(channel)
        case .tcp(let host, let port): "tcp://" + (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
        }
    }

    /// Whether the address means this device. `auto` means none in particular.
    public func matches(_ device: PluggedDevice) -> Bool {
        switch self {
        case .automatic, .tcp: false
        case .node(let path): device.node == path || device.links.contains(path)
        case .usb(let id, let serial, let channel):
            device.usb.map { $0.id == id && (serial == nil || $0.serial == serial) } == true
                && (channel == nil || device.channel ?? "0" == channel)
        case .port(let port, let channel):
            device.usb?.port == port && (channel == nil || device.channel ?? "0" == channel)
        }
    }

    /// How closely it points: where two addresses mean one device, the closer one is meant.
    var closeness: Int {
        switch self {
        case .automatic: 0
        case .usb(_, nil, let channel): channel == nil ? 1 : 2
        case .node: 3
        case .port(_, let channel): channel == nil ? 4 : 5
        case .usb(_, _, let channel): channel == nil ? 6 : 7
        case .tcp: 8
        }
    }

    /// Whether it exists without being plugged in: the network, a pseudo terminal, a link of the user's own. What udev
    /// tells of comes and goes by its events instead.
    public var isOutsideHotplug: Bool {
        switch self {
        case .tcp: true
        case .node(let path): !Self.pluggedPrefixes.contains { path.hasPrefix($0) }
        case .automatic, .usb, .port: false
        }
    }

    private static let pluggedPrefixes = [
        "/dev/ttyUSB", "/dev/ttyACM", "/dev/ttyS", "/dev/ttyAMA", "/dev/hidraw", "/dev/serial/", "/dev/cuff/",
    ]
}

/// An unparsable device address, with the reason.
public struct AddressFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was given.
    public var text: String
    /// Why it is not an address, in lower case and without a full stop.
    public var reason: String
    /// The fault in one line.
    public var description: String { "cannot understand `\(text)`: \(reason)" }

    init(_ text: some StringProtocol, _ reason: String) {
        self.text = String(text)
        self.reason = reason
    }
}

extension DeviceAddress {
    /// What may stand for a device, for usage texts.
    public static let forms =
        "auto, /dev/ttyUSB0, /dev/serial/by-id/…, usb:VVVV:PPPP[:SERIAL], port:1-1.2, tcp://host:port"

    /// Parses an address; throws `AddressFault` for anything else.
    public init(_ text: String) throws(AddressFault) {
        if text == "auto" {
            self = .automatic
        } else if text.hasPrefix("/") {
            self = try Self.nodeAddress(text)
        } else if text.hasPrefix("usb:") {
            self = try Self.usbAddress(text)
        } else if text.hasPrefix("port:") {
            let (port, channel) = try Self.channel(text.dropFirst(5), of: text)
            guard Self.isPort(port) else {
                throw AddressFault(text, "a socket reads bus-port[.port…], as in port:1-1.2 (see `cuff list`)")
            }
            self = .port(String(port), channel: channel)
        } else if text.hasPrefix("tcp://") {
            self = try Self.tcpAddress(text)
        } else if text.hasPrefix("tty") || text.hasPrefix("hidraw") {
            throw AddressFault(text, "did you mean /dev/\(text)?")
        } else if USBID(text) != nil {
            throw AddressFault(text, "did you mean usb:\(text)?")
        } else if Self.isPort(text[...]) {
            throw AddressFault(text, "did you mean port:\(text)?")
        } else {
            throw AddressFault(text, "a device is one of \(Self.forms)")
        }
    }

    private static func nodeAddress(_ text: String) throws(AddressFault) -> DeviceAddress {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard !parts.isEmpty, !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            throw AddressFault(text, "a path has no empty, `.` or `..` parts")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw AddressFault(text, "a path has no control characters")
        }
        return .node(text)
    }

    private static func usbAddress(_ text: String) throws(AddressFault) -> DeviceAddress {
        let (body, channel) = try channel(text.dropFirst(4), of: text)
        let ids = body.prefix(9)
        guard let id = USBID(ids) else {
            throw AddressFault(text, "USB ids are four hexadecimal digits each, as in usb:0403:6001")
        }
        let rest = body.dropFirst(9)
        if rest.isEmpty { return .usb(id, serial: nil, channel: channel) }
        guard rest.first == ":", rest.count > 1 else {
            throw AddressFault(text, "the serial number follows the ids after a colon, as in usb:\(id):A900XYZ1")
        }
        return .usb(id, serial: String(rest.dropFirst()), channel: channel)
    }

    private static func tcpAddress(_ text: String) throws(AddressFault) -> DeviceAddress {
        let rest = text.dropFirst(6)
        guard let colon = rest.lastIndex(of: ":"), colon > rest.startIndex else {
            throw AddressFault(text, "the port is missing, as in tcp://host:3001")
        }
        var host = rest[..<colon]
        let number = rest[rest.index(after: colon)...]
        guard let port = UInt16(number), port > 0, number.allSatisfy(\.isNumber) else {
            throw AddressFault(text, "the port is a number from 1 to 65535")
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw AddressFault(text, "write an IPv6 address in brackets, as in tcp://[::1]:3001")
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }) else {
            throw AddressFault(text, "invalid host name")
        }
        return .tcp(host: String(host), port: port)
    }

    /// Takes `#1` or `#0.2` off the end.
    private static func channel(
        _ body: Substring, of text: String
    ) throws(AddressFault) -> (body: Substring, channel: String?) {
        guard let mark = body.lastIndex(of: "#") else { return (body, nil) }
        let channel = body[body.index(after: mark)...]
        let numbers = channel.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(numbers.count), numbers.allSatisfy({ UInt8($0) != nil }) else {
            throw AddressFault(text, "write the port number after #, as in port:1-1.2#1")
        }
        return (body[..<mark], String(channel))
    }

    /// `1-1.2`: the bus, then the ports of the hubs.
    private static func isPort(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, UInt8(parts[0]) != nil else { return false }
        let ports = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return ports.count <= 7 && ports.allSatisfy { UInt8($0) != nil && $0.first != "+" }
    }
}
