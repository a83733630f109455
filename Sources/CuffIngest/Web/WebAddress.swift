/// Where the live page is served: `[HOST][:PORT]`, 127.0.0.1 and port 6025 unless said otherwise.
public struct WebAddress: Sendable, Hashable {
    /// The host name or address to listen on; empty for loopback.
    public var host: String
    /// The TCP port; 0 picks a free one.
    public var port: Int

    /// Beside 6024, where cuffs may call.
    public static let usualPort = 6025

    /// Parses `[HOST][:PORT]`, or a port alone; throws a usage error with the reason.
    public init(_ text: String) throws(IngestError) {
        if text.isEmpty {
            (host, port) = ("", Self.usualPort)
        } else if let port = Int(text), (0...65535).contains(port) {
            (host, self.port) = ("", port)
        } else {
            let hasPort = text.contains(":") && !text.hasSuffix("]")
            guard case .tcpListen(let host, let port) = try TransportAddress("tcp-listen://\(hasPort ? text : "\(text):\(Self.usualPort)")")
            else { throw IngestError(.usage, "`\(text)` is not an address to serve a page on", hint: "write e.g. --web 127.0.0.1:6025") }
            (self.host, self.port) = (host, port)
        }
    }
}
