import CuffClinical
import HTTPClient
import RemoteSink

/// InfluxDB's line protocol, for `/write` (1.x) and `/api/v2/write` (2.x).
public struct InfluxFormat: DeliveryFormat {
    private let url: String
    private let headers: [HTTPRequest.Header]

    public init(url: String) {
        self.url = url
        headers = [.init("Content-Type", "text/plain; charset=utf-8")]
    }

    /// InfluxData recommends at most 5,000; `cuff` sends at most this many without an answer.
    public var mostReadings: Int { 1000 }

    /// Deletions of readings that could not have been stored.
    public func isNothing(_ reading: ReadingLine) -> Bool { reading.isDeletion && InfluxDeletion(reading) == nil }

    /// Deletions have a separate endpoint.
    public func isAlone(_ reading: ReadingLine) -> Bool { reading.isDeletion }

    public func refusal(_ reading: ReadingLine) -> String? {
        if reading.isDeletion { return nil }
        guard let measured = reading.measured else {
            return "the reading has no known time, and InfluxDB would store it under its arrival time"
        }
        guard Instant(measured) != nil else { return "`\(measured)` is not a time" }
        return InfluxLine.text(ExchangeReading(reading)) == nil ? "the reading has no value to store" : nil
    }

    public func request(_ readings: [ReadingLine]) -> HTTPRequest {
        if let deletion = readings.first.flatMap(InfluxDeletion.init) { return deletion.request(beside: url) }
        return HTTPRequest(.post, url, headers: headers, body: readings.compactMap { InfluxLine.text(ExchangeReading($0)) }.joined())
    }

    public func verdict(_ answer: HTTPAnswer, for readings: [ReadingLine]) -> Verdict {
        if readings.first?.isDeletion == true { return InfluxDeletion.verdict(answer) }
        // 204 is the only 2xx that confirms a write.
        if answer.status == 204 { return .taken }
        if answer.isSuccess {
            return .configuration("HTTP \(answer.status) instead of 204: is this the address of an InfluxDB?")
        }
        let value = JSONValue(parsing: answer.body)
        // The member is `error` in 1.x and `message` in 2.x.
        let message = value?["error"]?.string ?? value?["message"]?.string ?? ""
        if answer.status == 404, message.contains("database") || message.contains("bucket") || message.contains("organization") {
            return .configuration("\(message) (HTTP 404); create it, or correct the address")
        }
        return .failure(answer, message: message)
    }

    /// An empty write: the server checks the database and the permissions first (InfluxDB 1.6 observed; 2.x, which then answers that
    /// a write needs points, by its source).
    public var checks: [HTTPCheck] {
        [
            HTTPCheck(HTTPRequest(.post, url, headers: headers)) { answer in
                let message = JSONValue(parsing: answer.body)?["message"]?.string ?? ""
                let isWritable = answer.status == 204 || answer.status == 400 && message.contains("writing requires points")
                return isWritable
                    ? .ok("the database exists and these credentials may write to it") : CheckResult(verdict(answer, for: []))
            }
        ]
    }
}
