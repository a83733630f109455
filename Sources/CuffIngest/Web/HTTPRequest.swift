import CuffCore

/// The head of a GET or HEAD request (RFC 9112), as far as needed here. Bodies are ignored.
struct HTTPRequest: Sendable, Equatable {
    var isHead: Bool
    var path: String
    /// The part after it, not percent-decoded; the first of several equal names counts.
    var query: [String: String]
    /// By name; the first of several equal names counts.
    var cookies: [String: String]
    /// Whether `Host` names this server; another name may be another site's, as in DNS rebinding, or a reverse proxy's.
    var isForOwnHost: Bool

    /// A request line and its headers; a browser's are about 700 bytes.
    static let longest = 8192

    enum Fault: Error, Equatable {
        case malformed
        case method
        /// No `Host`, or several (RFC 9112, 3.2).
        case host
        /// The host name of another site, where no token is required.
        case foreignHost
        case tooLong
    }

    /// The end of the head, which started at 0, including its empty line; `nil` if incomplete. `searched` bytes are known to
    /// contain no end.
    static func headEnd(_ bytes: [UInt8], from searched: Int = 0) -> Int? {
        var index = max(1, searched - 3)
        while index < bytes.count {
            if bytes[index] == 0x0A {
                if bytes[index - 1] == 0x0A { return index + 1 }
                if index >= 3, bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A { return index + 1 }
            }
            index += 1
        }
        return nil
    }

    /// Parses a complete head. `ownHost` is the name or address on which the server listens.
    init(_ head: [UInt8], ownHost: String) throws(Fault) {
        let lines = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline)
        let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard words.count == 3, words[2] == "HTTP/1.0" || words[2] == "HTTP/1.1", words[1].hasPrefix("/") else { throw .malformed }
        guard words[0] == "GET" || words[0] == "HEAD" else { throw .method }
        let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }.map { line in
            line.dropFirst(5).filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        guard hosts.count == 1 || hosts.isEmpty && words[2] == "HTTP/1.0" else { throw .host }
        isForOwnHost = hosts.first.map { Self.isOwn($0, ownHost) } ?? true
        isHead = words[0] == "HEAD"
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        query = parts.count == 2 ? Self.pairs(parts[1], "&") : [:]
        let cookieLines = lines.dropFirst().filter { $0.lowercased().hasPrefix("cookie:") }.map { $0.dropFirst(7).filter { $0 != " " } }
        cookies = Self.pairs(Substring(cookieLines.joined(separator: ";")), ";")
    }

    private static func pairs(_ text: Substring, _ separator: Character) -> [String: String] {
        let sides = text.split(separator: separator).map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
        return Dictionary(sides.map { (String($0[0]), $0.count == 2 ? String($0[1]) : "") }) { first, _ in first }
    }

    /// An IP address cannot be another site's name; a name must be this host's. Only a port may follow.
    private static func isOwn(_ host: String, _ ownHost: String) -> Bool {
        let isBracketed = host.hasPrefix("[")
        guard let end = isBracketed ? host.firstIndex(of: "]").map({ host.index(after: $0) }) : host.firstIndex(of: ":") ?? host.endIndex
        else { return false }
        let (name, port) = (host[..<end], host[end...])
        guard port.isEmpty || port.hasPrefix(":") && port.dropFirst().utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return false }
        if isBracketed {
            let address = name.dropFirst().dropLast()
            return address.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 || $0 == 0x3A || $0 == 0x2E }
                && address.utf8.count { $0 == 0x3A } >= 2
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let isAddress = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
        return isAddress || name == "localhost" || name == ownHost.lowercased()
    }
}
