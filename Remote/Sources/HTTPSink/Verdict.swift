import RemoteSink

/// What an answer means for the readings that were sent.
public enum Verdict: Sendable, Equatable {
    /// The server's acknowledgement says that all of them are safe.
    case taken
    /// Something in them will never be accepted: divide, then set aside.
    case content(String)
    /// The same again in a while.
    case later(String)
    /// A person must change something.
    case configuration(String)

    /// By the status alone, for an answer that is not a success. Only the statuses that speak about the content set a reading
    /// aside; any other 4xx keeps it, because a reading that was set aside comes back by hand alone.
    static func failure(_ answer: HTTPAnswer, said: String) -> Verdict {
        let words = said.isEmpty ? answer.words : said
        let text = "HTTP \(answer.status)" + (words.isEmpty ? "" : ": \(words)")
        switch answer.status {
        case 300..<400:
            let place = answer.location.map { " to \($0)" } ?? ""
            return .configuration(
                "the server redirects\(place) (HTTP \(answer.status)), which is not followed; put the final address into the configuration")
        case 400, 413, 422: return .content(text)
        case 401: return .configuration("the server refused the credentials (\(text)); check the credentials file")
        case 403: return .configuration("the credentials do not allow writing here (\(text)); check the rights of the user or token")
        case 404, 405, 410: return .configuration("there is nothing to write to at this address (\(text)); check the path")
        case 408, 409, 425, 429: return .later(text + asked(answer))
        // InfluxDB 1.x answers 500 with the words of its operating system, and 1.6 fails on after there is room (observed).
        case 500... where answer.status == 507 || words.lowercased().contains("no space left"):
            return .later("the server's disk is full: make room there, and restart the server if that repeats (\(text))")
        case 400..<500: return .configuration("the server does not take this (\(text))")
        default: return .later(text + asked(answer))
        }
    }

    private static func asked(_ answer: HTTPAnswer) -> String {
        answer.retryAfter.map { $0 > 0 ? "; the server asks to wait \($0) s" : "" } ?? ""
    }
}

/// A form in which readings are sent. Values only: no connection, clock or file.
public protocol DeliveryFormat: Sendable {
    /// Readings of one request.
    var mostReadings: Int { get }
    /// Whether the server has nothing to learn from this line, as from the deletion of a reading that it was never sent.
    func isNothing(_ reading: ReadingLine) -> Bool
    /// Whether it goes in a request of its own.
    func isAlone(_ reading: ReadingLine) -> Bool
    /// Why this reading can never be sent; `nil` when it can.
    func refusal(_ reading: ReadingLine) -> String?
    func request(_ readings: [ReadingLine]) -> HTTPRequest
    func verdict(_ answer: HTTPAnswer, for readings: [ReadingLine]) -> Verdict
    /// A question to ask before this reading is sent: does the server have a newer revision?
    func question(_ reading: ReadingLine) -> HTTPRequest?
    func isSuperseded(_ reading: ReadingLine, by answer: HTTPAnswer) -> Bool
    /// A question to ask before a reading is set aside: is the fault in the configuration instead?
    func diagnosis(_ reading: ReadingLine) -> HTTPRequest?
    func fault(_ reading: ReadingLine, diagnosed answer: HTTPAnswer) -> String?
    /// Questions that tell, without a reading, whether readings would be accepted.
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
