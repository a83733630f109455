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
}
