import CuffCore

/// One caller of the web server, without a socket: collects a request, then waits for its answer or stays as a viewer of
/// events. A caller has one request; what it sends behind that is not kept.
struct WebConnection: Sendable {
    /// What is to be done after an event.
    enum Step: Equatable {
        case wait
        case ask(HTTPRequest)
        case answer(HTTPResponse)
        /// The answer is out: write nothing more, and close when the caller has closed. What it still sends is passed over. Closed at
        /// once, the kernel would tell it of a reset, and the answer would be lost.
        case finish
        /// Close the connection.
        case close
    }

    private enum Phase { case reading, answering, refusing, viewing }

    /// What a viewer may leave unread: some 300 messages. Behind it, it would see the past.
    static let longestBacklog = 64 << 10

    private let ownHost: String
    private var phase = Phase.reading
    private var head: [UInt8] = []
    private var unsent = 0

    init(ownHost: String) { self.ownHost = ownHost }

    /// It stays and is told what happens.
    var isViewer: Bool { phase == .viewing }
    /// It has not said what it wants.
    var isReading: Bool { phase == .reading }

    mutating func receive(_ bytes: [UInt8]) -> Step {
        guard phase == .reading else { return .wait }
        let searched = head.count
        head += bytes.prefix(HTTPRequest.longest + 1 - head.count)
        // A body may stand behind the head in the same piece.
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

    /// From now on a viewer.
    mutating func follow() { phase = .viewing }

    /// Bytes are about to be written. Answers `close` where a viewer is too slow for them.
    mutating func send(_ count: Int) -> Step {
        unsent += count
        return phase == .viewing && unsent > Self.longestBacklog ? .close : .wait
    }

    /// The kernel took bytes. An answer that is out ends the connection.
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
