import CuffClinical
import HTTPClient
import RemoteSink

import struct CuffCore.DeviceTime
import struct CuffCore.TextBuffer

/// The point of a deleted reading. Its time is unique to the nanosecond, so time and tags identify it.
struct InfluxDeletion {
    private let time: Int64
    private let measurement: String
    private let tags: [(name: String, value: String)]

    /// `nil` for a line that is not a deletion, or of a reading without a time, which was never stored.
    init?(_ line: ReadingLine) {
        guard line.isDeletion, let time = InfluxLine.time(ExchangeReading(line)) else { return nil }
        self.time = time
        measurement = line.formerType
        tags = [("driver", line.driver), ("device", line.device ?? "")].map { ($0, InfluxLine.stored(tag: $1)) }.filter {
            !$0.value.isEmpty
        }
    }

    /// 1.x: `DELETE` of InfluxQL. 2.x: /api/v2/delete (InfluxDB OSS v2 API, "Delete data"), whose predicate has no `or`; without a
    /// measurement it applies to all.
    func request(beside write: String) -> HTTPRequest {
        if let place = write.firstRange(of: "/api/v2/write?") {
            let url = write[..<place.lowerBound] + "/api/v2/delete?" + write[place.upperBound...]
            let predicate = tags.map { "\($0.name)=\"\(Self.escaped($0.value, "\""))\"" }.joined(separator: " AND ")
            // The range may include both ends. The chance that another reading has the next nanosecond is one in a million.
            let members = [("start", Self.text(time)), ("stop", Self.text(time + 1)), ("predicate", predicate)]
            return HTTPRequest(
                .post, String(url), headers: [.init("Content-Type", "application/json")],
                body: JSONValue.object(members.map { ($0, JSONValue.quoted($1)) }))
        }
        let place = write.firstRange(of: "/write?") ?? write.endIndex..<write.endIndex
        let url = write[..<place.lowerBound] + "/query?" + write[place.upperBound...]
        let condition = (["time = \(time)"] + tags.map { "\"\($0.name)\" = '\(Self.escaped($0.value, "'"))'" }).joined(separator: " AND ")
        // A pending or left-out reading was stored under another measurement.
        let query = ([measurement] + InfluxLine.otherMeasurements).map { "DELETE FROM \"\(Self.escaped($0, "\""))\" WHERE \(condition)" }
            .joined(separator: "; ")
        return HTTPRequest(
            .post, String(url), headers: [.init("Content-Type", "application/x-www-form-urlencoded")],
            body: "q=" + FHIRCodes.escaped(query, keeping: "-._~"))
    }

    static func verdict(_ answer: HTTPAnswer) -> Verdict {
        let value = JSONValue(parsing: answer.body)
        let results = value?["results"]?.array ?? []
        let message = value?["error"]?.string ?? value?["message"]?.string ?? results.lazy.compactMap { $0["error"]?.string }.first ?? ""
        guard answer.isSuccess else { return .failure(answer, message: message) }
        // 1.x also answers 200 if a statement failed.
        if !message.isEmpty { return .content("InfluxDB did not delete it: \(message)") }
        guard answer.status == 204 || !results.isEmpty else {
            return .configuration("HTTP \(answer.status) instead of the result of a deletion: is this the address of an InfluxDB?")
        }
        return .taken
    }

    private static func escaped(_ text: String, _ quote: Character) -> String {
        text.reduce(into: "") { $0 += $1 == quote || $1 == "\\" ? "\\\($1)" : "\($1)" }
    }

    /// RFC 3339 with nanoseconds, in UTC.
    static func text(_ nanoseconds: Int64) -> String {
        let second: Int64 = 1_000_000_000
        var rest = nanoseconds % second
        if rest < 0 { rest += second }
        var text = TextBuffer(capacity: 40)
        text.append(DeviceTime(wallSeconds: (nanoseconds - rest) / second))
        text.append(0x2E)
        text.append(padded: Int(rest), width: 9)
        text.append(0x5A)
        return text.string
    }
}
