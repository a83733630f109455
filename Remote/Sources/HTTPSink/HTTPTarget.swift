import CuffClinical
import HTTPClient
import RemoteSink

/// The delivery target described by the address argument.
public struct HTTPTarget: Sendable {
    public let format: any DeliveryFormat
    /// The prefix of the credentials file names: `influx`, `fhir`, `http`.
    public let service: String
    public let user: String?
    /// A CA file that replaces the system's.
    public let caFile: String?
    /// On loopback `http` is allowed and no proxy is used.
    public let isLoopback: Bool
    /// SMART Backend Services: how to request tokens.
    public let grant: SMARTGrant?

    /// - Parameter host: this computer's name, for `gateway`.
    public init(_ argument: String, host: String) throws(ConfigurationFault) {
        let address = try HelperAddress(argument)
        guard Self.schemes.contains(address.scheme) else {
            throw ConfigurationFault("unknown scheme `\(address.scheme)`; use https, influx+https or fhir+https (http for loopback)")
        }
        let url = try Self.url(address)
        isLoopback = address.isLoopback
        user = address.user
        let caFile = address["cafile"]
        self.caFile = caFile.flatMap { $0.isEmpty ? nil : $0 }
        switch address.scheme {
        case "influx+https", "influx+http":
            service = "influx"
            grant = nil
            format = InfluxFormat(url: try Self.influx(address, url))
        case "fhir+https", "fhir+http":
            service = "fhir"
            grant = try Self.grant(address, base: Self.trimmed(url))
            format = try Self.fhir(address, base: url, host: host)
        default:
            service = "http"
            grant = nil
            format = LinesFormat(url: url + Self.query(argument))
        }
    }

    private static let schemes = ["https", "http", "influx+https", "influx+http", "fhir+https", "fhir+http"]

    // MARK: URLs

    private static func url(_ address: HelperAddress) throws(ConfigurationFault) -> String {
        let scheme = address.scheme.hasSuffix("https") ? "https" : "http"
        guard !address.host.isEmpty else { throw ConfigurationFault("the address has no host") }
        guard address.host.utf8.allSatisfy({ isHostByte($0) }) else { throw ConfigurationFault("`\(address.host)` is not a host name") }
        guard scheme == "https" || address.isLoopback else {
            throw ConfigurationFault(
                "http is not encrypted and only allowed to this computer (localhost, 127.0.0.1, ::1); use https")
        }
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        return "\(scheme)://\(host)\(address.port.map { ":\($0)" } ?? "")\(address.encodedPath)"
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || "-._:".utf8.contains(byte)
    }

    private static func trimmed(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }

    /// The query as written, without our own setting.
    private static func query(_ argument: String) -> String {
        guard let mark = argument.firstIndex(of: "?") else { return "" }
        let items = argument[argument.index(after: mark)...].split(separator: "&").filter { $0 != "cafile" && !$0.hasPrefix("cafile=") }
        return items.isEmpty ? "" : "?" + items.joined(separator: "&")
    }

    private static func influx(_ address: HelperAddress, _ url: String) throws(ConfigurationFault) -> String {
        try address.check(known: ["db", "rp", "org", "bucket", "cafile"])
        let base = trimmed(url)
        func item(_ key: String) -> String { FHIRCodes.escaped(address[key] ?? "", keeping: "-._~") }
        let isFirst = address["db"]?.isEmpty == false
        let isSecond = address["org"]?.isEmpty == false && address["bucket"]?.isEmpty == false
        guard isFirst != isSecond, isFirst || address["rp"] == nil, isSecond || address["org"] == nil && address["bucket"] == nil else {
            throw ConfigurationFault("add ?db=NAME for InfluxDB 1.x, or ?org=ORGANISATION&bucket=BUCKET for 2.x")
        }
        if isSecond { return "\(base)/api/v2/write?org=\(item("org"))&bucket=\(item("bucket"))&precision=ns" }
        let policy = address["rp"].map { _ in "&rp=\(item("rp"))" } ?? ""
        return "\(base)/write?db=\(item("db"))\(policy)&precision=ns"
    }

    // MARK: FHIR

    private static func fhir(_ address: HelperAddress, base: String, host: String) throws(ConfigurationFault) -> FHIRFormat {
        try address.check(
            known: ["subject", "profile", "gateway", "cafile", "client", "tokenurl", "scope", "kid"], prefixes: ["subject."])
        let gateway = address["gateway"] ?? host
        guard !gateway.isEmpty else { throw ConfigurationFault("gateway= names nothing") }
        let profile: FHIRProfile
        switch address["profile"] ?? "core" {
        case "core": profile = .core
        case "us-core": profile = .usCore
        case "phd": profile = .phd(FHIRGateway(name: gateway, version: helperVersion))
        case let other: throw ConfigurationFault("unknown profile `\(other)`; use core, us-core or phd")
        }
        return FHIRFormat(base: base, subject: try subject(address), profile: profile)
    }

    private static func subject(_ address: HelperAddress) throws(ConfigurationFault) -> Patients {
        switch try address.byPerson("subject", key: Patients.key) {
        case .everybody(let text)?: return .everybody(try reference(text))
        case .persons(let texts)?:
            var references: [String: String] = [:]
            for (key, text) in texts { references[key] = try reference(text) }
            return .persons(references)
        case nil: throw ConfigurationFault("no subject: add subject=Patient/ID, or subject.NAME=… for each person")
        }
    }

    /// `Patient/p1`, `Patient?identifier=SYSTEM|VALUE`, or a whole URL.
    private static func reference(_ text: String) throws(ConfigurationFault) -> String {
        guard let reference = Patients.reference(text) else {
            throw ConfigurationFault("`\(text)` is not a reference; write e.g. Patient/p1 or Patient?identifier=SYSTEM%7CVALUE")
        }
        return reference
    }

    private static func grant(_ address: HelperAddress, base: String) throws(ConfigurationFault) -> SMARTGrant? {
        guard let client = address["client"] else {
            if let item = address.items.first(where: { ["tokenurl", "scope", "kid"].contains($0.key) }) {
                throw ConfigurationFault("\(item.key)= belongs to SMART Backend Services; add client=CLIENT_ID")
            }
            return nil
        }
        guard !client.isEmpty, address.user == nil else {
            throw ConfigurationFault("give client=CLIENT_ID for SMART Backend Services or USER@ for a password, not both")
        }
        let place = address["tokenurl"]
        if let place { try SMARTGrant.check(place) }
        return SMARTGrant(base: base, client: client, scope: address["scope"], keyID: address["kid"], tokenURL: place)
    }

    // MARK: Credentials

    /// The `Authorization` header; `nil` without credentials. SMART requests its tokens separately.
    public func authorization(_ credentials: Credentials) throws(ConfigurationFault) -> Authorization? {
        if let user {
            let name = service + ".password"
            guard let password = try credentials.find(name) else {
                throw ConfigurationFault("no password for \(user): write it into \(credentials.place(name)) (mode 0600)")
            }
            // RFC 7617: the name ends at the first colon.
            guard !user.contains(":") else { throw ConfigurationFault("a user name cannot contain a colon") }
            return Authorization("Basic", Base64.string(Array("\(user):\(password)".utf8)), made: password)
        }
        guard let token = try credentials.find(service + ".token") else { return nil }
        guard token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw ConfigurationFault("\(service).token is not a token: it contains blanks or non-ASCII bytes")
        }
        return Authorization(service == "influx" ? "Token" : "Bearer", token)
    }
}
