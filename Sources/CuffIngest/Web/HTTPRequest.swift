import CuffCore

/// The head of a GET or HEAD request, as far as this program's one server needs it (RFC 9112). A body is passed over.
struct HTTPRequest: Sendable, Equatable {
    /// Only the head of the answer is wanted.
    var isHead: Bool
    /// Before the question mark, as sent.
    var path: String
    /// Behind it, not percent-decoded; the first of several equal names counts.
    var query: [String: String]

    /// A request line and its headers; a browser's are some 700 bytes.
    static let longest = 8192

    /// Why a request is not answered with what it asks for.
    enum Fault: Error, Equatable {
        /// Neither a request line of HTTP/1.x nor headers.
        case malformed
        /// Another method than GET and HEAD.
        case method
        /// No `Host`, or several (RFC 9112, 3.2).
        case host
        /// A page of another site that has its name resolved to this address names itself as the host.
        case foreignHost
        /// The head is longer than `longest`.
        case tooLong
    }

    /// Where the head ends, which began at 0: behind its empty line, whatever follows. `nil` where it is not whole. `searched`: so many
    /// bytes hold no end.
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

    /// Parses a whole head. `ownHost` is the name or address under which the server was asked to listen.
    init(_ head: [UInt8], ownHost: String) throws(Fault) {
        let lines = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline)
        let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard words.count == 3, words[2] == "HTTP/1.0" || words[2] == "HTTP/1.1", words[1].hasPrefix("/") else { throw .malformed }
        guard words[0] == "GET" || words[0] == "HEAD" else { throw .method }
        let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }.map { line in
            line.dropFirst(5).filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        guard hosts.count == 1 || hosts.isEmpty && words[2] == "HTTP/1.0" else { throw .host }
        if let host = hosts.first { guard Self.isOwn(host, ownHost) else { throw .foreignHost } }
        isHead = words[0] == "HEAD"
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        query = [:]
        guard parts.count == 2 else { return }
        for pair in parts[1].split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if query[String(sides[0])] == nil { query[String(sides[0])] = sides.count == 2 ? String(sides[1]) : "" }
        }
    }

    /// An address in digits cannot be another site's name; a name must be this host's own. Nothing but a port may follow either.
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
