/// An error of the server or connection, and how to react to it.
public struct ServerFault: Error, Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// The server is unreachable, busy or full: try again later.
        case later
        case configuration
        case reading
    }

    public let kind: Kind
    public let text: String
    /// The connection was lost; otherwise the server answered with an error.
    public let isConnectionLost: Bool

    public init(_ kind: Kind, _ text: String, isConnectionLost: Bool = false) {
        self.kind = kind
        self.text = text
        self.isConnectionLost = isConnectionLost
    }

    /// Classifies a SQLSTATE (PostgreSQL manual, Appendix A). The default is `later`, which keeps the readings.
    public static func kind(of state: String) -> Kind {
        switch state {
        // Statement time-out; read-only standby; too much text for a field, an index row or the stack.
        case "57014", "25006": return .later
        default: break
        }
        switch state.prefix(2) {
        case "22", "23", "44", "54", "21", "P0": return .reading
        case "28", "3D", "3F", "42", "0A", "0P", "39": return .configuration
        default: return .later
        }
    }

    /// An error response.
    public init(state: String, message: String, user: String = "", constraint: String? = nil, isConnectionLost: Bool = false) {
        // While the table is cut by month, for some seconds; `later` keeps the reading.
        let kind = constraint == Schema.temporaryConstraint ? .later : Self.kind(of: state)
        let hint: String? =
            switch state {
            case "28P01": "put the correct password of `\(user)` into the passfile (~/.pgpass)"
            case "28000": "create the role or allow it in pg_hba.conf"
            case "3D000": "create the database, then its tables: cuff-sink-postgres --schema | psql"
            case "42P01", "3F000", "42703": "create the tables: cuff-sink-postgres --schema | psql"
            case "42501": "grant the permissions: cuff-sink-postgres --schema | psql, as the owner"
            case "53100": "the server's disk is full: free some space"
            default: nil
            }
        self.init(kind, "\(message) (\(state))" + (hint.map { "; \($0)" } ?? ""), isConnectionLost: isConnectionLost)
    }

    /// A failed connection. libpq reports the SQLSTATE only within its verbose text:
    /// `FATAL:  28P01: password authentication failed …`.
    public init(connecting message: String, user: String = "", needsPassword: Bool = false) {
        let lines = message.split(separator: "\n").map(Self.trimmed)
        if needsPassword {
            self.init(.configuration, "the server requires a password for `\(user)`: write it to the passfile (~/.pgpass, mode 0600)")
            return
        }
        for line in lines {
            guard let (state, text) = Self.state(in: line) else { continue }
            self.init(state: state, message: text, user: user, isConnectionLost: true)
            return
        }
        // Leaves out libpq's advice ("Is the server running …?"), because only 200 bytes are shown.
        let text = lines.filter { !$0.hasPrefix("LOCATION:") && !$0.hasPrefix("Is the server running") }.joined(separator: "; ")
        let isWrong = Self.configurationWords.contains { text.contains($0) }
        let hint = text.contains("certificate") ? "; TLS is always verified: name the authority with sslrootcert=FILE" : ""
        self.init(isWrong ? .configuration : .later, text + hint, isConnectionLost: true)
    }

    /// libpq messages (version 15, untranslated) for permanent errors.
    private static let configurationWords = [
        "certificate verify failed", "server certificate for", "could not get server's host name from server certificate",
        "server does not support SSL", "root certificate file", "could not load root certificate", "could not read root certificate",
        "certificate file", "private key file", "invalid sslmode value", "invalid connection option", "invalid port number",
        "definition of service", "authentication method", "unsupported certificate",
    ]

    private static func state(in line: String) -> (state: String, text: String)? {
        // Severity, colon, two blanks, five characters, colon.
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let parts = line[line.index(after: colon)...].drop { $0 == " " }
        let state = parts.prefix(5)
        guard state.utf8.count == 5, state.utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 }),
            parts.dropFirst(5).hasPrefix(": "), state.contains(where: \.isNumber)
        else { return inner(line, after: colon) }
        return (String(state), String(parts.dropFirst(7)))
    }

    /// `connection to server at "…", port 5432 failed: FATAL:  28P01: …`
    private static func inner(_ line: String, after colon: String.Index) -> (state: String, text: String)? {
        let rest = String(line[line.index(after: colon)...].drop { $0 == " " })
        return rest.contains(":") ? state(in: rest) : nil
    }

    private static func trimmed(_ line: Substring) -> String {
        var line = line.drop { $0 == " " || $0 == "\t" }
        while let last = line.last, last == " " || last == "\t" { line.removeLast() }
        return String(line)
    }
}
