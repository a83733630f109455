/// One request to a cuff: its bytes, time-out and number of attempts.
public struct Request<Question: Equatable & Sendable>: Sendable {
    /// The family's description of the request. Bytes answer it only while it is the last one sent.
    public let question: Question
    /// Written in order; for HID one report each.
    public let writes: [[UInt8]]
    /// The time-out of the answer; then the request is repeated.
    public let limit: Duration
    /// The number of attempts. 1 for a command that must not be repeated: a lost answer to a start must not inflate the cuff twice.
    public let attempts: Int

    /// Creates a request.
    public init(_ question: Question, _ writes: [[UInt8]], within limit: Duration, attempts: Int) {
        self.question = question
        self.writes = writes
        self.limit = limit
        self.attempts = attempts
    }

    /// A request of one write.
    public init(_ question: Question, _ bytes: [UInt8], within limit: Duration, attempts: Int) {
        self.init(question, [bytes], within: limit, attempts: attempts)
    }
}

/// The current, planned and last sent requests. A pure state: it only appends actions.
public struct Requests<Question: Equatable & Sendable>: Sendable {
    /// The request awaited or answered last; `nil` before the first.
    public private(set) var current: Request<Question>?
    /// The answer to `current` is awaited.
    public private(set) var isAwaiting = false
    /// `current` waits to be repeated; until then only late answers arrive.
    public private(set) var isPaused = false
    /// The requests after `current`, in order.
    public var planned: [Request<Question>] = []
    /// The last request sent, by this session or, in a recording, other software; set in `noteSent`. `nil` for other bytes.
    public var sent: Question?
    private var tries = 0

    /// No requests.
    public init() {}

    /// This session has sent a request.
    public var hasAsked: Bool { current != nil }
    /// The awaited request.
    public var question: Question? { isAwaiting ? current?.question : nil }
    /// Whether an answer to `sent` counts: always in a recording, else only if `sent` is the awaited request.
    public var acceptsAnswer: Bool { current == nil || isAwaiting && !isPaused && sent == current?.question }

    /// The current request has attempts left.
    public var canRepeat: Bool { current.map { tries < $0.attempts } ?? false }

    /// Writes a request and awaits its answer instead of any other.
    public mutating func begin(_ request: Request<Question>, into actions: inout SessionActions) {
        current = request
        tries = 0
        _ = write(into: &actions)
    }

    /// Repeats the current request; `false` if no attempts are left.
    public mutating func write(into actions: inout SessionActions) -> Bool {
        guard let current, canRepeat else { return false }
        tries += 1
        isAwaiting = true
        isPaused = false
        for bytes in current.writes { actions.append(.write(bytes)) }
        actions.arm(.response, current.limit)
        return true
    }

    /// Repeats the current request after a pause, so that a late answer is not taken for the next one; `false` if no attempts are left.
    public mutating func pause(_ duration: Duration, into actions: inout SessionActions) -> Bool {
        guard canRepeat else { return false }
        isPaused = true
        actions.arm(.response, duration)
        return true
    }

    /// The answer came.
    public mutating func end(into actions: inout SessionActions) {
        guard isAwaiting else { return }
        isAwaiting = false
        isPaused = false
        actions.disarm(.response)
    }
}
