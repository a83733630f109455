import Glibc

/// Passwords and tokens: from systemd (`LoadCredential=`, `$CREDENTIALS_DIRECTORY`), otherwise from
/// `$XDG_CONFIG_HOME/cuff/credentials/` (`~/.config`), where only the owner may have access to a file.
public struct Credentials: Sendable {
    private let systemd: String?
    private let own: String?

    /// A signed JWT, the longest kind of token, has a few kilobytes.
    public static let longest = 1 << 16

    public init(systemd: String?, own: String?) {
        self.systemd = systemd
        self.own = own
    }

    public init() {
        self.init(systemd: environment("CREDENTIALS_DIRECTORY"), own: Self.folder.map { $0 + "/credentials" })
    }

    /// The user's folder for the configuration of `cuff`.
    public static var folder: String? {
        (environment("XDG_CONFIG_HOME") ?? environment("HOME").map { $0 + "/.config" }).map { $0 + "/cuff" }
    }

    /// The first line of the file, e.g. of `mqtt.password`; `nil` if the file does not exist.
    public func find(_ name: String) throws(ConfigurationFault) -> String? {
        guard let text = try contents(name) else { return nil }
        let line = text.utf8.prefix { $0 != 0x0A && $0 != 0x0D }
        guard !line.isEmpty, !line.contains(0) else {
            throw ConfigurationFault("\(name) has an empty first line; the secret must be its first line")
        }
        return String(Substring(line))
    }

    /// The whole file, e.g. a PEM key; `nil` if the file does not exist.
    public func contents(_ name: String) throws(ConfigurationFault) -> String? {
        // systemd protects its folder, partly by ACLs, which look like group permissions.
        if let systemd, let text = try Self.read("\(systemd)/\(name)", isGuarded: true) { return text }
        if let own, let text = try Self.read("\(own)/\(name)", isGuarded: false) { return text }
        // Those of the service, for root.
        guard geteuid() == 0 else { return nil }
        return try Self.read("\(Self.machine)/\(name)", isGuarded: false)
    }

    private static let machine = "/etc/cuff/credentials"

    /// The first two lines of a file, user and password; `nil` if the file does not exist.
    public func login(_ name: String) throws(ConfigurationFault) -> (user: String, password: String)? {
        guard !name.isEmpty, name.utf8.allSatisfy({ 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2E || $0 == 0x2D }),
            name.utf8.first != 0x2E
        else {
            throw ConfigurationFault("login=\(name) is not the name of a credential: use a-z, 0-9, . and -")
        }
        guard let text = try contents(name) else { return nil }
        let lines = text.split(separator: "\n")
        guard lines.count >= 2, lines.prefix(2).allSatisfy({ !$0.utf8.contains(0) }) else {
            throw ConfigurationFault("\(name) must have two lines: user and password")
        }
        return (String(lines[0]), String(lines[1]))
    }

    /// Where to put a credential, for messages.
    public func place(_ name: String) -> String { "\(own ?? "~/.config/cuff/credentials")/\(name)" }

    private static func read(_ path: String, isGuarded: Bool) throws(ConfigurationFault) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw ConfigurationFault("cannot read \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ConfigurationFault("\(path) is not a regular file")
        }
        guard isGuarded || status.st_mode & 0o077 == 0 else {
            throw ConfigurationFault("others can read this credential; do: chmod 600 \(path)")
        }
        guard let text = SmallFile.text(file, limit: longest) else {
            throw ConfigurationFault("\(path) is not a text of at most \(longest) bytes")
        }
        return text
    }
}
