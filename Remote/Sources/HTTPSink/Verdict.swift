import HTTPClient
import RemoteSink

/// The meaning of a response for the readings that were sent.
public enum Verdict: Sendable, Equatable {
    /// The server has stored all of them.
    case taken
    /// One of them will never be accepted: divide, then set aside.
    case content(String)
    case later(String)
    /// The configuration must be changed.
    case configuration(String)

    /// From the status of a failed request. Only statuses about the content set a reading aside; other 4xx keep it, because a
    /// reading set aside is only sent again on request.
    static func failure(_ answer: HTTPAnswer, message: String) -> Verdict {
        let words = message.isEmpty ? answer.words : message
        let text = "HTTP \(answer.status)" + (words.isEmpty ? "" : ": \(words)")
        switch answer.status {
        case 300..<400:
            let place = answer.location.map { " to \($0)" } ?? ""
            return .configuration(
                "the server redirects\(place) (HTTP \(answer.status)); redirects are not followed: put the final address into the configuration"
            )
        case 400, 413, 422: return .content(text)
        case 401: return .configuration("the server refused the credentials (\(text)); check the credentials file")
        case 403: return .configuration("the credentials do not permit writing (\(text)); check the permissions of the user or token")
        case 404, 405, 410: return .configuration("nothing accepts readings at this address (\(text)); check the path")
        case 408, 409, 425, 429: return .later(text + asked(answer))
        // InfluxDB 1.x answers 500 with the operating system's message; 1.6 keeps failing after space was freed (observed).
        case 500... where answer.status == 507 || words.lowercased().contains("no space left"):
            return .later("the server's disk is full: free some space, and restart the server if the error persists (\(text))")
        case 400..<500: return .configuration("the server did not accept the request (\(text))")
        default: return .later(text + asked(answer))
        }
    }

    private static func asked(_ answer: HTTPAnswer) -> String {
        answer.retryAfter.map { $0 > 0 ? "; the server asks to wait \($0) s" : "" } ?? ""
    }
}

/// A format in which readings are sent. Pure: no connection, clock or file.
public protocol DeliveryFormat: Sendable {
    var mostReadings: Int { get }
    /// Whether this line need not be sent, e.g. the deletion of a reading that the server never received.
    func isNothing(_ reading: ReadingLine) -> Bool
    /// Whether it needs a separate request.
    func isAlone(_ reading: ReadingLine) -> Bool
    /// Why this reading can never be sent; `nil` when it can.
    func refusal(_ reading: ReadingLine) -> String?
    func request(_ readings: [ReadingLine]) -> HTTPRequest
    func verdict(_ answer: HTTPAnswer, for readings: [ReadingLine]) -> Verdict
    /// A query before this reading is sent: does the server have a newer revision?
    func question(_ reading: ReadingLine) -> HTTPRequest?
    func isSuperseded(_ reading: ReadingLine, by answer: HTTPAnswer) -> Bool
    /// A query before a reading is set aside: is the fault in the configuration instead?
    func diagnosis(_ reading: ReadingLine) -> HTTPRequest?
    func fault(_ reading: ReadingLine, diagnosed answer: HTTPAnswer) -> String?
    /// Queries that show, without a reading, whether readings would be accepted.
    var checks: [HTTPCheck] { get }
}

extension DeliveryFormat {
    public func isNothing(_ reading: ReadingLine) -> Bool { false }
    public func isAlone(_ reading: ReadingLine) -> Bool { false }
    public func question(_ reading: ReadingLine) -> HTTPRequest? { nil }
    public func isSuperseded(_ reading: ReadingLine, by answer: HTTPAnswer) -> Bool { false }
    public func diagnosis(_ reading: ReadingLine) -> HTTPRequest? { nil }
    public func fault(_ reading: ReadingLine, diagnosed answer: HTTPAnswer) -> String? { nil }
}
