import Glibc

/// Sinks on servers. A helper program delivers the readings and acknowledges each (docs/SINKS.md, "Sinks that answer"). Its only
/// argument is the address; it reads credentials from files.
extension SinkKind {
    /// The schemes whose helper is not `cuff-sink-SCHEME`, or whose secrets have a default place.
    public static let servers: [SinkKind] = [
        remote(
            "mqtt", "cuff-sink-mqtt", "an MQTT broker on this machine", "mqtt://USER@HOST/?gateway=NAME", secret: "mqtt.password",
            isAnnouncing: true, takesAlerts: true),
        remote(
            "mqtts", "cuff-sink-mqtt", "an MQTT broker, over TLS", "mqtts://USER@HOST/?cafile=FILE", secret: "mqtt.password",
            isAnnouncing: true, takesAlerts: true),
        remote("postgres", "cuff-sink-postgres", "a PostgreSQL database", "postgres://USER@HOST/DB"),
        remote("postgresql", "cuff-sink-postgres", "the same", "postgresql://USER@HOST/DB"),
        remote("influx+http", "cuff-sink-http", "InfluxDB on this machine", "influx+http://USER@HOST/?db=NAME", secret: "influx.password"),
        remote("influx+https", "cuff-sink-http", "InfluxDB", "influx+https://HOST/?org=O&bucket=B", secret: "influx.token"),
        remote(
            "fhir+http", "cuff-sink-http", "a FHIR server on this machine", "fhir+http://HOST/BASE?subject=REFERENCE",
            secret: "fhir.token"),
        remote("fhir+https", "cuff-sink-http", "a FHIR server", "fhir+https://HOST/BASE?subject=REFERENCE", secret: "fhir.token"),
        remote("hl7+tcp", "cuff-sink-hl7", "an HL7 receiver on this machine", "hl7+tcp://HOST:PORT/?patient.1=ID"),
        remote("hl7+tls", "cuff-sink-hl7", "an HL7 receiver, over TLS", "hl7+tls://HOST:PORT/?patient.1=ID"),
        remote(
            "http", "cuff-sink-http", "JSON Lines for a web service on this machine", "http://HOST/PATH", secret: "http.token",
            takesAlerts: true),
        remote("https", "cuff-sink-http", "JSON Lines for a web service", "https://HOST/PATH", secret: "http.token", takesAlerts: true),
    ]

    /// The kind of an unlisted scheme, with helper `cuff-sink-SCHEME`. `nil` if the text is not a scheme (RFC 3986, 3.1, in lower
    /// case).
    static func helper(for scheme: String) -> SinkKind? {
        let isScheme =
            scheme.utf8.first.map { $0 &- 0x61 < 26 } ?? false
            && scheme.utf8.allSatisfy { $0 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
        guard isScheme, scheme.utf8.count <= longestScheme, !scheme.hasSuffix(acknowledging) else { return nil }
        return remote(scheme, "cuff-sink-\(scheme)", "a helper program", "\(scheme):ADDRESS", isListed: false)
    }

    private static let longestScheme = 64

    private static func remote(
        _ scheme: String, _ program: String, _ help: String, _ example: String, secret: String? = nil, isListed: Bool = true,
        isAnnouncing: Bool = false, takesAlerts: Bool = false
    ) -> SinkKind {
        var traits: SinkKind.Traits = [.outbox, .remote]
        if isAnnouncing { traits.insert(.announcing) }
        if takesAlerts { traits.insert(.alerts) }
        return SinkKind(
            scheme, operand: isListed ? "//…" : "ADDRESS", help: help, example: example, durability: .acknowledged,
            traits: traits, helper: program,
            parse: { (kind, operand) throws(IngestError) in
                // First of all, because other errors repeat the address.
                if let place = RemoteAddress(operand).placeOfSecret {
                    throw IngestError(SinkFault.secretInAddress(scheme: scheme, place: place, program: program, credential: secret))
                }
                guard !operand.isEmpty else { throw kind.malformed(operand, "it names no server") }
                return SinkSpec(kind, path: operand)
            },
            latest: { _ in nil }
        ) { (spec, context) throws(IngestError) in
            guard let path = HelperProgram.find(program, in: context.helpers) else {
                throw missing(spec, program, context.helpers, isListed: isListed)
            }
            let peer = CommandPeer([path, spec.name], name: spec.name, isAnswering: true)
            return try OutgoingSink(spec, context, to: peer, isAnswering: true)
        }
    }

    private static func missing(_ spec: SinkSpec, _ program: String, _ folder: String, isListed: Bool) -> IngestError {
        guard !isListed else { return IngestError(SinkFault.helperMissing(spec.name, program: program, folder: folder)) }
        let known = all.map(\.scheme)
        return IngestError(
            SinkFault.noHelper(
                spec.name, scheme: spec.kind.scheme, program: program, folder: folder,
                nearest: NearestWord.match(spec.kind.scheme, among: known), known: known))
    }
}

/// Finds helper programs: in the installation's folder, then in PATH.
enum HelperProgram {
    /// `$CUFF_LIBEXEC`, else `libexec/cuff` next to the folder of this program.
    static var folder: String {
        if let named = getenv("CUFF_LIBEXEC"), named.pointee == 0x2F { return String(cString: named) }
        let own = StateFile.resolved("/proc/self/exe").split(separator: "/").dropLast(2)
        return own.map { "/\($0)" }.joined() + "/libexec/cuff"
    }

    /// Throws if it is not installed; `name` is the sink that needs it.
    static func path(_ program: String, for name: String) throws(IngestError) -> String {
        let folder = folder
        guard let path = find(program, in: folder) else {
            throw IngestError(SinkFault.helperMissing(name, program: program, folder: folder))
        }
        return path
    }

    static func find(_ program: String, in folder: String) -> String? {
        CommandPeer.find("\(folder)/\(program)") ?? CommandPeer.find(program)
    }
}

/// The parts of an address that may contain a secret: the part before `@`, the path and the query.
struct RemoteAddress {
    /// Percent-decoded and in lower case: a colon may be written `%3A`.
    private let authority: String
    private let rest: Substring
    private let query: Substring

    init(_ operand: String) {
        let text = operand.hasPrefix("//") ? operand.dropFirst(2) : operand[...]
        let end = text.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? text.endIndex
        authority = Self.decoded(text[..<end])
        let rest = text[end...]
        self.rest = rest
        query = rest.firstIndex { $0 == "?" || $0 == "#" }.map { rest[rest.index(after: $0)...] } ?? ""
    }

    /// Which part contains a secret that belongs into a file; `nil` if none.
    var placeOfSecret: String? {
        if let at = authority.lastIndex(of: "@") {
            if authority[..<at].contains(":") { return "password" }
        } else if rest.contains("@"), let colon = authority.lastIndex(of: ":"), authority.last != "]",
            !authority[authority.index(after: colon)...].allSatisfy({ $0.isASCII && $0.isNumber })
        {
            // A password that contains a slash or a question mark.
            return "password"
        }
        for part in query.split(whereSeparator: { $0 == "&" || $0 == ";" || $0 == "#" || $0 == "?" }) {
            let name = Self.decoded(part.prefix { $0 != "=" })
            if name != Self.endpoint, Self.secrets.contains(where: name.contains) { return name }
            if Self.keys.contains(name), part.utf8.count - name.utf8.count > Self.shortestSecret { return name }
        }
        return hasSecretPath ? "secret in the path" : nil
    }

    /// A path segment is named like a secret or looks random, as in webhook addresses: long, with capital and small letters and
    /// digits. A UUID or a hexadecimal number may be a name.
    private var hasSecretPath: Bool {
        var former = ""
        for step in rest.prefix(while: { $0 != "?" && $0 != "#" }).split(separator: "/") {
            let name = Self.decoded(step.prefix { $0 != "=" })
            if step.contains("="), Self.secrets.contains(where: name.contains) { return true }
            if Self.secrets.contains(where: { former.hasSuffix($0) }) || Self.hooks.contains(former),
                step.utf8.count >= Self.shortestSecret
            {
                return true
            }
            let letters = step.utf8
            let isMixed =
                letters.contains { 0x30...0x39 ~= $0 } && letters.contains { 0x41...0x5A ~= $0 } && letters.contains { 0x61...0x7A ~= $0 }
            if isMixed, letters.count >= Self.shortestRandom { return true }
            former = name
        }
        return false
    }

    /// Shorter ones are names of sites and versions.
    private static let shortestRandom = 20

    private static let secrets = ["passw", "pwd", "token", "secret", "apikey", "api_key", "api-key", "authorization"]
    /// Where a FHIR server's tokens come from, which is no secret.
    private static let endpoint = "tokenurl"
    /// Names of queries that contain a secret, or a short word.
    private static let keys: Set = ["sig", "code", "key"]
    /// The segment before the secret of a webhook.
    private static let hooks: Set = ["webhook", "webhooks", "webhookb2", "incomingwebhook"]
    private static let shortestSecret = 8

    private static func decoded(_ name: Substring) -> String {
        var bytes: [UInt8] = []
        var left = Array(name.utf8)[...]
        while let byte = left.popFirst() {
            if byte == 0x25, left.count >= 2, let value = UInt8(String(decoding: left.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(value)
                left = left.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }
}
