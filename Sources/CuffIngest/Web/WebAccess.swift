import CuffCore

/// Who may see the pages of a server. Without a token: everyone who reaches the address, which must be of this computer alone. As soon
/// as there is a token file, every request needs the token, from this computer too, because a reverse proxy is a local client.
final class WebAccess: Sendable {
    /// A random token of 32 bytes cannot be guessed; the limit keeps guesses from costing time. A correct token always passes.
    static let mostWrong = 20
    private static let period = Duration.seconds(60)
    /// A year: a telephone keeps the access until the token is revoked.
    private static let cookieAge = 31_536_000
    private static let cookie = "cuff_page"

    private let file: String?
    private let isLocal: Bool
    private let now: @Sendable () -> Int64
    /// Times of the latest wrong tokens, in nanoseconds.
    private let wrong = Locked<[Int64]>([])

    /// `file`: where the token is stored; `nil` if there is no token. `now` is the monotonic clock in nanoseconds.
    init(file: String? = nil, isLocal: Bool = true, now: @escaping @Sendable () -> Int64 = { HostClock.monotonic() }) {
        self.file = file
        self.isLocal = isLocal
        self.now = now
    }

    /// The response to a request that may not pass; `nil` if it may. Reads the token file, so not on the loop.
    func refusal(_ request: HTTPRequest) -> HTTPResponse? {
        let token: WebToken?
        do throws(IngestError) { token = try file.flatMap { path throws(IngestError) in try WebToken.stored(at: path) } } catch {
            return HTTPResponse(status: "503 Service Unavailable", "the token of this page cannot be used: \(error.description)")
        }
        guard let token else {
            guard isLocal else { return Self.closed }
            return request.isForOwnHost ? nil : HTTPResponse(.foreignHost)
        }
        // The link sets a cookie and is replaced by the bare address, so that the token stays in no history and no picture.
        if let given = request.query["token"] {
            guard token.isEqual(given) else { return refusedToken() }
            var response = HTTPResponse(status: "303 See Other", "the page is at \(request.path)")
            response.headers = [
                "Location: \(request.path)",
                "Set-Cookie: \(Self.cookie)=\(token.text); Path=/; Max-Age=\(Self.cookieAge); HttpOnly; SameSite=Lax",
            ]
            return response
        }
        guard let given = request.cookies[Self.cookie] else { return Self.closed }
        return token.isEqual(given) ? nil : refusedToken()
    }

    private static let closed = HTTPResponse(status: "403 Forbidden", "this page needs the link that `cuff web link` prints")

    private func refusedToken() -> HTTPResponse {
        let now = now()
        let count = wrong.withLock { times in
            times.removeAll { now - $0 > Self.period.nanoseconds }
            if times.count <= Self.mostWrong { times.append(now) }
            return times.count
        }
        guard count > Self.mostWrong else { return Self.closed }
        var response = HTTPResponse(status: "429 Too Many Requests", "too many wrong tokens")
        response.headers = ["Retry-After: \(Self.period.components.seconds)"]
        return response
    }
}
