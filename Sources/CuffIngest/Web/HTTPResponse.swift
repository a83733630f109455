import CuffCore

/// A response, after which the connection is closed.
struct HTTPResponse: Sendable, Equatable {
    /// Code and reason, `200 OK`.
    var status = "200 OK"
    var type = "text/plain; charset=utf-8"
    var body: [UInt8] = []
    var headers: [String] = []
    /// A page with its own style and no script.
    var hasOwnStyle = false

    /// Nothing is loaded from elsewhere, nothing is framed, no inline script or style.
    private static let policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:" + never
    /// For a page with its own style: it may load nothing.
    private static let closedPolicy = "default-src 'none'; style-src 'unsafe-inline'" + never
    private static let never = "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    init(_ body: [UInt8], type: String) {
        self.body = body
        self.type = type
    }

    init(status: String, _ sentence: String) {
        self.status = status
        body = Array((sentence + "\n").utf8)
    }

    init(_ fault: HTTPRequest.Fault) {
        switch fault {
        case .malformed: self.init(status: "400 Bad Request", "this is not an HTTP request")
        case .method: self.init(status: "405 Method Not Allowed", "only GET and HEAD")
        case .host: self.init(status: "400 Bad Request", "exactly one Host header is required")
        case .foreignHost: self.init(status: "403 Forbidden", "the Host header is not this server's name")
        case .tooLong: self.init(status: "431 Request Header Fields Too Large", "the request is too long")
        }
    }

    static let notFound = HTTPResponse(status: "404 Not Found", "there is no such page")

    /// The head of every response, without the length.
    static func head(_ status: String, _ type: String, hasOwnStyle: Bool = false) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nCache-Control: no-store\r\nConnection: close\r\n"
            + "Content-Security-Policy: \(hasOwnStyle ? closedPolicy : policy)\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
            + "Cross-Origin-Resource-Policy: same-origin\r\n" + (status.hasPrefix("405") ? "Allow: GET, HEAD\r\n" : "")
    }

    func bytes(isHead: Bool = false) -> [UInt8] {
        let further = headers.map { $0 + "\r\n" }.joined()
        return Array((Self.head(status, type, hasOwnStyle: hasOwnStyle) + further + "Content-Length: \(body.count)\r\n\r\n").utf8)
            + (isHead ? [] : body)
    }
}
