import CPostgres
import Glibc
import RemoteSink

/// `postgres://USER@HOST/DB?KEY=VALUE`, any libpq URI, with these restrictions:
/// - The server's certificate is verified, with its name (`sslmode=verify-full`), except over loopback and Unix sockets, where
///   libpq's own default holds.
/// - No password: arguments are visible to every user.
public struct PostgresAddress: Sendable, Equatable {
    /// The libpq parameters in order; later ones win, so those of the address are last.
    public let settings: [Setting]
    public let user: String
    /// For messages: host and database.
    public let place: String

    public struct Setting: Sendable, Equatable {
        public let key: String
        public let value: String
    }

    /// The environment variables and files that libpq uses.
    public struct Surroundings: Sendable {
        public var variables: [String: String]
        public var fileExists: @Sendable (String) -> Bool
        public init(variables: [String: String], fileExists: @escaping @Sendable (String) -> Bool) {
            self.variables = variables
            self.fileExists = fileExists
        }

        public static var current: Surroundings {
            let names = ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGPASSFILE", "HOME", "CREDENTIALS_DIRECTORY"]
            let variables = names.reduce(into: [:]) { $0[$1] = getenv($1).map { String(cString: $0) } }
            return Surroundings(variables: variables) { access($0, R_OK) == 0 }
        }
    }

    private static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

    public init(_ text: String, in surroundings: Surroundings = .current) throws(ConfigurationFault) {
        try Self.refusePassword(text)
        let given = try Self.parse(text)
        guard given["password"] == nil, given["sslpassword"] == nil else { throw Self.passwordFault }
        let isLocal = Self.isLocal(given, surroundings)
        let mode = given["sslmode"]
        if !isLocal, let mode, mode != "verify-full" {
            throw ConfigurationFault(
                "sslmode=\(mode) does not verify the server and its name; over a network use verify-full, with sslrootcert=FILE for an authority of your own"
            )
        }
        var defaults: [(String, String)] = [
            ("connect_timeout", "10"), ("tcp_user_timeout", "30000"), ("application_name", "cuff"),
            ("target_session_attrs", "read-write"), ("client_encoding", "UTF8"), ("gssencmode", "disable"),
        ]
        if !isLocal { defaults.append(("sslmode", "verify-full")) }
        if !isLocal || mode?.hasPrefix("verify") == true {
            let own = surroundings.variables["HOME"].map { $0 + "/.postgresql/root.crt" }
            if !(own.map(surroundings.fileExists) ?? false) { defaults.append(("sslrootcert", Self.systemAuthorities)) }
        }
        if let folder = surroundings.variables["CREDENTIALS_DIRECTORY"], surroundings.fileExists(folder + "/pgpass") {
            defaults.append(("passfile", folder + "/pgpass"))
        }
        settings = (defaults + [("dbname", text)]).map { Setting(key: $0.0, value: $0.1) }
        user = given["user"] ?? ""
        place = "\(given["hostaddr"] ?? given["host"] ?? "local socket")/\(given["dbname"] ?? user)"
    }

    private static let passwordFault = ConfigurationFault(
        "a password does not belong into an address, where `ps` shows it; put it into libpq's passfile (~/.pgpass, mode 0600)")

    /// Checked before libpq parses it, because its messages echo invalid input.
    private static func refusePassword(_ text: String) throws(ConfigurationFault) {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
            throw ConfigurationFault("the address does not start with postgres://")
        }
        let rest = text.drop { $0 != "/" }.dropFirst(2)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        if let at = authority.lastIndex(of: "@"), authority[..<at].contains(":") { throw passwordFault }
        if text.lowercased().contains("password=") { throw passwordFault }
    }

    private static func parse(_ text: String) throws(ConfigurationFault) -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &message) else {
            let why = message.map { String(cString: $0) } ?? "out of memory"
            PQfreemem(message)
            throw ConfigurationFault("the address is not a libpq URI: \(why)")
        }
        defer { PQconninfoFree(options) }
        var result: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { result[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return result
    }

    private static func isLocal(_ given: [String: String], _ surroundings: Surroundings) -> Bool {
        let variables = surroundings.variables
        // A service file may name any host.
        let service = given["service"] ?? variables["PGSERVICE"]
        let addresses = given["hostaddr"] ?? (given["host"] == nil ? variables["PGHOSTADDR"] : nil)
        guard let names = addresses ?? given["host"] ?? variables["PGHOST"] else { return service == nil }
        return names.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(isLocal)
    }

    private static func isLocal(_ host: Substring) -> Bool {
        // A path, or an abstract socket; empty: libpq's default socket.
        if host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
