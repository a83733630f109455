import HTTPClient
import RemoteSink

/// `cuff`'s JSON lines, one in each request, to any endpoint. A 2xx means that the reading is stored.
public struct LinesFormat: DeliveryFormat {
    private let url: String

    public init(url: String) { self.url = url }

    /// `Idempotency-Key` identifies one reading, so that a repeated request has the same key.
    public var mostReadings: Int { 1 }

    public func refusal(_ reading: ReadingLine) -> String? { nil }

    public func request(_ readings: [ReadingLine]) -> HTTPRequest {
        let key = readings.first.map { "\($0.id).\($0.revision)" } ?? ""
        return HTTPRequest(
            .post, url,
            // A quoted string, see draft-ietf-httpapi-idempotency-key-header.
            headers: [.init("Content-Type", "application/json"), .init("Idempotency-Key", JSONValue.quoted(key))],
            body: readings.map { $0.json + "\n" }.joined())
    }

    public func verdict(_ answer: HTTPAnswer, for readings: [ReadingLine]) -> Verdict {
        if answer.isSuccess { return .taken }
        let value = JSONValue(parsing: answer.body)
        let message = ["detail", "message", "error", "title"].lazy.compactMap { value?[$0]?.string }.first ?? ""
        return .failure(answer, message: message)
    }

    /// OPTIONS is safe (RFC 9110 §9.2.1). The answer shows that the server is reachable, that its certificate is valid, and
    /// usually whether it accepts the credentials.
    public var checks: [HTTPCheck] {
        [
            HTTPCheck(HTTPRequest(.options, url, headers: [])) { answer in
                switch answer.status {
                case 300..<400, 401, 408, 429, 500...: .failure(answer, message: "")
                default:
                    .ok(
                        "the server answers (HTTP \(answer.status) for OPTIONS); not known without sending a reading: whether it accepts them"
                    )
                }
            }
        ]
    }
}
