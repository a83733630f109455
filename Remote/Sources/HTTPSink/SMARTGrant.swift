import CuffClinical
import CuffCore
import HTTPClient
import RemoteSink

/// SMART Backend Services: a short-lived access token in exchange for a signed JWT (RFC 7523). The caller signs;
/// times are seconds since 1970.
public struct SMARTGrant: Sendable {
    public enum Algorithm: String, Sendable { case rs384 = "RS384", es384 = "ES384" }

    private let base: String
    private let client: String
    private let scope: String
    private let keyID: String?
    public private(set) var tokenURL: String?
    private var token: String?
    private var end = 0

    /// A token is renewed this many seconds before it expires.
    private static let reserve = 15
    /// The guide allows five minutes at most.
    private static let life = 240

    public init(base: String, client: String, scope: String?, keyID: String?, tokenURL: String?) {
        self.base = base
        self.client = client
        self.scope = scope ?? "system/Observation.write system/Device.write"
        self.keyID = keyID
        self.tokenURL = tokenURL
    }

    /// `nil` without a valid token.
    public func authorization(at now: Int) -> Authorization? { now < end ? token.map { Authorization("Bearer", $0) } : nil }

    /// The server refused the token before it expired.
    public mutating func forget() { token = nil }

    // MARK: Token endpoint

    public var discovery: HTTPRequest {
        HTTPRequest(.get, base + "/.well-known/smart-configuration", headers: [.init("Accept", "application/json")])
    }

    public mutating func accept(discovery answer: HTTPAnswer) throws(ConfigurationFault) {
        guard answer.isSuccess, let place = JSONValue(parsing: answer.body)?["token_endpoint"]?.string else {
            throw ConfigurationFault(
                "the server has no token endpoint in its SMART configuration (HTTP \(answer.status)); add tokenurl=… to the address")
        }
        try Self.check(place)
        tokenURL = place
    }

    static func check(_ url: String) throws(ConfigurationFault) {
        let address = try HelperAddress(url)
        guard address.scheme == "https" || address.scheme == "http" && address.isLoopback else {
            throw ConfigurationFault("the token endpoint must be https, not `\(url)`")
        }
    }

    // MARK: Token request

    /// `random` is a nonce.
    public func statement(_ algorithm: Algorithm, at now: Int, random: String) -> String {
        let head: JSONOutput = ["alg": .text(algorithm.rawValue), "kid": keyID.map { .text($0) }, "typ": "JWT"]
        let claims: JSONOutput = [
            "iss": .text(client), "sub": .text(client), "aud": .text(tokenURL ?? ""), "exp": .number("\(now + Self.life)"),
            "iat": .number("\(now)"), "jti": .text(random),
        ]
        return Base64.urlString(Array(head.string.utf8)) + "." + Base64.urlString(Array(claims.string.utf8))
    }

    public func request(statement: String, signature: [UInt8]) -> HTTPRequest {
        func item(_ key: String, _ value: String) -> String { "\(key)=\(FHIRCodes.escaped(value, keeping: "-._~"))" }
        let body = [
            item("grant_type", "client_credentials"), item("scope", scope),
            item("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            item("client_assertion", statement + "." + Base64.urlString(signature)),
        ]
        return HTTPRequest(
            .post, tokenURL ?? "",
            headers: [.init("Content-Type", "application/x-www-form-urlencoded"), .init("Accept", "application/json")],
            body: body.joined(separator: "&"))
    }

    /// `nil` if a token was issued; otherwise the fault to report.
    public mutating func accept(token answer: HTTPAnswer, at now: Int) -> HTTPOutcome? {
        let value = JSONValue(parsing: answer.body)
        if answer.isSuccess, let text = value?["access_token"]?.string, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), !text.isEmpty {
            token = text
            // Without `expires_in`, use the token until a 401.
            end = now + max(1, min(value?["expires_in"]?.integer ?? 300, 86_400) - Self.reserve)
            return nil
        }
        // The signed JWT stays valid for minutes, so only the server's error text is shown, never the request.
        let message = value?["error_description"]?.string ?? value?["error"]?.string ?? ""
        let text = "the server did not issue a token: HTTP \(answer.status)" + (message.isEmpty ? "" : " \(message)")
        if answer.status >= 500 || answer.status == 429 || answer.status == 408 { return .unreachable(text) }
        return .misconfigured(text + "; check client=, the key's registration and scope=")
    }

    /// Converts an ECDSA signature from DER (OpenSSL) to JWS: two numbers of 48 bytes (RFC 7518 §3.4).
    public static func joined(der: [UInt8], size: Int = 48) -> [UInt8]? {
        var rest = der[...]
        guard header(&rest, 0x30) == rest.count, let first = number(&rest, size), let second = number(&rest, size), rest.isEmpty else {
            return nil
        }
        return first + second
    }

    private static func header(_ rest: inout ArraySlice<UInt8>, _ tag: UInt8) -> Int? {
        guard rest.popFirst() == tag, let short = rest.popFirst() else { return nil }
        if short < 0x80 { return Int(short) }
        guard short == 0x81, let long = rest.popFirst() else { return nil }
        return Int(long)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ size: Int) -> [UInt8]? {
        guard let count = header(&rest, 0x02), count <= rest.count else { return nil }
        let digits = rest.prefix(count).drop { $0 == 0 }
        rest = rest.dropFirst(count)
        guard digits.count <= size else { return nil }
        return [UInt8](repeating: 0, count: size - digits.count) + digits
    }
}
