/// Where the live page is served: `[HOST][:PORT]` or a port only; defaults to 127.0.0.1 and port 6025.
package struct WebAddress: Sendable, Hashable, CustomStringConvertible {
    /// The host name or address to listen on; empty for loopback.
    package var host: String
    /// The TCP port; 0 picks a free one.
    package var port: Int

    /// Next to 6024, the port for calling cuffs.
    package static let usualPort = 6025

    /// Parses `[HOST][:PORT]`, or a port only; throws an `AddressFault` with the reason.
    package init(_ text: String) throws(AddressFault) {
        let isPort = !text.isEmpty && text.allSatisfy(\.isNumber)
        let place = try HostPort(isPort ? ":\(text)" : text, of: text, listeningAt: Self.usualPort)
        (host, port) = (place.host, place.port)
    }

    init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Whether only this computer can reach it.
    package var isLocal: Bool { host.isEmpty || host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// `127.0.0.1:6025`, parsable.
    package var description: String {
        HostPort(host: host.isEmpty ? "127.0.0.1" : host, port: port).description
    }
}
