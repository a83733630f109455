import CuffCore
import Glibc
import TOML

/// The access of this machine to a fleet's broker, from the file that `cuff-gateway machine add` writes: a sink for the machine's
/// configuration, the authority's certificate, and the user and password as a credential of the service.
package struct FleetAccess: Sendable, Equatable {
    package let machine: String
    /// `mqtts://HOST:PORT/`.
    package let server: String
    let user: String
    let password: String
    /// PEM; empty for the system's authorities.
    let authority: String

    /// A credential of this name has two lines: user and password.
    static let credential = "fleet.login"
    package static let sink = "fleet"
    private static let secretFile = "/etc/cuff/credentials/\(credential)"
    private static let authorityFile = "/etc/cuff/fleet-ca.pem"
    package static let dropInFile = "/etc/systemd/system/cuff.service.d/fleet.conf"
    private static let database = "/var/lib/cuff/readings.db"
    private static let heartbeat = 300

    /// Throws if the file cannot be read, others may read it, or it has another format.
    package init(_ path: String) throws(IngestError) {
        var status = stat()
        guard stat(path, &status) == 0, let bytes = SmallFile.bytes(path, limit: 1 << 18) else {
            throw .reading(path, errno == 0 ? EIO : errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw IngestError(ConfigurationFault.notAFile(path)) }
        guard status.st_mode & 0o077 == 0 else { throw IngestError(ConfigurationFault.readableByOthers(path)) }
        func fault(_ line: Int, _ reason: String) -> IngestError {
            IngestError(ConfigurationFault.mistake(file: path, line: line, .refused(reason)))
        }
        let document: TOMLDocument
        do throws(TOMLFault) { document = try TOMLDocument(bytes) } catch { throw fault(error.line, error.reason) }
        guard let table = document.root["fleet"]?.table else {
            throw fault(1, "it has no section [fleet], as `cuff-gateway machine add` writes it")
        }
        guard case .integer(1)? = table["format"] else { throw fault(1, "its format is not 1: install a newer version of cuff") }
        func text(_ key: String) throws(IngestError) -> String {
            guard let text = table[key]?.string, !text.isEmpty else { throw fault(1, "`\(key)` is missing") }
            return text
        }
        (machine, server, user, password) = (try text("machine"), try text("server"), try text("user"), try text("password"))
        authority = table["authority"]?.string ?? ""
        guard [machine, user].allSatisfy(Self.isWord), password.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw fault(1, "`machine`, `user` or `password` has characters that a broker's user cannot have")
        }
        guard Self.isServer(server) else { throw fault(1, "`server` is not mqtts://HOST:PORT/") }
    }

    private static func isWord(_ text: String) -> Bool {
        text.utf8.count <= 80
            && text.utf8.allSatisfy { 0x61...0x7A ~= $0 | 0x20 || 0x30...0x39 ~= $0 || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
    }

    /// Unencrypted only on this computer. Only a host and a port.
    private static func isServer(_ text: String) -> Bool {
        let isLocal = text.hasPrefix("mqtt://127.") || text.hasPrefix("mqtt://localhost:")
        guard text.hasPrefix("mqtts://") || isLocal, text.hasSuffix("/") else { return false }
        let place = text.drop { $0 != "/" }.dropFirst(2).dropLast()
        return !place.isEmpty
            && place.utf8.allSatisfy {
                0x61...0x7A ~= $0 | 0x20 || 0x30...0x3A ~= $0 || $0 == 0x2D || $0 == 0x2E || $0 == 0x5B || $0 == 0x5D
            }
    }

    /// The sink's address. The user is not part of it: lines wait under the address, and other credentials must find them.
    var address: String {
        "\(server)?gateway=\(machine)&state=no&login=\(Self.credential)&heartbeat=\(Self.heartbeat)"
            + (authority.isEmpty ? "" : "&cafile=\(Self.authorityFile)")
    }

    /// A configuration with the sink; everything else stays. Readings are also kept here, where the lines for the broker wait.
    package func configuration(_ text: String, at path: String) throws(IngestError) -> String {
        var configuration = CuffConfiguration()
        try configuration.read(text, file: path, drivers: CuffFamilies.all)
        let hasDatabase = configuration.sinks.contains { $0.spec.kind.traits.contains(.database) }
        let new: String
        do throws(TOMLFault) {
            var document = try TOMLDocument(Array(text.utf8))
            if !hasDatabase {
                document = try document.setting(["sink", "here", "address"], to: TOMLDocument.quoted("sqlite:\(Self.database)"))
            }
            document = try document.setting(["sink", Self.sink, "address"], to: TOMLDocument.quoted(address))
            new = String(decoding: document.text, as: UTF8.self)
        } catch { throw .mistake(error, in: path) }
        try CuffConfiguration.check(new, at: path, among: [path])
        return new
    }

    /// Writes the secret, the certificate, the service's drop-in and the configuration, in this order: the service never has an address
    /// without its credentials. `root` is in front of every path, for tests.
    package func install(root: String = "") throws(IngestError) {
        let file = CuffConfiguration.machineFile
        let path = root + file
        let text = try configuration(access(path, F_OK) == 0 ? ConfigurationFile.text(path) : "", at: file)
        StateFile.makeFolders(above: path)
        mkdir("\(root)/etc/cuff", 0o755)
        mkdir("\(root)/etc/cuff/credentials", 0o700)
        try OutputFile.write("\(user)\n\(password)\n", to: root + Self.secretFile, mode: 0o600)
        if !authority.isEmpty { try OutputFile.write(authority, to: root + Self.authorityFile, mode: 0o644) }
        StateFile.makeFolders(above: root + Self.dropInFile)
        chmod(Descriptor.folder(of: root + Self.dropInFile), 0o755)
        try OutputFile.write(Self.dropIn, to: root + Self.dropInFile, mode: 0o644)
        try OutputFile.write(text, to: path, mode: 0o644)
    }

    /// systemd gives the service a copy that only its own user can read.
    private static let dropIn = """
        # The access of this machine to its fleet, written by `cuff setup --system --fleet`.
        [Service]
        LoadCredential=\(credential):\(secretFile)

        """
}
