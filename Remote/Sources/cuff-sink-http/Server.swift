import Glibc
import HTTPClient
import HTTPSink
import RemoteSink

/// Performs requests to the target with its credentials, and requests tokens if needed.
final class Server {
    private let client: CurlClient
    private let authorization: Authorization?
    private var grant: SMARTGrant?
    private let signer: JWTSigner?

    /// Responses for fifty readings have about a hundred kilobytes.
    private static let longestAnswer = 8 << 20

    init(_ target: HTTPTarget, _ credentials: Credentials) throws(ConfigurationFault) {
        if let file = target.caFile, access(file, R_OK) != 0 {
            throw ConfigurationFault("cannot read \(file): \(String(cString: strerror(errno)))")
        }
        client = try CurlClient(
            program: "cuff-sink-http", caFile: target.caFile, isLoopback: target.isLoopback, longest: Self.longestAnswer)
        grant = target.grant
        if target.grant == nil {
            authorization = try target.authorization(credentials)
            signer = nil
        } else {
            guard let pem = try credentials.contents("fhir.key") else {
                throw ConfigurationFault("no key for SMART Backend Services: write it into \(credentials.place("fhir.key")) (mode 0600)")
            }
            signer = try JWTSigner(pem: pem)
            authorization = nil
        }
    }

    func perform(_ request: HTTPRequest) -> HTTPOutcome {
        guard grant != nil else { return send(request, authorization) }
        if let problem = renew() { return problem }
        let outcome = send(request, grant?.authorization(at: Self.now))
        guard case .answered(let answer) = outcome, answer.status == 401 else { return outcome }
        // The token may have been revoked; a second 401 is a configuration fault.
        grant?.forget()
        if let problem = renew() { return problem }
        return send(request, grant?.authorization(at: Self.now))
    }

    private func send(_ request: HTTPRequest, _ authorization: Authorization?) -> HTTPOutcome {
        let outcome = client.perform(request, authorization: authorization?.value)
        guard case .answered(let answer) = outcome, let authorization else { return outcome }
        return .answered(authorization.redacted(answer))
    }

    /// Obtains a token if needed; returns the fault if that fails.
    private func renew() -> HTTPOutcome? {
        guard var grant, let signer, grant.authorization(at: Self.now) == nil else { return nil }
        defer { self.grant = grant }
        if grant.tokenURL == nil {
            let outcome = client.perform(grant.discovery, authorization: nil)
            guard case .answered(let answer) = outcome else { return outcome }
            if answer.status >= 500 || answer.status == 429 { return .unreachable("HTTP \(answer.status) for \(grant.discovery.url)") }
            do throws(ConfigurationFault) { try grant.accept(discovery: answer) } catch { return .misconfigured(error.description) }
        }
        guard let random = JWTSigner.random() else { return .unreachable("this computer gives no random numbers") }
        let statement = grant.statement(signer.algorithm, at: Self.now, random: random)
        guard let signature = signer.sign(statement) else { return .misconfigured("fhir.key cannot sign") }
        let outcome = client.perform(grant.request(statement: statement, signature: signature), authorization: nil)
        guard case .answered(let answer) = outcome else { return outcome }
        return grant.accept(token: answer, at: Self.now)
    }

    private static var now: Int { time(nil) }
}
