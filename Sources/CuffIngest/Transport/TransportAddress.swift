import CuffCore

/// Where a cuff is, as it is written on the command line: a path below /dev, `tcp://host:port`,
/// `tcp-listen://[host][:port]`. Names that need a look at what is plugged in (`usb:`, `port:`, `auto`) are resolved to one
/// of these before.
public enum TransportAddress: Sendable, Hashable, CustomStringConvertible {
    case path(String)
    case tcp(host: String, port: Int)
    case tcpListen(host: String, port: Int)

    /// Parses a path, `tcp://HOST:PORT` or `tcp-listen://[HOST][:PORT]`; throws a usage error for anything else.
    public init(_ text: String) throws(IngestError) {
        if let rest = Self.rest(of: text, after: "tcp-listen://") {
            let (host, port) = try Self.split(rest, text, otherwise: Self.agentPort)
            self = .tcpListen(host: host, port: port)
        } else if let rest = Self.rest(of: text, after: "tcp://") {
            let (host, port) = try Self.split(rest, text)
            guard !host.isEmpty else { throw Self.malformed(text) }
            self = .tcp(host: host, port: port)
        } else if text.isEmpty || text.contains("://") {
            throw Self.malformed(text)
        } else {
            self = .path(text)
        }
    }

    private static func rest(of text: String, after prefix: String) -> Substring? {
        text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : nil
    }

    /// Where IEEE 11073 agents call a manager, by the convention of other stacks: observed, `tcp_mode` of
    /// signove/antidote's sample agents and managers.
    public static let agentPort = 6024

    private static func split(
        _ rest: Substring, _ text: String, otherwise: Int? = nil
    ) throws(IngestError) -> (String, Int) {
        if let otherwise, !rest.contains(":") || rest.last == "]" {
            let host = rest.first == "[" && rest.last == "]" ? rest.dropFirst().dropLast() : rest
            return (String(host), otherwise)
        }
        guard let colon = rest.lastIndex(of: ":"), let port = Int(rest[rest.index(after: colon)...]), port >= 0, port < 65536
        else { throw malformed(text) }
        var host = rest[..<colon]
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        return (String(host), port)
    }

    private static func malformed(_ text: String) -> IngestError {
        IngestError(
            .usage, "invalid device `\(text)`", why: "it is neither a path nor tcp://HOST:PORT nor tcp-listen://[HOST][:PORT]",
            hint: "write e.g. /dev/ttyUSB0")
    }

    /// The address as the user writes it.
    public var description: String {
        switch self {
        case .path(let path): path
        case .tcp(let host, let port): "tcp://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .tcpListen(let host, let port): "tcp-listen://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
    }

    /// The transport for a cuff of this driver.
    public func transport(for driver: CuffDriver, line: LineSettings? = nil, pace: Duration? = nil) -> any Transport {
        switch self {
        case .path(let path) where driver.medium == .hidraw: HIDRawTransport(path: path, isNumbered: driver.reports.areNumbered)
        case .path(let path) where Self.isHID(path): CP2110Transport(path: path, line: line ?? driver.line)
        case .path(let path): TTYTransport(path: path, line: line ?? driver.line, pace: pace)
        case .tcp(let host, let port): TCPTransport(host: host, port: port, role: .connect)
        case .tcpListen(let host, let port): TCPTransport(host: host, port: port, role: .listen)
        }
    }

    /// Whether a path, or the node that it links to, is a hidraw node. A serial cuff is behind one only with a CP2110.
    private static func isHID(_ path: String) -> Bool { StateFile.resolved(path).hasPrefix("/dev/hidraw") }
}
