public struct HTTPRequest: Sendable, Equatable {
    public enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT", delete = "DELETE", options = "OPTIONS" }

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

/// A complete response.
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

    /// The beginning of a plain-text body, for messages; empty for HTML and JSON.
    public var words: String {
        guard let text = String(validating: body.prefix(2000), as: UTF8.self) else { return "" }
        let start = text.drop { $0.isWhitespace }
        return start.hasPrefix("<") || start.hasPrefix("{") || start.hasPrefix("[") ? "" : String(start.prefix(160))
    }
}

public enum HTTPOutcome: Sendable, Equatable {
    case answered(HTTPAnswer)
    /// No complete response: the server is unreachable or slow, or closed the connection. The readings may be stored.
    case unreachable(String)
    /// The address or the certificate is not valid.
    case misconfigured(String)
}
