/// The one argument of a helper: `scheme://USER@HOST:PORT/PATH?KEY=VALUE&…`, percent-encoded.
public struct HelperAddress: Sendable, Equatable {
    public struct Item: Sendable, Equatable {
        public let key: String
        public let value: String
    }

    /// In lower case, whole: `influx+https`.
    public let scheme: String
    public let user: String?
    /// Without the brackets of an IPv6 address.
    public let host: String
    public let port: Int?
    /// Decoded, with its leading slash; may be empty.
    public let path: String
    /// The path as given, still percent-encoded.
    public let encodedPath: String
    public let items: [Item]

    public subscript(key: String) -> String? { items.last { $0.key == key }?.value }

    public var isLoopback: Bool {
        host == "localhost" || host == "::1" || (host.hasPrefix("127.") && host.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") })
    }

    public init(_ text: String) throws(ConfigurationFault) {
        guard let colon = text.firstRange(of: "://") else { throw Self.fault(text, "it has no ://") }
        scheme = text[..<colon.lowerBound].lowercased()
        var rest = text[colon.upperBound...]
        if let hash = rest.firstIndex(of: "#") { throw Self.fault(text, "write # as %23, at \(rest[hash...].prefix(10))") }
        if let mark = rest.firstIndex(of: "?") {
            items = try Self.items(rest[rest.index(after: mark)...], text)
            rest = rest[..<mark]
        } else {
            items = []
        }
        if let slash = rest.firstIndex(of: "/") {
            encodedPath = String(rest[slash...])
            path = try Self.decoded(rest[slash...], text)
            rest = rest[..<slash]
        } else {
            encodedPath = ""
            path = ""
        }
        if let at = rest.lastIndex(of: "@") {
            let name = rest[..<at]
            // Arguments are visible to every user, so a password is refused, and not repeated in the message.
            guard !name.contains(":") else {
                throw ConfigurationFault("the address contains a password, which `ps` would show; put it into a credentials file")
            }
            user = try Self.decoded(name, text)
            rest = rest[rest.index(after: at)...]
        } else {
            user = nil
        }
        (host, port) = try Self.place(rest, text)
    }

    /// Throws for a key that is not in the list and has none of the prefixes, so that misspelled settings are reported.
    public func check(known: [String], prefixes: [String] = []) throws(ConfigurationFault) {
        for item in items where !known.contains(item.key) && !prefixes.contains(where: { item.key.hasPrefix($0) }) {
            throw ConfigurationFault(
                "unknown setting `\(item.key)` in the address; use \((known + prefixes.map { $0 + "…" }).joined(separator: ", "))")
        }
    }

    private static func place(_ place: Substring, _ text: String) throws(ConfigurationFault) -> (String, Int?) {
        var host = place
        var port: Substring?
        if place.first == "[" {
            guard let end = place.firstIndex(of: "]") else { throw fault(text, "the host has no closing bracket") }
            host = place[place.index(after: place.startIndex)..<end]
            let rest = place[place.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { throw fault(text, "expected `:PORT` after the host") }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = place.firstIndex(of: ":") {
            host = place[..<colon]
            port = place[place.index(after: colon)...]
        }
        let name = try decoded(host, text)
        guard let port else { return (name, nil) }
        guard port.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(port), 1...65535 ~= number else {
            throw fault(text, "`\(port)` is not a port")
        }
        return (name, number)
    }

    private static func items(_ query: Substring, _ text: String) throws(ConfigurationFault) -> [Item] {
        var items: [Item] = []
        for part in query.split(separator: "&") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            items.append(Item(key: try decoded(sides[0], text), value: sides.count > 1 ? try decoded(sides[1], text) : ""))
        }
        return items
    }

    /// `%2F` becomes a slash; `+` stays one. No decoded byte is a control byte.
    private static func decoded(_ part: Substring, _ text: String) throws(ConfigurationFault) -> String {
        var bytes: [UInt8] = []
        var rest = Array(part.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                rest.first != UInt8(ascii: "+")
            else { throw fault(text, "expected two hexadecimal digits after %") }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let result = String(validating: bytes, as: UTF8.self), result.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw fault(text, "it contains control bytes or invalid UTF-8")
        }
        return result
    }

    private static func fault(_ text: String, _ why: String) -> ConfigurationFault {
        // The part before an @ may contain a password.
        let shown = text.lastIndex(of: "@").map { "…" + text[$0...] } ?? text
        return ConfigurationFault("`\(shown)` is not a valid address: \(why)")
    }
}

/// A fault in the configuration; sent as `fatal TEXT`.
public struct ConfigurationFault: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}
