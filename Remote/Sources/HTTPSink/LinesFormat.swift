import RemoteSink

/// `cuff`'s own lines, one in each request, to any endpoint. 2xx is the endpoint's word that it keeps the reading.
public struct LinesFormat: DeliveryFormat {
    private let url: String

    public init(url: String) { self.url = url }

    /// `Idempotency-Key` names one reading, so that a request which is repeated later has the key it had before.
    public var mostReadings: Int { 1 }

    public func refusal(_ reading: ReadingLine) -> String? { nil }

    public func request(_ readings: [ReadingLine]) -> HTTPRequest {
        let key = readings.first.map { "\($0.id).\($0.revision)" } ?? ""
        return HTTPRequest(
            .post, url,
            // Quoted, as draft-ietf-httpapi-idempotency-key-header has it. An id has neither quotes nor backslashes in it,
            // and where it had, they would be escaped.
            headers: [.init("Content-Type", "application/json"), .init("Idempotency-Key", JSONValue.quoted(key))],
            body: readings.map { $0.json + "\n" }.joined())
    }

    public func verdict(_ answer: HTTPAnswer, for readings: [ReadingLine]) -> Verdict {
        if answer.isSuccess { return .taken }
        let value = JSONValue(parsing: answer.body)
        let said = ["detail", "message", "error", "title"].lazy.compactMap { value?[$0]?.string }.first ?? ""
        return .failure(answer, said: said)
    }

    /// An endpoint has no question that stores nothing, but OPTIONS is safe (RFC 9110 §9.2.1), and the answer shows that the server is
    /// there, that its certificate is good, and mostly whether it knows the credentials.
    public var checks: [HTTPCheck] {
        [
            HTTPCheck(HTTPRequest(.options, url, headers: [])) { answer in
                switch answer.status {
                case 300..<400, 401, 408, 429, 500...: .failure(answer, said: "")
                default:
                    .ok(
                        "the server answers (HTTP \(answer.status) for OPTIONS); whether it accepts readings cannot be known without sending one"
                    )
                }
            }
        ]
    }
}
