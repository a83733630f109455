import HTTPClient
import RemoteSink

/// Where RabbitMQ's management API is: `http://USER@localhost:15672/`, or `https://USER@HOST/?cafile=FILE`.
struct ManagementAddress: Equatable {
    let url: String
    let user: String
    let vhost: String
    let caFile: String?
    let isLoopback: Bool

    static let usual = "http://cuff-admin@localhost:15672/"
    static let credential = "management.password"

    init(_ text: String) throws(ConfigurationFault) {
        let address = try HelperAddress(text)
        guard address.scheme == "http" || address.scheme == "https" else {
            throw ConfigurationFault("`\(address.scheme)` is not the scheme of the management API; use https://USER@HOST/")
        }
        isLoopback = address.isLoopback
        guard address.scheme == "https" || isLoopback else {
            throw ConfigurationFault("http:// is not encrypted and only allowed to this machine; use https://")
        }
        guard !address.host.isEmpty, let user = address.user, !user.isEmpty else {
            throw ConfigurationFault("the management API's address has no user or no host: \(Self.usual)")
        }
        try address.check(known: ["cafile", "vhost"])
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        url = "\(address.scheme)://\(host):\(address.port ?? (address.scheme == "https" ? 15671 : 15672))/api"
        self.user = user
        vhost = address["vhost"] ?? "/"
        caFile = address["cafile"]
    }
}

/// One request at a time to the management API.
final class Management {
    let address: ManagementAddress
    private let authorization: String
    private let client: CurlClient

    /// All users or connections of a hundred thousand machines.
    private static let longest = 128 << 20

    init(_ address: ManagementAddress, password: String) throws(ConfigurationFault) {
        self.address = address
        authorization = "Basic " + Base64.string(Array("\(address.user):\(password)".utf8))
        client = try CurlClient(
            program: "cuff-gateway", caFile: address.caFile, isLoopback: address.isLoopback, longest: Self.longest)
    }

    /// The one of the options; `nil` without its password.
    convenience init?(_ options: Options) throws(ConfigurationFault) {
        let address = try ManagementAddress(options.management)
        guard let password = try Credentials().find(ManagementAddress.credential) else { return nil }
        try self.init(address, password: password)
    }

    /// `path` has encoded words: `/users/pi-1`. Returns `nil` for 404.
    @discardableResult
    func call(_ method: HTTPRequest.Method, _ path: String, _ body: String = "") throws(BrokerFault) -> JSONValue? {
        let request = HTTPRequest(method, address.url + path, headers: [.init("Content-Type", "application/json")], body: body)
        let answer: HTTPAnswer
        switch client.perform(request, authorization: authorization) {
        case .answered(let found): answer = found
        case .unreachable(let text): throw BrokerFault(text: "the management API at \(address.url): \(text)", isAway: true)
        case .misconfigured(let text): throw BrokerFault(text: "the management API at \(address.url): \(text)")
        }
        let value = JSONValue(parsing: answer.body)
        let reason = Answer.oneLine(value?["reason"]?.string ?? value?["error"]?.string ?? "no reason")
        switch answer.status {
        case 200..<300: return value ?? .null
        case 404: return nil
        case 401, 403:
            throw BrokerFault(
                text:
                    "the management API refuses `\(address.user)` (\(reason)); check \(ManagementAddress.credential), and that the user has "
                    + "the tag administrator: cuff-gateway --setup --operator")
        case 500...: throw BrokerFault(text: "the management API answers \(answer.status) (\(reason))", isAway: true)
        default: throw BrokerFault(text: "the management API answers \(answer.status) to \(method.rawValue) \(path) (\(reason))")
        }
    }

    /// One word of a path: everything but letters, digits and `-._~` is encoded.
    static func word(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.reduce(into: "") { result, byte in
            let isPlain = 0x61...0x7A ~= byte | 0x20 || 0x30...0x39 ~= byte || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
            result += isPlain ? String(UnicodeScalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
    }
}
