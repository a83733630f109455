import CuffCore
import Glibc

/// The network access that the service needs. Its unit allows none; a drop-in allows what a configuration needs.
package struct ServiceNetwork: Sendable, Hashable {
    package enum Need: Int, Sendable, Comparable {
        case none
        /// A page on loopback.
        case local
        /// Servers, and pages for other computers.
        case any

        package static func < (a: Need, b: Need) -> Bool { a.rawValue < b.rawValue }
    }

    package let need: Need

    package static let path = "/etc/systemd/system/cuff.service.d/network.conf"
    private static let unitFolders = ["/etc", "/usr/local/lib", "/usr/lib", "/lib"].map { $0 + "/systemd/system/" }

    /// From the page, the listening ports, the devices and the sinks of a configuration.
    package init(_ configuration: CuffConfiguration) {
        var needs = configuration.web.map { [$0.isLocal ? Need.local : .any] } ?? []
        needs += configuration.listens.map { WebAddress(host: $0.host, port: $0.port).isLocal ? .local : .any }
        for device in configuration.devices {
            switch device.address {
            case .tcp(let host, _), .tcpListen(let host, _): needs.append(WebAddress(host: host, port: 0).isLocal ? .local : .any)
            default: break
            }
        }
        for sink in configuration.sinks where sink.spec.kind.traits.contains(.remote) || sink.spec.kind.scheme.hasPrefix("tcp") {
            needs.append(WebAddress(host: Self.host(of: sink.spec.path), port: 0).isLocal ? .local : .any)
        }
        need = needs.max() ?? .none
    }

    /// From the machine's files, which the service reads. Throws if one is unreadable or invalid.
    package static func ofMachine() throws(IngestError) -> ServiceNetwork {
        var configuration = CuffConfiguration()
        for path in CuffConfiguration.standardFiles() where path.hasPrefix("/etc/cuff/") {
            guard let bytes = SmallFile.bytes(path) else { throw .reading(path, errno == 0 ? ENOENT : errno) }
            try configuration.read(String(decoding: bytes, as: UTF8.self), file: path, drivers: CuffFamilies.all)
        }
        return ServiceNetwork(configuration)
    }

    /// The host in `//user@host:port/path?query` or `host:port`; `?` if it is elsewhere, such as in the query.
    private static func host(of address: String) -> String {
        let place = address.drop { $0 == "/" }.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = place.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        let name = host.prefix { $0 != ":" }
        return name.isEmpty ? "?" : String(name)
    }

    /// `nil` if none is needed.
    package var dropIn: String? {
        switch need {
        case .none: nil
        case .local:
            Self.head
                + """
                # A page for programs of this computer.
                IPAddressAllow=localhost

                """
        case .any:
            Self.head
                + """
                # Servers, and a page that others may open. Where all addresses are known, name them instead of `any`, with the name
                # server's. A page on loopback alone needs IPAddressAllow=localhost.
                IPAddressAllow=any

                """
        }
    }

    private static let head = """
        # Lets cuff.service use the network, which the unit itself forbids: for `web =`, `listen =`, and sinks on servers.
        # In /etc/systemd/system/cuff.service.d/network.conf; then: systemctl daemon-reload && systemctl restart cuff
        [Service]
        RestrictAddressFamilies=AF_INET AF_INET6

        """

    /// A unit of the service is installed, but neither it nor a drop-in allows network address families.
    package static var isServiceCutOff: Bool {
        let units = unitFolders.map { $0 + "cuff.service" }.filter { access($0, F_OK) == 0 }
        guard !units.isEmpty else { return false }
        let dropIns = unitFolders.map { $0 + "cuff.service.d" }.flatMap { folder in
            Folder.names(folder).filter { $0.hasSuffix(".conf") }.map { "\(folder)/\($0)" }
        }
        return !(units + dropIns).contains { path in
            guard let bytes = SmallFile.bytes(path, limit: 1 << 16) else { return false }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains {
                $0.hasPrefix("RestrictAddressFamilies=") && $0.contains("AF_INET")
            }
        }
    }

    /// Writes the drop-in, readable by everybody, as systemd requires.
    package func write() throws(IngestError) {
        guard let dropIn else { return }
        mkdir(Descriptor.folder(of: Self.path), 0o755)
        try OutputFile.write(dropIn, to: Self.path, mode: 0o644)
    }

    package var isWritten: Bool {
        guard let bytes = SmallFile.bytes(Self.path, limit: 1 << 16) else { return dropIn == nil }
        return dropIn.map { Array($0.utf8) == bytes } ?? true
    }
}
