import CuffCore

/// The state of one HTTP connection, without a socket: reads one request, then waits for its answer or receives events. Later
/// input is discarded.
struct WebConnection: Sendable {
    enum Step: Equatable {
        case wait
        case ask(HTTPRequest)
        case answer(HTTPResponse)
        /// The response was sent: close after the client does. Closing at once would send a reset while the client still sends,
        /// and the response could be lost.
        case finish
        case close
    }

    private enum Phase { case reading, answering, refusing, viewing }

    /// The limit of unread data per viewer, about 300 messages. Slower viewers would see old pressures.
    static let longestBacklog = 64 << 10

    private let ownHost: String
    private var phase = Phase.reading
    private var head: [UInt8] = []
    private var unsent = 0

    init(ownHost: String) { self.ownHost = ownHost }

    var isViewer: Bool { phase == .viewing }

    mutating func receive(_ bytes: [UInt8]) -> Step {
        guard phase == .reading else { return .wait }
        let searched = head.count
        head += bytes.prefix(HTTPRequest.longest + 1 - head.count)
        // The piece may include a body.
        guard let end = HTTPRequest.headEnd(head, from: searched) else {
            return head.count > HTTPRequest.longest ? answered(HTTPResponse(.tooLong)) : .wait
        }
        do throws(HTTPRequest.Fault) {
            let request = try HTTPRequest(Array(head[..<end]), ownHost: ownHost)
            head = []
            phase = .answering
            return .ask(request)
        } catch { return answered(HTTPResponse(error)) }
    }

    mutating func follow() { phase = .viewing }

    /// Before writing bytes. Returns `close` if a viewer is too slow.
    mutating func send(_ count: Int) -> Step {
        unsent += count
        return phase == .viewing && unsent > Self.longestBacklog ? .close : .wait
    }

    /// After the kernel accepted bytes. A response that was sent ends the connection.
    mutating func sent(_ count: Int) -> Step {
        unsent -= count
        guard unsent <= 0 else { return .wait }
        switch phase {
        case .answering: return .close
        case .refusing: return .finish
        case .reading, .viewing: return .wait
        }
    }

    private mutating func answered(_ response: HTTPResponse) -> Step {
        head = []
        phase = .refusing
        return .answer(response)
    }
}
