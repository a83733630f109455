import Glibc
import RemoteSink

/// What a machine needs to reach the broker, in one file: `sudo cuff setup --system --fleet FILE` installs it there.
struct MachineFile {
    let user: MachineUser
    let password: String
    /// `mqtts://HOST:PORT/`.
    let server: String
    /// The certificates of the authority, PEM; empty for the system's.
    let authority: String

    static func path(_ machine: String) -> String { "\(machine).fleet.toml" }

    var text: String {
        let quoted = JSONValue.quoted
        var text = """
            # The access of the machine \(user.machine) to the fleet's broker. Install it there, then delete it everywhere:
            #   sudo cuff setup --system --fleet \(Self.path(user.machine))
            [fleet]
            format = 1
            machine = \(quoted(user.machine))
            server = \(quoted(server))
            user = \(quoted(user.name))
            password = \(quoted(password))
            topic = \(quoted("cuff/\(user.machine)"))

            """
        if !authority.isEmpty { text += "authority = '''\n\(authority)'''\n" }
        return text
    }

    /// The user of an earlier file; `nil` without one.
    static func user(in path: String) -> MachineUser? {
        guard let text = SmallFile.text(path, limit: 1 << 18) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix("user = ") {
            return JSONValue(parsing: Array(line.dropFirst(7).utf8))?.string.flatMap { MachineUser(name: $0) }
        }
        return nil
    }

    /// Replaces the file, durably, before the broker knows the password.
    func write(to path: String) throws(ConfigurationFault) { try SmallFile.replace(path, with: text) }
}

/// The broker's address for machines: `mqtts://HOST/?cafile=FILE`.
struct MachineServer {
    let server: String
    let authority: String

    init(_ text: String) throws(ConfigurationFault) {
        let address = try HelperAddress(text)
        guard address.scheme == "mqtts" || address.scheme == "mqtt" && address.isLoopback else {
            throw ConfigurationFault("machines reach the broker over TLS: --machines mqtts://HOST/")
        }
        guard !address.host.isEmpty, address.user == nil else {
            throw ConfigurationFault("the address for machines needs a host and no user: mqtts://HOST/?cafile=FILE")
        }
        try address.check(known: ["cafile"])
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        server = "\(address.scheme)://\(host):\(address.port ?? (address.scheme == "mqtts" ? 8883 : 1883))/"
        guard let file = address["cafile"] else {
            authority = ""
            return
        }
        guard let text = SmallFile.text(file, limit: 1 << 18), text.contains("-----BEGIN CERTIFICATE-----") else {
            throw ConfigurationFault("\(file) is not a readable file of certificates (PEM)")
        }
        guard !text.contains("PRIVATE KEY"), !text.contains("'''") else {
            throw ConfigurationFault("\(file) contains a private key; name the file that has only the authority's certificate")
        }
        authority = text.hasSuffix("\n") ? text : text + "\n"
    }
}
