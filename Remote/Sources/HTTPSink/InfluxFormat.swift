import CuffClinical
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

    /// What could not be stored is not there.
    public func isNothing(_ reading: ReadingLine) -> Bool { reading.isDeletion && InfluxDeletion(reading) == nil }

    /// Deleting has an address of its own.
    public func isAlone(_ reading: ReadingLine) -> Bool { reading.isDeletion }

    public func refusal(_ reading: ReadingLine) -> String? {
        if reading.isDeletion { return nil }
        guard let measured = reading.measured else {
            return "the time of this reading is not known, and a line without a time would be stored under the time of its arrival"
        }
        guard Instant(measured) != nil else { return "`\(measured)` is not a time" }
        return InfluxLine.text(ExchangeReading(reading)) == nil ? "it has no value that InfluxDB stores" : nil
    }

    public func request(_ readings: [ReadingLine]) -> HTTPRequest {
        if let deletion = readings.first.flatMap(InfluxDeletion.init) { return deletion.request(beside: url) }
        return HTTPRequest(.post, url, headers: headers, body: readings.compactMap { InfluxLine.text(ExchangeReading($0)) }.joined())
    }

    public func verdict(_ answer: HTTPAnswer, for readings: [ReadingLine]) -> Verdict {
        if readings.first?.isDeletion == true { return InfluxDeletion.verdict(answer) }
        // Of every 2xx only this one says that the points are written.
        if answer.status == 204 { return .taken }
        if answer.isSuccess {
            return .configuration("HTTP \(answer.status) where InfluxDB answers 204: is this the address of an InfluxDB?")
        }
        let value = JSONValue(parsing: answer.body)
        // 1.x says `error`, 2.x `message`.
        let said = value?["error"]?.string ?? value?["message"]?.string ?? ""
        if answer.status == 404, said.contains("database") || said.contains("bucket") || said.contains("organization") {
            return .configuration("\(said) (HTTP 404); create it, or correct the address")
        }
        return .failure(answer, said: said)
    }

    /// A write of nothing: the server looks for the database and for the rights first (InfluxDB 1.6 observed; 2.x, which then says that
    /// a write needs points, by its source).
    public var checks: [HTTPCheck] {
        [
            HTTPCheck(HTTPRequest(.post, url, headers: headers)) { answer in
                let said = JSONValue(parsing: answer.body)?["message"]?.string ?? ""
                let isWritable = answer.status == 204 || answer.status == 400 && said.contains("writing requires points")
                return isWritable
                    ? .ok("the database is there, and these credentials may write to it") : CheckResult(verdict(answer, for: []))
            }
        ]
    }
}
