import PersonNames
import RemoteSink

/// The validated settings of the address: `mqtt://USER@HOST:PORT/?gateway=NAME&prefix=cuff&discovery=homeassistant`.
struct Settings: Sendable, Equatable {
    var host: String
    var port: Int
    var isEncrypted: Bool
    var user: String?
    var password: String?
    /// The name of this machine, unique at the broker.
    var gateway: String
    var prefix: String
    /// The topic below which Home Assistant looks for entities; `nil`: nothing is announced.
    var discovery: String?
    var caFile: String?
    var certificateFile: String?
    var keyFile: String?
    /// An accepted reading without a subscriber counts as delivered.
    var isUnheardTaken = false
    /// Whether the newest reading is retained, which requires permission to read it back.
    var keepsState = true
    var persons = PersonForm.subjects
    /// The path of the password file, for messages.
    var passwordPlace = ""

    static let keys = [
        "gateway", "prefix", "discovery", "cafile", "certfile", "keyfile", "nobody-listens", "state", "login", "persons", "heartbeat",
    ]
    static let keepAlive = 30

    init(_ address: HelperAddress, credentials: Credentials, hostName: String) throws(ConfigurationFault) {
        switch address.scheme {
        case "mqtt": isEncrypted = false
        case "mqtts": isEncrypted = true
        default: throw ConfigurationFault("`\(address.scheme)` is not MQTT; use mqtt:// or mqtts://")
        }
        try address.check(known: Self.keys)
        guard !address.host.isEmpty else { throw ConfigurationFault("the address has no host; write mqtt://HOST/") }
        guard address.path.isEmpty || address.path == "/" else {
            throw ConfigurationFault("the address has a path, `\(address.path)`, which MQTT has no use for; topics begin with ?prefix=")
        }
        host = address.host
        isLoopback = address.isLoopback
        port = address.port ?? (isEncrypted ? 8883 : 1883)
        user = address.user.flatMap { $0.isEmpty ? nil : $0 }
        if user != nil { password = try credentials.find("mqtt.password") }
        passwordPlace = credentials.place("mqtt.password")
        if let name = address["login"] {
            guard user == nil else { throw ConfigurationFault("login= names user and password; leave out the user before the @") }
            guard let login = try credentials.login(name) else {
                throw ConfigurationFault("no credential \(name): write user and password to \(credentials.place(name)), mode 0600")
            }
            (user, password) = login
            passwordPlace = credentials.place(name)
        }
        gateway = Topics.level(address["gateway"].flatMap { $0.isEmpty ? nil : $0 } ?? hostName)
        guard !gateway.isEmpty else { throw ConfigurationFault("this machine has no name; add ?gateway=NAME") }
        prefix = try Self.base(address["prefix"] ?? "cuff", "prefix")
        discovery = try address["discovery"].map { text throws(ConfigurationFault) in try Self.base(text, "discovery") }
        caFile = address["cafile"]
        certificateFile = address["certfile"]
        keyFile = address["keyfile"]
        guard isEncrypted || (caFile == nil && certificateFile == nil && keyFile == nil) else {
            throw ConfigurationFault("cafile, certfile and keyfile are for mqtts://")
        }
        guard (certificateFile == nil) == (keyFile == nil) else {
            throw ConfigurationFault("a certificate needs its key: give both certfile and keyfile")
        }
        switch address["nobody-listens"] {
        case nil, "later": break
        case "taken": isUnheardTaken = true
        case let other?: throw ConfigurationFault("nobody-listens=\(other) is unknown; use taken or later")
        }
        switch address["state"] {
        case nil, "yes": break
        case "no": keepsState = false
        case let other?: throw ConfigurationFault("state=\(other) is unknown; use yes or no")
        }
        persons = try Self.persons(address["persons"], hasDiscovery: discovery != nil)
        guard keepsState || discovery == nil else {
            throw ConfigurationFault("discovery needs the retained state; leave out state=no")
        }
    }

    /// Home Assistant shows its entities by name; everywhere else names stay on this machine.
    private static func persons(_ word: String?, hasDiscovery: Bool) throws(ConfigurationFault) -> PersonForm {
        guard let word else { return hasDiscovery ? .names : .subjects }
        return try PersonForm(setting: word)
    }

    /// A topic prefix: levels without wildcards.
    private static func base(_ text: String, _ key: String) throws(ConfigurationFault) -> String {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.allSatisfy({ !$0.isEmpty && Topics.level(String($0)) == $0 && !$0.hasPrefix("$") }) else {
            throw ConfigurationFault("\(key)=\(text) is not a valid topic prefix; use words separated by /")
        }
        return text
    }

    var place: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    let isLoopback: Bool
    /// The same after every start, so that the broker closes a dead connection before it accepts the new one, and its last
    /// will does not follow our `online`.
    var clientID: String { "cuff-\(gateway)" }
    var topics: Topics { Topics(prefix: prefix, gateway: gateway) }
}
