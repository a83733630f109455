/// One request, as a value.
public struct HTTPRequest: Sendable, Equatable {
    public enum Method: String, Sendable { case get = "GET", post = "POST", options = "OPTIONS" }

    public let method: Method
    public let url: String
    public let headers: [Header]
    public let body: String

    public struct Header: Sendable, Equatable {
        public let name: String
        public let value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(_ method: Method, _ url: String, headers: [Header], body: String = "") {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// What the server answered, whole.
public struct HTTPAnswer: Sendable, Equatable {
    public let status: Int
    public let contentType: String?
    public let location: String?
    public let retryAfter: Int?
    public let body: [UInt8]

    public init(_ status: Int, contentType: String? = nil, location: String? = nil, retryAfter: Int? = nil, body: [UInt8] = []) {
        self.status = status
        self.contentType = contentType
        self.location = location
        self.retryAfter = retryAfter
        self.body = body
    }

    public var isSuccess: Bool { 200..<300 ~= status }

    /// The beginning of the body where it is short text; a page of HTML says nothing to a person.
    var words: String {
        guard let text = String(validating: body.prefix(2000), as: UTF8.self) else { return "" }
        let start = text.drop { $0.isWhitespace }
        return start.hasPrefix("<") || start.hasPrefix("{") || start.hasPrefix("[") ? "" : String(start.prefix(160))
    }
}

/// What became of a request.
public enum HTTPOutcome: Sendable, Equatable {
    case answered(HTTPAnswer)
    /// No whole answer came: the server is away, slow, or cut the connection. It may have stored what was sent.
    case unreachable(String)
    /// The server cannot be trusted or addressed as configured.
    case misconfigured(String)
}
